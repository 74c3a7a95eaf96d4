// Owns where lanes may part or a wave decides in the code of a group of kernels (isa/divergence.h), as a profile sees
// it: the places that probes of divergence stand at.
#pragma once
#include "isa/divergence.h"
#include "rewrite/copied_code.h"
#include <span>
#include <vector>

namespace crosslane::rewrite {

struct FoundSite {
  analysis::BlockId block;
  uint32_t instruction; // in its block
  isa::Instruction in;
  isa::SiteKind kind;
  uint64_t pc;
  bool xor_behind = false; // s_xor_b64 of EXEC and what was saved stands directly behind it
};

// By address, as the blocks are.
std::vector<FoundSite> find_sites(const lint::Subject&, std::span<const analysis::BlockId>);
inline std::vector<FoundSite> find_sites(const CopiedCode& code) { return find_sites(code.subject(), code.blocks()); }

} // namespace crosslane::rewrite
