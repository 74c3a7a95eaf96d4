// The table of cards as a whole. What single cards say is compared in tests/hsa/agent_info_test.cpp.
#include "gpu/card.h"
#include <gtest/gtest.h>
#include <set>

namespace crosslane::gpu {
namespace {

TEST(Card, EveryTargetHasOne) {
  for (const isa::TargetInfo& target : isa::targets()) {
    const Card* card = find_card(target.name);
    ASSERT_NE(card, nullptr) << target.name;
    EXPECT_EQ(card->target, target.target);
  }
}

TEST(Card, IsFoundByItsNameInAnyCase) {
  for (const Card& card : cards()) {
    std::string upper(card.name);
    for (char& c : upper)
      c = char(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(find_card(card.name), &card) << card.name;
    EXPECT_EQ(find_card(upper), &card) << upper;
  }
  EXPECT_EQ(find_card(""), nullptr);
  EXPECT_EQ(find_card("gfx1030"), nullptr);
  EXPECT_EQ(find_card("vega"), nullptr);
}

// What users mean who name a target and no card.
TEST(Card, GfxNamesMeanTheBestKnownCard) {
  EXPECT_EQ(find_card("gfx803")->name, "fiji");
  EXPECT_EQ(find_card("gfx900")->name, "vega10");
  EXPECT_EQ(find_card("gfx906")->name, "vega20");
  EXPECT_EQ(find_card("gfx908")->name, "mi100");
  EXPECT_EQ(find_card("gfx90a")->name, "mi210");
}

TEST(Card, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Card& card : cards())
    EXPECT_TRUE(names.insert(card.name).second) << card.name;
}

TEST(Card, NumbersArePlausible) {
  for (const Card& card : cards()) {
    SCOPED_TRACE(card.name);
    const uint32_t arrays = card.shader_engines * card.arrays_per_engine;
    ASSERT_GT(arrays, 0U);
    EXPECT_LE(card.compute_units, arrays * 16); // no GCN has more in an array
    EXPECT_GE(card.compute_units, arrays);
    EXPECT_GE(card.clock_mhz, 500U);
    EXPECT_LE(card.clock_mhz, 2000U);
    EXPECT_GE(card.memory_clock_mhz, 400U);
    EXPECT_LE(card.memory_clock_mhz, 2100U);
    EXPECT_EQ(card.vram_bytes % 4096, 0U);
    EXPECT_GE(card.vram_bytes, uint64_t(2) << 30);
    EXPECT_GE(card.l2_bytes, 128U * 1024);
    EXPECT_LT(card.product.size(), 64U);
    EXPECT_LT(card.device_id, 0x10000U);
    EXPECT_EQ(card.max_waves_per_unit, 4U * isa::info(card.target).waves_per_simd);
  }
}

// GPUOpen, "AMD GCN Assembly: Cross-Lane Operations", of the R9 Fury X: 8.6 and 51.6 TB/s.
TEST(Card, PeakBandwidths) {
  EXPECT_NEAR(lds_bandwidth(*find_card("fiji")) * 1e-12, 8.6, 0.05);
  EXPECT_NEAR(register_bandwidth(*find_card("fiji")) * 1e-12, 51.6, 0.05);
  EXPECT_DOUBLE_EQ(lds_bandwidth(*find_card("hawaii")), 930e6 * 44 * 32 * 4);
}

} // namespace
} // namespace crosslane::gpu
