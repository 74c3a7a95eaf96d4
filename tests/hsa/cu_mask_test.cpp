// Which compute units waves say that they run on (HW_ID), and what masks of queues and of the environment do to that.
// What a mask's bits mean is from the kernel driver (mqd_symmetrically_map_cu_mask): shader engines first, then their
// arrays, then units.
#include "hsa/queue/cu_mask.h"
#include "tests/hsa/runtime_fixture.h"
#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

namespace crosslane::test {
namespace {

// Each workgroup writes HW_ID to its own dword.
constexpr const char* where = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_getreg_b32 s8, hwreg(HW_REG_HW_ID)
  s_lshl_b32 s9, s2, 2
  s_waitcnt lgkmcnt(0)
  s_add_u32 s4, s4, s9
  s_addc_u32 s5, s5, 0
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
  v_mov_b32 v4, s8
)";
constexpr const char* store = "flat_store_dword v[2:3], v4\ns_endpgm\n";
constexpr const char* store_gfx6 = "s_mov_b64 s[12:13], 0\ns_mov_b32 s14, -1\ns_mov_b32 s15, 0xf000\n"
                                   "buffer_store_dword v4, v[2:3], s[12:15], 0 addr64\ns_endpgm\n";

struct Unit {
  uint32_t engine, array, cu;
  auto operator<=>(const Unit&) const = default;
};

class CuMask : public HsaTest {
protected:
  explicit CuMask(const char* gpus = "vega10", const char* gfx = "gfx900", const char* variable = nullptr,
                  const char* value = nullptr)
      : HsaTest(gpus), gfx_(gfx), variable_(variable) {
    if (variable)
      setenv(variable, value, 1);
  }
  ~CuMask() override {
    if (variable_)
      unsetenv(variable_);
  }
  uint32_t units() {
    uint32_t count = 0;
    EXPECT_SUCCESS(hsa_agent_get_info(gpu(), hsa_agent_info_t(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), &count));
    return count;
  }
  // Of many workgroups.
  std::set<Unit> used(const TestQueue& queue) {
    const bool gfx6 = gfx_.starts_with("gfx6");
    const TestKernel kernel(gpu(), gfx_, std::string(where) + (gfx6 ? store_gfx6 : store));
    const uint32_t groups = units() * 10;
    auto* const ids = static_cast<uint32_t*>(reachable_memory(groups * 4));
    hsa_signal_t done{};
    EXPECT_SUCCESS(hsa_signal_create(1, 0, nullptr, &done));
    const_cast<TestQueue&>(queue).submit(kernel.packet(groups * 64, 64, ids, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 20'000'000'000, HSA_WAIT_STATE_BLOCKED), 0);
    hsa_signal_destroy(done);
    std::set<Unit> result;
    for (uint32_t i = 0; i < groups; ++i)
      result.insert({ids[i] >> 13 & 7, ids[i] >> 12 & 1, ids[i] >> 8 & 15});
    return result;
  }
  std::set<Unit> used_with(const std::vector<uint32_t>& mask, hsa_status_t status = HSA_STATUS_SUCCESS) {
    TestQueue queue(gpu());
    EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue.get(), uint32_t(mask.size() * 32), mask.data()), status);
    return used(queue);
  }
  static std::vector<uint32_t> masked(const TestQueue& queue, uint32_t words) {
    std::vector<uint32_t> mask(words, 0x5a5a5a5a);
    EXPECT_SUCCESS(hsa_amd_queue_cu_get_mask(queue.get(), words * 32, mask.data()));
    return mask;
  }

private:
  std::string gfx_;
  const char* variable_;
};

TEST_F(CuMask, WavesAreEverywhereWithoutOne) {
  TestQueue queue(gpu());
  EXPECT_EQ(used(queue).size(), 64u);
  EXPECT_EQ(masked(queue, 3), (std::vector<uint32_t>{UINT32_MAX, UINT32_MAX, 0}));
}

TEST_F(CuMask, BitsAreEnginesFirst) {
  EXPECT_EQ(used_with({1 << 5}), (std::set<Unit>{{1, 0, 1}}));
  EXPECT_EQ(used_with({0, 1u << 31}), (std::set<Unit>{{3, 0, 15}}));
  EXPECT_EQ(used_with({0x18}), (std::set<Unit>{{3, 0, 0}, {0, 0, 1}}));
}

// As rocrtst's cu_masking has it: two halves of the card that have nothing in common.
TEST_F(CuMask, HalvesDoNotOverlap) {
  std::mt19937 random(7);
  for (int i = 0; i < 5; ++i) {
    const std::vector<uint32_t> half{uint32_t(random()), uint32_t(random())}, rest{~half[0], ~half[1]};
    const auto one = used_with(half), other = used_with(rest);
    EXPECT_EQ(one.size(), size_t(std::popcount(half[0]) + std::popcount(half[1])));
    EXPECT_EQ(one.size() + other.size(), 64u);
    std::vector<Unit> both;
    std::ranges::set_intersection(one, other, std::back_inserter(both));
    EXPECT_TRUE(both.empty());
  }
}

TEST_F(CuMask, ArgumentsAndReset) {
  TestQueue queue(gpu());
  const uint32_t mask[4] = {3, 0, UINT32_MAX, UINT32_MAX};
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue.get(), 33, mask), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue.get(), 32, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(nullptr, 32, mask), HSA_STATUS_ERROR_INVALID_QUEUE);
  uint32_t got[4];
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue.get(), 0, got), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue.get(), 31, got), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_cu_get_mask(queue.get(), 32, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(
      hsa_amd_queue_cu_set_mask(queue.get(), 128, mask)); // units that the card does not have are nobody's to disable
  EXPECT_EQ(masked(queue, 2), (std::vector<uint32_t>{3, 0}));
  EXPECT_EQ(used(queue).size(), 2u);
  EXPECT_SUCCESS(hsa_amd_queue_cu_set_mask(queue.get(), 0, nullptr));
  EXPECT_EQ(used(queue).size(), 64u);
}

class CuMaskOfMi100 : public CuMask {
protected:
  CuMaskOfMi100() : CuMask("mi100", "gfx908") {}
};
TEST_F(CuMaskOfMi100, HasEightEngines) {
  TestQueue queue(gpu());
  EXPECT_EQ(used(queue).size(), 120u);
  EXPECT_EQ(used_with({0, 0, 0, 0x00800000}), (std::set<Unit>{{7, 0, 14}})); // unit 119
}

class CuMaskOfTahiti : public CuMask {
protected:
  CuMaskOfTahiti() : CuMask("tahiti", "gfx600") {}
};
TEST_F(CuMaskOfTahiti, HasTwoArraysPerEngine) {
  EXPECT_EQ(used_with({1 << 3}), (std::set<Unit>{{1, 1, 0}}));
  EXPECT_EQ(used_with({1 << 6}), (std::set<Unit>{{0, 1, 1}}));
}

class CuMaskOfTheEnvironment : public CuMask {
protected:
  CuMaskOfTheEnvironment() : CuMask("vega10", "gfx900", "HSA_CU_MASK", "0: 0-3, 40") {}
};
TEST_F(CuMaskOfTheEnvironment, HoldsForAllQueues) {
  TestQueue queue(gpu());
  EXPECT_EQ(masked(queue, 2), (std::vector<uint32_t>{0xf, 0x100}));
  EXPECT_EQ(used(queue), (std::set<Unit>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {0, 0, 10}}));
  EXPECT_EQ(used_with({0x6}), (std::set<Unit>{{1, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(used_with({0x18}, hsa_status_t(HSA_STATUS_CU_MASK_REDUCED)), (std::set<Unit>{{3, 0, 0}}));
}

TEST(CuMasks, SyntaxIsThatOfRocr) {
  std::string error;
  const auto parse = [&](const char* text) { return hsa::parse_cu_masks(text, 4, 64, error); };
  auto masks = parse(" 0, 2-3 : 0x3_37F");
  EXPECT_TRUE(masks.empty());
  EXPECT_NE(error.find("HSA_CU_MASK"), std::string::npos);
  masks = parse(" 0, 2-3 : 0X1 0000 337f; 1:5, 32-33");
  EXPECT_EQ(error, "");
  ASSERT_EQ(masks.size(), 4u);
  EXPECT_EQ(masks[2][0], 0x337fu);
  EXPECT_EQ(masks[2][1], 1u);
  EXPECT_EQ(masks[1][0], 0x20u);
  EXPECT_EQ(masks[1][1], 3u);
  // The first set holds; the second names a GPU again, and the third is not looked at.
  EXPECT_EQ(parse("0:1;0:2;1:3").size(), 1u);
  EXPECT_NE(error, "");
  for (const char* bad : {"0", "0:", ":1", "0:0x", "0:0x0", "0:1:2", "0:1,1", "0:3-2", "0:1-2-3", "0:a", "0-x:1", "9:1",
                          "0:64", "0,0:1"}) {
    EXPECT_TRUE(parse(bad).empty()) << bad;
    EXPECT_NE(error, "") << bad;
  }
  EXPECT_EQ(parse("0-9:60-99")[3][1], 0xf0000000u); // as far as there are any
  EXPECT_TRUE(parse("").empty());
  EXPECT_EQ(error, "");
}

} // namespace
} // namespace crosslane::test
