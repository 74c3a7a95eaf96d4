// Owns wait states acted out: registers that an instruction reads too soon hold what they held before they were
// written, for that instruction alone, where this is what the hardware's manuals say of it. Which pairs those are, and
// how many states they need, say rows of isa/rows/hazards.inc.
#pragma once
#include "isa/hazards.h"
#include "machine/wave.h"
#include <array>
#include <span>
#include <vector>

namespace crosslane::check {

// Rules whose second instruction reads the old value: names of rows.
std::span<const std::string_view> stale_rules();

// Of one wave.
class Stale {
public:
  // The wave is about to execute it, and has executed the one of the call before.
  void step(machine::Wave&, const isa::Instruction&);

private:
  // A dword of a register that may be read too soon.
  struct Written {
    isa::RegisterFile file{};
    uint16_t number = 0;
    uint64_t rows = 0;                                   // a bit for each of the generation's
    int age = 0;                                         // wait states since
    std::array<uint32_t, machine::lanes_per_wave> old{}; // scalar ones: the first
    bool same(const Written& w) const { return file == w.file && number == w.number; }
  };
  struct Swapped {
    Written was; // with the new value in `old`
    std::array<uint32_t, machine::lanes_per_wave> shown{};
  };
  const isa::Instruction* last_ = nullptr;
  std::vector<Written> written_, by_last_;
  std::vector<Swapped> swapped_;

  void finish(machine::Wave&);
  void show_old(machine::Wave&, const isa::Instruction&, isa::hazards::Kinds);
  void remember(machine::Wave&, const isa::Instruction&, isa::hazards::Kinds);
};

} // namespace crosslane::check
