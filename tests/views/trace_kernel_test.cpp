// Traces of real waves. The vector add is the one of the slides "Design of GPU Instrumentation": v0 first has the lane
// ids, then byte offsets, v1 and v2 what was loaded, v1 the sum; lanes at and beyond n keep what they had.
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include "views/trace.h"

namespace crosslane {
namespace {

using events::AccessKind;
using events::Space;
using isa::Op;
using test::Buffer;
using test::Kernel;
using views::TraceStep;
using views::WaveTrace;

engine::Outcome run(const Kernel& kernel, const test::Shape& shape, const std::vector<uint64_t>& arguments,
                    views::WaveRecorder& recorder, unsigned threads, uint64_t preempt_after = 1u << 20) {
  engine::Options options;
  options.listener = &recorder;
  options.threads = threads;
  options.preempt_after = preempt_after;
  return kernel.run(shape, arguments, options);
}

// A VGPR after a step. Those that nothing wrote have what a wave before left there.
views::LaneValues vgpr_after(const WaveTrace& trace, size_t step, uint32_t n) {
  views::LaneValues value = trace.initial.v.count(n) ? trace.initial.v.at(n) : views::LaneValues{};
  for (size_t i = 0; i <= step; ++i)
    if (const auto change = trace.steps[i].changes.v.find(n); change != trace.steps[i].changes.v.end())
      value = change->second;
  return value;
}
bool changes_only(const TraceStep& step, uint32_t vgpr) {
  const views::RegisterChanges& c = step.changes;
  return c.v.size() <= 1 && c.v.size() == c.v.count(vgpr) && c.s.empty() && !c.exec && !c.vcc && !c.scc && !c.m0;
}

std::vector<Op> ops_of(const WaveTrace& trace) {
  std::vector<Op> ops;
  for (const TraceStep& step : trace.steps)
    ops.push_back(trace.instructions[step.instruction].instruction.op);
  return ops;
}

// a[i] = b[i] + c[i] if i < n, i = hipThreadIdx_x. Arguments a, b, c, n.
const char* const vector_add = R"(
  s_load_dword s0, s[4:5], 0x18
  s_waitcnt lgkmcnt(0)
  v_cmp_gt_i32_e32 vcc, s0, v0
  s_and_saveexec_b64 s[0:1], vcc
  s_cbranch_execz end
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  s_load_dwordx2 s[6:7], s[4:5], 0x10
  v_lshlrev_b32_e32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[2:3]
  global_load_dword v2, v0, s[6:7]
  s_waitcnt vmcnt(0)
  v_add_f32_e32 v1, v1, v2
  global_store_dword v0, v1, s[0:1]
end:
  s_endpgm
)";
const char* const of_slides = R"(
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
)";

uint32_t bits(float value) {
  uint32_t b;
  std::memcpy(&b, &value, 4);
  return b;
}

struct VectorAdd : testing::Test {
  machine::Memory memory;
  Buffer<float> a{memory, 128, "a"}, b{memory, 128, "b"}, c{memory, 128, "c"};
  const Kernel kernel{isa::Target::gfx900, vector_add, of_slides, true};

  VectorAdd() {
    const float slide_b[] = {1, 3, 5, 7}, slide_c[] = {1, 2, 2, 1};
    for (uint32_t i = 0; i < 128; ++i) {
      b[i] = i < 4 ? slide_b[i] : float(i);
      c[i] = i < 4 ? slide_c[i] : 1000;
    }
  }
  WaveTrace trace(uint64_t n, uint32_t group, uint32_t wave, unsigned threads = 1) {
    views::WaveRecorder recorder({group, 0, 0}, wave);
    EXPECT_NO_FAULT(
        run(kernel, {{256, 1, 1}, {128, 1, 1}}, {a.address(), b.address(), c.address(), n}, recorder, threads));
    return recorder.trace();
  }
};

TEST_F(VectorAdd, StepByStepAsOnTheSlides) {
  constexpr uint64_t first_40 = (uint64_t(1) << 40) - 1;
  const WaveTrace trace = this->trace(40, 0, 0);
  EXPECT_TRUE(trace.found);
  EXPECT_TRUE(trace.complete);
  using enum Op;
  EXPECT_EQ(ops_of(trace), (std::vector<Op>{s_load_dword, s_waitcnt, v_cmp_gt_i32, s_and_saveexec_b64, s_cbranch_execz,
                                            s_load_dwordx4, s_load_dwordx2, v_lshlrev_b32, s_waitcnt, global_load_dword,
                                            global_load_dword, s_waitcnt, v_add_f32, global_store_dword, s_endpgm}));
  EXPECT_EQ(trace.vgpr_count, 64u);  // as the fixture asks for
  EXPECT_EQ(trace.sgpr_count, 112u); // 96 and 6 for VCC, flat_scratch and XNACK, by 16
  EXPECT_EQ(trace.agpr_count, 0u);

  // Before: v0 = lane, all lanes on, the kernarg pointer in s[4:5], workgroup 0 in s6.
  const views::RegisterChanges& initial = trace.initial;
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(initial.v.at(0)[lane], lane);
  EXPECT_EQ(initial.exec, ~uint64_t(0));
  EXPECT_EQ(initial.vcc, std::nullopt);
  EXPECT_NE(initial.s.at(4), 0u);
  EXPECT_EQ(initial.s.count(6), 0u);

  const auto& steps = trace.steps;
  const auto changes = [&](size_t i) -> const views::RegisterChanges& { return steps[i].changes; };
  EXPECT_EQ(changes(0).s, (std::map<uint32_t, uint32_t>{{0, 40}}));
  EXPECT_TRUE(changes(1).empty());
  // 40 > lane
  EXPECT_EQ(changes(2).vcc, first_40);
  EXPECT_TRUE(changes(2).s.empty() && changes(2).v.empty() && !changes(2).exec && !changes(2).scc);
  // s[0:1] = EXEC as it was, EXEC = 40 lanes, SCC = it is not 0.
  EXPECT_EQ(changes(3).exec, first_40);
  EXPECT_EQ(changes(3).scc, 1u);
  EXPECT_EQ(changes(3).s, (std::map<uint32_t, uint32_t>{{0, ~0u}, {1, ~0u}}));
  EXPECT_FALSE(changes(3).vcc);
  EXPECT_TRUE(changes(4).empty());
  EXPECT_EQ(changes(5).s.at(0) | uint64_t(changes(5).s.at(1)) << 32, a.address());
  EXPECT_EQ(changes(5).s.at(2), uint32_t(b.address()));
  EXPECT_EQ(changes(6).s.at(6), uint32_t(c.address()));
  // v0: 0 4 8 12 ... 156, and from lane 40 on what it was: 40 ... 63.
  EXPECT_TRUE(changes_only(steps[7], 0));
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(changes(7).v.at(0)[lane], lane < 40 ? lane * 4 : lane);
  EXPECT_TRUE(changes(8).empty());
  // v1: 1 3 5 7 4 5 ... 39; v2: 1 2 2 1 1000 ...; then v1: 2 5 7 8 1004 ... 1039.
  const auto expect_loaded = [&](size_t step, uint32_t n, const std::vector<float>& first, float last) {
    EXPECT_TRUE(changes_only(steps[step], n)) << step;
    const views::LaneValues v = vgpr_after(trace, step, n), before = vgpr_after(trace, step - 1, n);
    for (size_t lane = 0; lane < 4; ++lane)
      EXPECT_EQ(v[lane], bits(first[lane])) << step << " lane " << lane;
    EXPECT_EQ(v[39], bits(last));
    EXPECT_TRUE(std::equal(v.begin() + 40, v.end(), before.begin() + 40)) << step;
  };
  expect_loaded(9, 1, {1, 3, 5, 7}, 39);
  expect_loaded(10, 2, {1, 2, 2, 1}, 1000);
  EXPECT_TRUE(changes(11).empty());
  expect_loaded(12, 1, {2, 5, 7, 8}, 1039);
  EXPECT_EQ(changes(12).v.size(), 1u);
  EXPECT_TRUE(changes(13).empty());
  EXPECT_TRUE(changes(14).empty());

  // Memory: the scalar loads and three vector accesses of 40 lanes.
  for (const size_t i : {0, 5, 6}) {
    ASSERT_EQ(steps[i].accesses.size(), 1u) << i;
    EXPECT_EQ(steps[i].accesses[0].space, Space::scalar);
    EXPECT_EQ(steps[i].accesses[0].lanes, 1u);
  }
  EXPECT_EQ(steps[0].accesses[0].bytes, 4u);
  EXPECT_EQ(steps[5].accesses[0].bytes, 16u);
  EXPECT_EQ(steps[0].accesses[0].address[0] - steps[5].accesses[0].address[0], 0x18u);
  const auto expect_vector = [&](size_t i, AccessKind kind, uint64_t base) {
    ASSERT_EQ(steps[i].accesses.size(), 1u) << i;
    const views::TracedAccess& access = steps[i].accesses[0];
    EXPECT_EQ(access.space, Space::global);
    EXPECT_EQ(access.kind, kind);
    EXPECT_EQ(access.bytes, 4u);
    EXPECT_EQ(access.lanes, first_40);
    for (uint32_t lane = 0; lane < 64; ++lane)
      EXPECT_EQ(access.address[lane], lane < 40 ? base + 4 * lane : 0);
  };
  expect_vector(9, AccessKind::load, b.address());
  expect_vector(10, AccessKind::load, c.address());
  expect_vector(13, AccessKind::store, a.address());
  for (const size_t i : {1, 2, 3, 4, 7, 8, 11, 12, 14})
    EXPECT_TRUE(steps[i].accesses.empty()) << i;
  EXPECT_EQ(a[3], 8);
}

// The second wave of the second workgroup: work-items 64 to 127, of which 36 are below 100.
TEST_F(VectorAdd, AnotherWave) {
  for (const unsigned threads : {1u, 0u}) {
    const WaveTrace trace = this->trace(100, 1, 1, threads);
    EXPECT_TRUE(trace.complete);
    EXPECT_EQ(trace.workgroup[0], 1u);
    EXPECT_EQ(trace.wave, 1u);
    ASSERT_EQ(trace.steps.size(), 15u);
    EXPECT_EQ(trace.initial.v.at(0)[63], 127u);
    EXPECT_EQ(trace.initial.s.at(6), 1u); // workgroup id
    EXPECT_EQ(trace.steps[3].changes.exec, (uint64_t(1) << 36) - 1);
    EXPECT_EQ(vgpr_after(trace, 12, 1)[35], bits(1099));
    EXPECT_EQ(trace.steps[13].accesses.at(0).address[35], a.address() + 4 * 99);
  }
}

// No work-item of the second wave is below 40: it branches to the end.
TEST_F(VectorAdd, AWaveThatHasNothingToDo) {
  const WaveTrace trace = this->trace(40, 0, 1);
  EXPECT_TRUE(trace.complete);
  using enum Op;
  EXPECT_EQ(ops_of(trace),
            (std::vector<Op>{s_load_dword, s_waitcnt, v_cmp_gt_i32, s_and_saveexec_b64, s_cbranch_execz, s_endpgm}));
  EXPECT_TRUE(trace.steps[2].changes.empty()); // VCC was 0
  EXPECT_EQ(trace.steps[3].changes.exec, 0u);
  EXPECT_FALSE(trace.steps[3].changes.scc);
}

TEST_F(VectorAdd, NoSuchWave) {
  EXPECT_FALSE(trace(40, 2, 0).found);
  EXPECT_FALSE(trace(40, 0, 2).found);
}

// Waves that wait for each other and are taken from their thread in the middle of a loop: every instruction once, in
// order.
TEST(Trace, LoopsBarriersAndPreemption) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_mov_b32 s6, 50
  v_mov_b32_e32 v3, 0
  v_mov_b32_e32 v4, 3
loop:
  v_add_f32_e32 v3, 1.0, v3
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 loop
  s_barrier
  v_mov_b32_e32 v4, 7
  s_endpgm
)");
    for (const unsigned threads : {1u, 0u}) {
      views::WaveRecorder recorder({1, 0, 0}, 2);
      EXPECT_NO_FAULT(run(kernel, {{1024, 1, 1}, {256, 1, 1}}, {}, recorder, threads, 16));
      const WaveTrace trace = recorder.trace();
      EXPECT_TRUE(trace.complete);
      EXPECT_EQ(trace.instructions.size(), 10u);
      ASSERT_EQ(trace.steps.size(), 3u + 4 * 50 + 3);
      for (uint32_t i = 0; i < 50; ++i) {
        ASSERT_EQ(trace.steps[3 + 4 * i].changes.v.at(3)[63], bits(float(i + 1)));
        ASSERT_EQ(trace.steps[4 + 4 * i].changes.s.at(6), 49 - i);
      }
      EXPECT_EQ(trace.steps[204].changes.v.at(4)[0], 7u);
    }
  }
}

TEST(Trace, AFaultIsTheLastStep) {
  const Kernel kernel(isa::Target::gfx900, R"(
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 0
  global_load_dword v4, v[2:3], off
  s_endpgm
)");
  views::WaveRecorder recorder({0, 0, 0}, 0);
  EXPECT_TRUE(run(kernel, {}, {}, recorder, 1).fault);
  const WaveTrace trace = recorder.trace();
  EXPECT_FALSE(trace.complete);
  ASSERT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.instructions[2].instruction.op, Op::global_load_dword);
  EXPECT_EQ(trace.steps[2].accesses.size(), 1u);
}

TEST(Trace, AccVgprsOfMatrixTargets) {
  for (const isa::Target target : {isa::Target::gfx908, isa::Target::gfx90a}) {
    SCOPED_TRACE(isa::info(target).name);
    const bool one_file = target == isa::Target::gfx90a;
    const Kernel kernel(target, R"(
  v_accvgpr_write_b32 a5, 1
  v_mov_b32_e32 v9, 1
  v_accvgpr_write_b32 a5, v0
  v_accvgpr_read_b32 v9, a5
  s_endpgm
)",
                        one_file ? ".amdhsa_accum_offset 16" : "");
    views::WaveRecorder recorder({0, 0, 0}, 0);
    EXPECT_NO_FAULT(run(kernel, {}, {}, recorder, 1));
    const WaveTrace trace = recorder.trace();
    // 64 VGPRs: gfx90a has 16 of them as VGPRs and 48 as AccVGPRs, gfx908 64 of each.
    EXPECT_EQ(trace.vgpr_count, one_file ? 16u : 64u);
    EXPECT_EQ(trace.agpr_count, one_file ? 48u : 64u);
    ASSERT_EQ(trace.steps.size(), 5u);
    EXPECT_TRUE(changes_only(trace.steps[2], 256 + 5));
    EXPECT_EQ(trace.steps[2].changes.v.at(256 + 5)[63], 63u);
    EXPECT_TRUE(changes_only(trace.steps[3], 9));
    EXPECT_EQ(trace.steps[3].changes.v.at(9)[63], 63u);
  }
}

} // namespace
} // namespace crosslane
