// Runs rows against oracles.
#include "tests/semantics/check.h"
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <xmmintrin.h>

namespace crosslane::test {

const std::initializer_list<ModeBits> float_modes = {
    {},
    {.ieee = true},
    {.flush32 = true, .flush64 = true},
    {.round32 = 1, .round64 = 1},
    {.round32 = 2, .round64 = 2},
    {.ieee = true, .flush32 = true, .flush64 = true, .round32 = 3, .round64 = 3},
};

namespace {
std::set<std::string, std::less<>>& tested() {
  static std::set<std::string, std::less<>> names;
  return names;
}
std::string hex(uint64_t v) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}
std::string describe(const RowEntry& r, const In& in, const Out& got, const Out& want) {
  return std::string(r.name) + "(" + hex(in.a) + ", " + hex(in.b) + ", " + hex(in.c) + ", old " + hex(in.old) +
         ", mask " + std::to_string(in.mask) + "; ieee " + std::to_string(in.mode.ieee) + " flush " +
         std::to_string(in.mode.flush32) + std::to_string(in.mode.flush64) + " round " +
         std::to_string(in.mode.round32) + std::to_string(in.mode.round64) + ") = " + hex(got.value) + " flag " +
         std::to_string(got.flag) + ", expected " + (want.any_nan ? "any NaN" : hex(want.value)) + " flag " +
         std::to_string(want.flag);
}
int width(isa::Type t) {
  using enum isa::Type;
  return t == F16 || t == I16 || t == U16 || t == B16 ? 16 : isa::dwords(t) == 2 ? 64 : 32;
}
} // namespace

std::span<const RowEntry> baseline_rows() {
  const RowList list = v1::rows();
  return {list.rows, size_t(list.count)};
}
const RowEntry& row(std::string_view name) {
  for (const RowEntry& r : baseline_rows())
    if (name == r.name)
      return r;
  ADD_FAILURE() << "no row " << name;
  return baseline_rows()[0];
}

bool is_nan(isa::Type type, uint64_t bits) {
  switch (type) {
  case isa::Type::F16: return (bits & 0x7fff) > 0x7c00;
  case isa::Type::F32: return (bits & 0x7fffffff) > 0x7f800000;
  case isa::Type::F64: return (bits & ~(1ull << 63)) > 0x7ff0000000000000;
  default: return false;
  }
}

bool uses_mode64(const RowEntry& r) {
  using enum isa::Type;
  const auto wide = [](isa::Type t) { return t == F16 || t == F64 || t == PkF16; };
  return wide(r.dst) || r.src[0] == F64 || (r.has_flag && wide(r.src[0]));
}

Environment::Environment(const RowEntry& row, const ModeBits& mode) : saved_(_mm_getcsr()) {
  const bool wide = uses_mode64(row);
  static constexpr unsigned rounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
  const bool flush = wide ? mode.flush64 : mode.flush32;
  _mm_setcsr(0x1f80 | rounding[wide ? mode.round64 : mode.round32] | (flush ? 0x8040 : 0));
}
Environment::~Environment() { _mm_setcsr(saved_); }

Out run_lane(const RowEntry& r, const In& in) {
  Call call{};
  call.source[0][0] = in.a, call.source[1][0] = in.b, call.source[2][0] = in.c;
  call.old[0] = in.old;
  call.mask = in.mask;
  call.mode = in.mode;
  Result result{};
  {
    const Environment environment(r, in.mode);
    r.lane(call, 0, result);
  }
  return {result.value[0], bool(result.flag & 1)};
}

static bool check_one(const RowEntry& r, Oracle oracle, const In& in) {
  const Out got = run_lane(r, in);
  const Out want = oracle(in);
  const uint64_t all = width(r.dst) == 64 ? ~0ull : (1ull << width(r.dst)) - 1;
  const bool value = !r.has_value || (want.any_nan ? is_nan(r.dst, got.value) : got.value == (want.value & all));
  const bool flag = !r.has_flag || got.flag == want.flag;
  EXPECT_TRUE(value && flag) << describe(r, in, got, want);
  return value && flag;
}

Tested::Tested(std::span<const Expectation> list) {
  for (const Expectation& e : list)
    tested().insert(std::string(e.row));
}
Tested::Tested(std::initializer_list<std::string> rows) { tested().insert(rows); }
bool was_tested(std::string_view name) { return tested().contains(name); }

void expect_rows(std::span<const Expectation> list, std::initializer_list<ModeBits> modes, int random) {
  for (const auto& [name, oracle] : list) {
    const RowEntry& r = row(name);
    EXPECT_TRUE(r.implemented) << name;
    Inputs inputs(std::hash<std::string_view>{}(name));
    const auto type = [&](int i) { return r.src[i] == isa::Type::None ? isa::Type::B32 : r.src[i]; };
    int failures = 0;
    for (const ModeBits& mode : modes) {
      const auto a_edges = edges(type(0)), b_edges = r.src[1] == isa::Type::None ? a_edges.first(1) : edges(type(1));
      const bool first = &mode == modes.begin();
      for (uint64_t a : a_edges)
        for (uint64_t b : b_edges) {
          if (!first && inputs.bits() % 4 != 0)
            continue;
          const In in{a, b, inputs.next(type(2)), inputs.next(r.dst), bool(inputs.bits() & 1), mode};
          if (failures < 3)
            failures += !check_one(r, oracle, in);
        }
      for (int i = 0; i < random && failures < 3; ++i) {
        const In in{inputs.next(type(0)), inputs.next(type(1)),    inputs.next(type(2)),
                    inputs.next(r.dst),   bool(inputs.bits() & 1), mode};
        failures += !check_one(r, oracle, in);
      }
    }
  }
}

} // namespace crosslane::test
