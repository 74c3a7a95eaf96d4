// Bank conflicts of hand-made LDS accesses. The numbers are worked out by hand, in the comments: bank = dword % 32, a
// group of lanes takes as many cycles as its fullest bank has different dwords, and each beyond one adds to what the
// instruction takes at best (tests/views/lds_cycles_test.cpp).
#include "isa/op.h"
#include "views/lds.h"
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>

namespace crosslane::views {
namespace {

using events::AccessKind;

constexpr uint64_t all = ~uint64_t(0);
using AddressOf = std::function<uint64_t(uint64_t lane)>;

struct Request {
  AccessKind kind = AccessKind::load;
  uint32_t bytes = 4;
  AddressOf address;
  AddressOf second = {};
  uint64_t lanes = all;
  uint64_t pc = 0x100;
};

isa::Op op_of(const Request& r) {
  using enum isa::Op;
  const bool wide = r.bytes > 4;
  switch (r.kind) {
  case AccessKind::load:
    if (r.second)
      return wide ? ds_read2_b64 : ds_read2_b32;
    return r.bytes == 16 ? ds_read_b128 : r.bytes == 12 ? ds_read_b96 : wide ? ds_read_b64 : ds_read_b32;
  case AccessKind::store:
    if (r.second)
      return wide ? ds_write2_b64 : ds_write2_b32;
    return r.bytes == 16 ? ds_write_b128 : r.bytes == 12 ? ds_write_b96 : wide ? ds_write_b64 : ds_write_b32;
  case AccessKind::atomic:
    if (r.second)
      return wide ? ds_wrxchg2_rtn_b64 : ds_wrxchg2_rtn_b32;
    return wide ? ds_add_u64 : ds_add_u32;
  }
  return {};
}

// One wave of one workgroup, and the events it sends.
struct Sender {
  machine::Workgroup group{};
  std::unique_ptr<machine::Wave> wave = std::make_unique<machine::Wave>();

  explicit Sender(uint32_t x = 3, uint32_t y = 2, uint32_t z = 1, uint16_t id = 5) {
    group.id[0] = x, group.id[1] = y, group.id[2] = z;
    wave->workgroup = &group;
    wave->id = id;
  }
  void send(LdsBanks& banks, const Request& r, events::Space space = events::Space::lds) const {
    isa::Instruction instruction;
    instruction.op = op_of(r);
    uint64_t address[64], second[64];
    for (uint64_t lane = 0; lane < 64; ++lane) {
      // Lanes that take no part have no value: one that would be seen.
      const bool takes_part = r.lanes >> lane & 1;
      address[lane] = takes_part ? r.address(lane) : 0xdead'0000 + lane * 128;
      second[lane] = takes_part && r.second ? r.second(lane) : 0xdead'0000 + lane * 128;
    }
    banks.access(
        {{r.pc, &instruction}, wave.get(), space, r.kind, r.bytes, r.lanes, address, r.second ? second : nullptr});
  }
};

LdsSite site_of(const Request& r) {
  LdsBanks banks;
  Sender().send(banks, r);
  const auto sites = banks.sites();
  EXPECT_EQ(sites.size(), 1u);
  return sites.empty() ? LdsSite() : sites[0];
}
LdsCounts counts_of(const Request& r) { return site_of(r).counts; }
AddressOf stride(uint64_t bytes, uint64_t from = 0) {
  return [=](uint64_t lane) { return from + lane * bytes; };
}

TEST(Lds, DwordsInSequence) {
  // Lanes 0 to 31 are in banks 0 to 31, one cycle; lanes 32 to 63 again.
  const LdsSite site = site_of({.address = stride(4)});
  EXPECT_EQ(site.counts, (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 2, .ideal_cycles = 2}));
  EXPECT_EQ(site.counts.conflict_cycles(), 0u);
  EXPECT_EQ(site.worst_degree, 1u);
  EXPECT_EQ(site.pc, 0x100u);
  EXPECT_EQ(site.instruction.op, isa::Op::ds_read_b32);
  EXPECT_EQ(site.kind, AccessKind::load);
  EXPECT_EQ(site.bytes, 4u);
}

TEST(Lds, DwordsWithStrides) {
  // Stride 2 dwords: lanes l and l + 16 are 32 dwords apart, in the same bank: 2 cycles for each half.
  EXPECT_EQ(counts_of({.address = stride(8)}).cycles, 4u);
  // Stride 4: 4 lanes (8 apart) in each of the banks 0, 4 ... 28: 4 cycles for each half.
  EXPECT_EQ(counts_of({.address = stride(16)}).cycles, 8u);
  // Stride 8 and 16: 8 and 16 lanes a bank.
  EXPECT_EQ(counts_of({.address = stride(32)}).cycles, 16u);
  EXPECT_EQ(counts_of({.address = stride(64)}).cycles, 32u);
  // Stride 32: all lanes in bank 0: 32 cycles for each half.
  const LdsCounts worst = counts_of({.address = stride(128)});
  EXPECT_EQ(worst.cycles, 64u);
  EXPECT_EQ(worst.ideal_cycles, 2u);
  EXPECT_EQ(worst.conflict_cycles(), 62u);
  // Odd strides meet every bank once: 3, 33.
  EXPECT_EQ(counts_of({.address = stride(12)}).cycles, 2u);
  EXPECT_EQ(counts_of({.address = stride(132)}).cycles, 2u);
}

TEST(Lds, TileColumns) {
  // float tile[32][32], lane (x, y) = (l % 32, l / 32) reads tile[x][y]: dword 32 * x + y. All of a half in bank y.
  const LdsSite tile = site_of({.address = [](uint64_t l) { return (l % 32 * 32 + l / 32) * 4; }});
  EXPECT_EQ(tile.counts.cycles, 64u);
  EXPECT_EQ(tile.worst_degree, 32u);
  EXPECT_EQ(tile.worst_bank, 0u); // of the half of y = 0, which comes first
  EXPECT_EQ(tile.worst_lane[0], 0u);
  EXPECT_EQ(tile.worst_lane[1], 1u);
  EXPECT_EQ(tile.worst_address[0], 0u);
  EXPECT_EQ(tile.worst_address[1], 128u);
  // float tile[32][33]: dword 33 * x + y, bank (x + y) % 32.
  EXPECT_EQ(counts_of({.address = [](uint64_t l) { return (l % 32 * 33 + l / 32) * 4; }}).cycles, 2u);
}

TEST(Lds, LanesThatReadOneDwordShareIt) {
  const LdsCounts one = counts_of({.address = [](uint64_t) { return 40; }});
  EXPECT_EQ(one, (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 2, .ideal_cycles = 2, .broadcasts = 1}));
  // Two dwords in turn, in banks 0 and 1.
  EXPECT_EQ(counts_of({.address = [](uint64_t l) { return l % 2 * 4; }}).cycles, 2u);
  // Two dwords in turn, both in bank 0: each is read once for all, 2 cycles a half.
  const LdsCounts two = counts_of({.address = [](uint64_t l) { return l % 2 * 128; }});
  EXPECT_EQ(two.cycles, 4u);
  EXPECT_EQ(two.broadcasts, 1u);
  // Dword l % 32 for both halves: lanes that share are in different groups, which is no broadcast.
  EXPECT_EQ(counts_of({.address = [](uint64_t l) { return l % 32 * 4; }}).broadcasts, 0u);
}

TEST(Lds, LanesThatWriteOneDwordAreOneWrite) {
  const LdsCounts one = counts_of({.kind = AccessKind::store, .address = [](uint64_t) { return 40; }});
  EXPECT_EQ(one, (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 4, .ideal_cycles = 4}));
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .address = stride(128)}).cycles, 4u + 62);
}

TEST(Lds, AtomicsGoOneAfterTheOther) {
  const auto atomic = [](AddressOf address, uint32_t bytes = 4) {
    return site_of({.kind = AccessKind::atomic, .bytes = bytes, .address = std::move(address)});
  };
  // One dword for all: 32 turns a half. 31 lanes beyond the first in each, after the 4 cycles of an atomic.
  const LdsSite one = atomic([](uint64_t) { return 40; });
  EXPECT_EQ(one.counts, (LdsCounts{.accesses = 1,
                                   .lanes = 64,
                                   .cycles = 66,
                                   .ideal_cycles = 4,
                                   .same_address_atomics = 62,
                                   .same_address_cycles = 62}));
  EXPECT_EQ(one.counts.bank_conflict_cycles(), 0u);
  EXPECT_EQ(one.worst_degree, 32u);
  EXPECT_EQ(one.worst_bank, 10u);
  EXPECT_EQ(one.worst_lane[1], 1u);
  EXPECT_EQ(one.worst_address[0], 40u);
  EXPECT_EQ(one.worst_address[1], 40u);
  // 256 bins of 4 bytes, bin = l % 4: 8 lanes of a half at each, in banks 0 to 3. 7 beyond the first, 4 bins, 2 halves.
  const LdsSite bins = atomic([](uint64_t l) { return l % 4 * 4; });
  EXPECT_EQ(bins.counts.cycles, 4u + 14);
  EXPECT_EQ(bins.counts.same_address_atomics, 56u);
  EXPECT_EQ(bins.counts.same_address_cycles, 14u); // 8 turns instead of one in each half
  // Two dwords of bank 0 in turn: 32 turns a half all the same; 15 beyond the first, 2 dwords, 2 halves.
  const LdsSite bank = atomic([](uint64_t l) { return l % 2 * 128; });
  EXPECT_EQ(bank.counts.cycles, 4u + 62);
  EXPECT_EQ(bank.counts.same_address_atomics, 60u);
  // If lanes at one dword were one, 2 cycles a half: a conflict of 1 each, the other 30 are turns.
  EXPECT_EQ(bank.counts.same_address_cycles, 60u);
  EXPECT_EQ(bank.counts.bank_conflict_cycles(), 2u);
  EXPECT_EQ(bank.worst_address[1], 128u);
  // In sequence, and different dwords of a bank: like others.
  EXPECT_EQ(atomic(stride(4)).counts.cycles, 4u);
  EXPECT_EQ(atomic(stride(4)).counts.same_address_atomics, 0u);
  EXPECT_EQ(atomic(stride(8)).counts.cycles, 6u);
  EXPECT_EQ(atomic(stride(8)).counts.same_address_cycles, 0u);
  EXPECT_EQ(atomic(stride(8)).counts.bank_conflict_cycles(), 2u);
  EXPECT_EQ(atomic(stride(128)).counts.bank_conflict_cycles(), 62u);
  // 8 bytes, one address: 16 turns for each of four groups; a lane counts once though it has two dwords.
  const LdsSite wide = atomic([](uint64_t) { return 0; }, 8);
  EXPECT_EQ(wide.counts.cycles, 6u + 60);
  EXPECT_EQ(wide.counts.ideal_cycles, 6u);
  EXPECT_EQ(wide.counts.same_address_atomics, 60u);
  EXPECT_EQ(wide.counts.same_address_cycles, 60u);
}

TEST(Lds, EightBytes) {
  // 16 lanes have dwords 0 to 31 in sequence: a cycle for each of four groups.
  EXPECT_EQ(counts_of({.bytes = 8, .address = stride(8)}),
            (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 4, .ideal_cycles = 4}));
  // Stride 4 dwords: lane l has banks 4l and 4l + 1 (mod 32), shared with lane l + 8: 2 cycles a group.
  EXPECT_EQ(counts_of({.bytes = 8, .address = stride(16)}).cycles, 8u);
  // Stride 8 dwords: lanes l, l + 4, l + 8, l + 12.
  EXPECT_EQ(counts_of({.bytes = 8, .address = stride(32)}).cycles, 16u);
  // Stride 32 dwords: all 16, which a card of gfx942 counts as 60 conflicts.
  EXPECT_EQ(counts_of({.bytes = 8, .address = stride(128)}).conflict_cycles(), 60u);
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 8, .address = stride(16)}).cycles, 8u + 4);
  // Lanes 0 and 16 meet in no group, lanes 0 and 15 do.
  const auto two_lanes = [](uint64_t a, uint64_t b) {
    return counts_of(
        {.bytes = 8, .address = [=](uint64_t l) { return l == a ? 0 : 128; }, .lanes = 1ull << a | 1ull << b});
  };
  EXPECT_EQ(two_lanes(0, 16).conflict_cycles(), 0u);
  EXPECT_EQ(two_lanes(0, 15).conflict_cycles(), 1u);
}

// What the counter of conflicts said on an MI300X (gfx942), for 64 loads of one wavefront at a stride of bytes:
// amd-shark-ai, its page empirical-lds/cdna3info.md.
TEST(Lds, AsMeasuredOnACard) {
  const struct {
    uint32_t bytes, stride, conflicts;
  } measured[] = {
      {4, 4, 0},      {4, 8, 128}, {4, 16, 384},  {4, 32, 896},   {4, 64, 1920},   {4, 128, 3968},  {4, 256, 3968},
      {4, 512, 3968}, {8, 8, 0},   {8, 16, 256},  {8, 32, 768},   {8, 64, 1792},   {8, 128, 3840},  {8, 256, 3840},
      {8, 512, 3840}, {16, 16, 0}, {16, 32, 512}, {16, 64, 1536}, {16, 128, 3584}, {16, 256, 3584}, {16, 512, 3584},
  };
  for (const auto& m : measured)
    EXPECT_EQ(counts_of({.bytes = m.bytes, .address = stride(m.stride)}).conflict_cycles() * 64, m.conflicts)
        << m.bytes << " bytes at " << m.stride;
}

// What the counter of index accesses said on an MI250 (gfx90a), for a load of n lanes in one bank: "LDS examples" of
// the ROCm Compute Profiler's documentation.
TEST(Lds, LanesThatTakeNoPartSaveNothingOnACard) {
  for (uint64_t n = 1; n <= 20; ++n)
    EXPECT_EQ(counts_of({.address = stride(128), .lanes = (uint64_t(1) << n) - 1}).cycles, n + 1);
}

// Which lanes are served together, found out from conflicts of two lanes: for each lane the lowest that it meets.
std::vector<uint64_t> lowest_partner(AccessKind kind, uint32_t bytes) {
  std::vector<uint64_t> lowest(64, 64);
  for (uint64_t a = 0; a < 64; ++a)
    for (uint64_t b = 0; b < 64; ++b) {
      const uint64_t lanes = 1ull << a | 1ull << b;
      const auto c = counts_of({.kind = kind, .bytes = bytes, .address = stride(128), .lanes = lanes});
      if (a == b || c.conflict_cycles() == 1)
        lowest[a] = std::min(lowest[a], b);
    }
  return lowest;
}

TEST(Lds, LanesServedTogether) {
  // Of each four lanes the first lane of the group that they are in; the second half likewise, 32 further on.
  const auto expect = [](AccessKind kind, uint32_t bytes, const std::vector<uint64_t>& of_fours) {
    const std::vector<uint64_t> lowest = lowest_partner(kind, bytes);
    const uint64_t second_half = 32;
    for (uint64_t lane = 0; lane < 64; ++lane)
      EXPECT_EQ(lowest[lane], of_fours[lane % 32 / 4] + (lane < 32 ? 0 : second_half)) << bytes << " lane " << lane;
  };
  // lanes                       0-3 4-7 8-11 12-15 16-19 20-23 24-27 28-31
  expect(AccessKind::load, 1, {0, 0, 0, 0, 0, 0, 0, 0});
  expect(AccessKind::load, 4, {0, 0, 0, 0, 0, 0, 0, 0});
  expect(AccessKind::load, 8, {0, 0, 0, 0, 16, 16, 16, 16});
  expect(AccessKind::load, 12, {0, 4, 8, 12, 4, 0, 12, 8});
  expect(AccessKind::load, 16, {0, 4, 8, 12, 4, 0, 12, 8});
  expect(AccessKind::store, 4, {0, 0, 0, 0, 0, 0, 0, 0});
  expect(AccessKind::store, 8, {0, 0, 0, 0, 16, 16, 16, 16});
  expect(AccessKind::store, 12, {0, 0, 8, 8, 16, 16, 24, 24});
  expect(AccessKind::store, 16, {0, 0, 8, 8, 16, 16, 24, 24});
}

TEST(Lds, SixteenBytes) {
  // In sequence. Loads: lanes 0-3 have dwords 0 to 15, lanes 20-23 dwords 80 to 95, banks 16 to 31. Stores: 8 lanes in
  // sequence have 32 dwords.
  EXPECT_EQ(counts_of({.bytes = 16, .address = stride(16)}),
            (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 8, .ideal_cycles = 8}));
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 16, .address = stride(16)}).cycles, 10u);
  // Stride 32 dwords: all 8 lanes of a group meet, 56 conflicts on a card of gfx942.
  EXPECT_EQ(counts_of({.bytes = 16, .address = stride(128)}).conflict_cycles(), 56u);
  // Rows of 16 lanes one after the other, 256 bytes plus 16 of padding: lane l at 16 l + 16 (l / 16). Loads: lanes 0-3
  // in banks 0 to 15; lanes 20-23 have dwords 84 to 99, banks 20 to 31 and 0 to 3, so lane 23 meets lane 0: 2 cycles.
  // So do lanes 19 and 4 (dwords 80 to 83 and 16 to 19), 31 and 8 (128, 32), 27 and 12 (112, 48); the second half has
  // the same distances. Stores: groups of 8 in sequence do not see it.
  const AddressOf padded = [](uint64_t l) { return 16 * l + l / 16 * 16; };
  const LdsSite load = site_of({.bytes = 16, .address = padded});
  EXPECT_EQ(load.counts.cycles, 16u);
  EXPECT_EQ(load.worst_degree, 2u);
  EXPECT_EQ(load.worst_bank, 0u);
  EXPECT_EQ(load.worst_lane[0], 0u);
  EXPECT_EQ(load.worst_lane[1], 23u);
  EXPECT_EQ(load.worst_address[0], 0u);
  EXPECT_EQ(load.worst_address[1], 384u); // dword 96: lane 23 is at 368 + 16
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 16, .address = padded}).cycles, 10u);
}

TEST(Lds, TheBankOfWideAccesses) {
  // 8 bytes at 40 + 128 l: banks 10 and 11 for all. 16 bytes at 48 + 128 l: banks 12 to 15.
  const LdsSite eight = site_of({.bytes = 8, .address = stride(128, 40)});
  EXPECT_EQ(eight.worst_bank, 10u);
  EXPECT_EQ(eight.worst_address[1], 168u);
  const LdsSite sixteen = site_of({.bytes = 16, .address = stride(128, 48)});
  EXPECT_EQ(sixteen.worst_bank, 12u);
  EXPECT_EQ(sixteen.worst_address[0], 48u);
}

TEST(Lds, TwelveBytes) {
  // In sequence. Stores: 8 lanes have 24 dwords in sequence. Loads: lanes 0-3 have dwords 0 to 11, lanes 20-23 dwords
  // 60 to 71, banks 28 to 31 and 0 to 7: 2 cycles. Lanes 4-7 dwords 12 to 23 and 16-19 dwords 48 to 59, banks 16 to
  // 27: 2. Lanes 8-11 dwords 24 to 35, banks 24 to 31 and 0 to 3, and 28-31 dwords 84 to 95, banks 20 to 31: 2. Lanes
  // 12-15 dwords 36 to 47, banks 4 to 15, and 24-27 dwords 72 to 83, banks 8 to 19: 2. The second half starts at dword
  // 96, bank 0: the same.
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 12, .address = stride(12)}).cycles, 10u);
  EXPECT_EQ(counts_of({.bytes = 12, .address = stride(12)}).cycles, 16u);
  EXPECT_EQ(counts_of({.bytes = 12, .address = stride(12)}).ideal_cycles, 8u);
}

TEST(Lds, BytesAndHalves) {
  // Bytes in sequence: four lanes to a dword, 8 banks a half; they share.
  const LdsCounts bytes = counts_of({.bytes = 1, .address = stride(1)});
  EXPECT_EQ(bytes, (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 2, .ideal_cycles = 2, .broadcasts = 1}));
  // Written, the four bytes of a dword are one write.
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 1, .address = stride(1)}).cycles, 4u);
  // A byte of each dword of bank 3, at its end: no other dword is touched.
  EXPECT_EQ(counts_of({.bytes = 1, .address = stride(128, 15)}).cycles, 64u);
  EXPECT_EQ(counts_of({.bytes = 1, .address = stride(4, 3)}).cycles, 2u);
  // Halves in sequence; halves at a stride of 64 bytes: 16 lanes in each of the banks 0 and 16.
  EXPECT_EQ(counts_of({.bytes = 2, .address = stride(2)}).cycles, 2u);
  EXPECT_EQ(counts_of({.bytes = 2, .address = stride(64, 2)}).cycles, 32u);
}

TEST(Lds, WhatIsNotAlignedTouchesADwordMore) {
  // Lane l has dwords l and l + 1: lanes 0 to 31 dwords 0 to 32, and 32 is in bank 0 with dword 0: 2 cycles. The others
  // likewise.
  const LdsSite site = site_of({.address = stride(4, 2)});
  EXPECT_EQ(site.counts.cycles, 4u);
  EXPECT_EQ(site.worst_lane[0], 0u);
  EXPECT_EQ(site.worst_lane[1], 31u);
  EXPECT_EQ(site.worst_address[1], 128u);
  // 8 bytes at multiples of 4 are two dwords: 1, 2 ... 32 for lanes 0 to 15, each bank once.
  EXPECT_EQ(counts_of({.bytes = 8, .address = stride(8, 4)}).cycles, 4u);
  // At odd bytes three: dwords 0 to 32.
  EXPECT_EQ(counts_of({.bytes = 8, .address = stride(8, 1)}).cycles, 8u);
  // 16 bytes at odd multiples of 2: five dwords, 4l to 4l + 4. Lanes 0-3: 0 to 16; lanes 20-23: 80 to 96, banks 16 to
  // 31 and 0: two in banks 0 and 16.
  EXPECT_EQ(counts_of({.bytes = 16, .address = stride(16, 2)}).cycles, 16u);
  // A half over the end of a dword: dwords 0 and 1 for all.
  EXPECT_EQ(counts_of({.bytes = 2, .address = [](uint64_t) { return 3; }}).cycles, 2u);
}

TEST(Lds, TwoAddresses) {
  // ds_read2_b32 v[1:2], v0 offset1:32 of lanes at 4 l: both in sequence, 2 + 2 cycles. One access of 64 lanes.
  EXPECT_EQ(counts_of({.address = stride(4), .second = stride(4, 128)}),
            (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 4, .ideal_cycles = 4}));
  // ds_read2_b32 offset1:2 at 8 l: stride 2 twice, 4 + 4.
  const LdsSite pairs = site_of({.address = stride(8), .second = stride(8, 8)});
  EXPECT_EQ(pairs.counts.cycles, 8u);
  EXPECT_EQ(pairs.counts.ideal_cycles, 4u);
  // ds_read2st64_b32 offset0:0 offset1:1 at 128 l: both of a lane are in bank 0, 64 + 64.
  EXPECT_EQ(counts_of({.address = stride(128), .second = stride(128, 256)}).cycles, 128u);
  // ds_write2_b64, first in sequence, second at a stride of 16 bytes, 2-way in four groups: the worst is of the second.
  const LdsSite mixed =
      site_of({.kind = AccessKind::store, .bytes = 8, .address = stride(8), .second = stride(16, 4096), .lanes = all});
  EXPECT_EQ(mixed.counts.cycles, 14u);
  EXPECT_EQ(mixed.counts.ideal_cycles, 10u);
  EXPECT_EQ(mixed.worst_degree, 2u);
  EXPECT_EQ(mixed.worst_lane[1], 8u);
  EXPECT_EQ(mixed.worst_address[0], 4096u);
  EXPECT_EQ(mixed.worst_address[1], 4096u + 128);
  EXPECT_TRUE(mixed.worst.two_addresses);
  EXPECT_EQ(mixed.worst.second[63], 4096u + 63 * 16);
  // Both addresses of all lanes the same dword: one broadcast, for one instruction.
  EXPECT_EQ(counts_of({.address = stride(0), .second = stride(0)}).broadcasts, 1u);
}

TEST(Lds, TwoAddressesNextToEachOther) {
  // ds_read2_b32 offset1:1 at 8 l is a ds_read_b64: 16 lanes have 32 dwords, 4 cycles. The other way round too.
  const LdsSite pair = site_of({.address = stride(8), .second = stride(8, 4)});
  EXPECT_EQ(pair.counts, (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 4, .ideal_cycles = 4}));
  EXPECT_EQ(pair.bytes, 4u);
  EXPECT_TRUE(pair.worst.two_addresses);
  EXPECT_EQ(counts_of({.address = stride(8, 4), .second = stride(8)}).cycles, 4u);
  const LdsSite turned = site_of({.address = stride(128, 4), .second = stride(128)});
  EXPECT_EQ(turned.counts.cycles, 64u);
  EXPECT_EQ(turned.worst_bank, 0u);
  EXPECT_EQ(turned.worst_address[0], 0u);
  EXPECT_EQ(turned.worst_address[1], 128u);
  // At 4 l, lane l has dwords l and l + 1: 16 lanes 17 dwords in 17 banks, and they share.
  EXPECT_EQ(counts_of({.address = stride(4), .second = stride(4, 4)}),
            (LdsCounts{.accesses = 1, .lanes = 64, .cycles = 4, .ideal_cycles = 4, .broadcasts = 1}));
  // ds_write2_b64 offset1:1 at 16 l is a ds_write_b128: 8 lanes have 32 dwords, no conflict. At 128 l they all meet.
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 8, .address = stride(16), .second = stride(16, 8)}).cycles,
            10u);
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 8, .address = stride(128), .second = stride(128, 8)}).cycles,
            10u + 56);
  // ds_wrxchg2_rtn_b32 likewise: no conflict at 8 l. At one place 15 lanes of each group of 16 wait.
  EXPECT_EQ(counts_of({.kind = AccessKind::atomic, .address = stride(8), .second = stride(8, 4)}).cycles, 6u);
  EXPECT_EQ(counts_of({.kind = AccessKind::atomic, .address = stride(0), .second = stride(0, 4)}).cycles, 6u + 60);
  // Decided by lanes that take part.
  EXPECT_EQ(counts_of({.address = stride(8), .second = stride(8, 4), .lanes = 0xffff0000}),
            (LdsCounts{.accesses = 1, .lanes = 16, .cycles = 4, .ideal_cycles = 4}));
}

TEST(Lds, LanesThatTakeNoPart) {
  // Only lanes 0 and 16, 64 bytes apart per lane: dwords 0 and 256, bank 0; the half without lanes takes its cycle.
  EXPECT_EQ(counts_of({.address = stride(64), .lanes = 1 | 1 << 16}),
            (LdsCounts{.accesses = 1, .lanes = 2, .cycles = 3, .ideal_cycles = 2}));
  // Every second lane at a stride of 2 dwords: banks 0, 4 ... 28, two lanes each.
  EXPECT_EQ(counts_of({.address = stride(8), .lanes = 0x5555555555555555}),
            (LdsCounts{.accesses = 1, .lanes = 32, .cycles = 4, .ideal_cycles = 2}));
  // Lanes 16 to 23 of a 16-byte load at 128 l are in two groups, four in each, of a store in one.
  EXPECT_EQ(counts_of({.bytes = 16, .address = stride(128), .lanes = 0xff0000}).cycles, 8u + 2 * 3);
  EXPECT_EQ(counts_of({.kind = AccessKind::store, .bytes = 16, .address = stride(128), .lanes = 0xff0000}).cycles,
            10u + 7);
  // A single lane.
  const LdsSite one = site_of({.address = stride(4), .lanes = 1ull << 63});
  EXPECT_EQ(one.counts, (LdsCounts{.accesses = 1, .lanes = 1, .cycles = 2, .ideal_cycles = 2}));
  EXPECT_EQ(one.worst.lanes, 1ull << 63);
  EXPECT_EQ(one.worst.address[63], 252u);
  EXPECT_EQ(one.worst.address[0], 0u); // not what the event has for lanes that take no part
}

// The rules once more with sets, slow and plain: which lanes are together is asked per pair of lanes.
bool together(uint64_t a, uint64_t b, AccessKind kind, uint32_t bytes) {
  if (bytes <= 4)
    return a / 32 == b / 32;
  if (bytes == 8)
    return a / 16 == b / 16;
  if (kind != AccessKind::load)
    return a / 8 == b / 8;
  const auto crossed = [](uint64_t lane) { return lane % 32 < 16 ? lane / 4 : (lane / 4 ^ 5); }; // 20-23 with 0-3
  return crossed(a) == crossed(b);
}
LdsCounts counted_with_sets(const Request& r) {
  const std::map<uint32_t, uint64_t> at_best[] = {{{1, 2}, {2, 2}, {4, 2}, {8, 4}, {12, 8}, {16, 8}},
                                                  {{1, 4}, {2, 4}, {4, 4}, {8, 8}, {12, 10}, {16, 10}},
                                                  {{4, 4}, {8, 6}}};
  const uint64_t ideal = at_best[size_t(r.kind)].at(r.bytes);
  LdsCounts counts{.accesses = 1, .cycles = ideal, .ideal_cycles = ideal};
  std::set<uint64_t> to_do;
  for (uint64_t lane = 0; lane < 64; ++lane)
    if (r.lanes >> lane & 1)
      to_do.insert(lane);
  counts.lanes = to_do.size();
  while (!to_do.empty()) {
    const uint64_t leader = *to_do.begin();
    std::map<uint64_t, std::multiset<uint64_t>> banks;
    for (uint64_t lane = 0; lane < 64; ++lane)
      if (together(leader, lane, r.kind, r.bytes) && to_do.erase(lane)) {
        std::set<uint64_t> dwords;
        for (uint64_t byte = 0; byte < r.bytes; ++byte)
          dwords.insert((r.address(lane) + byte) / 4);
        const uint64_t dword = *dwords.begin();
        counts.same_address_atomics += r.kind == AccessKind::atomic && banks[dword % 32].contains(dword);
        for (const uint64_t d : dwords)
          banks[d % 32].insert(d);
      }
    size_t cycles = 0, if_shared = 0;
    for (const auto& [bank, dwords] : banks) {
      const std::set<uint64_t> different(dwords.begin(), dwords.end());
      cycles = std::max(cycles, r.kind == AccessKind::atomic ? dwords.size() : different.size());
      if_shared = std::max(if_shared, different.size());
      if (r.kind == AccessKind::load && different.size() != dwords.size())
        counts.broadcasts = 1;
    }
    counts.cycles += cycles - 1;
    counts.same_address_cycles += cycles - if_shared;
  }
  return counts;
}

TEST(Lds, RandomPatternsCountedWithSets) {
  std::mt19937_64 random(6);
  const uint32_t widths[] = {1, 2, 4, 8, 12, 16};
  for (int i = 0; i < 20000; ++i) {
    const uint32_t bytes = widths[random() % 6];
    const auto kind = AccessKind(random() % (bytes == 4 || bytes == 8 ? 3 : 2));
    uint64_t lanes = i % 3 == 0 ? all : random() | 1;
    if (i % 3 == 2)
      lanes &= (random() | 1), lanes &= (random() | 1);
    const uint64_t step = random() % 5 == 0 ? bytes : random() % 160,
                   from = random() % 4 ? random() % 64 * 4 : random() % 64;
    const uint64_t space = 1ull << random() % 16;
    const bool regular = random() % 2;
    std::array<uint64_t, 64> places;
    for (uint64_t lane = 0; lane < 64; ++lane)
      places[lane] = from + (regular ? lane * step : random() % space);
    const AddressOf address = [&](uint64_t lane) { return places[lane]; };
    const Request request{.kind = kind, .bytes = bytes, .address = address, .lanes = lanes};
    ASSERT_EQ(counts_of(request), counted_with_sets(request))
        << i << ": " << bytes << " bytes, kind " << int(kind) << ", step " << (regular ? step : 0) << " from " << from;
  }
}

TEST(Lds, TheWorstOfSeveral) {
  LdsBanks banks;
  const Sender late(3, 2, 1, 5), early(3, 1, 1, 9), early_wave(3, 1, 1, 2);
  late.send(banks, {.address = stride(4)});
  // Lanes 32 and 36, 40 ... of the second half: stride 16 bytes from 12, bank 3, four lanes to a bank; only the second
  // half.
  const auto conflict = [](uint64_t from) {
    return Request{.address = [=](uint64_t l) { return l < 32 ? l * 4 : l * 16 + from; }};
  };
  late.send(banks, conflict(12));
  early.send(banks, conflict(16));
  early_wave.send(banks, conflict(20));
  late.send(banks, {.address = stride(8)}); // 2-way: not as bad
  const auto sites = banks.sites();
  ASSERT_EQ(sites.size(), 1u);
  const LdsSite& site = sites[0];
  EXPECT_EQ(site.counts.accesses, 5u);
  EXPECT_EQ(site.counts.cycles, 2u + 5 + 5 + 5 + 4);
  EXPECT_EQ(site.counts.ideal_cycles, 10u);
  EXPECT_EQ(site.worst_degree, 4u);
  EXPECT_EQ(site.worst.workgroup[0], 3u);
  EXPECT_EQ(site.worst.workgroup[1], 1u);
  EXPECT_EQ(site.worst.workgroup[2], 1u);
  EXPECT_EQ(site.worst.wave, 2u);
  // Lane 32 is at 532, dword 133, bank 5, of the fullest banks 1, 5 ... 29 not the first: lane 39 is at 644, dword 161,
  // bank 1, with lanes 47 (dword 193), 55 and 63.
  EXPECT_EQ(site.worst_bank, 1u);
  EXPECT_EQ(site.worst_lane[0], 39u);
  EXPECT_EQ(site.worst_lane[1], 47u);
  EXPECT_EQ(site.worst_address[0], 644u);
  EXPECT_EQ(site.worst_address[1], 772u);
  EXPECT_EQ(site.worst.lanes, all);
  EXPECT_EQ(site.worst.address[63], 63u * 16 + 20);
  EXPECT_FALSE(site.worst.two_addresses);
}

TEST(Lds, SitesByAddressAndOnlyOfLds) {
  LdsBanks banks;
  const Sender sender;
  for (const uint64_t pc : {0x30, 0x10, 0x20, 0x10})
    sender.send(banks, {.address = stride(4), .pc = pc});
  for (const auto space : {events::Space::global, events::Space::scratch, events::Space::scalar})
    sender.send(banks, {.address = stride(4), .pc = 0x40}, space);
  const auto sites = banks.sites();
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].pc, 0x10u);
  EXPECT_EQ(sites[0].counts.accesses, 2u);
  EXPECT_EQ(sites[1].pc, 0x20u);
  EXPECT_EQ(sites[2].pc, 0x30u);
  EXPECT_TRUE(banks.wants_accesses());
  EXPECT_FALSE(banks.wants_issued());
  EXPECT_FALSE(banks.wants_steps());
}

TEST(Lds, ThreadsAddUp) {
  LdsBanks banks;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&banks, t] {
      const Sender sender(t);
      // Thread t: stride 2, 4, 8, 16 dwords: 4, 8, 16, 32 cycles.
      for (int i = 0; i < 1000; ++i)
        sender.send(banks, {.address = stride(8u << t)});
      // And at another place all the same, of four workgroups.
      sender.send(banks, {.address = stride(8), .pc = 0x200});
    });
  for (auto& thread : threads)
    thread.join();
  const auto sites = banks.sites();
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].counts.accesses, 4000u);
  EXPECT_EQ(sites[0].counts.lanes, 256000u);
  EXPECT_EQ(sites[0].counts.cycles, 1000u * (4 + 8 + 16 + 32));
  EXPECT_EQ(sites[0].counts.ideal_cycles, 8000u);
  EXPECT_EQ(sites[0].worst_degree, 16u);
  EXPECT_EQ(sites[0].worst.workgroup[0], 3u);
  EXPECT_EQ(sites[1].worst.workgroup[0], 0u);
}

} // namespace
} // namespace crosslane::views
