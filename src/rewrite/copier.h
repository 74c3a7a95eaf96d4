// Owns making a listing of a group of kernels that share code: their blocks as they were, with what probes want put
// before and behind instructions, on edges, where kernels begin, and where waves end.
#pragma once
#include "rewrite/kernels.h"
#include "rewrite/listing.h"
#include <functional>
#include <map>
#include <span>

namespace crosslane::rewrite {

// Where an edge begins, and which of its block's (Graph::successors).
using EdgeOf = std::pair<analysis::BlockId, uint32_t>;

// Of what probes call.
inline constexpr Label function_label = 1u << 31;
struct FunctionBlock {
  std::vector<Item> items;
  Label next = no_label; // that it falls through to
};

struct Insertions {
  // Before instruction n of a block: {block, n}. n behind the last: the end of a block that falls through.
  std::map<std::pair<analysis::BlockId, uint32_t>, std::vector<Item>> before;
  std::map<EdgeOf, std::vector<Item>> on_edge;
  std::map<analysis::BlockId, std::vector<Item>> on_call; // where copied code calls this function
  std::map<uint32_t, std::vector<Item>> at_entry;         // of the kernel whose function this is, before all else
  // Of one with preloaded arguments, where firmware begins that does not preload, before it goes to the code as it was.
  std::map<uint32_t, std::vector<Item>> at_old_entry;
  std::vector<Item> at_end;        // before s_endpgm
  std::vector<Item> seldom_at_end; // where branches without a target in at_end lead: instead of it, and then s_endpgm
  // What probes call. While they are put together, block n is function_label + n.
  std::vector<FunctionBlock> functions;
  void put(analysis::BlockId b, uint32_t n, const std::vector<Item>& items) {
    auto& at = before[{b, n}];
    at.insert(at.end(), items.begin(), items.end());
  }
};

struct CopyInput {
  const lint::Subject& subject;
  std::span<const CopiedKernel* const> kernels;
  const Insertions& insertions;
  // Whether SCC holds something before instruction n of a block that is read later.
  std::function<bool(analysis::BlockId, uint32_t)> scc_live;
  uint16_t scratch_sgpr = 0; // 3, from an even one on, to be used between two instructions
  // If these are virtual: with registers, what stands before instruction n of a block; and what is to follow it, to
  // give back what it borrows.
  struct Piece {
    std::vector<Item> items, behind;
  };
  std::function<Piece(analysis::BlockId, uint32_t n, std::span<const Item>)> with_registers;
};

struct Copied {
  std::vector<Label> entries; // of the kernels, in their order
  bool uses_scratch = false;
};

Copied copy(Listing&, const CopyInput&);

} // namespace crosslane::rewrite
