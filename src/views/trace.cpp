// Compares the registers of the recorded wave with a copy of them at each of its steps. What has changed since the step
// before is what that instruction did.
#include "views/trace.h"
#include "isa/flow.h"
#include "isa/op.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace crosslane::views {

namespace {

constexpr uint32_t first_accvgpr = machine::max_vgprs;

bool is_kept_apart(uint32_t code) {
  return code == isa::code::vcc || code == isa::code::vcc + 1 ||
         code >= isa::code::m0; // M0, null and EXEC end the file
}
constexpr uint32_t scalar_codes = isa::code::exec + 2;

// The registers that a wave owns, from what its hardware registers say of the allocation.
struct Counts {
  uint32_t vgprs, agprs, sgprs;
};
Counts counts_of(const machine::Wave& wave, isa::Target target) {
  const isa::TargetInfo& info = isa::info(target);
  const uint32_t vgpr_size = wave.gpr_alloc >> 8 & 63, sgpr_size = wave.gpr_alloc >> 24 & 15;
  const uint32_t allocated = (vgpr_size + 1) * info.vgpr_granule;
  Counts counts{.vgprs = wave.vgpr_count,
                .agprs = 0,
                .sgprs = (sgpr_size + 1) * (info.generation >= isa::Generation::gfx8 ? 16 : 8)};
  if (info.generation >= isa::Generation::gfx90a) // one file: VGPRs first, AccVGPRs in what is left
    counts.agprs = std::min(allocated - std::min(allocated, wave.vgpr_count), machine::max_accvgprs);
  else if (info.generation >= isa::Generation::gfx908) // a file of each kind, both of one size
    counts.agprs = std::min(allocated, machine::max_accvgprs);
  return counts;
}

// All zero in the beginning, so that the first comparison finds what is not 0.
struct Registers {
  uint32_t s[scalar_codes] = {};
  uint32_t scc = 0;
  std::vector<LaneValues> v, accvgprs;

  uint64_t pair(uint32_t code) const { return s[code] | uint64_t(s[code + 1]) << 32; }

  // Takes over what `wave` has now and says what differs.
  RegisterChanges update(const machine::Wave& wave) {
    RegisterChanges changes;
    if (wave.exec() != pair(isa::code::exec))
      changes.exec = wave.exec();
    if (wave.vcc() != pair(isa::code::vcc))
      changes.vcc = wave.vcc();
    if (wave.s[isa::code::m0] != s[isa::code::m0])
      changes.m0 = wave.s[isa::code::m0];
    if (wave.scc != scc)
      changes.scc = wave.scc;
    for (uint32_t code = 0; code < scalar_codes; ++code)
      if (wave.s[code] != s[code] && !is_kept_apart(code))
        changes.s.emplace(code, wave.s[code]);
    std::copy_n(wave.s, scalar_codes, s);
    scc = wave.scc;
    update_lanes(wave, 0, v, changes);
    update_lanes(wave, first_accvgpr, accvgprs, changes);
    return changes;
  }

private:
  static void update_lanes(const machine::Wave& wave, uint32_t first, std::vector<LaneValues>& known,
                           RegisterChanges& changes) {
    const auto* now = reinterpret_cast<const char*>(&wave) + machine::vgpr_offset(first);
    for (size_t n = 0; n < known.size(); ++n, now += machine::vgpr_bytes)
      if (std::memcmp(now, known[n].data(), machine::vgpr_bytes) != 0) {
        std::memcpy(known[n].data(), now, machine::vgpr_bytes);
        changes.v.emplace(first + static_cast<uint32_t>(n), known[n]);
      }
  }
};

} // namespace

struct WaveRecorder::Impl {
  const size_t limit;
  mutable std::mutex mutex;
  WaveTrace trace;
  const machine::Wave* wave = nullptr; // the one that is recorded
  const void* dispatch = nullptr;
  bool finished = false;
  Registers registers;
  std::unordered_map<uint64_t, uint32_t> instructions; // by pc

  bool is_of(const machine::Workgroup& group) const { return std::equal(group.id, group.id + 3, trace.workgroup); }
  // Reads only what never changes, so that the many other waves take no lock.
  bool is_wanted(const machine::Wave& w) const { return w.id == trace.wave && is_of(*w.workgroup); }
  bool is_under_way(const machine::Wave& w) const {
    return !finished && wave == &w && dispatch == w.workgroup->dispatch;
  }

  void begin(const events::Step& event) {
    wave = event.wave;
    dispatch = event.wave->workgroup->dispatch;
    const Counts counts = counts_of(*wave, event.site.instruction->target);
    trace.found = true;
    trace.vgpr_count = counts.vgprs;
    trace.agpr_count = counts.agprs;
    trace.sgpr_count = counts.sgprs;
    registers.v.resize(counts.vgprs);
    registers.accvgprs.resize(counts.agprs);
    trace.initial = registers.update(*wave);
  }

  uint32_t index_of(const events::Site& site) {
    const auto [at, is_new] = instructions.try_emplace(site.pc, static_cast<uint32_t>(trace.instructions.size()));
    if (is_new)
      trace.instructions.push_back({site.pc, *site.instruction});
    return at->second;
  }
};

WaveRecorder::WaveRecorder(std::array<uint32_t, 3> workgroup, uint32_t wave, size_t limit)
    : impl_(new Impl{.limit = limit}) {
  std::copy(workgroup.begin(), workgroup.end(), impl_->trace.workgroup);
  impl_->trace.wave = wave;
}
WaveRecorder::~WaveRecorder() = default;

bool WaveRecorder::wants_workgroup(const machine::Workgroup& group) const { return impl_->is_of(group); }

void WaveRecorder::step(const events::Step& event) {
  Impl& recorder = *impl_;
  if (!recorder.is_wanted(*event.wave))
    return;
  const std::lock_guard lock(recorder.mutex);
  WaveTrace& trace = recorder.trace;
  if (!recorder.wave)
    recorder.begin(event);
  else if (!recorder.is_under_way(*event.wave))
    return;
  else
    trace.steps.back().changes = recorder.registers.update(*event.wave);
  if (trace.steps.size() >= recorder.limit) {
    recorder.finished = true;
    return;
  }
  trace.steps.push_back({.instruction = recorder.index_of(event.site), .changes = {}, .accesses = {}});
  if (isa::flow(*event.site.instruction).kind == isa::FlowKind::end)
    trace.complete = recorder.finished = true;
}

void WaveRecorder::access(const events::Access& event) {
  Impl& recorder = *impl_;
  if (!recorder.is_wanted(*event.wave))
    return;
  const std::lock_guard lock(recorder.mutex);
  if (!recorder.is_under_way(*event.wave) || recorder.trace.steps.empty())
    return;
  TracedAccess access{.space = event.space,
                      .kind = event.kind,
                      .bytes = event.bytes,
                      .lanes = event.lanes,
                      .two_addresses = event.second != nullptr};
  for (uint64_t lanes = event.lanes; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(lanes));
    access.address[lane] = event.address[lane];
    if (event.second)
      access.second[lane] = event.second[lane];
  }
  recorder.trace.steps.back().accesses.push_back(access);
}

WaveTrace WaveRecorder::trace() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->trace;
}

} // namespace crosslane::views
