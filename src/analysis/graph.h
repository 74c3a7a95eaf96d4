// Owns the static control-flow graph of a code object: basic blocks, edges, functions, calls, and by name what could
// not be resolved. Plain data in dense arrays; instructions are not kept, since 100 MB of code are 15 million of them:
// who needs them decodes a block again (each_instruction).
//
// An edge is where control goes within a function: a call's edge leads to the instruction behind it, and the call
// itself is in `calls`. A jump to the entry of another function (a tail call) is an edge all the same. Functions that
// jump into one another share a part; all that is computed over edges (dominators, loops, masks) is computed part by
// part.
#pragma once
#include "analysis/input.h"
#include "isa/decode.h"
#include <string_view>
#include <vector>

namespace crosslane::analysis {

using BlockId = uint32_t; // in the order of addresses
inline constexpr uint32_t none = ~0u;

enum class EdgeKind : uint8_t {
  fall_through,
  branch,     // of a direct branch, taken
  jump,       // s_setpc_b64 to an address that is known
  after_call, // where a call comes back
  fork,       // s_cbranch_join, to a side of a fork that waited
};

enum class Exit : uint8_t {
  falls_through, // the next block is the target of something
  branch,
  condition, // a branch that may fall through
  jump,      // s_setpc_b64: to its edges, unless it is also in `unknowns`
  call,
  returns, // to where it was called from
  fork,
  join,
  trap,  // s_trap: the handler, then the next block
  ends,  // the wave ends
  stops, // an illegal instruction, or the end of the code
};

struct Block {
  uint64_t begin = 0, end = 0;
  uint64_t last = 0; // address of the last instruction
  uint32_t instructions = 0;
  uint32_t part = none;
  uint32_t first_successor = 0, first_predecessor = 0; // in Graph::edges and Graph::predecessors
  uint16_t successors = 0;
  Exit exit{};
  bool entry = false; // of a function
};

struct Edge {
  BlockId to = none;
  EdgeKind kind{};
};

struct Function {
  uint64_t address = 0;
  BlockId block = none;
  bool kernel = false;
  bool given = true;          // named by the input; else found as the target of a call, or of an address that is made
  bool address_taken = false; // an indirect call may reach it
};

struct Call {
  BlockId block = none;
  uint32_t first = 0, count = 0; // functions, in Graph::callees; those of an unknown call are all with address_taken
  bool unknown = false;          // there may be more than those
};

enum class UnknownKind : uint8_t {
  indirect_jump,       // s_setpc_b64 to an address that is not known
  indirect_call,       // s_swappc_b64 likewise
  indirect_fork,       // s_cbranch_g_fork likewise
  trap_return,         // s_rfe_b64
  illegal_instruction, // bytes that are no instruction of the target
  left_code,           // behind the last instruction, or a branch to where there is no code
};
std::string_view name_of(UnknownKind);
std::string_view name_of(EdgeKind);
std::string_view name_of(Exit);

struct Unknown {
  UnknownKind kind{};
  uint64_t pc = 0; // of the instruction
  BlockId block = none;
};

// A run of Graph::order.
struct Part {
  uint32_t first = 0, count = 0;
};

struct Graph {
  isa::Target target{};
  bool skips_vectors = false;        // MODE.VSKIP may be set somewhere: vector instructions may do nothing
  bool indexes_vgprs = false;        // MODE.GPR_IDX_EN likewise
  std::vector<Block> blocks;         // by address
  std::vector<Edge> edges;           // those of a block side by side
  std::vector<BlockId> predecessors; // likewise
  std::vector<Function> functions;   // by address
  std::vector<Call> calls;           // by block
  std::vector<uint32_t> callees;     // indices of functions
  std::vector<Unknown> unknowns;     // by pc
  std::vector<Part> parts;
  std::vector<BlockId> order; // part by part, in reverse postorder

  std::span<const Edge> successors(BlockId b) const {
    return {edges.data() + blocks[b].first_successor, blocks[b].successors};
  }
  std::span<const BlockId> predecessors_of(BlockId b) const {
    const size_t end = b + 1 < blocks.size() ? blocks[b + 1].first_predecessor : predecessors.size();
    return {predecessors.data() + blocks[b].first_predecessor, end - blocks[b].first_predecessor};
  }
  std::span<const BlockId> blocks_of(Part part) const { return {order.data() + part.first, part.count}; }
  std::span<const uint32_t> callees_of(const Call& call) const { return {callees.data() + call.first, call.count}; }
  BlockId block_at(uint64_t begin) const;  // none: no block begins there
  BlockId block_around(uint64_t pc) const; // none: not in a block. Where blocks overlap, the last that begins before
  uint32_t function_at(uint64_t address) const; // none: no function begins there
  const Call* call_of(BlockId) const;           // null: it does not end in a call
};

Graph build(const Code&);

// Whether it may set that bit of the MODE register, by s_setreg.
bool writes_mode_bit(const isa::Instruction&, uint32_t bit);
inline constexpr uint32_t gpr_index_bit = 27, vskip_bit = 28;

// The bytes of a block, and its instructions in turn: f(pc, instruction).
std::span<const uint8_t> bytes_at(const Code&, uint64_t address); // to the end of their region; empty: no code there
template <class F> void each_instruction(const Code& code, const Block& block, F f) {
  const auto bytes = bytes_at(code, block.begin);
  isa::Instruction instruction;
  uint64_t pc = block.begin;
  for (uint32_t i = 0; i < block.instructions; ++i) {
    const int size = isa::decode(code.target, bytes.subspan(pc - block.begin), instruction);
    if (size <= 0)
      return; // an illegal instruction ends its block
    f(pc, instruction);
    pc += uint64_t(size);
  }
}

} // namespace crosslane::analysis
