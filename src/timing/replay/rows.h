// Owns what the cycle model knows of an instruction: eight bytes, made once for each block and card.
#pragma once
#include "events/listener.h"
#include "timing/replay/machine.h"
#include <cstdint>
#include <vector>

namespace crosslane::timing::replay {

// What takes an instruction. One of each from a SIMD unit at a time.
enum class Port : uint8_t { valu, matrix, salu, vmem, lds, branch, message, none };
inline constexpr size_t ports = size_t(Port::none) + 1;

enum class What : uint8_t {
  plain,
  vector,  // memory by lanes: vmcnt; FLAT: lgkmcnt too
  scalar,  // SMEM: lgkmcnt
  lds,     // lgkmcnt
  counted, // a message, GDS: lgkmcnt, nothing else is known
  exports, // expcnt
  wait,    // s_waitcnt
  barrier,
  sleep,
  time,       // s_memtime, s_memrealtime
  invalidate, // of L1
  end,
};

struct Row {
  Port port{};
  What what{};
  uint8_t busy = 4;               // cycles that its port is
  uint8_t period = 4;             // cycles until the wave's next instruction
  uint8_t vm = 0xff, lgkm = 0xff; // wait: how many may be outstanding; 0xff: any. sleep: vm is the immediate
  uint8_t dwords = 1;
  bool flat : 1 = false;    // what: vector, and lgkmcnt as well
  bool past_l1 : 1 = false; // glc: loads that L1 does not answer
};
static_assert(sizeof(Row) == 8);

struct BlockRows {
  uint64_t pc = 0;
  uint32_t bytes = 0;
  uint32_t first = 0; // number of its first row among all rows: index of their figures
  const events::Block* block = nullptr;
  std::vector<Row> rows = {};
};

// `first`: rows of all blocks before it.
BlockRows rows_of(const events::Block&, const Machine&, uint32_t first);

} // namespace crosslane::timing::replay
