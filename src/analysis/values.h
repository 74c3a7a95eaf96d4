// Owns uniform and affine values: where all lanes of EXEC hold the same in a VGPR, or base + lane * stride. Facts are
// told of the VGPRs that an instruction reads, for the lanes that it works on. They follow moves, sums, shifts and
// products from constants, SGPRs and lane numbers (v_mbcnt), and any operation of uniform values; what comes from
// memory or from other lanes is not known, and nothing is where MODE.VSKIP or VGPR indexing is used.
#pragma once
#include "analysis/masks.h"

namespace crosslane::analysis {

struct ValueFact {
  uint64_t pc = 0; // of the instruction that reads
  uint16_t vgpr = 0;
  bool has_base = false;
  int32_t stride = 0; // added from lane to lane; 0: uniform
  uint32_t base = 0;  // of lane 0, if known
};

struct ValueOptions {
  // Rows of work-items are a multiple of a wave: v0 of a kernel counts the lanes, from some number on.
  bool whole_rows = false;
};

// By pc.
std::vector<ValueFact> value_facts(const Code&, const Graph&, const ValueOptions& = {});

} // namespace crosslane::analysis
