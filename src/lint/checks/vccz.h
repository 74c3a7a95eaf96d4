// Owns whether VCCZ may be wrong: scalar loads of gfx6 and gfx7 spoil it when they come back, and up to gfx9 a write of
// half of VCC does not update it. Writing all of VCC repairs it, unless a scalar load may still come back.
#pragma once
#include "lint/checks/outstanding.h"
#include "lint/finding.h"

namespace crosslane::lint {

struct Vccz {
  uint64_t load = 0; // the scalar load that may have spoilt it; 0: none
  uint64_t half = 0; // the write of half of VCC
  bool half_by_valu = false;
  analysis::BlockId written_in = analysis::none; // where all of VCC was written, for LLVM, which looks at one block
  void step(const Step&, const Outstanding&, isa::Generation); // before `outstanding` has the step itself
  bool join(const Vccz& from);
  bool operator==(const Vccz&) const = default;
  // Whether it may be wrong, at least for LLVM, and the instruction reads it.
  bool looked_at(const Step& step) const {
    return (load || half || written_in != step.block) && has(step.facts.read, isa::hazards::Registers::vccz);
  }
  void report(const Step&, const Outstanding&, const Subject&, std::vector<Finding>&) const;

private:
  void written(const Step&, const Outstanding&, isa::Generation);
};

} // namespace crosslane::lint
