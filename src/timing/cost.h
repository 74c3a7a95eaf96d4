// Owns what one instruction costs: the unit that it goes to, the cycles that it keeps its wave and that unit, and where
// these numbers come from. All of timing/ asks here.
//
// Sources: CLRX, "GCN ISA Instruction Timings" (called the document), which Model::document gives as it is written.
// Where measurements differ, Model::card has those of the card (gpu/machine.h), and says so in Cost::note. What neither
// has is assumed to cost what its like does.
#pragma once
#include "timing/issue_cycles.h"
#include <string>

namespace crosslane::timing {

enum class Resource : uint8_t {
  valu,   // a SIMD's 16 lanes
  matrix, // its matrix unit (v_mfma_*)
  salu,
  smem,
  vmem,    // addresses of vector memory, and the L1 behind them: one for all SIMDs of a compute unit
  lds,     // LDS, GDS: likewise
  branch,  // and messages
  export_, // likewise
  internal // waits, s_nop: none
};
inline constexpr size_t resource_count = size_t(Resource::internal) + 1;
std::string_view name_of(Resource);
// Whether all SIMDs of a compute unit share one.
constexpr bool is_shared(Resource r) { return r == Resource::vmem || r == Resource::lds || r == Resource::export_; }

// From a best to a worst case, which data decide.
struct Cycles {
  double least = 0, most = 0;
  constexpr Cycles() = default;
  constexpr Cycles(double one) : least(one), most(one) {}
  constexpr Cycles(double l, double m) : least(l), most(m) {}
  constexpr bool exact() const { return least == most; }
  constexpr Cycles& operator+=(const Cycles& c) { return least += c.least, most += c.most, *this; }
  constexpr Cycles operator*(double n) const { return {least * n, most * n}; }
  constexpr bool operator==(const Cycles&) const = default;
};

// How the addresses of the lanes lie to each other.
struct Lanes {
  enum class Pattern : uint8_t { unknown, uniform, affine };
  Pattern pattern = Pattern::unknown;
  int32_t stride = 0;  // affine: bytes from lane to lane
  double measured = 0; // cycles of the unit in a run, on average; 0: not known
};

struct Cost {
  Resource resource{};
  Cycles wave;              // of a wave that is alone, until its next instruction may start
  Cycles unit;              // that the resource is busy with it
  double valu = 0;          // matrix operations: that the SIMD's lanes are kept as well
  double taken = 0;         // branches: what `wave` is if it jumps
  bool in_document = false; // the document has it, and as a number
  std::string note;         // why it is not what the document says, or after what it is assumed; may be empty
  gpu::Used used;           // parameters that it follows from
};

Cost cost(const isa::Instruction&, const gpu::Machine&, Model = Model::card, const Lanes& = {});

} // namespace crosslane::timing
