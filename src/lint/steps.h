// Owns the instructions of one part of the graph as checks go over them: decoded once, each with the registers that it
// touches, packed.
#pragma once
#include "analysis/part_code.h"
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

struct Step {
  uint64_t pc = 0;
  analysis::BlockId block = analysis::none;
  const isa::Instruction* instruction = nullptr;
  std::span<const Use> uses;
  isa::Op op() const { return instruction->op; }
};

// The registers that an instruction touches; `indexed`: VGPR indexing may be on.
void append_uses(const isa::Instruction&, bool indexed, std::vector<Use>&);

class Steps {
public:
  // Reuses the memory that it has.
  void decode(const Subject&, const analysis::Part&, const std::vector<bool>& indexed);
  uint32_t size() const { return uint32_t(pc_.size()); }
  // Of the block at this place in the part's order.
  uint32_t begin(uint32_t place) const { return first_[place]; }
  uint32_t end(uint32_t place) const { return first_[place + 1]; }
  Step operator[](uint32_t n) const {
    return {pc_[n], block_[n], &instructions_[n], {uses_.data() + first_use_[n], uses_.data() + first_use_[n + 1]}};
  }

private:
  std::vector<uint32_t> first_, first_use_;
  std::vector<uint64_t> pc_;
  std::vector<analysis::BlockId> block_;
  std::vector<isa::Instruction> instructions_;
  std::vector<Use> uses_;
};

} // namespace crosslane::lint
