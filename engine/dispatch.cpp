#include "engine/dispatch.h"
#include "engine/executes.h"
#include "engine/runner.h"
#include <algorithm>
#include <chrono>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/parallel_for.h>

namespace crosslane::engine {

namespace {

machine::Fault bad_dispatch(const std::string& kernel, std::string why) {
  machine::Fault fault;
  fault.kind = machine::FaultKind::bad_dispatch;
  fault.kernel = kernel;
  fault.detail = std::move(why);
  return fault;
}

// Resident workgroups over all threads, as a 64-CU card would hold them: 40 waves a CU, and its LDS and registers.
uint64_t resident_groups(const LaunchState& launch) {
  const uint64_t waves_by_vgprs = 4 * std::clamp<uint64_t>(256 / std::max(launch.vgpr_count, 1u), 1, 10);
  uint64_t per_cu = std::max<uint64_t>(1, waves_by_vgprs / launch.waves_per_group);
  if (launch.lds_bytes) per_cu = std::max<uint64_t>(1, std::min<uint64_t>(per_cu, 65536 / launch.lds_bytes));
  return 64 * per_cu;
}

}  // namespace

Outcome run(const Code& code, const AqlPacket& packet, const std::string& kernel_name, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome;
  DispatchContext context{nullptr, &code, &packet, &options, kernel_name};
  if (const char* level = unknown_level()) {
    outcome.fault = bad_dispatch(kernel_name, "CROSSLANE_LEVEL is '" + std::string(level) + "'; it must be v1, v3 or v4, or not set");
    return outcome;
  }
  const isa::TargetInfo& target = isa::info(code.target());
  if (!executes(code.target())) {
    outcome.fault = bad_dispatch(kernel_name, std::string(target.name) + " code is not executed yet; compile for gfx803 or gfx900");
    return outcome;
  }
  const uint64_t offset = packet.kernel_object - code.base();
  if (offset > code.size() - 64) {
    outcome.fault = bad_dispatch(kernel_name, "the kernel descriptor is outside of the loaded code");
    return outcome;
  }
  const auto kd = codeobject::KernelDescriptor::at(reinterpret_cast<const void*>(packet.kernel_object));
  std::string error;
  const LaunchState launch(context, kd, error);
  if (!error.empty()) {
    outcome.fault = bad_dispatch(kernel_name, error);
    return outcome;
  }
  const uint64_t count = uint64_t(launch.groups[0]) * launch.groups[1] * launch.groups[2];
  if (count == 0) return outcome;

  context.program = &code.impl().program(
      {.branches = options.listener && options.listener->wants_branches(), .issued = options.listener && options.listener->wants_issued()});
  const auto entry = context.program->at(packet.kernel_object + uint64_t(kd.kernel_code_entry_byte_offset));

  // Never more than there are cores: TBB would complain on standard error, and nothing would be gained.
  const uint64_t cores = uint64_t(std::max(1, tbb::info::default_concurrency()));
  const uint64_t threads = std::min(options.threads ? std::min<uint64_t>(options.threads, cores) : cores, count);
  machine::Gds own_gds;
  Shared shared{context, launch, entry, count, std::clamp<uint64_t>(count / (threads * 16), 1, 64),
                resident_groups(launch), options.gds ? *options.gds : own_gds};
  if (threads == 1) {
    run_thread(shared);
  } else {
    tbb::task_arena arena{int(threads)};
    arena.execute([&] {
      tbb::parallel_for(uint64_t(0), threads, [&](uint64_t) { run_thread(shared); }, tbb::simple_partitioner{});
    });
  }
  outcome.fault = shared.fault;
  outcome.stats.instructions = shared.instructions;
  outcome.stats.waves = shared.waves;
  outcome.stats.workgroups = shared.groups_done;
  outcome.stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

}  // namespace crosslane::engine
