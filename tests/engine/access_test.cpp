// Access and step events: which lanes, which addresses, which kind; FLAT lanes sorted by what they reach; and that
// workgroups which the listener does not want run without events.
#include "events/several.h"
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include <map>
#include <mutex>

namespace crosslane {
namespace {

using events::AccessKind;
using events::Space;
using isa::Op;
using test::Buffer;
using test::Kernel;

struct Seen {
  Op op;
  Space space;
  AccessKind kind;
  uint32_t bytes;
  uint64_t lanes;
  uint32_t wave, workgroup;
  std::vector<uint64_t> address, second; // of 64 lanes, 0 where the lane has none
};

class Recorder : public events::Listener {
public:
  bool wants_accesses() const override { return true; }
  void access(const events::Access& a) override {
    Seen s{a.site.instruction->op, a.space, a.kind, a.bytes, a.lanes, a.wave->id, a.wave->workgroup->id[0], {}, {}};
    for (int lane = 0; lane < 64; ++lane) {
      const bool on = a.lanes >> lane & 1;
      s.address.push_back(on ? a.address[lane] : 0);
      if (a.second)
        s.second.push_back(on ? a.second[lane] : 0);
    }
    const std::lock_guard lock(mutex_);
    seen.push_back(std::move(s));
  }
  std::vector<Seen> seen;

private:
  std::mutex mutex_;
};

engine::Outcome run(const Kernel& kernel, const test::Shape& shape, events::Listener& listener,
                    const std::vector<uint64_t>& arguments, uint32_t lds = 0, uint32_t scratch = 0) {
  engine::Options options;
  options.listener = &listener;
  options.threads = 1;
  return kernel.run(shape, arguments, options, lds, scratch);
}

// 100 work-items: a full wave and one of 36 lanes. Each loads dword i and stores it 4 KiB further on.
TEST(Access, LoadsAndStoresByLane) {
  FOR_ALL_TARGETS(target) {
    machine::Memory memory;
    Buffer<uint32_t> data(memory, 4096);
    const Kernel kernel(target, R"(
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32_e32 v1, 2, v0
  address 2, 6, v1
  flat_load_dword v4, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_add_u32 s6, s6, 0x1000
  s_addc_u32 s7, s7, 0
  address 2, 6, v1
  flat_store_dword v[2:3], v4
  s_endpgm
)");
    Recorder recorder;
    EXPECT_NO_FAULT(run(kernel, {{100, 1, 1}, {128, 1, 1}}, recorder, {data.address()}));
    ASSERT_EQ(recorder.seen.size(), 6u); // s_load, load, store of two waves
    const uint64_t lanes[2] = {~uint64_t(0), (uint64_t(1) << 36) - 1};
    for (const Seen& s : recorder.seen) {
      if (s.op == Op::s_load_dwordx2) {
        EXPECT_EQ(s.space, Space::scalar);
        EXPECT_EQ(s.kind, AccessKind::load);
        EXPECT_EQ(s.bytes, 8u);
        EXPECT_EQ(s.lanes, 1u);
        continue;
      }
      EXPECT_EQ(s.space, Space::global);
      EXPECT_EQ(s.kind, s.op == Op::flat_load_dword ? AccessKind::load : AccessKind::store);
      EXPECT_EQ(s.bytes, 4u);
      EXPECT_EQ(s.lanes, lanes[s.wave]);
      for (uint32_t lane = 0; lane < 64; ++lane)
        if (s.lanes >> lane & 1)
          EXPECT_EQ(s.address[lane],
                    data.address() + (s.kind == AccessKind::store ? 4096 : 0) + (s.wave * 64 + lane) * 4);
    }
  }
}

// Lanes 0 to 15 reach LDS, 16 to 31 scratch, the others memory.
TEST(Access, FlatLanesGoByWhatTheyReach) {
  machine::Memory memory;
  Buffer<uint32_t> data(memory, 64);
  const Kernel kernel(isa::Target::gfx900, R"(
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v3, s7
  v_add_u32_e32 v2, s6, v1
  s_mov_b64 exec, 0xffffffff
  v_mov_b32_e32 v2, 12
  s_mov_b32 s8, 0x20000
  v_mov_b32_e32 v3, s8
  s_mov_b64 exec, 0xffff
  v_mov_b32_e32 v2, v1
  s_mov_b32 s8, 0x10000
  v_mov_b32_e32 v3, s8
  s_mov_b64 exec, -1
  flat_load_dword v4, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
)",
                      ".amdhsa_private_segment_fixed_size 64\n.amdhsa_group_segment_fixed_size 256");
  Recorder recorder;
  EXPECT_NO_FAULT(run(kernel, {}, recorder, {data.address()}, 256, 64));
  std::map<Space, Seen> by;
  for (const Seen& s : recorder.seen)
    if (s.op == Op::flat_load_dword)
      EXPECT_TRUE(by.emplace(s.space, s).second);
  ASSERT_EQ(by.size(), 3u);
  EXPECT_EQ(by.at(Space::lds).lanes, 0xffffu);
  EXPECT_EQ(by.at(Space::lds).address[5], 20u);
  EXPECT_EQ(by.at(Space::scratch).lanes, 0xffff0000u);
  // Dword 3 of each lane: neighbours lie side by side.
  EXPECT_EQ(by.at(Space::scratch).address[17] - by.at(Space::scratch).address[16], 4u);
  EXPECT_EQ(by.at(Space::global).lanes, 0xffffffff00000000u);
  EXPECT_EQ(by.at(Space::global).address[40], data.address() + 160);
}

TEST(Access, LdsAddressesAreOffsetsAndStayInside) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_mov_b32 m0, -1
  v_lshlrev_b32_e32 v1, 4, v0
  ds_write_b64 v1, v[2:3]
  ds_read2_b32 v[4:5], v1 offset0:1 offset1:4
  ds_add_rtn_u32 v6, v1, v0
  ds_bpermute_b32 v7, v1, v0
  s_waitcnt lgkmcnt(0)
  s_endpgm
)",
                        ".amdhsa_group_segment_fixed_size 512");
    Recorder recorder;
    EXPECT_NO_FAULT(run(kernel, {}, recorder, {}, 512));
    ASSERT_EQ(recorder.seen.size(), 4u); // ds_bpermute accesses no memory
    const Seen &write = recorder.seen[0], &read = recorder.seen[1], &half = recorder.seen[2], &add = recorder.seen[3];
    EXPECT_EQ(write.space, Space::lds);
    EXPECT_EQ(write.kind, AccessKind::store);
    EXPECT_EQ(write.bytes, 8u);
    EXPECT_EQ(write.lanes, 0xffffffffu); // lane 32 is at byte 512, past the end
    EXPECT_EQ(write.address[31], 496u);
    EXPECT_TRUE(write.second.empty());
    EXPECT_EQ(read.kind, AccessKind::load);
    EXPECT_EQ(read.bytes, 4u);
    EXPECT_EQ(read.lanes, 0x7fffffffu); // lane 31 is at bytes 500 and 512: it reads one of them
    EXPECT_EQ(half.lanes, uint64_t(1) << 31);
    EXPECT_EQ(half.address[31], 500u);
    EXPECT_TRUE(half.second.empty());
    EXPECT_EQ(read.address[3], 52u);
    EXPECT_EQ(read.second[3], 64u);
    EXPECT_EQ(add.kind, AccessKind::atomic);
  }
}

TEST(Access, BufferLanesOutsideAreNotTold) {
  FOR_ALL_TARGETS(target) {
    machine::Memory memory;
    Buffer<uint32_t> data(memory, 64);
    const Kernel kernel(target, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_mov_b32 s10, 100
  s_mov_b32 s11, 0x00027000
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32_e32 v1, 2, v0
  buffer_load_dword v2, v1, s[8:11], 0 offen offset:4
  s_waitcnt vmcnt(0)
  s_endpgm
)");
    Recorder recorder;
    EXPECT_NO_FAULT(run(kernel, {}, recorder, {data.address()}));
    ASSERT_EQ(recorder.seen.size(), 2u);
    EXPECT_EQ(recorder.seen[1].lanes, 0xffffffu); // 24 dwords after the first: bytes 4 to 99
    EXPECT_EQ(recorder.seen[1].address[23], data.address() + 96);
  }
}

// Who listens to LDS alone hears what comes into it from memory, and sources of the vector ALU that lie there.
TEST(Access, LdsWithoutDsInstructions) {
  struct OfLds : Recorder {
    bool wants_space(Space space) const override { return space == Space::lds; }
  };
  machine::Memory memory;
  Buffer<uint32_t> data(memory, 64);
  for (uint32_t i = 0; i < 64; ++i)
    data[i] = 3 * i;
  const Kernel kernel(isa::Target::gfx900, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_movk_i32 s10, 256
  s_mov_b32 s11, 0x00027000
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 m0, 128
  s_waitcnt lgkmcnt(0)
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_mov_b32 m0, 0x20094
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v2, src_lds_direct
  buffer_store_dword v2, v1, s[8:11], 0 offen
  s_endpgm
)",
                      ".amdhsa_group_segment_fixed_size 512");
  OfLds recorder;
  EXPECT_NO_FAULT(run(kernel, {}, recorder, {data.address()}, 512));
  EXPECT_EQ(data[7], 15u); // dword 5: byte 128 + 20 is 0x94
  ASSERT_EQ(recorder.seen.size(), 3u);
  EXPECT_EQ(recorder.seen[0].space, Space::global); // it may be told of all the same
  EXPECT_EQ(recorder.seen[1].op, Op::buffer_load_dword);
  EXPECT_EQ(recorder.seen[1].space, Space::lds);
  EXPECT_EQ(recorder.seen[1].kind, AccessKind::store);
  EXPECT_EQ(recorder.seen[1].address[63], 128u + 252);
  EXPECT_EQ(recorder.seen[2].op, Op::v_mov_b32);
  EXPECT_EQ(recorder.seen[2].address[0], 0x94u);
}

TEST(Access, NoEventWithoutLanes) {
  const Kernel kernel(isa::Target::gfx900, R"(
  s_mov_b64 exec, 0
  global_load_dword v2, v[2:3], off
  ds_write_b32 v1, v0
  s_endpgm
)");
  Recorder recorder;
  EXPECT_NO_FAULT(run(kernel, {}, recorder, {}));
  EXPECT_TRUE(recorder.seen.empty());
}

struct Stepper : events::Listener {
  bool wants_steps() const override { return true; }
  bool wants_workgroup(const machine::Workgroup& group) const override { return group.id[0] % 3 == 1; }
  void step(const events::Step& s) override {
    const std::lock_guard lock(mutex);
    ++of[s.wave->workgroup->id[0]];
    ops.push_back(s.site.instruction->op);
    v1.push_back(s.wave->v[1][7]);
  }
  std::mutex mutex;
  std::map<uint32_t, int> of;
  std::vector<Op> ops;
  std::vector<uint32_t> v1;
};

TEST(Step, BeforeEachInstructionOfWantedWorkgroups) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  v_mov_b32_e32 v1, 5
  s_mov_b32 s6, 2
loop:
  v_lshlrev_b32_e32 v1, 1, v1
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 loop
  s_nop 0
  s_endpgm
)");
    for (const unsigned threads : {1u, 0u}) {
      Stepper stepper;
      engine::Options options;
      options.listener = &stepper;
      options.threads = threads;
      const auto outcome = kernel.run({{64 * 10, 1, 1}, {64, 1, 1}}, {}, options);
      EXPECT_NO_FAULT(outcome);
      EXPECT_EQ(outcome.stats.instructions, 120u); // those that nobody hears of count too
      EXPECT_EQ(stepper.of, (std::map<uint32_t, int>{{1, 12}, {4, 12}, {7, 12}}));
      if (threads != 1)
        continue;
      using enum Op;
      const std::vector<Op> expected = {v_mov_b32,    s_mov_b32,      v_lshlrev_b32, s_sub_u32,
                                        s_cmp_lg_u32, s_cbranch_scc1, v_lshlrev_b32, s_sub_u32,
                                        s_cmp_lg_u32, s_cbranch_scc1, s_nop,         s_endpgm};
      EXPECT_EQ(std::vector(stepper.ops.begin(), stepper.ops.begin() + 12), expected);
      EXPECT_EQ(std::vector(stepper.v1.begin() + 2, stepper.v1.begin() + 7),
                (std::vector<uint32_t>{5, 10, 10, 10, 10}));
      EXPECT_EQ(stepper.v1[11], 20u);
    }
  }
}

TEST(Progress, CountsWorkgroupsAndInstructions) {
  const Kernel kernel(isa::Target::gfx900, "  s_nop 0\n  s_nop 0\n  s_endpgm\n");
  engine::Progress progress;
  engine::Options options;
  options.progress = &progress;
  EXPECT_NO_FAULT(kernel.run({{64 * 10, 1, 1}, {64, 1, 1}}, {}, options));
  EXPECT_EQ(progress.workgroups, 10u);
  EXPECT_EQ(progress.instructions, 30u);
}

} // namespace
} // namespace crosslane
