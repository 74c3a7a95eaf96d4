// Every vector compare: relations by table, on integers read as such and floats ordered by sign and magnitude.
#include "tests/semantics/check.h"
#include "tests/semantics/exact.h"
#include <gtest/gtest.h>
#include <string>

namespace crosslane::test {
namespace {

using isa::Type;

// less, equal, greater, unordered as bits 0..3: what each relation accepts.
struct Relation {
  const char* name;
  int accepts;
};
const Relation float_relations[] = {{"f", 0},       {"lt", 1},      {"eq", 2},      {"le", 3},
                                    {"gt", 4},      {"lg", 5},      {"ge", 6},      {"o", 7},
                                    {"u", 8},       {"nge", 8 | 1}, {"nlg", 8 | 2}, {"ngt", 8 | 3},
                                    {"nle", 8 | 4}, {"neq", 8 | 5}, {"nlt", 8 | 6}, {"tru", 15}};
const Relation integer_relations[] = {{"f", 0},  {"lt", 1}, {"eq", 2}, {"le", 3},
                                      {"gt", 4}, {"ne", 5}, {"ge", 6}, {"t", 7}};

int order(__int128 a, __int128 b) { return a < b ? 1 : a == b ? 2 : 4; }
int integer_order(uint64_t a, uint64_t b, int bits, bool is_signed) {
  const auto value = [&](uint64_t v) {
    return is_signed && v >> (bits - 1) ? __int128(v) - (__int128(1) << bits) : __int128(v);
  };
  return order(value(a), value(b));
}
int float_order(FloatFormat f, uint64_t a, uint64_t b, bool flush) {
  if (f.nan(a) || f.nan(b))
    return 8;
  const auto value = [&](uint64_t v) {
    if (flush)
      v = f.flush(v);
    return f.negative(v) ? -__int128(f.magnitude(v)) : __int128(f.magnitude(v));
  };
  return order(value(a), value(b));
}

template <class Order> void check(const std::string& relation, int accepts, const char* type, Order expected_order) {
  for (const char* prefix : {"v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"}) {
    const std::string name = prefix + relation + "_" + type;
    // The signaling ones are of f32 and f64.
    if (prefix[5] == 's' && std::string_view(type) != "f32" && std::string_view(type) != "f64")
      continue;
    const RowEntry& r = row(name);
    Inputs inputs(accepts + 1);
    const auto one = [&](uint64_t a, uint64_t b, const ModeBits& mode) {
      const bool want = (expected_order(a, b, mode) & accepts) != 0;
      EXPECT_EQ(run_lane(r, {a, b, 0, 0, false, mode}).flag, want) << name << std::hex << " " << a << " " << b;
    };
    for (const ModeBits& mode : {ModeBits{}, ModeBits{.flush32 = true, .flush64 = true}}) {
      for (uint64_t a : edges(r.src[0]))
        for (uint64_t b : edges(r.src[0]))
          one(a, b, mode);
      for (int i = 0; i < 1000; ++i) {
        const uint64_t a = inputs.next(r.src[0]);
        one(a, inputs.next(r.src[0]), mode);
        one(a, a, mode);
      }
    }
  }
}

const Tested tested = [] {
  for (const std::string prefix : {"v_cmp_", "v_cmpx_"}) {
    for (const auto& r : float_relations)
      for (const std::string type : {"f16", "f32", "f64"})
        Tested{prefix + r.name + "_" + type, prefix + "class_" + type};
    for (const auto& r : integer_relations)
      for (const std::string type : {"i16", "u16", "i32", "u32", "i64", "u64"})
        Tested{prefix + r.name + "_" + type};
  }
  for (const std::string prefix : {"v_cmps_", "v_cmpsx_"})
    for (const auto& r : float_relations)
      Tested{prefix + r.name + "_f32", prefix + r.name + "_f64"};
  return Tested{};
}();

TEST(Compare, Floats) {
  for (const auto& [relation, accepts] : float_relations) {
    check(relation, accepts, "f16",
          [](uint64_t a, uint64_t b, const ModeBits& m) { return float_order(half, a, b, m.flush64); });
    check(relation, accepts, "f32",
          [](uint64_t a, uint64_t b, const ModeBits& m) { return float_order(single, a, b, m.flush32); });
    check(relation, accepts, "f64",
          [](uint64_t a, uint64_t b, const ModeBits& m) { return float_order(twofold, a, b, m.flush64); });
  }
}

TEST(Compare, Integers) {
  for (const auto& [relation, accepts] : integer_relations) {
    check(relation, accepts, "i16",
          [](uint64_t a, uint64_t b, const ModeBits&) { return integer_order(a, b, 16, true); });
    check(relation, accepts, "u16",
          [](uint64_t a, uint64_t b, const ModeBits&) { return integer_order(a, b, 16, false); });
    check(relation, accepts, "i32",
          [](uint64_t a, uint64_t b, const ModeBits&) { return integer_order(a, b, 32, true); });
    check(relation, accepts, "u32",
          [](uint64_t a, uint64_t b, const ModeBits&) { return integer_order(a, b, 32, false); });
    check(relation, accepts, "i64",
          [](uint64_t a, uint64_t b, const ModeBits&) { return integer_order(a, b, 64, true); });
    check(relation, accepts, "u64",
          [](uint64_t a, uint64_t b, const ModeBits&) { return integer_order(a, b, 64, false); });
  }
}

int class_bit(FloatFormat f, uint64_t v) {
  if (f.nan(v))
    return f.signaling(v) ? 0 : 1;
  const bool negative = f.negative(v);
  if (f.inf(v))
    return negative ? 2 : 9;
  if (f.zero(v))
    return negative ? 5 : 6;
  if (f.denormal(v))
    return negative ? 4 : 7;
  return negative ? 3 : 8;
}

TEST(Compare, Classes) {
  const std::pair<const char*, FloatFormat> types[] = {{"f16", half}, {"f32", single}, {"f64", twofold}};
  for (const auto& [type, format] : types)
    for (const char* prefix : {"v_cmp_class_", "v_cmpx_class_"}) {
      const RowEntry& r = row(std::string(prefix) + type);
      Inputs inputs(3);
      const auto one = [&](uint64_t v, uint64_t classes) {
        EXPECT_EQ(run_lane(r, {v, classes, 0, 0, false, {}}).flag, bool(classes >> class_bit(format, v) & 1))
            << r.name << std::hex << " " << v << " " << classes;
      };
      for (uint64_t v : edges(r.src[0])) {
        for (int k = 0; k < 10; ++k)
          one(v, 1u << k);
        one(v, 0xfc00), one(v, 0x3ff);
      }
      for (int i = 0; i < 4000; ++i)
        one(inputs.next(r.src[0]), inputs.next(r.src[1]));
    }
}

} // namespace
} // namespace crosslane::test
