// A kernel dispatch packet: finds the kernel, runs it, and reports what went wrong.
#include "engine/dispatch.h"
#include "files/read.h"
#include "hsa/capturing.h"
#include "hsa/code/probes.h"
#include "hsa/memory/locked_memory.h"
#include "hsa/memory/memory.h"
#include "hsa/memory/svm.h"
#include "hsa/queue/cu_mask.h"
#include "hsa/queue/faults.h"
#include "hsa/queue/hidden_arguments.h"
#include "hsa/queue/interrupt.h"
#include "hsa/queue/queue.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include "jit/jit.h"
#include "machine/diagnostic.h"
#include "profile/stopped.h"
#include "profile/watchdog.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::hsa {

namespace {

hsa_status_t refuse(hsa_status_t status, const std::string& why) {
  remember_diagnosis(status, why);
  return status;
}

// What the packet processor looks at before it starts anything, and the statuses that ROCr makes of it. A grid without
// work-items is `empty`, and completes. Sizes of dimensions that are not used may be 0 and become 1: the HSA
// Foundation's suite leaves them out, and the reserved bits of `setup` as they are.
hsa_status_t check_shape(hsa_kernel_dispatch_packet_t& packet, bool& empty) {
  constexpr uint64_t largest_workgroup = 1024; // HSA_AGENT_INFO_WORKGROUP_MAX_SIZE
  uint16_t* const size[3] = {&packet.workgroup_size_x, &packet.workgroup_size_y, &packet.workgroup_size_z};
  uint32_t* const grid[3] = {&packet.grid_size_x, &packet.grid_size_y, &packet.grid_size_z};
  const uint32_t dimensions = packet.setup >> HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS &
                              ((1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
  if (!dimensions)
    return refuse(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
                  fmt::format("a dispatch has 0 dimensions (setup {:#06x}); it must be 1, 2 or 3", packet.setup));
  for (uint32_t d = dimensions; d < 3; ++d) {
    *size[d] = std::max<uint16_t>(*size[d], 1);
    *grid[d] = std::max(*grid[d], 1u);
  }
  empty = std::any_of(grid, grid + dimensions, [](const uint32_t* n) { return *n == 0; });
  if (const auto none = std::find_if(size, size + 3, [](const uint16_t* n) { return *n == 0; });
      none != size + 3 && !empty)
    return refuse(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
                  fmt::format("workgroups of a dispatch have no work-items in dimension {}", "xyz"[none - size]));
  if (const uint64_t items = uint64_t(*size[0]) * *size[1] * *size[2]; items > largest_workgroup)
    return refuse(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                  fmt::format("a dispatch has workgroups of {} work-items; the limit is {}", items, largest_workgroup));
  constexpr uint32_t most_scratch = 262128; // of a work-item, as ROCr has it
  if (packet.private_segment_size > most_scratch)
    return refuse(
        HSA_STATUS_ERROR_OUT_OF_RESOURCES,
        fmt::format("a dispatch asks for {} bytes of scratch (private segment) for each work-item; the limit is {}",
                    packet.private_segment_size, most_scratch));
  return HSA_STATUS_SUCCESS;
}

// The LDS of a workgroup, and the registers of all its waves, must fit into one compute unit.
hsa_status_t check_room(const hsa_kernel_dispatch_packet_t& packet, const codeobject::Kernel& kernel,
                        const isa::TargetInfo& target) {
  if (const uint32_t lds = std::max(packet.group_segment_size, kernel.descriptor.group_segment_fixed_size);
      lds > target.lds_per_workgroup)
    return refuse(HSA_STATUS_ERROR_INVALID_ALLOCATION,
                  fmt::format("a dispatch of kernel '{}' asks for {} bytes of LDS (group segment); the limit is {}",
                              codeobject::demangle(kernel.name), lds, target.lds_per_workgroup));
  const uint32_t items = uint32_t(packet.workgroup_size_x) * packet.workgroup_size_y * packet.workgroup_size_z;
  const uint32_t vgprs = std::max(kernel.allocated_vgpr_count, 1u), waves = (items + 63) / 64,
                 room = 4 * (target.vgprs / vgprs);
  if (waves <= room)
    return HSA_STATUS_SUCCESS;
  return refuse(HSA_STATUS_ERROR_INVALID_ISA,
                fmt::format("a workgroup of kernel '{}' is {} waves of {} registers each, and a compute unit holds {} "
                            "of those; make workgroups "
                            "smaller, or compile the kernel for their size (__launch_bounds__)",
                            codeobject::demangle(kernel.name), waves, vgprs, room));
}

// The fault as text, with the source line and the place in the program, and of a deadlock where the waves are.
std::string diagnosis(Runtime& runtime, machine::Fault fault, const LoadedCode& code, const codeobject::Kernel& kernel,
                      const std::string& places) {
  if (fault.kind == machine::FaultKind::unmapped_address && runtime.heap->is_locked(fault.address))
    fault.detail = "this is registered host memory, which kernels reach by its device pointer "
                   "(hipHostGetDevicePointer, or agent_ptr of "
                   "hsa_amd_memory_lock)";
  fault.kernel = codeobject::demangle(kernel.name);
  if (fault.pc - code.base < code.size) {
    if (fault.source.empty())
      fault.source = files::from_here(views::source_of(code.image, fault.pc));
    if (const std::string symbol = views::symbol_of(code.image, fault.pc); !symbol.empty())
      fault.kernel = fmt::format("{}, in {}", fault.kernel, symbol);
  }
  std::string text = machine::describe(fault);
  if (fault.kind == machine::FaultKind::deadlock)
    text += "\n" + places;
  if (const std::string last = machine::diagnostic(fault); !last.empty())
    text += "\n" + last;
  return text;
}

} // namespace

hsa_status_t dispatch(Queue& queue, const hsa_kernel_dispatch_packet_t& given, uint64_t packet_id,
                      uint64_t packet_address) {
  hsa_kernel_dispatch_packet_t packet = given;
  Runtime& runtime = *queue.runtime;
  const auto code = runtime.code->find(packet.kernel_object);
  const codeobject::Kernel* kernel = code ? CodeRegistry::kernel_at(*code, packet.kernel_object) : nullptr;
  if (!kernel)
    return refuse(HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                  fmt::format("a dispatch names the kernel object {:#x}, which is no kernel of loaded code; was its "
                              "executable destroyed?",
                              packet.kernel_object));
  if (code->agent != queue.agent)
    return refuse(HSA_STATUS_ERROR_INVALID_AGENT, fmt::format("kernel '{}' was loaded for another GPU than the queue's",
                                                              codeobject::demangle(kernel->name)));
  bool empty = false;
  if (const hsa_status_t status = check_shape(packet, empty); status != HSA_STATUS_SUCCESS || empty)
    return status;
  if (const hsa_status_t status = check_room(packet, *kernel, isa::info(queue.agent->card->target));
      status != HSA_STATUS_SUCCESS)
    return status;
  static_assert(sizeof(engine::AqlPacket) == sizeof(hsa_kernel_dispatch_packet_t));
  const auto& aql = reinterpret_cast<const engine::AqlPacket&>(packet);
  fill_in_apertures(*kernel, code->code->target(), aql.kernarg_address, runtime.heap->memory());
  engine::Options options;
  options.threads = runtime.settings.threads;
  options.memory = &runtime.heap->memory();
  options.amd_kernel_code = code->object->version() == 2;
  options.lds_faults = runtime.settings.bounds == machine::Bounds::exact;
  options.register_faults = true;
  options.reach = runtime.reaches_host ? machine::everything : machine::device_reach();
  options.compiler = jit::compiler();
  options.poison = runtime.settings.poison;
  options.shared = &runtime.svm->accessible();
  options.packet_address = packet_address;
  options.queue_address = reinterpret_cast<uint64_t>(&queue.amd);
  options.dispatch_id = packet_id;
  options.gds = &queue.agent->gds;
  options.cancel = &queue.stop;
  options.interrupt = notify_all;
  options.is_hosts = [](uint64_t address) { return signal_slots.holds(address) || ipc_signal_slots.holds(address); };
  options.units = units_of(queue);
  if (jit::policy() == jit::Policy::verify) [[unlikely]]
    LockedMemory::get().bring_in();
  std::optional<Capturing::Dispatch> captured; // before others give way to this dispatch, as it waits for them
  if (runtime.capturing) [[unlikely]]
    captured.emplace(*runtime.capturing, *code, *kernel, aql, options);
  const ProbeRecords records(*code, *kernel, aql); // likewise
  const hsa_amd_queue_priority_t priority = queue.priority;
  options.give_way = queue.agent->precedence.above(priority);
  const Precedence::Dispatch preceding(queue.agent->precedence, priority);
  Statistics::Launch launch(*runtime.statistics, code, *kernel, aql, records, queue, options);
  engine::Outcome outcome;
  try {
    const profile::Watchdog limit(runtime.settings.timeout, [&] { runtime.interrupt->time_out(); });
    outcome = engine::run(*code->code, aql, kernel->name, options);
  } catch (const std::bad_alloc&) {
    return refuse(HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                  fmt::format("the host has no memory left for the workgroups of kernel '{}'",
                              codeobject::demangle(kernel->name)));
  } catch (const std::system_error&) {
    return refuse(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "the host gives no thread that watches the time limit");
  }
  launch.end(outcome);
  if (captured) [[unlikely]]
    captured->end(outcome);
  machine::Memory& memory = runtime.heap->memory();
  for (const std::string& where : memory.let_through())
    say(fmt::format("warning: kernel '{}' went {}: let through, as a card's pages of 4 KiB do",
                    codeobject::demangle(kernel->name), where));
  if (memory.has_overwritten() && !runtime.settings.checks.memory && !runtime.settings.quiet)
    runtime.heap->tell_overwritten();
  if (memory.has_patterns())
    if (const auto overruns = memory.overruns(); !overruns.empty()) {
      const std::string text = fmt::format("memory fault: kernel '{}', or one that ran beside it, wrote {}",
                                           codeobject::demangle(kernel->name), fmt::join(overruns, "; "));
      runtime.statistics->interrupt(text);
      memory_fault(runtime, *queue.agent, 0, text);
      return refuse(hsa_status_t(HSA_STATUS_ERROR_MEMORY_FAULT), text);
    }
  if (!outcome.fault)
    return HSA_STATUS_SUCCESS;
  const std::string places = profile::describe(outcome.census, code->image, kernel->name);
  if (outcome.fault->kind == machine::FaultKind::cancelled) {
    if (const std::string* why = runtime.last_words())
      say(fmt::format("{}: {}", *why, places));
    return HSA_STATUS_SUCCESS;
  }
  const std::string text = diagnosis(runtime, *outcome.fault, *code, *kernel, places);
  runtime.statistics->interrupt(text);
  if (outcome.fault->kind == machine::FaultKind::unmapped_address)
    memory_fault(runtime, *queue.agent, outcome.fault->address, text);
  const hsa_status_t status = status_of(*outcome.fault);
  return refuse(status, text);
}

} // namespace crosslane::hsa
