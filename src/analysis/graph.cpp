// Look-ups in a finished graph, and the names of its enumerators.
#include "analysis/graph.h"
#include "isa/classify.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::analysis {

BlockId Graph::block_at(uint64_t begin) const {
  const auto found = std::ranges::lower_bound(blocks, begin, {}, &Block::begin);
  return found != blocks.end() && found->begin == begin ? BlockId(found - blocks.begin()) : none;
}

BlockId Graph::block_around(uint64_t pc) const {
  auto after = std::ranges::upper_bound(blocks, pc, {}, &Block::begin);
  if (after == blocks.begin())
    return none;
  --after;
  return pc < after->end ? BlockId(after - blocks.begin()) : none;
}

uint32_t Graph::function_at(uint64_t address) const {
  const auto found = std::ranges::lower_bound(functions, address, {}, &Function::address);
  return found != functions.end() && found->address == address ? uint32_t(found - functions.begin()) : none;
}

const Call* Graph::call_of(BlockId block) const {
  const auto found = std::ranges::lower_bound(calls, block, {}, &Call::block);
  return found != calls.end() && found->block == block ? &*found : nullptr;
}

std::span<const uint8_t> bytes_at(const Code& code, uint64_t address) {
  for (const Region& region : code.regions)
    if (region.kind == RegionKind::code && address >= region.address && address < region.address + region.bytes.size())
      return region.bytes.subspan(address - region.address);
  return {};
}

bool writes_mode_bit(const isa::Instruction& in, uint32_t bit) {
  if (!isa::writes_hwreg(isa::row(in.op)))
    return false;
  constexpr uint32_t hwreg_mode = 1;
  const uint32_t field = uint32_t(in.imm), first = field >> 6 & 31, last = first + (field >> 11 & 31);
  return (field & 63) == hwreg_mode && first <= bit && last >= bit;
}

std::string_view name_of(UnknownKind kind) {
  switch (kind) {
  case UnknownKind::indirect_jump: return "indirect_jump";
  case UnknownKind::indirect_call: return "indirect_call";
  case UnknownKind::indirect_fork: return "indirect_fork";
  case UnknownKind::trap_return: return "trap_return";
  case UnknownKind::illegal_instruction: return "illegal_instruction";
  case UnknownKind::left_code: return "left_code";
  }
  return "";
}

std::string_view name_of(EdgeKind kind) {
  switch (kind) {
  case EdgeKind::fall_through: return "fall_through";
  case EdgeKind::branch: return "branch";
  case EdgeKind::jump: return "jump";
  case EdgeKind::after_call: return "after_call";
  case EdgeKind::fork: return "fork";
  }
  return "";
}

std::string_view name_of(Exit exit) {
  switch (exit) {
  case Exit::falls_through: return "falls_through";
  case Exit::branch: return "branch";
  case Exit::condition: return "condition";
  case Exit::jump: return "jump";
  case Exit::call: return "call";
  case Exit::returns: return "returns";
  case Exit::fork: return "fork";
  case Exit::join: return "join";
  case Exit::trap: return "trap";
  case Exit::ends: return "ends";
  case Exit::stops: return "stops";
  }
  return "";
}

} // namespace crosslane::analysis
