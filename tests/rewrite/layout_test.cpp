// Branches over more code than they reach.
#include "isa/decode.h"
#include "isa/flow.h"
#include "isa/op.h"
#include "rewrite/layout.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace crosslane::rewrite {
namespace {

constexpr isa::Target target = isa::Target::gfx900;
const uint8_t* nothing(uint64_t, uint32_t) { return nullptr; }

// Where one gets to from an address, through islands; the instruction there.
uint64_t follow(const LaidOut& out, uint64_t base, uint64_t at) {
  for (int hops = 0; hops < 1000; ++hops) {
    isa::Instruction in;
    const auto bytes = std::span(out.bytes).subspan(at - base);
    if (isa::decode(target, bytes, in) <= 0 || in.op != isa::Op::s_branch)
      return at;
    at = isa::flow(in).target(at);
  }
  return 0;
}

TEST(Layout, IslandsLeadToWhereBranchesGo) {
  Listing listing{.target = target};
  constexpr uint32_t chunks = 200, base = 0x1000;
  for (uint32_t i = 0; i < chunks; ++i)
    listing.order.push_back(listing.add());
  for (uint32_t i = 0; i < chunks; ++i) {
    auto& items = listing.chunks[i].items;
    append(items, target, "s_nop 7\ns_nop 7\ns_nop 7");
    if (i % 10 == 0)
      items.push_back(branch_to(target, (i * 37 + 90) % chunks, "s_cbranch_scc1"));
    listing.chunks[i].next = i + 1 < chunks ? i + 1 : no_label;
  }
  append(listing.chunks[chunks - 1].items, target, "s_endpgm");
  auto out = lay_out(listing, {base, 96}, nothing);
  ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
  EXPECT_GT(out->islands, 0u);
  for (uint32_t i = 0; i < chunks; i += 10) {
    uint64_t at = out->chunks[i] + 12;
    isa::Instruction in;
    ASSERT_GT(isa::decode(target, std::span(out->bytes).subspan(at - base), in), 0);
    ASSERT_EQ(in.op, isa::Op::s_cbranch_scc1);
    EXPECT_LE(std::abs(int64_t(isa::flow(in).target(at) - at - 4)), 96 * 4);
    EXPECT_EQ(follow(*out, base, isa::flow(in).target(at)), out->chunks[(i * 37 + 90) % chunks]);
    if (i + 1 < chunks) // and behind it the next one
      EXPECT_EQ(follow(*out, base, at + 4), out->chunks[i + 1]);
  }
}

TEST(Layout, AddressesAreOfWhatTheyName) {
  Listing listing{.target = target};
  const Label first = listing.add(), second = listing.add();
  listing.order = {first, second};
  listing.chunks[first].items = {address_of(4, second), address_of(6, uint64_t(0x100))};
  listing.chunks[first].next = second;
  append(listing.chunks[second].items, target, "s_endpgm");
  auto out = lay_out(listing, {0x2000, 0x7fff}, nothing);
  ASSERT_TRUE(bool(out));
  const auto word = [&](size_t at) {
    uint32_t w;
    std::memcpy(&w, out->bytes.data() + at, 4);
    return w;
  };
  EXPECT_EQ(0x2004 + word(8), out->chunks[second]);          // s_getpc's result and the literal
  EXPECT_EQ(uint32_t(0x2014 + word(24)), 0x100u);            // backwards
  EXPECT_EQ(word(28) & 0xffff, 0xc107u);                     // s_addc_u32 s7, s7, -1
  EXPECT_EQ(word(out->chunks[second] - 0x2000), 0xbf810000); // s_endpgm
}

TEST(Layout, WhatLiesApartIsBranchedTo) {
  Listing listing{.target = target};
  const Label a = listing.add(), b = listing.add(), c = listing.add();
  listing.order = {a, c, b};
  listing.chunks[a].next = b, listing.chunks[b].next = c;
  append(listing.chunks[c].items, target, "s_endpgm");
  append(listing.chunks[b].items, target, "s_nop 0");
  auto out = lay_out(listing, {0, 0x7fff}, nothing);
  ASSERT_TRUE(bool(out));
  EXPECT_EQ(follow(*out, 0, out->chunks[a]), out->chunks[b]);
  EXPECT_EQ(follow(*out, 0, out->chunks[b] + 4), out->chunks[c]);
}

} // namespace
} // namespace crosslane::rewrite
