// Owns the instructions of one part of the graph as checks go over them: decoded once, each with the registers that it
// touches, packed.
#pragma once
#include "analysis/part_code.h"
#include "isa/classify.h"
#include "isa/hazards.h"
#include "lint/subject.h"

namespace crosslane::lint {

// Registers by one number: analysis::slot for scalar codes, SCC, VGPRs and AccVGPRs, and besides:
namespace slot {
using namespace analysis::slot;
inline constexpr uint16_t vccz = 129, execz = 130, lds_direct = 131, hwreg = 192; // hwreg + n
} // namespace slot

struct Use {
  uint16_t first = 0; // a slot
  uint16_t count = 0;
  isa::Role role{};
  isa::hazards::Registers registers{};
  bool read : 1 = false, written : 1 = false;
  bool partial : 1 = false; // a write that may leave something of the old value
  bool masked : 1 = false;  // EXEC decides which lanes take part
  bool exact : 1 = true;    // else `count` is the most that it may be, and the first is sure
  bool indexed : 1 = false; // some of `count`, M0 says which
  uint32_t bits = ~0u;      // of each dword
  constexpr uint16_t end() const { return uint16_t(first + count); }
  constexpr bool overlaps(uint16_t from, uint16_t to) const { return first < to && from < end(); }
};

// What checks ask of every instruction, found once for all of them.
struct Facts {
  isa::hazards::Kinds kinds;
  isa::hazards::Registers read{}, written{}; // of all uses together
  isa::Unit unit{};
  bool writes_scalar = false; // any register below slot::scc
  bool writes_exec() const { return has(written, isa::hazards::Registers::exec); }
};

struct Step {
  uint64_t pc = 0;
  const isa::Instruction* instruction = nullptr;
  std::span<const Use> uses;
  analysis::BlockId block = analysis::none;
  Facts facts;
  isa::Op op() const { return instruction->op; }
};

// The registers that an instruction touches; `indexed`: VGPR indexing may be on.
void append_uses(const isa::Instruction&, bool indexed, std::vector<Use>&);
Facts facts_of(const isa::Instruction&, std::span<const Use>);

class Steps {
public:
  // Reuses the memory that it has.
  void decode(const Subject&, const analysis::Part&, const std::vector<bool>& indexed);
  std::span<const Step> all() const { return steps_; }
  // Those of the block at this place in the part's order.
  std::span<const Step> of(uint32_t place) const {
    return {steps_.data() + first_[place], steps_.data() + first_[place + 1]};
  }

private:
  std::vector<uint32_t> first_; // of each block, and the end
  std::vector<Step> steps_;
  std::vector<isa::Instruction> instructions_;
  std::vector<Use> uses_;
};

} // namespace crosslane::lint
