// Which places of the code the waves of a stopped dispatch were left at, counted.
#include "engine/census.h"
#include "engine/diagnosis.h"
#include "engine/scalar/flow.h"
#include <algorithm>
#include <tuple>

namespace crosslane::engine {

namespace {

using State = WavePlace::State;

// The code that the wave is in; null: it has jumped to where there is none. A barrier's Uop is left behind when the
// wave arrives.
Program* place_of(const Wave& w, uint64_t& pc) {
  const Uop* op = static_cast<const Uop*>(w.resume) - (w.state == machine::WaveState::barrier);
  const bool nowhere = op->fn == fault_bad_pc || op->fn == fault_left_code;
  Program* program = nowhere ? nullptr : &program_of(w, op);
  pc = program ? program->address_of(op) : op->fn == fault_bad_pc ? w.bad_pc : op->k0;
  return program;
}

} // namespace

void count(Census& census, const Wave& w) {
  State state = State::running;
  switch (w.state) {
  case machine::WaveState::ended:
  case machine::WaveState::faulted: return;
  case machine::WaveState::barrier: state = State::barrier; break;
  case machine::WaveState::waiting: state = State::waiting; break;
  case machine::WaveState::ready:
  case machine::WaveState::preempted: break;
  }
  uint64_t pc;
  Program* const program = place_of(w, pc);
  auto place = std::find_if(census.places.begin(), census.places.end(),
                            [&](const WavePlace& p) { return p.pc == pc && p.state == state; });
  if (place == census.places.end()) {
    place = census.places.insert(place, WavePlace{.state = state, .pc = pc});
    isa::Instruction ignored;
    if (program)
      place->instruction = text_at(*program, pc, ignored);
    std::copy_n(w.workgroup->id, 3, place->workgroup);
    place->wave = w.id;
  }
  ++place->waves;
  ++place->exec[w.exec()];
}

void sort(Census& census) {
  std::sort(census.places.begin(), census.places.end(), [](const WavePlace& a, const WavePlace& b) {
    return std::tuple(b.waves, a.pc, a.state) < std::tuple(a.waves, b.pc, b.state);
  });
}

} // namespace crosslane::engine
