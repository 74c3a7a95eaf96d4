// Access events at the edges: lanes and halves of them outside of LDS, alignment and M0 as the generations have them,
// what moves data between memory and LDS, buffers that end, and the texels of image samples. Addresses are worked out
// by hand.
#include "engine/memory/access_event.h"
#include "tests/engine/image_fixture.h"

using namespace crosslane;
using namespace crosslane::test;
using events::AccessKind;
using events::Space;
using isa::Target;

namespace {

struct Heard {
  Space space;
  AccessKind kind;
  uint32_t bytes;
  uint64_t lanes;
  std::vector<uint64_t> address, second; // of 64 lanes, 0 where there is none
  std::vector<std::pair<uint64_t, std::vector<uint64_t>>> more;
  bool filtered;
};

std::vector<Heard> hear(TestWave& w, Target target, const std::string& line) {
  struct Ear : events::Listener {
    std::vector<Heard> heard;
    void access(const events::Access& a) override {
      const auto copy = [](uint64_t lanes, const uint64_t* from) {
        std::vector<uint64_t> to(64);
        for (size_t lane = 0; lane < 64; ++lane)
          to[lane] = lanes >> lane & 1 ? from[lane] : 0;
        return to;
      };
      Heard h{a.space, a.kind, a.bytes, a.lanes, copy(a.lanes, a.address), {}, {}, a.filtered};
      if (a.second)
        h.second = copy(a.lanes, a.second);
      for (const auto& m : a.more)
        h.more.push_back({m.lanes, copy(m.lanes, m.address)});
      heard.push_back(std::move(h));
    }
  } ear;
  const isa::Instruction inst = assemble(target, line);
  EXPECT_TRUE(engine::tells_accesses(inst)) << line;
  engine::tell_accesses(ear, &inst, 0, *w);
  return ear.heard;
}

constexpr int m0 = 124;
void set_all(TestWave& w, int reg, uint32_t (*f)(uint32_t lane)) {
  for (uint32_t lane = 0; lane < 64; ++lane)
    w.v(reg, int(lane)) = f(lane);
}
void buffer_of(TestWave& w, uint64_t base, uint32_t bytes, uint32_t word3) {
  w.s(4) = uint32_t(base), w.s(5) = uint32_t(base >> 32), w.s(6) = bytes, w.s(7) = word3;
}

} // namespace

// LDS has 4096 bytes. Lane l is at 1024 * l, its halves 4 and 16 bytes further on: of lanes 0 to 3 both are there. Lane
// 10 is at -8: its first half is at -4, its second at 8. Lane 20 is at 4088: its first half is the last dword, its
// second is outside.
TEST(AccessAtTheEdge, HalvesOfTwoAddresses) {
  for (const Target target : {Target::gfx803, Target::gfx900})
    for (const char* line :
         {"ds_read2_b32 v[8:9], v2 offset0:1 offset1:4", "ds_write2_b32 v2, v8, v9 offset0:1 offset1:4",
          "ds_wrxchg2_rtn_b32 v[8:9], v2, v8, v9 offset0:1 offset1:4"}) {
      TestWave w;
      set_all(w, 2, [](uint32_t lane) { return lane == 10 ? uint32_t(-8) : lane == 20 ? 4088 : 1024 * lane; });
      const auto heard = hear(w, target, line);
      ASSERT_EQ(heard.size(), 3u) << line;
      EXPECT_EQ(heard[0].lanes, 0xfu);
      EXPECT_EQ(heard[0].address[2], 2052u);
      EXPECT_EQ(heard[0].second.at(2), 2064u);
      EXPECT_EQ(heard[1].lanes, uint64_t(1) << 20);
      EXPECT_EQ(heard[1].address[20], 4092u);
      EXPECT_TRUE(heard[1].second.empty());
      EXPECT_EQ(heard[2].lanes, uint64_t(1) << 10);
      EXPECT_EQ(heard[2].address[10], 8u);
      EXPECT_TRUE(heard[2].second.empty());
      for (const Heard& h : heard)
        EXPECT_EQ(h.kind, heard[0].kind);
    }
}

// Both offsets alike: the second data is not written.
TEST(AccessAtTheEdge, TwoStoresAtOnePlaceAreOne) {
  TestWave w;
  set_all(w, 2, [](uint32_t lane) { return 8 * lane; });
  const auto heard = hear(w, Target::gfx900, "ds_write2_b32 v2, v8, v9 offset0:3 offset1:3");
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].address[5], 52u);
  EXPECT_TRUE(heard[0].second.empty());
  EXPECT_FALSE(hear(w, Target::gfx900, "ds_read2_b32 v[8:9], v2 offset0:3 offset1:3").at(0).second.empty());
}

// An item that begins in LDS and ends outside of it is accessed in part: its first dword tells.
TEST(AccessAtTheEdge, WideItemsByTheirFirstDword) {
  TestWave w;
  set_all(w, 2, [](uint32_t lane) { return 4064 + 4 * lane; }); // lane 7 at 4092, lane 8 outside
  EXPECT_EQ(hear(w, Target::gfx900, "ds_read_b128 v[8:11], v2").at(0).lanes, 0xffu);
  EXPECT_EQ(hear(w, Target::gfx900, "ds_read_u8 v8, v2 offset:3").at(0).lanes, 0xffu);
  // Atomics are as a whole, at addresses of 8 bytes: 4064, 4064, 4072, ... and of lanes 6 and 7 at 4088.
  const auto atomic = hear(w, Target::gfx900, "ds_add_u64 v2, v[8:9]").at(0);
  EXPECT_EQ(atomic.lanes, 0xffu);
  EXPECT_EQ(atomic.address[1], 4064u);
  EXPECT_EQ(atomic.address[7], 4088u);
}

// Before gfx9 addresses are cut to whole items, and M0 ends LDS: here after 256 bytes.
TEST(AccessAtTheEdge, AlignmentAndM0ByGeneration) {
  TestWave w;
  w.s(m0) = 256;
  set_all(w, 2, [](uint32_t lane) { return 8 * lane + 7; });
  const auto old = hear(w, Target::gfx803, "ds_read_b64 v[8:9], v2").at(0),
             now = hear(w, Target::gfx900, "ds_read_b64 v[8:9], v2").at(0);
  EXPECT_EQ(old.address[3], 24u);
  EXPECT_EQ(now.address[3], 31u);
  EXPECT_EQ(old.lanes, 0xffffffffu);
  EXPECT_EQ(now.lanes, ~uint64_t(0));
  // What has its address in M0 has no limit there: the counter is at 256 + 8.
  const auto counter = hear(w, Target::gfx803, "ds_append v8 offset:8").at(0);
  EXPECT_EQ(counter.lanes, 1u);
  EXPECT_EQ(counter.address[0], 264u);
}

// ds_add_src2_u32 adds the dword 5 further on: read there, then the atomic. Lane 63 is at 4032 + 60 = 4092: its operand
// is outside.
TEST(AccessAtTheEdge, OperandsInLds) {
  TestWave w;
  set_all(w, 2, [](uint32_t lane) { return 64 * lane + 60; });
  const auto heard = hear(w, Target::gfx900, "ds_add_src2_u32 v2 offset:5");
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].kind, AccessKind::load);
  EXPECT_EQ(heard[0].lanes, ~uint64_t(0) >> 1);
  EXPECT_EQ(heard[0].address[1], 144u);
  EXPECT_EQ(heard[1].kind, AccessKind::atomic);
  EXPECT_EQ(heard[1].lanes, ~uint64_t(0));
  EXPECT_EQ(heard[1].address[1], 124u);
  EXPECT_EQ(hear(w, Target::gfx900, "ds_write_src2_b32 v2 offset:5").at(1).kind, AccessKind::store);
}

// v_mov from lds_direct: M0 has the type (2, a dword; 1, a half) and the address. One item for all lanes, by the first
// of them.
TEST(AccessAtTheEdge, LdsAsASource) {
  TestWave w;
  w.set_exec(0xff0);
  w.s(m0) = 2 << 16 | 43;
  const auto dword = hear(w, Target::gfx900, "v_mov_b32 v8, src_lds_direct").at(0);
  EXPECT_EQ(dword.space, Space::lds);
  EXPECT_EQ(dword.kind, AccessKind::load);
  EXPECT_EQ(dword.bytes, 4u);
  EXPECT_EQ(dword.lanes, 0x10u);
  EXPECT_EQ(dword.address[4], 40u);
  w.s(m0) = 1 << 16 | 43;
  EXPECT_EQ(hear(w, Target::gfx900, "v_mov_b32 v8, src_lds_direct").at(0).address[4], 42u);
  w.s(m0) = 2 << 16 | 4096;
  EXPECT_TRUE(hear(w, Target::gfx900, "v_mov_b32 v8, src_lds_direct").empty());
}

// buffer_load_dword ... lds: dword l of LDS from M0 + offset = 3844 on. 252 bytes are left, 63 dwords: lane 63 does
// nothing at all. The buffer has 100 bytes: lanes 24 on, from byte 4 + 96, load 0, which is written all the same.
TEST(AccessAtTheEdge, FromMemoryToLds) {
  TestWave w;
  w.s(m0) = 3840;
  set_all(w, 2, [](uint32_t lane) { return 4 * lane; });
  buffer_of(w, 0x7000, 100, 0x27000);
  const auto heard = hear(w, Target::gfx900, "buffer_load_dword v2, s[4:7], 0 offen offset:4 lds");
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].space, Space::global);
  EXPECT_EQ(heard[0].kind, AccessKind::load);
  EXPECT_EQ(heard[0].lanes, 0xffffffu);
  EXPECT_EQ(heard[0].address[23], 0x7000u + 96);
  EXPECT_EQ(heard[1].space, Space::lds);
  EXPECT_EQ(heard[1].kind, AccessKind::store);
  EXPECT_EQ(heard[1].bytes, 4u);
  EXPECT_EQ(heard[1].lanes, ~uint64_t(0) >> 1);
  EXPECT_EQ(heard[1].address[62], 3844u + 248);
  // A byte of memory is a dword of LDS.
  const auto byte = hear(w, Target::gfx900, "buffer_load_ubyte v2, s[4:7], 0 offen lds");
  EXPECT_EQ(byte[0].bytes, 1u);
  EXPECT_EQ(byte[1].bytes, 4u);
  // All lanes outside of the buffer: LDS alone.
  w.s(6) = 0;
  const auto zeros = hear(w, Target::gfx900, "buffer_load_dword v2, s[4:7], 0 offen lds");
  ASSERT_EQ(zeros.size(), 1u);
  EXPECT_EQ(zeros[0].space, Space::lds);
}

// The way back: lanes that lack either side do nothing. LDS first. M0 leaves 240 bytes: lanes 0 to 59.
TEST(AccessAtTheEdge, FromLdsToMemory) {
  TestWave w;
  w.s(m0) = 3856;
  buffer_of(w, 0x7000, 4, 0x27000);
  const auto heard = hear(w, Target::gfx900, "buffer_store_lds_dword s[4:7], 0 lds");
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].space, Space::lds);
  EXPECT_EQ(heard[0].kind, AccessKind::load);
  EXPECT_EQ(heard[0].lanes, (uint64_t(1) << 60) - 1);
  EXPECT_EQ(heard[0].address[3], 3868u);
  EXPECT_EQ(heard[1].space, Space::global);
  EXPECT_EQ(heard[1].kind, AccessKind::store);
  EXPECT_EQ(heard[1].lanes, (uint64_t(1) << 60) - 1);
  w.s(6) = 0;
  EXPECT_TRUE(hear(w, Target::gfx900, "buffer_store_lds_dword s[4:7], 0 lds").empty());
}

// 44 bytes of a buffer, from byte 32 on: 3 of 8 dwords are there. An atomic of 8 bytes at 40 is not.
TEST(AccessAtTheEdge, ScalarBuffersEnd) {
  TestWave w;
  buffer_of(w, 0x7000, 44, 0);
  const auto heard = hear(w, Target::gfx900, "s_buffer_load_dwordx8 s[16:23], s[4:7], 0x20");
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].bytes, 12u);
  EXPECT_EQ(heard[0].address[0], 0x7020u);
  EXPECT_TRUE(hear(w, Target::gfx900, "s_buffer_load_dword s16, s[4:7], 0x2c").empty());
  EXPECT_TRUE(hear(w, Target::gfx900, "s_buffer_atomic_add_x2 s[16:17], s[4:7], 0x28").empty());
  EXPECT_EQ(hear(w, Target::gfx900, "s_buffer_atomic_add s16, s[4:7], 0x28").size(), 1u);
}

// A resource without a format is unbound: it loads zeros, and no memory.
TEST(AccessAtTheEdge, UnboundFormats) {
  TestWave w;
  buffer_of(w, 0x7000, 4096, 0);
  set_all(w, 2, [](uint32_t lane) { return 4 * lane; });
  EXPECT_TRUE(hear(w, Target::gfx900, "buffer_load_format_x v8, v2, s[4:7], 0 offen").empty());
}

// ---- Image samples. Texels are floats, rows of 64: texel (x, y) is at base + 256 * y + 4 * x.

namespace {

struct Sampled {
  TestWave w;
  uint64_t base = 0x10000;
  Sampled(bool linear, uint32_t clamp, uint32_t border = 0) {
    Tsharp{.base = base, .type = 9, .dfmt = 4, .nfmt = 7, .width = 16, .height = 8, .pitch = 64}.put(w, Target::gfx900);
    Ssharp{.clamp_x = clamp, .clamp_y = clamp, .mag = linear, .min = linear, .border = border, .unnormalized = true}
        .put(w);
    w.set_exec(0xf);
  }
  void at(int lane, float x, float y) { w.v(address, lane) = bits(x), w.v(address + 1, lane) = bits(y); }
  uint64_t texel(uint64_t x, uint64_t y) const { return base + 256 * y + 4 * x; }
};
const char* const sample = "image_sample_lz v8, v[2:3], s[4:11], s[12:15] dmask:1";
constexpr uint32_t to_edge = 2, to_border = 6;

} // namespace

// Of a linear filter the 2 x 2 texels around, in the order of memory; those alone that have a weight.
TEST(AccessOfSamples, LinearFilter) {
  Sampled s(true, to_edge);
  s.at(0, 3.0f, 5.0f); // the corner of four: 2 and 3, 4 and 5
  s.at(1, 3.5f, 5.0f); // in the middle of column 3: rows 4 and 5
  s.at(2, 3.5f, 5.5f); // in the middle of texel (3, 5)
  s.at(3, 0.0f, 5.0f); // at the left edge: column 0 stands for that left of it
  const auto heard = hear(s.w, Target::gfx900, sample);
  ASSERT_EQ(heard.size(), 1u);
  const Heard& h = heard[0];
  EXPECT_EQ(h.space, Space::global);
  EXPECT_EQ(h.kind, AccessKind::load);
  EXPECT_EQ(h.bytes, 4u);
  EXPECT_EQ(h.lanes, 0xfu);
  EXPECT_EQ(h.address[0], s.texel(2, 4));
  EXPECT_EQ(h.address[1], s.texel(3, 4));
  EXPECT_EQ(h.address[2], s.texel(3, 5));
  EXPECT_EQ(h.address[3], s.texel(0, 4));
  ASSERT_EQ(h.more.size(), 3u);
  EXPECT_EQ(h.more[0].first, 0b1011u);
  EXPECT_EQ(h.more[0].second[0], s.texel(3, 4));
  EXPECT_EQ(h.more[0].second[1], s.texel(3, 5));
  EXPECT_EQ(h.more[0].second[3], s.texel(0, 5));
  EXPECT_EQ(h.more[1].first, 1u);
  EXPECT_EQ(h.more[1].second[0], s.texel(2, 5));
  EXPECT_EQ(h.more[2].first, 1u);
  EXPECT_EQ(h.more[2].second[0], s.texel(3, 5));
}

TEST(AccessOfSamples, NearestIsOne) {
  Sampled s(false, to_edge);
  for (int lane = 0; lane < 4; ++lane)
    s.at(lane, float(lane) + 0.9f, 2.1f);
  const auto heard = hear(s.w, Target::gfx900, sample);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(heard[0].more.empty());
  for (uint64_t lane = 0; lane < 4; ++lane)
    EXPECT_EQ(heard[0].address[lane], s.texel(lane, 2));
}

// The border's colour is not in memory.
TEST(AccessOfSamples, BordersAreNoTexels) {
  Sampled s(true, to_border);
  s.at(0, 0.0f, 0.0f);  // three of four are outside
  s.at(1, -1.0f, 3.0f); // all
  s.at(2, 16.0f, 4.0f); // column 15, and those right of it outside: rows 3 and 4
  s.at(3, 2.5f, 100.0f);
  const auto heard = hear(s.w, Target::gfx900, sample);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].lanes, 0b101u);
  EXPECT_EQ(heard[0].address[0], s.texel(0, 0));
  EXPECT_EQ(heard[0].address[2], s.texel(15, 3));
  ASSERT_EQ(heard[0].more.size(), 1u);
  EXPECT_EQ(heard[0].more[0].first, 0b100u);
  EXPECT_EQ(heard[0].more[0].second[2], s.texel(15, 4));
  for (int lane = 0; lane < 4; ++lane)
    s.at(lane, -5, -5);
  EXPECT_TRUE(hear(s.w, Target::gfx900, sample).empty());
}

// Four, whatever their weights; a texel that stands for its neighbour too is read once.
TEST(AccessOfSamples, Gathers) {
  Sampled s(false, to_edge);
  s.at(0, 3.5f, 5.5f); // weights of 1 and 0: columns 3 and 4, rows 5 and 6
  s.at(1, 3.5f, 8.0f); // the last row, and what would be below it
  s.w.set_exec(3);
  const auto heard = hear(s.w, Target::gfx900, "image_gather4_lz v[8:11], v[2:3], s[4:11], s[12:15] dmask:1");
  ASSERT_EQ(heard.size(), 1u);
  ASSERT_EQ(heard[0].more.size(), 3u);
  EXPECT_EQ(heard[0].address[0], s.texel(3, 5));
  EXPECT_EQ(heard[0].more[0].second[0], s.texel(4, 5));
  EXPECT_EQ(heard[0].more[1].second[0], s.texel(3, 6));
  EXPECT_EQ(heard[0].more[2].second[0], s.texel(4, 6));
  EXPECT_EQ(heard[0].address[1], s.texel(3, 7));
  EXPECT_EQ(heard[0].more[0].second[1], s.texel(4, 7));
  EXPECT_EQ(heard[0].more[1].first, 1u);
}

// 2 x 2 x 2 of three dimensions; rows are 256 bytes, slices 8 rows.
TEST(AccessOfSamples, ThreeDimensions) {
  Sampled s(true, to_edge);
  Tsharp{.base = s.base, .type = 10, .dfmt = 4, .nfmt = 7, .width = 16, .height = 8, .depth = 4, .pitch = 64}.put(
      s.w, Target::gfx900);
  s.w.set_exec(1);
  s.at(0, 3.0f, 5.0f);
  s.w.v(address + 2, 0) = bits(2.0f);
  const auto heard = hear(s.w, Target::gfx900, "image_sample_lz v8, v[2:4], s[4:11], s[12:15] dmask:1");
  ASSERT_EQ(heard.size(), 1u);
  ASSERT_EQ(heard[0].more.size(), 7u);
  EXPECT_EQ(heard[0].address[0], s.texel(2, 4 + 8));
  EXPECT_EQ(heard[0].more[6].second[0], s.texel(3, 5 + 16));
}

// By a filter or by point: what the sampler says, where the coordinates lie is no matter.
TEST(AccessOfSamples, TellTheFilter) {
  const char* const gather = "image_gather4_lz v[8:11], v[2:3], s[4:11], s[12:15] dmask:1";
  const auto filtered = [](Sampled& s, const char* instruction) {
    s.at(0, 3.5f, 5.5f), s.w.set_exec(1); // the middle of a texel, which alone has a weight
    const auto heard = hear(s.w, Target::gfx900, instruction);
    EXPECT_EQ(heard.size(), 1u);
    return !heard.empty() && heard[0].filtered;
  };
  Sampled linear(true, to_edge), point(false, to_edge);
  EXPECT_TRUE(filtered(linear, sample));
  EXPECT_FALSE(filtered(point, sample));
  EXPECT_TRUE(filtered(point, gather));
  // Integers have no filter.
  Tsharp{.base = linear.base, .type = 9, .dfmt = 4, .nfmt = 4, .width = 16, .height = 8, .pitch = 64}.put(
      linear.w, Target::gfx900);
  EXPECT_FALSE(filtered(linear, sample));
  // What makes an image smaller and what makes it larger may differ: at its own size it is the latter.
  Ssharp{.mag = 1, .min = 0, .unnormalized = true}.put(point.w);
  EXPECT_TRUE(filtered(point, sample));
  Ssharp{.mag = 0, .min = 1, .unnormalized = true}.put(point.w);
  EXPECT_FALSE(filtered(point, sample));
}

// What is a fault tells of nothing, and what is unbound reads nothing.
TEST(AccessOfSamples, NoneWhereThereIsNoImage) {
  Sampled s(true, to_edge);
  Tsharp{.dfmt = 0}.put(s.w, Target::gfx900);
  EXPECT_TRUE(hear(s.w, Target::gfx900, sample).empty());
  Tsharp{.base = s.base, .type = 9, .dfmt = 4, .nfmt = 7, .width = 16, .height = 8, .pitch = 64, .tiling = 3}.put(
      s.w, Target::gfx900);
  EXPECT_TRUE(hear(s.w, Target::gfx900, sample).empty());
}
