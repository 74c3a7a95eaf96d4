// Owns the choice among everything that GCN has to move data between the lanes of a wavefront: for a pattern and a
// target, each way that can do it, as assembly with its cost, the cheapest first.
//
// The ways: a plain or constant v_mov_b32; v_mov_b32 with DPP, once, several times under row_mask and bank_mask, or one
// after the other (gfx8 and later; row_newbcast on gfx90a); ds_swizzle_b32 (quads and bit masks; rotation and FFT since
// gfx9); ds_bpermute_b32 and ds_permute_b32 (gfx8 and later); v_readlane_b32 and v_readfirstlane_b32 with v_mov_b32 or
// v_writelane_b32; v_mov_b32 under EXEC; a round trip through the LDS.
// Source: GPUOpen, "AMD GCN Assembly: Cross-Lane Operations"; GCN3 and Vega ISA manuals. Costs: cross_lane/timing.h.
#pragma once
#include "cross_lane/sequence.h"

namespace crosslane::cross_lane {

enum class Method : uint8_t {
  move,        // v_mov_b32 of the source or of 0
  dpp,         // one v_mov_b32 with DPP
  masked_dpp,  // several, each for the lanes of its row_mask and bank_mask
  patched_dpp, // one, then v_writelane_b32 for the few lanes that it leaves wrong
  chained_dpp, // two, the second of which reads the first one's result
  swizzle,     // ds_swizzle_b32
  bpermute,    // ds_bpermute_b32: each lane says which one it reads
  permute,     // ds_permute_b32: each lane says where its data goes
  broadcast,   // v_readlane_b32 or v_readfirstlane_b32, then v_mov_b32
  writelane,   // v_readlane_b32 and v_writelane_b32 for each lane that moves
  exec_masked, // v_mov_b32 under EXEC for each group of lanes
  lds,         // ds_write_b32, ds_read_b32
  count,
};

struct Way {
  Method method{};
  std::string name;           // "DPP row_mirror", "ds_swizzle_b32 swizzle(SWAP,1)"
  std::string note;           // what a reader should know; often empty
  std::vector<Line> lines;    // the destination is v0, the source v1 (64 bits: v[0:1], v[2:3]); EXEC is all ones
  std::vector<uint32_t> data; // dwords that s[2:3] must point to; empty: nothing is needed
  Cost cost;
};

std::string_view name(Method); // "dpp", "masked-dpp", ...

// Never empty: the LDS can do everything. Of each method the cheapest, and both kinds of address for those that take
// one.
std::vector<Way> plan(const Pattern&, isa::Target, const Situation& = {});

} // namespace crosslane::cross_lane
