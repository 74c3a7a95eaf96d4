// Owns which kernels may reach a piece of code, and the least that they give it: a function that several kernels call
// must get by with what each of them has.
#pragma once
#include "lint/subject.h"
#include <unordered_map>

namespace crosslane::lint {

// A count, and the kernel that has it.
struct Least {
  uint32_t count = ~0u, most = 0; // most: of any kernel
  const codeobject::Kernel* kernel = nullptr;
  void meet(uint32_t n, const codeobject::Kernel*);
  bool known() const { return kernel != nullptr; }
};

struct Launch {
  Least sgprs, vgprs, agprs;                      // vgprs: below the AccVGPRs where they share an allocation
  Least vector_registers;                         // VGPRs, and AccVGPRs where they share it
  Least lds;                                      // bytes of group_segment_fixed_size
  bool dynamic_lds = false;                       // more LDS than that comes with a dispatch
  bool unknown_lds = false;                       // ... may come: of a compiled kernel (HIP) nobody says
  std::vector<const codeobject::Kernel*> kernels; // that begin here

  // The numbers of the SGPRs that VCC is kept in, the last pair, from gfx8 on. 0: they have none, or kernels differ.
  uint16_t vcc_pair(isa::Generation) const;
};

class Launches {
public:
  explicit Launches(const Subject&);
  // Of a part that several functions share, only if kernels are known to reach them all.
  const Launch& of_part(uint32_t part) const { return parts_[part]; }
  const Launch& of(analysis::BlockId block) const {
    const uint32_t part = subject_.graph.blocks[block].part;
    if (!shared_[part])
      return parts_[part];
    const auto found = blocks_.find(block);
    return found == blocks_.end() ? nobody_ : found->second;
  }

private:
  const Subject& subject_;
  std::vector<Launch> parts_;
  std::vector<bool> shared_;                             // parts that several functions are in: one jumps into another
  std::unordered_map<analysis::BlockId, Launch> blocks_; // ... of these
  const Launch nobody_;

  std::vector<analysis::BlockId> reached_from(uint32_t function) const;
};

} // namespace crosslane::lint
