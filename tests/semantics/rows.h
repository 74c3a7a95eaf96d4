// Owns the door from tests to the semantics: one entry per row of isa/rows, with the 16-lane and the one-lane form
// behind plain arrays of bits. Compiled once per x86-64 level (rows_level.cpp); nothing here but plain data.
#pragma once
#include "isa/row.h"
#include <cstdint>

namespace crosslane::test {

inline constexpr int lanes_per_call = 16;

struct ModeBits {
  bool ieee = false, flush32 = false, flush64 = false;
  uint8_t round32 = 0, round64 = 0;
};

struct Call {
  uint64_t source[3][lanes_per_call];
  uint64_t old[lanes_per_call];
  uint16_t mask;
  ModeBits mode;
};

struct Result {
  uint64_t value[lanes_per_call];
  uint16_t flag;
};

struct RowEntry {
  const char* name;
  isa::Encoding encoding;
  isa::Type dst, src[3];
  bool reads_old, reads_mask;
  bool has_value, has_flag;
  bool implemented;
  void (*row)(const Call&, Result&);         // 16 lanes; null for scalar rows
  void (*lane)(const Call&, int i, Result&); // lane i alone
};

struct RowList {
  const RowEntry* rows;
  int count;
};
namespace v1 {
RowList rows();
}
namespace v3 {
RowList rows();
}
namespace v4 {
RowList rows();
}

} // namespace crosslane::test
