// Owns how a row meets its expectation: call a level's row with modes set as on the machine, compare bits, say what
// differs.
#pragma once
#include "tests/semantics/inputs.h"
#include "tests/semantics/rows.h"
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace crosslane::test {

// One lane's operands, as bits.
struct In {
  uint64_t a, b, c, old;
  bool mask;
  ModeBits mode;
};
// What is expected of it. Where any_nan, only that the value is some NaN (which one is not specified).
struct Out {
  uint64_t value = 0;
  bool flag = false;
  bool any_nan = false;
};
using Oracle = Out (*)(const In&);
struct Expectation {
  std::string_view row;
  Oracle oracle;
};

std::span<const RowEntry> baseline_rows();
const RowEntry& row(std::string_view name);
bool is_nan(isa::Type type, uint64_t bits);
// Whether the row rounds by the 16/64-bit half of MODE.
bool uses_mode64(const RowEntry& row);

// Sets MXCSR as the mode says, for as long as it lives.
class Environment {
public:
  Environment(const RowEntry& row, const ModeBits& mode);
  ~Environment();

private:
  unsigned saved_;
};

Out run_lane(const RowEntry& row, const In& in);

// Every row of the list against its oracle: the grid of edges (all of it in the first mode, a part in the others), then
// `random` random inputs, under each mode.
void expect_rows(std::span<const Expectation> list, std::initializer_list<ModeBits> modes = {{}}, int random = 4000);

// Static objects that say which rows a file has expectations for; coverage_test.cpp asks that none is forgotten.
struct Tested {
  explicit Tested(std::span<const Expectation> list);
  Tested(std::initializer_list<std::string> rows);
};
bool was_tested(std::string_view row);

// All float modes that a kernel can choose.
extern const std::initializer_list<ModeBits> float_modes;

} // namespace crosslane::test
