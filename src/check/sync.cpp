// Of each wave, where it waited last and who of it did not.
#include "check/sync.h"
#include "isa/classify.h"
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

void Sync::tell_around(OfWave& wave, const machine::Wave& w, uint64_t lanes, uint64_t next) {
  const int lane = std::countr_zero(lanes);
  told_.add(lint::Rule::barrier_lanes, wave.barrier, 0, w, lane, uint64_t(std::popcount(lanes)), [&] {
    return Told::Said{fmt::format("lane {}{} went around this barrier, where others of the wave waited", lane,
                                  lanes & (lanes - 1) ? fmt::format(" (and {} more)", std::popcount(lanes) - 1) : ""),
                      {{next, "what it did next"}}};
  });
  wave.around = 0, --around_;
}

void Sync::arrived(const events::Arrived& event) {
  OfWave& wave = waves_[event.wave];
  if (const uint64_t lanes = wave.around & event.wave->exec())
    tell_around(wave, *event.wave, lanes, event.site.pc);
  wave.barrier = event.site.pc;
  const uint64_t around = event.wave->launched & ~event.wave->exec();
  around_ += uint64_t(around != 0) - uint64_t(wave.around != 0);
  wave.around = around;
}

// Lanes that have ended stay off; compilers that turn them on again do so to do nothing.
void Sync::issued(const events::Issued& event) {
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
    const machine::Wave* wave = nullptr;
  };
  At first;
  for (const machine::Wave* w : event.waves) {
    const At at{waves_[w].barrier, w};
    if (!first.wave)
      first = at;
    if (at.pc == first.pc)
      continue;
    told_.add(lint::Rule::barrier_divergent, at.pc, first.pc, *w, -1, 1, [&] {
      return Told::Said{fmt::format("wave {} waited at this barrier and wave {} of its workgroup at another one: they "
                                    "let each other go on",
                                    w->id, first.wave->id),
                        {{first.pc, fmt::format("where wave {} waited", first.wave->id)}}};
    });
    break;
  }
  if (event.waves.size() == event.group->wave_count)
    return;
  uint32_t ended = 0; // the first that is not among them
  for (const machine::Wave* w : event.waves)
    ended += w->id == ended;
  told_.add(lint::Rule::barrier_missed, first.pc, 0, *first.wave, -1, event.waves.size(), [&] {
    return Told::Said{fmt::format("wave {} of the workgroup had ended when others waited at this barrier", ended)};
  });
}

void Sync::wave_ended(const events::WaveEnded& event) {
  OfWave& wave = waves_[event.wave];
  if (wave.around)
    --around_;
  wave = {};
}

} // namespace crosslane::check
