// Barriers in workgroups that compiled code runs in one go: against the interpreter, word by word, with all that makes
// waves go back to their last checkpoint.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <atomic>
#include <chrono>
#include <sys/mman.h>
#include <thread>

namespace crosslane::test {
namespace {

// Each wave has its number in s12, its flat global id in v3, its place in LDS in v4. Arguments: data, out, distances.
const std::string prologue = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx2 s[14:15], s[0:1], 0x10
  s_load_dword s16, s[0:1], 0x18
  v_readfirstlane_b32 s12, v0
  s_lshr_b32 s12, s12, 6
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s13, s2, s16
  add_u32 v3, s13, v0
  v_lshlrev_b32 v3, 2, v3
  v_lshlrev_b32 v4, 2, v0
)";

struct Result {
  engine::Outcome outcome;
  std::vector<uint32_t> data, out;
  uint64_t ranged;
};

// Runs it in workgroups of `size`, with distances[group][wave][round] as given.
Result run(const Kernel& kernel, bool compiled, uint32_t groups, uint32_t size, const engine::Options& options,
           const std::vector<uint32_t>& distances = {}) {
  machine::Memory memory;
  Buffer<uint32_t> data(memory, groups * size), out(memory, groups * size), far(memory, distances.size() + 1);
  for (uint32_t i = 0; i < groups * size; ++i)
    data[i] = i * 2654435761u, out[i] = 0;
  std::ranges::copy(distances, far.begin());
  const Shape shape{{groups * size, 1, 1}, {size, 1, 1}};
  const std::vector<uint64_t> arguments{data.address(), out.address(), far.address(), size};
  const uint32_t lds = size * 4 + 64;
  const uint64_t before = jit::stats().ranged;
  Result r{compiled ? kernel.run(shape, arguments, options, lds) : kernel.interpret(shape, arguments, options, lds),
           {},
           {},
           0};
  r.ranged = jit::stats().ranged - before;
  r.data.assign(data.begin(), data.end()), r.out.assign(out.begin(), out.end());
  return r;
}

// Returns how many waves went through compiled code in one go.
uint64_t compare(const Kernel& kernel, uint32_t groups, uint32_t size, engine::Options options = {},
                 const std::vector<uint32_t>& distances = {}) {
  if (!options.threads)
    options.threads = 1;
  const Result is = run(kernel, true, groups, size, options, distances),
               should = run(kernel, false, groups, size, {.threads = 1}, distances);
  EXPECT_NO_FAULT(is.outcome);
  EXPECT_NO_FAULT(should.outcome);
  EXPECT_EQ(is.outcome.stats.instructions, should.outcome.stats.instructions);
  EXPECT_EQ(is.outcome.stats.waves, should.outcome.stats.waves);
  EXPECT_EQ(is.outcome.stats.workgroups, should.outcome.stats.workgroups);
  EXPECT_EQ(is.data, should.data);
  EXPECT_EQ(is.out, should.out);
  EXPECT_EQ(should.ranged, 0u);
  return is.ranged;
}

// Rounds of all that cannot be done twice: a store in LDS over what was read there, atomics, a store in memory over
// what was read, and then an access that `distances` may put out of the workgroup's LDS, which no compiled code does.
std::string all_in_rounds(uint32_t rounds) {
  return ".set rounds, " + std::to_string(rounds) + prologue + R"(
  address 6, 8, v3
  flat_load_dword v5, v[6:7]
  v_mov_b32 v10, 1
  v_mov_b32 v15, 0
  s_lshl_b32 s17, s16, 2
  v_mov_b32 v11, s17
  ds_write_b32 v4, v15
  ds_write_b32 v11, v15
  s_mul_i32 s18, s2, s16
  s_lshr_b32 s18, s18, 6
  s_add_u32 s18, s18, s12
  s_mul_i32 s18, s18, rounds
  s_lshl_b32 s18, s18, 2
  s_sub_u32 s20, s17, 1
  s_mov_b32 s21, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_barrier
again:
  ds_read_b32 v12, v4
  s_waitcnt lgkmcnt(0)
  v_add_u32 v12, v12, v5
  ds_write_b32 v4, v12
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_add_u32 v13, 0x100, v4
  v_and_b32 v13, s20, v13
  ds_read_b32 v14, v13
  ds_add_u32 v11, v10
  ds_add_rtn_u32 v16, v11, v15
  flat_load_dword v17, v[6:7]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mul_lo_u32 v17, v17, 3
  v_add_u32 v17, v17, v14
  flat_store_dword v[6:7], v17
  s_add_u32 s22, s14, s18
  s_addc_u32 s23, s15, 0
  s_load_dword s24, s[22:23], 0x0
  s_add_u32 s18, s18, 4
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32 v18, s24, v4
  ds_read_b32 v19, v18
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v19
  v_xor_b32 v5, v5, v17
  s_barrier
  s_add_u32 s21, s21, 1
  s_cmp_lt_u32 s21, rounds
  s_cbranch_scc1 again
  ds_read_b32 v20, v11
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v20
  address 6, 10, v3
  flat_store_dword v[6:7], v5
  s_endpgm
)";
}

TEST(Barriers, InLoops) {
  const uint32_t rounds = 4;
  const Kernel kernel(isa::Target::gfx900, all_in_rounds(rounds));
  for (const uint32_t size : {128u, 256u, 512u, 1024u})
    for (const unsigned threads : {1u, 3u}) {
      const uint32_t groups = 50;
      EXPECT_EQ(compare(kernel, groups, size, {.threads = threads}, std::vector<uint32_t>(groups * size / 64 * rounds)),
                groups * size / 64);
    }
}

// One wave in each workgroup, in each round in turn.
TEST(Barriers, WavesGoBackToTheirLastCheckpoints) {
  const uint32_t size = 256, waves = 4, rounds = 4, groups = waves * rounds;
  std::vector<uint32_t> distances(groups * waves * rounds);
  for (uint32_t g = 0; g < groups; ++g)
    distances[g * waves * rounds + g] = 0x8000;
  const Kernel kernel(isa::Target::gfx900, all_in_rounds(rounds));
  const uint64_t ranged = compare(kernel, groups, size, {}, distances);
  EXPECT_EQ(ranged, 0u); // in none of them has a wave ended by then
  // Code that has left so often is given no more ranges.
  EXPECT_EQ(compare(kernel, groups, size, {}, distances), 0u);
}

// Compiled code reads LDS before it asks whether that was inside, once for all reads from one place: near its ends, and
// where nothing is mapped. `scattered`: the addresses of lanes follow no rule.
TEST(Barriers, ReadsOutsideOfLds) {
  for (const bool scattered : {false, true}) {
    const std::string text = prologue + R"(
      ds_write_b32 v4, v3
      s_lshl_b32 s18, s2, 2
      s_add_u32 s22, s14, s18
      s_addc_u32 s23, s15, 0
      s_load_dword s24, s[22:23], 0x0
      s_waitcnt lgkmcnt(0)
      s_barrier
      v_add_u32 v18, s24, v4
    )" + (scattered ? "v_xor_b32 v18, 20, v18\n" : "") +
                             R"(
      ds_read_b32 v19, v18
      ds_read2_b32 v[20:21], v18 offset0:1 offset1:16
      ds_read_b32 v22, v18 offset:8
      ds_read_u8 v23, v18 offset:200
      s_waitcnt lgkmcnt(0)
      v_add_u32 v19, v19, v20
      v_xor_b32 v19, v19, v21
      v_add_u32 v19, v19, v22
      v_xor_b32 v19, v19, v23
      address 6, 10, v3
      flat_store_dword v[6:7], v19
      s_endpgm
    )";
    const uint32_t size = 256;
    const std::vector<uint32_t> distances{0,          4,          60,         64,         68,         0x400,
                                          0xffff,     0x10000,    0x40000000, 0x7ffffff0, 0x80000000, 0xc0000000,
                                          0xffffff00, 0xffffff38, 0xfffffff8, 0xfffffffc, 0xffffffff, 0};
    for (const uint32_t distance : distances) {
      const Kernel kernel(isa::Target::gfx900, text); // code that has been left often is not entered any more
      const uint64_t entered = jit::stats().entered;
      compare(kernel, 3, size, {}, {0, distance, 0});
      EXPECT_GT(jit::stats().entered, entered);
    }
  }
}

// The budget is used up in each workgroup, and nothing comes of it but that the thread looks up.
TEST(Barriers, LongWorkgroupsStay) {
  const Kernel kernel(isa::Target::gfx900, all_in_rounds(32));
  const uint32_t groups = 20, size = 256;
  EXPECT_EQ(
      compare(kernel, groups, size, {.threads = 1, .preempt_after = 1100}, std::vector<uint32_t>(groups * 4 * 32)),
      groups * size / 64);
}

// Somebody more urgent wants the thread each time.
TEST(Barriers, WorkgroupsGiveWay) {
  const Kernel kernel(isa::Target::gfx900, all_in_rounds(32));
  const uint32_t groups = 12, size = 256;
  const std::atomic<uint32_t> urgent{1};
  EXPECT_EQ(compare(kernel, groups, size, {.threads = 1, .preempt_after = 1100, .give_way = &urgent},
                    std::vector<uint32_t>(groups * 4 * 32)),
            0u);
}

// Even waves wait at one barrier while odd ones wait at another; some end in between, and the last one has EXEC 0.
TEST(Barriers, DifferentOnes) {
  const Kernel kernel(isa::Target::gfx900, prologue + R"(
    v_mul_lo_u32 v5, v3, 7
    s_bitcmp1_b32 s12, 0
    s_cbranch_scc1 odd
    ds_write_b32 v4, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v6, 0x100, v4
    ds_read_b32 v5, v6
    s_branch both
  odd:
    v_not_b32 v5, v5
    ds_write_b32 v4, v5
    s_cmp_eq_u32 s12, 1
    s_cbranch_scc1 end
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v6, 0x200, v4
    ds_read_b32 v7, v6
    s_waitcnt lgkmcnt(0)
    v_add_u32 v5, v7, v5
  both:
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[20:21], exec
    v_cmp_gt_u32 vcc, 100, v0
    s_and_b64 exec, exec, vcc
    v_add_u32 v5, 5, v5
    s_barrier
    s_mov_b64 exec, s[20:21]
    ds_write_b32 v4, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v6, 0x80, v4
    ds_read_b32 v5, v6
    s_waitcnt lgkmcnt(0)
    address 6, 10, v3
    flat_store_dword v[6:7], v5
  end:
    s_endpgm
  )");
  for (const uint32_t size : {256u, 512u, 1024u})
    EXPECT_EQ(compare(kernel, 30, size), 30 * size / 64);
}

// A fault behind two barriers is the interpreter's, down to the lane; what other waves did stays done.
TEST(Barriers, FaultsBehindThem) {
  const Kernel kernel(isa::Target::gfx900, prologue + R"(
    v_mov_b32 v5, s12
    ds_write_b32 v4, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v6, 0x100, v4
    ds_read_b32 v5, v6
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_lshl_b32 s20, s12, 2
    s_add_u32 s22, s14, s20
    s_addc_u32 s23, s15, 0
    s_load_dword s24, s[22:23], 0x0
    s_waitcnt lgkmcnt(0)
    v_add_u32 v3, s24, v3
    address 6, 8, v3
    flat_store_dword v[6:7], v5
    s_barrier
    address 6, 10, v3
    flat_store_dword v[6:7], v5
    s_endpgm
  )");
  const size_t page = 4096;
  engine::Outcome outcomes[2];
  std::vector<uint32_t> left[2];
  for (const bool compiled : {false, true}) {
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 256), far(memory, 4);
    std::ranges::fill(far, 0);
    std::ranges::fill(out, 0);
    far[2] = page - 600; // of wave 2, whose lanes from 22 on are beyond
    const uint64_t place = machine::map_in_window(2 * page, PROT_READ | PROT_WRITE);
    ASSERT_NE(place, 0u);
    ASSERT_EQ(mprotect(reinterpret_cast<void*>(place + page), page, PROT_NONE), 0);
    const std::vector<uint64_t> arguments{place, out.address(), far.address(), 256};
    const Shape shape{{256, 1, 1}, {256, 1, 1}};
    outcomes[compiled] = compiled ? kernel.run(shape, arguments, {.threads = 1}, 1024)
                                  : kernel.interpret(shape, arguments, {.threads = 1}, 1024);
    const auto& fault = outcomes[compiled].fault;
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, machine::FaultKind::unmapped_address);
    EXPECT_EQ(fault->wave, 2u);
    EXPECT_EQ(fault->lane, 22u);
    EXPECT_EQ(fault->address, place + page);
    const auto* data = reinterpret_cast<const uint32_t*>(place);
    left[compiled].assign(data, data + 128); // of waves 0 and 1
    munmap(reinterpret_cast<void*>(place), 2 * page);
  }
  EXPECT_EQ(outcomes[0].fault->pc, outcomes[1].fault->pc);
  EXPECT_EQ(left[0], left[1]);
}

// Wave 0 waits in a loop for what wave 1 tells, behind a barrier.
TEST(Barriers, WavesThatSpin) {
  const Kernel kernel(isa::Target::gfx900, prologue + R"(
    v_mov_b32 v5, 0
    ds_write_b32 v4, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_cmp_eq_u32 s12, 1
    s_cbranch_scc1 tells
    s_cmp_eq_u32 s12, 0
    s_cbranch_scc0 end
  waits:
    v_mov_b32 v6, 0x100
    ds_read_b32 v7, v6
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s20, v7
    s_cmp_eq_u32 s20, 0
    s_cbranch_scc1 waits
    s_branch end
  tells:
    v_mov_b32 v5, 9
    ds_write_b32 v4, v5
    s_waitcnt lgkmcnt(0)
  end:
    s_barrier
    v_mov_b32 v6, 0x100
    ds_read_b32 v7, v6
    s_waitcnt lgkmcnt(0)
    address 8, 10, v3
    flat_store_dword v[8:9], v7
    s_endpgm
  )");
  const Result r = run(kernel, true, 3, 256, {.threads = 1, .preempt_after = 1000});
  EXPECT_NO_FAULT(r.outcome);
  EXPECT_EQ(r.out, std::vector<uint32_t>(3 * 256, 9));
}

// What goes round a barrier for ever can be stopped.
TEST(Barriers, AreLeftWhenCancelled) {
  const Kernel kernel(isa::Target::gfx900, prologue + "again:\n v_add_u32 v4, 1, v4\n s_barrier\n s_branch again\n");
  std::atomic<bool> cancel{false};
  std::thread after([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel = true;
  });
  const Result r = run(kernel, true, 2, 256, {.threads = 1, .cancel = &cancel});
  after.join();
  ASSERT_TRUE(r.outcome.fault);
  EXPECT_EQ(r.outcome.fault->kind, machine::FaultKind::cancelled);
  EXPECT_EQ(r.outcome.census.resident, 1u);
}

} // namespace
} // namespace crosslane::test
