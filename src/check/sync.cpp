// Of each wave, where it waited last and who of it did not.
#include "check/sync.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace crosslane::check {

namespace {

using events::Site;

// Something that others can see, or that sees what others do.
bool reaches_memory(const Site& site) {
  const isa::Instruction& in = *site.instruction;
  return isa::is_vector(isa::row(in.op).encoding) && isa::memory_use(in).spaces != isa::Space::none;
}

} // namespace

std::optional<uint64_t> constant_exec(const isa::Instruction& in) {
  if ((in.op != isa::Op::s_mov_b64 && in.op != isa::Op::s_mov_b32) || in.dst < isa::code::exec ||
      in.dst > isa::code::exec + 1)
    return std::nullopt;
  return isa::constant_source(in, in.src[0], in.op == isa::Op::s_mov_b64 ? isa::Type::B64 : isa::Type::B32);
}

void Sync::tell_around(OfWave& wave, const machine::Wave& w, uint64_t lanes, uint64_t next) {
  const int lane = std::countr_zero(lanes);
  const uint64_t by = wave.callers.empty() ? 0 : wave.callers[0];
  told_.add(lint::Rule::barrier_lanes, wave.barrier, by, w, lane, uint64_t(std::popcount(lanes)), [&] {
    return Told::Said{fmt::format("lane {}{} went around this barrier, where others of the wave waited", lane,
                                  lanes & (lanes - 1) ? fmt::format(" (and {} more)", std::popcount(lanes) - 1) : ""),
                      {{next, "what it did next"}},
                      0,
                      wave.callers};
  });
  wave.around = 0, --around_;
}

void Sync::arrived(const events::Arrived& event) {
  OfWave& wave = waves_[event.wave];
  if (const uint64_t lanes = wave.around & event.wave->exec())
    tell_around(wave, *event.wave, lanes, event.site.pc);
  wave.barrier = event.site.pc;
  if (code_.has_calls)
    wave.callers = wave.calls.callers();
  const uint64_t around = wave.is_thread ? 0 : event.wave->launched & ~event.wave->exec();
  around_ += uint64_t(around != 0) - uint64_t(wave.around != 0);
  wave.around = around;
}

// Lanes that have ended stay off; compilers that turn them on again do so to do nothing.
void Sync::issued(const events::Issued& event) {
  if (code_.has_calls)
    waves_[event.wave].calls.enter(*event.block);
  if (code_.has_constant_lanes) // a block ends where EXEC is written
    if (const isa::Instruction& last = *event.block->sites.back().instruction; isa::writes_exec(last))
      waves_[event.wave].is_thread = constant_exec(last).has_value();
  if (around_.load(std::memory_order_relaxed) == 0)
    return;
  OfWave& wave = waves_[event.wave];
  const uint64_t lanes = wave.around & event.exec;
  if (!lanes)
    return;
  const auto doing = std::ranges::find_if(event.block->sites, reaches_memory);
  if (doing == event.block->sites.end())
    return;
  tell_around(wave, *event.wave, lanes, doing->pc);
}

void Sync::released(const events::Released& event) {
  struct At {
    uint64_t pc = 0;
    bool is_thread = false;
    const machine::Wave* wave = nullptr;
    const std::vector<uint64_t>* callers = nullptr;
  };
  At first;
  for (const machine::Wave* w : event.waves) {
    const OfWave& of_wave = waves_[w];
    const At at{of_wave.barrier, of_wave.is_thread, w, &of_wave.callers};
    if (!first.wave)
      first = at;
    if (at.pc == first.pc || (at.is_thread && first.is_thread))
      continue;
    told_.add(lint::Rule::barrier_divergent, at.pc, first.pc, *w, -1, 1, [&] {
      return Told::Said{fmt::format("wave {} waited at this barrier and wave {} of its workgroup at another one: they "
                                    "let each other go on",
                                    w->id, first.wave->id),
                        {{first.pc, fmt::format("where wave {} waited", first.wave->id), *first.callers}},
                        0,
                        *at.callers};
    });
    break;
  }
  if (event.waves.size() == event.group->wave_count)
    return;
  uint32_t ended = 0; // the first that is not among them
  for (const machine::Wave* w : event.waves)
    ended += w->id == ended;
  const uint64_t by = first.callers->empty() ? 0 : first.callers->front();
  told_.add(lint::Rule::barrier_missed, first.pc, by, *first.wave, -1, event.waves.size(), [&] {
    return Told::Said{fmt::format("wave {} of the workgroup had ended when others waited at this barrier", ended),
                      {},
                      0,
                      *first.callers};
  });
}

void Sync::wave_ended(const events::WaveEnded& event) {
  OfWave& wave = waves_[event.wave];
  if (wave.around)
    --around_;
  wave = {};
}

} // namespace crosslane::check
