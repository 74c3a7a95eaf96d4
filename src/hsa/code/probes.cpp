// Code objects are instrumented as programs load them; records lie in device memory.
#include "hsa/code/probes.h"
#include "hsa/info/agent.h"
#include "hsa/memory/memory.h"
#include "hsa/settings.h"
#include "profile/collector.h"
#include "profile/probe_compiler.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::hsa {

std::shared_ptr<const rewrite::Probed> Probing::probe(const std::shared_ptr<const codeobject::CodeObject>& object,
                                                      const profile::Options& options) {
  const std::lock_guard lock(mutex_);
  const auto [found, unknown] = known_.try_emplace(object);
  if (!unknown)
    return found->second;
  auto probed =
      rewrite::probe(object, {.probes = *options.probes,
                              .wanted = [&](const codeobject::Kernel& k) { return options.wants_kernel(k.name); },
                              .compiler = profile::probe_compiler()});
  if (!probed) {
    const std::string why = llvm::toString(probed.takeError());
    say(fmt::format("{}: runs without probes: {}", object->name(), why));
    probed = rewrite::Probed{object, object, {}, {}};
    for (const codeobject::Kernel& kernel : object->kernels())
      probed->kernels.push_back({.kernel = kernel.name, .refused = why});
  }
  found->second = std::make_shared<rewrite::Probed>(std::move(*probed));
  return found->second;
}

ProbeRecords::ProbeRecords(LoadedCode& code, const codeobject::Kernel& kernel, const engine::AqlPacket& packet)
    : code_(code) {
  const rewrite::KernelPlan* plan = code.probed ? code.probed->find(kernel.name) : nullptr;
  if (!plan)
    return;
  auto address = rewrite::control_address(*code.object, *plan);
  if (!address) { // what made the plan made the symbol
    llvm::consumeError(address.takeError());
    return;
  }
  alone_ = std::unique_lock(code.recording[plan]);
  control_ = reinterpret_cast<rewrite::Control*>(code.base + (*address - code.object->image_begin()));
  const rewrite::Grid grid = profile::grid_of(packet);
  if (kernel.reqd_workgroup_size[0] && !std::ranges::equal(grid.workgroup, kernel.reqd_workgroup_size)) {
    say_once(kernel.name, fmt::format("a launch of kernel '{}' is not recorded: its workgroups are not of the size "
                                      "that it requires, so waves would not find their records",
                                      codeobject::demangle(kernel.name)));
    return;
  }
  const auto size = rewrite::bytes_of_records(*plan, grid);
  void* memory = size && *size ? code.heap->allocate(*size, device_memory(*code.agent), "records of probes") : nullptr;
  if (!memory) {
    say_once(kernel.name, fmt::format("a launch of kernel '{}' is not recorded: the records of its waves, {} "
                                      "bytes each, are more than there is room for",
                                      codeobject::demangle(kernel.name), plan->record_bytes));
    return;
  }
  bytes_ = {static_cast<uint8_t*>(memory), size_t(*size)};
  std::ranges::fill(bytes_, rewrite::no_record);
  *control_ = rewrite::control_for(*plan, reinterpret_cast<uint64_t>(memory), grid);
}

ProbeRecords::~ProbeRecords() {
  if (control_)
    *control_ = {};
  if (!bytes_.empty())
    code_.heap->free(bytes_.data());
}

} // namespace crosslane::hsa
