// Owns what the memory view's tests share: requests made by hand, without an engine.
#pragma once
#include "isa/op.h"
#include "views/memory.h"
#include <array>
#include <functional>
#include <vector>

namespace crosslane::test {

inline isa::Instruction instruction(isa::Op op) {
  isa::Instruction i;
  i.op = op;
  return i;
}

inline constexpr uint64_t all_lanes = ~uint64_t(0);
// A line starts here, and so does a page.
inline constexpr uint64_t base = 0x7f0000010000;

// One request: the lanes' addresses, from their numbers.
struct Request {
  std::function<uint64_t(uint64_t lane)> address;
  uint32_t bytes = 4;
  uint64_t lanes = all_lanes;
  events::AccessKind kind = events::AccessKind::load;
  events::Space space = events::Space::global;
  isa::Op op = isa::Op::global_load_dword;
  uint64_t pc = 0x1000;
  const machine::Wave* wave = nullptr;
  bool filtered = false;
};

inline Request strided(int64_t stride, uint32_t bytes = 4, uint64_t from = base) {
  return {[=](uint64_t lane) { return from + lane * uint64_t(stride); }, bytes};
}

inline void send(views::MemoryCoalescing& view, const Request& request) {
  std::array<uint64_t, 64> address;
  for (uint64_t lane = 0; lane < 64; ++lane) // what a lane has that takes no part must not matter
    address[lane] = request.lanes >> lane & 1 ? request.address(lane) : 0xdead0000dead + lane * 4096;
  const isa::Instruction i = instruction(request.op);
  view.access({{request.pc, &i},
               request.wave,
               request.space,
               request.kind,
               request.bytes,
               request.lanes,
               address.data(),
               nullptr,
               {},
               request.filtered});
}

// What one request alone amounts to.
inline views::MemorySite count(const Request& request) {
  views::MemoryCoalescing view;
  send(view, request);
  auto sites = view.sites();
  return sites.size() == 1 ? sites[0] : views::MemorySite{};
}

} // namespace crosslane::test
