// Loads and analyses; reads the features from the target id.
#include "lint/subject.h"
#include "codeobject/first_instruction.h"
#include "files/error.h"

namespace crosslane::lint {

namespace {

Feature feature(const std::string& target_id, const char* name, bool has) {
  if (!has)
    return Feature::off;
  const size_t at = target_id.find(name);
  if (at == std::string::npos)
    return Feature::any;
  return target_id.compare(at + std::string_view(name).size(), 1, "+") == 0 ? Feature::on : Feature::off;
}

} // namespace

const codeobject::Kernel* Subject::kernel_at(uint64_t pc) const {
  for (const auto& kernel : object->kernels())
    if (kernel.entry + image->bias == pc || codeobject::first_instruction(kernel) + image->bias == pc)
      return &kernel;
  return nullptr;
}

namespace {

Subject analyse(const codeobject::CodeObject& object, std::unique_ptr<analysis::CodeImage> image) {
  Subject s;
  s.object = &object;
  s.image = std::move(image);
  s.graph = analysis::build(s.image->code);
  const std::string& made_by = object.comment();
  s.callers_wait = made_by.find("GCC: (") != made_by.npos && made_by.find("clang") == made_by.npos;
  const auto& info = isa::info(s.target());
  s.xnack = feature(object.target_id(), ":xnack", info.xnack);
  s.sramecc = feature(object.target_id(), ":sramecc", info.sramecc);
  return s;
}

} // namespace

llvm::Expected<Subject> make_subject(const codeobject::CodeObject& object) {
  auto image = analysis::load_image(object);
  if (!image)
    return image.takeError();
  return analyse(object, std::move(*image));
}

Subject make_subject(const codeobject::CodeObject& object, isa::Target target, const uint8_t* memory) {
  return analyse(object, analysis::describe_image(object, target, memory));
}

} // namespace crosslane::lint
