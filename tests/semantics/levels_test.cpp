// Every row, at every x86-64 level that this CPU has: sixteen lanes give what one lane gives, and every level gives
// what the baseline gives, bit for bit.
#include "tests/semantics/check.h"
#include <gtest/gtest.h>
#include <string>

namespace crosslane::test {
namespace {

struct Level {
  const char* name;
  bool (*present)();
  RowList (*rows)();
};
const Level levels[] = {
    {"v1", [] { return true; }, v1::rows},
    {"v3", [] { return bool(__builtin_cpu_supports("x86-64-v3")); }, v3::rows},
    {"v4", [] { return bool(__builtin_cpu_supports("x86-64-v4")); }, v4::rows},
};

class Levels : public testing::TestWithParam<Level> {};

// Which of several NaNs an operation passes on is not specified.
bool same(const RowEntry& r, uint64_t a, uint64_t b) {
  if (a == b || (is_nan(r.dst, a) && is_nan(r.dst, b)))
    return true;
  const auto single = [](uint64_t x, uint64_t y) {
    return x == y || (is_nan(isa::Type::F32, x) && is_nan(isa::Type::F32, y));
  };
  if (r.dst == isa::Type::PkF32)
    return single(uint32_t(a), uint32_t(b)) && single(a >> 32, b >> 32);
  if (r.dst != isa::Type::PkF16)
    return false;
  const auto half = [](uint64_t x, uint64_t y) {
    return x == y || (is_nan(isa::Type::F16, x) && is_nan(isa::Type::F16, y));
  };
  return half(a & 0xffff, b & 0xffff) && half(a >> 16, b >> 16);
}

TEST_P(Levels, RowsEqualLanesEqualBaseline) {
  if (!GetParam().present())
    GTEST_SKIP() << "this CPU has no x86-64-" << GetParam().name;
  const RowList list = GetParam().rows();
  const auto baseline = baseline_rows();
  ASSERT_EQ(size_t(list.count), baseline.size());
  for (int k = 0; k < list.count; ++k) {
    const RowEntry& r = list.rows[k];
    ASSERT_STREQ(r.name, baseline[size_t(k)].name);
    if (!r.implemented)
      continue;
    Inputs inputs(uint64_t(k) + 1);
    int failures = 0;
    for (int round = 0; round < 150 && failures < 2; ++round) {
      Call call{};
      for (int i = 0; i < lanes_per_call; ++i) {
        for (int s = 0; s < 3; ++s)
          call.source[s][i] = inputs.next(r.src[s] == isa::Type::None ? isa::Type::B32 : r.src[s]);
        call.old[i] = inputs.next(r.dst);
      }
      call.mask = uint16_t(inputs.bits());
      call.mode = float_modes.begin()[round % int(float_modes.size())];
      Result lanes{}, row{}, base{};
      {
        const Environment environment(r, call.mode);
        for (int i = 0; i < lanes_per_call; ++i)
          r.lane(call, i, lanes);
        for (int i = 0; i < lanes_per_call; ++i)
          baseline[size_t(k)].lane(call, i, base);
        if (r.row)
          r.row(call, row);
        else
          row = lanes;
      }
      for (int i = 0; i < lanes_per_call; ++i) {
        const bool agree =
            (!r.has_value || (same(r, lanes.value[i], row.value[i]) && same(r, lanes.value[i], base.value[i]))) &&
            (!r.has_flag || ((lanes.flag ^ row.flag) >> i & 1) == 0) &&
            (!r.has_flag || ((lanes.flag ^ base.flag) >> i & 1) == 0);
        EXPECT_TRUE(agree) << r.name << " lane " << i << std::hex << " (0x" << call.source[0][i] << ", 0x"
                           << call.source[1][i] << ", 0x" << call.source[2][i] << ", old 0x" << call.old[i]
                           << ") one lane 0x" << lanes.value[i] << " row 0x" << row.value[i] << " baseline 0x"
                           << base.value[i] << " flags " << (lanes.flag >> i & 1) << (row.flag >> i & 1)
                           << (base.flag >> i & 1) << " mode " << round % int(float_modes.size());
        failures += !agree;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(X86, Levels, testing::ValuesIn(levels),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace crosslane::test
