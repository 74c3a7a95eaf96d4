// Code objects are instrumented as programs load them; records lie in device memory.
#include "hsa/code/probes.h"
#include "hsa/info/agent.h"
#include "hsa/memory/memory.h"
#include "hsa/settings.h"
#include "profile/collector.h"
#include "profile/probe_compiler.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

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

namespace {

constexpr size_t most_spare_bytes = 64 << 20; // of a code object

} // namespace

std::span<uint8_t> ProbeRecords::take(size_t bytes) {
  {
    const std::lock_guard lock(code_.spare_mutex);
    if (code_.spare_records.size() >= bytes)
      return std::exchange(code_.spare_records, {});
  }
  void* memory = code_.heap->allocate(bytes, device_memory(*code_.agent), "records of probes");
  if (!memory)
    return {};
  const std::span<uint8_t> all(static_cast<uint8_t*>(memory), bytes);
  std::ranges::fill(all, rewrite::no_record);
  return all;
}

void ProbeRecords::give_back(std::span<uint8_t> memory) {
  if (memory.size() <= most_spare_bytes) {
    rewrite::erase(*plan_, grid_, bytes_);
    const std::lock_guard lock(code_.spare_mutex);
    if (memory.size() > code_.spare_records.size())
      std::swap(memory, code_.spare_records);
  }
  if (!memory.empty())
    code_.heap->free(memory.data());
}

ProbeRecords::ProbeRecords(LoadedCode& code, const codeobject::Kernel& kernel, const engine::AqlPacket& packet)
    : code_(code), grid_(profile::grid_of(packet)) {
  plan_ = code.probed ? code.probed->find(kernel.name) : nullptr;
  if (!plan_)
    return;
  auto address = rewrite::control_address(*code.object, *plan_);
  if (!address) { // what made the plan made the symbol
    llvm::consumeError(address.takeError());
    return;
  }
  alone_ = std::unique_lock(code.recording[plan_]);
  control_ = reinterpret_cast<rewrite::Control*>(code.base + (*address - code.object->image_begin()));
  if (kernel.reqd_workgroup_size[0] && !std::ranges::equal(grid_.workgroup, kernel.reqd_workgroup_size)) {
    say_once(kernel.name, fmt::format("a launch of kernel '{}' is not recorded: its workgroups are not of the size "
                                      "that it requires, so waves would not find their records",
                                      codeobject::demangle(kernel.name)));
    return;
  }
  const auto size = rewrite::bytes_of_records(*plan_, grid_);
  if (size && *size)
    memory_ = take(size_t(*size));
  if (memory_.empty()) {
    say_once(kernel.name, fmt::format("a launch of kernel '{}' is not recorded: the records of its waves, {} "
                                      "bytes each, are more than there is room for",
                                      codeobject::demangle(kernel.name), plan_->record_bytes));
    return;
  }
  bytes_ = memory_.first(size_t(*size));
  *control_ = rewrite::control_for(*plan_, reinterpret_cast<uint64_t>(bytes_.data()), grid_);
}

ProbeRecords::~ProbeRecords() {
  if (control_)
    *control_ = {};
  if (!memory_.empty())
    give_back(memory_);
}

} // namespace crosslane::hsa
