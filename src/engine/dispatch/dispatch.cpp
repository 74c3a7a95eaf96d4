// One dispatch from packet to outcome: what cannot run is refused first, then threads take workgroups.
#include "engine/dispatch.h"
#include "codeobject/first_instruction.h"
#include "engine/dispatch/crew.h"
#include "engine/dispatch/runner.h"
#include "engine/dispatch/trial.h"
#include "engine/part.h"
#include "machine/shared_ranges.h"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <x86intrin.h>

namespace crosslane::engine {

namespace {

machine::Fault bad_dispatch(const std::string& kernel, std::string why) {
  machine::Fault fault;
  fault.kind = machine::FaultKind::bad_dispatch;
  fault.kernel = kernel;
  fault.detail = std::move(why);
  return fault;
}

// Why the trap handler of the options cannot be used; empty: it can, or there is none.
std::string refused_trap_handler(const Code& code, const Options& options, const codeobject::KernelDescriptor& kd) {
  if (!options.trap_handler)
    return "";
  if (options.trap_handler->target() != code.target())
    return "the trap handler is " + std::string(isa::info(options.trap_handler->target()).name) + " code, the kernel " +
           std::string(isa::info(code.target()).name) + "; build both for the same target";
  if (options.trap_handler_address - options.trap_handler->base() >= options.trap_handler->size())
    return "the trap handler's address is outside of its code";
  if ((options.trap_handler_address | options.trap_memory_address) & 255)
    return "the trap handler's address and its memory must be multiples of 256";
  if (kd.debug_mode() || (kd.compute_pgm_rsrc2 >> 24 & 0x7f) || (kd.compute_pgm_rsrc2 >> 13 & 3))
    return "the kernel enables exceptions or single steps (.amdhsa_exception_*), which do not reach trap handlers yet";
  return "";
}

// Processor time of this thread. A system call.
int64_t thread_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Whether all that a workgroup can write to is seen, and can be undone.
bool can_verify(const Options& options) {
  return !options.listener && options.reach == machine::window && (!options.shared || options.shared->empty());
}

} // namespace

Outcome run(const Code& code, const AqlPacket& packet, const std::string& kernel_name, const Options& options) {
  return run_part(code, packet, kernel_name, options, {});
}

Outcome run_part(const Code& code, const AqlPacket& given, const std::string& kernel_name, const Options& asked,
                 Part part) {
  const bool wants_verifying = asked.compiler && asked.compiler->verifies(),
             verifies = wants_verifying && can_verify(asked);
  Options options = asked;
  if (verifies)
    options.interrupt = outside_of_trials(asked.interrupt);
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t begin_tick = options.listener ? __rdtsc() : 0;
  Outcome outcome;
  // A copy: waves may write to the packet while they run.
  const AqlPacket packet = given;
  DispatchContext context{&code, &packet, &options, kernel_name,
                          options.packet_address ? options.packet_address : reinterpret_cast<uint64_t>(&given)};
  if (const char* level = unknown_level()) {
    outcome.fault = bad_dispatch(kernel_name, "CROSSLANE_LEVEL is '" + std::string(level) +
                                                  "'; it must be v1, v3 or v4, or not set");
    return outcome;
  }
  if (std::string why = options.compiler ? options.compiler->refusal() : std::string(); !why.empty()) {
    outcome.fault = bad_dispatch(kernel_name, std::move(why));
    return outcome;
  }
  const uint64_t offset = packet.kernel_object - code.base(), descriptor_size = options.amd_kernel_code ? 256 : 64;
  if (code.size() < descriptor_size || offset > code.size() - descriptor_size) {
    outcome.fault = bad_dispatch(kernel_name, "the kernel descriptor is outside of the loaded code");
    return outcome;
  }
  const auto* descriptor = reinterpret_cast<const void*>(packet.kernel_object);
  const auto kd = options.amd_kernel_code ? codeobject::KernelDescriptor::at_version2(descriptor)
                                          : codeobject::KernelDescriptor::at(descriptor);
  std::string error = refused_trap_handler(code, options, kd);
  if (!error.empty()) {
    outcome.fault = bad_dispatch(kernel_name, error);
    return outcome;
  }
  const LaunchState launch(context, kd, error);
  if (!error.empty()) {
    outcome.fault = bad_dispatch(kernel_name, error);
    return outcome;
  }
  uint64_t count = uint64_t(launch.groups[0]) * launch.groups[1];
  if (__builtin_mul_overflow(count, launch.groups[2], &count)) {
    const auto size = [&](int d) { return std::to_string(launch.groups[d]); };
    outcome.fault = bad_dispatch(kernel_name, size(0) + " x " + size(1) + " x " + size(2) +
                                                  " workgroups are more than 64 bits can count; make the grid smaller");
    return outcome;
  }
  const uint64_t first = std::min(part.first, count);
  count = std::min(part.count, count - first);
  if (count == 0)
    return outcome;

  const auto programs = [&](Hooks hooks) {
    return Programs{&code.impl().program(hooks, options.register_faults ? launch.registers : RegisterLimits()),
                    options.trap_handler ? &options.trap_handler->impl().program(hooks, {}) : nullptr};
  };
  context.plain = programs({});
  bool counts = false;
  if (const events::Listener* l = options.listener) {
    using enum events::Space;
    const bool accesses = l->wants_accesses();
    context.observed =
        programs({.branches = l->wants_branches(),
                  .issued = l->wants_issued(),
                  .memory = accesses && (l->wants_space(global) || l->wants_space(scratch) || l->wants_space(scalar)),
                  .lds = accesses && l->wants_space(lds),
                  .steps = l->wants_steps(),
                  .barriers = l->wants_barriers(),
                  .waits = l->wants_waits(),
                  .paced = options.pace != nullptr,
                  .paced_stores = options.pace && options.pace->paces_stores()});
    context.tells_waves = l->wants_waves(), context.tells_barriers = l->wants_barriers();
    counts = options.compiler && l->takes_counts() && !accesses && !l->wants_steps() && !context.tells_waves &&
             !context.tells_barriers && !l->wants_waits();
    if (counts)
      context.repeats = programs({.repeats = true});
  }

  // Of two threads, one would write to what the other one compares.
  const uint64_t wanted = verifies || options.pace ? 1
                          : options.threads        ? std::min(options.threads, crew_limit())
                                                   : crew_limit();
  const uint64_t threads = std::min(wanted, count);
  machine::Gds own_gds;
  Shared shared{context,
                launch,
                packet.kernel_object + uint64_t(kd.kernel_code_entry_byte_offset) + codeobject::preloaded_entry(kd),
                first + count,
                threads,
                options.pace ? 1 : std::clamp<uint64_t>(count / (threads * 16), 1, 64),
                options.pace ? count : uint64_t(options.units.enabled()) * launch.groups_per_cu,
                options.gds ? *options.gds : own_gds,
                nullptr,
                {},
                verifies,
                counts,
                {options.units, launch.groups_per_cu}};
  shared.next = first;
  if (options.compiler) {
    shared.query = launch.compile_query(shared.entry, options.register_faults ? launch.registers : RegisterLimits());
    shared.query.counts = counts;
    if (counts) // what leaves compiled code in its middle finds the sites that are found from the entry on
      context.observed.kernel->at(shared.entry, launch.decode_mode());
    shared.kernel = &options.compiler->find(code, shared.query, kernel_name);
    if (wants_verifying && (!verifies || !shared.kernel->code()))
      options.compiler->tell(Verdict::not_compared);
  }
  std::atomic<int64_t> cpu_nanoseconds{0};
  work_together(unsigned(threads) - 1, [&](Worker worker) {
    if (!options.listener)
      return run_thread(shared, worker);
    const int64_t before = thread_nanoseconds();
    const bool over = run_thread(shared, worker);
    cpu_nanoseconds += thread_nanoseconds() - before;
    return over;
  });
  outcome.fault = shared.fault;
  if (!outcome.fault && options.cancel && *options.cancel && shared.groups_done < count) {
    outcome.fault.emplace();
    outcome.fault->kind = machine::FaultKind::cancelled;
    outcome.fault->kernel = kernel_name;
  }
  if (outcome.fault) {
    outcome.census = std::move(shared.census);
    outcome.census.workgroups = count, outcome.census.ended = shared.groups_done;
    sort(outcome.census);
  }
  outcome.stats.instructions = shared.instructions;
  outcome.stats.waves = shared.waves;
  outcome.stats.workgroups = shared.groups_done;
  const uint64_t ticks = options.listener ? __rdtsc() - begin_tick : 0;
  outcome.stats.cpu_seconds = double(cpu_nanoseconds) * 1e-9;
  outcome.stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (ticks)
    outcome.stats.hook_seconds = double(shared.hook_ticks) * outcome.stats.seconds / double(ticks);
  return outcome;
}

} // namespace crosslane::engine
