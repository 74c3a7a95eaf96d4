// Owns finding the instructions that control can reach: a byte of marks for each dword of code, and one Site for each
// instruction that ends a block. Each instruction is decoded once, however many functions share it.
#pragma once
#include "analysis/graph.h"
#include "isa/flow.h"
#include <optional>

namespace crosslane::analysis {

// An instruction that ends a block; or where code ends without one.
struct Site {
  uint64_t pc = 0;
  uint64_t next = 0; // the instruction behind it
  isa::Flow flow;
  bool illegal = false; // no instruction at all
  // Where it goes by an address in registers, as far as that is resolved:
  std::vector<uint64_t> targets;
  bool returns = false; // the address is what the function was called with
  bool unknown = false; // or somewhere else
  bool direct() const { return flow.direct; }
  bool indirect() const { return flow.address != isa::code::none && flow.kind != isa::FlowKind::trap_end; }
};

class Explorer {
public:
  explicit Explorer(const Code&);

  // Marks `address` as the beginning of a block and goes through all that is new behind it. False: no code is there.
  bool reach(uint64_t address);
  bool is_code(uint64_t address) const;

  // The blocks, by address, without edges; and their sites, by address.
  std::vector<Block> blocks() const;
  std::vector<Site> sites;                           // not in order
  std::vector<uint64_t> made_addresses;              // where s_getpc_b64 stands
  bool skips_vectors = false, indexes_vgprs = false; // see Graph

private:
  // Of a dword: an instruction begins here, a block does, a block ends behind the instruction; and its size in dwords.
  enum Mark : uint8_t { start = 1, leader = 2, end = 4, illegal = 8, size_shift = 4 };
  struct Map {
    uint64_t address;
    std::span<const uint8_t> bytes;
    std::vector<uint8_t> marks;
    uint64_t limit() const { return address + marks.size() * 4; }
  };
  Map* map_at(uint64_t address);
  void go(Map&, uint64_t pc);
  void enter(uint64_t address); // marks a leader and puts it on the list if it is new

  const Code& code_;
  std::vector<Map> maps_; // by address
  Map* recent_ = nullptr;
  std::vector<uint64_t> work_;
};

} // namespace crosslane::analysis
