// Addresses as buffers and elements.
#include "findings/buffers.h"
#include "report/json.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::findings {
namespace {

const Buffer in{"in", 0x1010, 400, "f32", 4}, unknown{"device memory 2", 0x3000, 4096, "", 1};

views::LaneExample lanes(uint64_t mask, uint64_t first, uint64_t stride) {
  views::LaneExample e;
  e.lanes = mask;
  for (size_t lane = 0; lane < 64; ++lane)
    e.address[lane] = first + lane * stride;
  return e;
}

TEST(Buffers, AreFoundByAddress) {
  const std::vector<Buffer> all = {in, unknown};
  EXPECT_EQ(buffer_at(all, 0x1010), &all[0]);
  EXPECT_EQ(buffer_at(all, 0x1010 + 399), &all[0]);
  EXPECT_EQ(buffer_at(all, 0x3fff), &all[1]);
  for (const uint64_t outside : {uint64_t(0), uint64_t(0x100f), uint64_t(0x1010 + 400), uint64_t(0x4000), ~uint64_t(0)})
    EXPECT_EQ(buffer_at(all, outside), nullptr) << outside;
  EXPECT_EQ(buffer_at({}, 0), nullptr);
}

TEST(Buffers, ElementsInWords) {
  EXPECT_EQ(elements_text(in, 0x1010, 4), "in[0]");
  EXPECT_EQ(elements_text(in, 0x1012, 1), "in[0]");
  EXPECT_EQ(elements_text(in, 0x1014, 16), "in[1..4]");
  EXPECT_EQ(elements_text(unknown, 0x3040, 64), "device memory 2, bytes 64..127");
}

TEST(Buffers, WhatAnExampleReaches) {
  const std::vector<Buffer> all = {in, unknown};
  EXPECT_EQ(reached_text(all, lanes(0xf, 0x1010, 32), 4), "`in[0..24]`"); // lanes 0 to 3, 8 elements apart
  EXPECT_EQ(reached_text(all, lanes(0x3, 0x1010, 0x1ff0), 4), "`in[0]` and `device memory 2, bytes 0..3`");
  EXPECT_EQ(reached_text(all, lanes(0x1, 0x9000, 0), 4), "");
  EXPECT_EQ(reached_text(all, lanes(0, 0x1010, 0), 4), "");
}

// Memory that was freed and given to others keeps the name that it had first.
TEST(Buffers, AreCollectedOnceAndDoNotOverlap) {
  std::vector<views::MemorySite> sites(2);
  sites[0].worst = lanes(0xff, 0x3000, 4), sites[1].worst = lanes(0xff, 0x1010, 4);
  int asked = 0;
  std::vector<Buffer> known;
  add_reached(known, sites, [&](uint64_t address) {
    ++asked;
    return std::optional(address < 0x3000 ? in : unknown);
  });
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(known[0].name, "in");
  sites[0].worst = lanes(1, 0x2f00, 0);
  add_reached(known, sites, [](uint64_t) { return std::optional(Buffer{"later", 0x2f00, 4096, "", 1}); });
  EXPECT_EQ(known.size(), 2u);
}

TEST(Buffers, InTheDocument) {
  Profile profile;
  profile.buffers = {in, unknown};
  const auto document = nlohmann::json::parse(report::json(profile));
  EXPECT_EQ(document["buffers"][0].dump(), R"({"address":"0x1010","element":4,"name":"in","size":400,"type":"f32"})");
  EXPECT_TRUE(document["buffers"][1]["type"].is_null());
  EXPECT_TRUE(document["buffers"][1]["element"].is_null());
}

} // namespace
} // namespace crosslane::findings
