// Instrumented here, or by `crosslane instrument` before: then what it was is had by taking the probes away.
#include "rewrite/probed.h"
#include "codeobject/write.h"
#include "files/error.h"
#include <algorithm>

namespace crosslane::rewrite {

using codeobject::CodeObject;

namespace {

llvm::Expected<std::shared_ptr<const CodeObject>> read(std::span<const uint8_t> bytes, const std::string& name) {
  auto object = CodeObject::read(bytes, name);
  if (!object)
    return object.takeError();
  return std::shared_ptr<const CodeObject>(std::move(*object));
}

llvm::Expected<Probed> as_instrumented(std::shared_ptr<const CodeObject> object, std::span<const uint8_t> note) {
  auto plan = from_note(note, object->name());
  if (!plan)
    return plan.takeError();
  auto bytes = codeobject::strip(object->bytes());
  if (!bytes)
    return bytes.takeError();
  auto original = read(*bytes, object->name());
  if (!original)
    return original.takeError();
  Probed probed{std::move(*original), std::move(object), std::move(*plan), {}};
  for (const auto& kernel : probed.original->kernels())
    if (const KernelPlan* found = probed.plan.find(kernel.name); found && found->only_saveexec)
      probed.kernels.push_back({.kernel = kernel.name,
                                .refused = "its probes are the document's, which know only some branches; 'crosslane "
                                           "launch --counters FILE' reads them"});
    else if (found && !found->counters)
      probed.kernels.push_back({.kernel = kernel.name, .refused = "its probes count nothing"});
    else if (!found)
      probed.kernels.push_back({.kernel = kernel.name, .refused = "'crosslane instrument' gave it no probes"});
  return probed;
}

} // namespace

std::string Probed::why_not(std::string_view kernel) const {
  const auto found = std::ranges::find(kernels, kernel, &Instrumented::kernel);
  return found == kernels.end() ? "" : found->refused;
}

llvm::Expected<Probed> probe(std::shared_ptr<const CodeObject> object, const Options& options, ProbeCache& cache) {
  if (const auto note = codeobject::rewrite_note(*object); !note.empty())
    return as_instrumented(std::move(object), note);
  auto result = cache.instrument(*object, options);
  if (!result)
    return result.takeError();
  Probed probed{object, object, {}, std::move(result->kernels)};
  if (result->bytes.empty())
    return probed;
  auto with_probes = read(result->bytes, object->name());
  if (!with_probes)
    return with_probes.takeError();
  auto plan = from_note(codeobject::rewrite_note(**with_probes), object->name());
  if (!plan)
    return plan.takeError();
  probed.object = std::move(*with_probes), probed.plan = std::move(*plan);
  return probed;
}

llvm::Expected<uint64_t> control_address(const CodeObject& object, const KernelPlan& plan) {
  const codeobject::Symbol* symbol = object.find_symbol(plan.control);
  const uint64_t begin = object.image_begin();
  if (!symbol || symbol->address < begin || symbol->address + sizeof(Control) > begin + object.image_size())
    return fail("{}: has no symbol '{}', which its probes need", object.name(), plan.control);
  return symbol->address;
}

} // namespace crosslane::rewrite
