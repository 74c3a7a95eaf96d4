// What nothing has defined: where it is told of, and where it is not.
#include "check/checks.h"
#include "check/init/bits.h"
#include "tests/check/kernel.h"
#include <functional>

namespace crosslane::test {

namespace {

using namespace check::init;
using Rules = std::vector<std::string>;

Rules init(const std::string& body, int items = 64) { return rules_found("init", body, items); }

std::vector<lint::PlacedFinding> findings(const std::string& body, launch::Job job = {}) {
  if (job.check.empty())
    job.check = "init";
  return launched(body, job).judged->findings;
}

const Rules none, branch{"undefined-branch"}, exec{"undefined-exec"}, address{"undefined-address"};

// Goes to the end if lane 0 of v2 is 0.
constexpr const char* decide = R"(
  v_readfirstlane_b32 s8, v2
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 end
  s_nop 0
end:)";

// All values that it may be.
std::vector<uint64_t> values(Bits b) {
  std::vector<uint64_t> all;
  for (uint64_t u = b.undefined;; u = (u - 1) & b.undefined) {
    all.push_back((b.value & ~b.undefined) | u);
    if (!u)
      return all;
  }
}

// Bits of the result that are not the same for all values that the sources may be.
uint64_t differing(std::initializer_list<Bits> sources, const std::function<uint64_t(const uint64_t*)>& f) {
  std::vector<std::vector<uint64_t>> all;
  for (const Bits& b : sources)
    all.push_back(values(b));
  while (all.size() < 3)
    all.push_back({0});
  uint64_t ones = 0, zeros = 0;
  for (const uint64_t a : all[0])
    for (const uint64_t b : all[1])
      for (const uint64_t c : all[2]) {
        const uint64_t s[] = {a, b, c}, r = f(s);
        ones |= r, zeros |= ~r;
      }
  return ones & zeros;
}

std::vector<Bits> samples() {
  std::vector<Bits> all;
  for (const uint32_t value : {0u, 1u, 0x0fu, 0xa5u, 0xffffffffu, 0x80000000u, 0x12345678u})
    for (const uint32_t undefined : {0u, 1u, 0x6u, 0x80000000u, 0x80000100u})
      all.push_back({value, undefined});
  return all;
}

} // namespace

// Against all values that undefined bits may have.
TEST(InitBits, AreExactWhereConstantsDecide) {
  const auto all = samples();
  for (const Bits a : all)
    for (const Bits b : all) {
      EXPECT_EQ(both(a, b).undefined, differing({a, b}, [](auto s) { return s[0] & s[1]; }));
      EXPECT_EQ(either(a, b).undefined, differing({a, b}, [](auto s) { return s[0] | s[1]; }));
      EXPECT_EQ(differ(a, b).undefined, differing({a, b}, [](auto s) { return s[0] ^ s[1]; }));
      EXPECT_EQ(unsure_if_equal(a, b), differing({a, b}, [](auto s) { return s[0] == s[1]; }) != 0);
      for (const Bits mask : {Bits{0xff00ff00, 0}, Bits{0xf, 0x101}})
        EXPECT_EQ(selected(mask, a, b).undefined,
                  differing({a, b, mask}, [](auto s) { return (s[0] & ~s[2]) | (s[1] & s[2]); }));
      // Sums: all that may differ, and perhaps more.
      const uint64_t sum = differing({a, b}, [](auto s) { return uint32_t(s[0] + s[1]); });
      EXPECT_EQ(sum & ~carried(a.undefined | b.undefined, 32).undefined, 0u);
    }
  for (const Bits a : all) {
    EXPECT_EQ(unsure_if_zero(a), differing({a}, [](auto s) { return s[0] == 0; }) != 0);
    for (const unsigned n : {0u, 3u, 8u, 31u}) {
      EXPECT_EQ(shifted_left(a, defined(n), 32).undefined, differing({a}, [&](auto s) { return uint32_t(s[0] << n); }));
      EXPECT_EQ(shifted_right(a, defined(n), 32).undefined,
                differing({a}, [&](auto s) { return uint32_t(s[0]) >> n; }));
      EXPECT_EQ(shifted_arithmetically(a, defined(n), 32).undefined,
                differing({a}, [&](auto s) { return uint32_t(int32_t(uint32_t(s[0])) >> n); }));
    }
    EXPECT_EQ(field(a, 4, 5, false, 32).undefined, differing({a}, [](auto s) { return s[0] >> 4 & 31; }));
    EXPECT_EQ(field(a, 1, 2, true, 32).undefined,
              differing({a}, [](auto s) { return uint32_t(int32_t(uint32_t(s[0]) << 29) >> 30); }));
  }
}

TEST(CheckInit, TellsOfWhatDecides) {
  EXPECT_EQ(init(std::string("v_mov_b32 v2, 5") + decide), none);
  EXPECT_EQ(init(decide), branch);
  EXPECT_EQ(init("v_cmp_eq_u32 vcc, 0, v2\ns_cbranch_vccz end\ns_nop 0\nend:"), branch);
  EXPECT_EQ(init("v_cmp_eq_u32 vcc, 0, v2\ns_and_saveexec_b64 s[8:9], vcc"), exec);
  EXPECT_EQ(init("v_cmpx_eq_u32 vcc, 0, v2"), exec);
  EXPECT_EQ(init("global_load_dword v3, v2, s[4:5]\ns_waitcnt vmcnt(0)"), address);
  EXPECT_EQ(init("v_and_b32 v2, 4, v2\nglobal_load_dword v3, v2, s[4:5]\ns_waitcnt vmcnt(0)"), address);
  EXPECT_EQ(init("s_and_b32 s8, s8, 4\ns_load_dword s9, s[4:5], s8\ns_waitcnt lgkmcnt(0)"), address);
}

// Compilers do all of this with values that do not matter.
TEST(CheckInit, SaysNothingOfCopiesAndArithmetic) {
  EXPECT_EQ(init("v_mov_b32 v3, v2\nv_add_u32 v3, v3, v2\nv_mul_f32 v3, v3, v3\nds_write_b32 v0, v3\n"
                 "global_store_dword v0, v3, s[6:7]\ns_mov_b64 s[8:9], s[10:11]\nv_writelane_b32 v4, s8, 3\n"
                 "v_cndmask_b32 v3, v2, v4, vcc\nv_mov_b32_dpp v3, v2 row_shl:1 row_mask:0xf bank_mask:0xf\n"
                 "ds_bpermute_b32 v3, v5, v2\ns_waitcnt lgkmcnt(0)\ns_or_b64 s[12:13], s[8:9], exec"),
            none);
}

TEST(CheckInit, FollowsBits) {
  const auto decides = [&](const std::string& how) { return init(how + decide); };
  EXPECT_EQ(decides("v_and_b32 v2, 0, v3"), none);
  EXPECT_EQ(decides("v_and_b32 v2, 1, v3"), branch);
  EXPECT_EQ(decides("v_or_b32 v2, -1, v3"), none);
  EXPECT_EQ(decides("v_xor_b32 v2, v3, v3"), none);
  EXPECT_EQ(decides("v_sub_u32 v2, v3, v3"), none);
  EXPECT_EQ(decides("v_lshlrev_b32 v3, 16, v3\nv_and_b32 v2, 0xffff, v3"), none);
  EXPECT_EQ(decides("v_lshlrev_b32 v3, 16, v3\nv_add_u32 v3, 5, v3\nv_and_b32 v2, 0xff, v3"), none); // sums carry up
  EXPECT_EQ(decides("v_lshrrev_b32 v3, 16, v3\nv_and_b32 v2, 0xffff, v3"), branch);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_lshl_or_b32 v3, v4, 16, v3\nv_bfe_u32 v2, v3, 0, 16"), none);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_lshl_or_b32 v3, v4, 16, v3\nv_bfe_u32 v2, v3, 8, 16"), branch);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_mov_b32 v6, 0xff\nv_bfi_b32 v3, v6, v3, v4\nv_and_b32 v2, 15, v3"), none);
  EXPECT_EQ(decides("v_mov_b32 v3, 0\nv_mov_b32 v6, 0x0c0c0400\nv_perm_b32 v2, v3, v4, v6"), branch);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_mov_b32 v6, 0x0c0c0c04\nv_perm_b32 v2, v3, v4, v6"), none);
  // Halves: only the lower one is there.
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_lshl_or_b32 v3, v4, 16, v3\nv_pk_add_u16 v3, v3, v3\nv_and_b32 v2, 0xff, v3"),
            none);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_lshl_or_b32 v3, v4, 16, v3\nv_add_f16 v2, v3, v3"), none);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_lshl_or_b32 v3, v4, 16, v3\nv_add_f32 v2, v3, v3"), branch);
  EXPECT_EQ(decides("v_mov_b32 v3, 7\nv_mov_b32_sdwa v3, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"
                    "v_and_b32 v2, 0xff, v3"),
            none);
  EXPECT_EQ(init("s_mov_b32 s8, 1\ns_or_b32 s9, s8, s10\ns_cbranch_scc0 end\ns_nop 0\nend:"), none);
  EXPECT_EQ(init("s_mov_b32 s8, 0\ns_or_b32 s9, s8, s10\ns_cbranch_scc0 end\ns_nop 0\nend:"), branch);
}

TEST(CheckInit, FollowsLanes) {
  // What half of the lanes have.
  const std::string half = "s_mov_b64 exec, 0xffffffff\nv_mov_b32 v2, 1\n", all = "s_mov_b64 exec, -1\n",
                    use = "v_cmp_eq_u32 vcc, 0, v2\ns_and_b64 vcc, vcc, exec\ns_cbranch_vccz end\ns_nop 0\nend:";
  EXPECT_EQ(init(half + use), none);
  EXPECT_EQ(init(half + all + use), branch);
  EXPECT_EQ(init(half + all + "v_readlane_b32 s8, v2, 31\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 end\ns_nop 0\nend:"),
            none);
  EXPECT_EQ(init(half + all + "v_readlane_b32 s8, v2, 32\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 end\ns_nop 0\nend:"),
            branch);
  EXPECT_EQ(init("v_writelane_b32 v2, s4, 3\nv_readlane_b32 s8, v2, 3\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 end\n"
                 "s_nop 0\nend:"),
            none);
  // Lanes that there are not.
  EXPECT_EQ(init("v_mov_b32 v2, 1\n" + all + use, 40), none);
  // A mask of which only lanes that are on count.
  EXPECT_EQ(init("v_mov_b32 v2, 1\nv_cmp_eq_u32 s[8:9], 1, v2\ns_andn2_b64 s[10:11], s[12:13], exec\n"
                 "s_and_b64 s[8:9], s[8:9], exec\ns_or_b64 s[10:11], s[10:11], s[8:9]\n"
                 "s_and_saveexec_b64 s[8:9], s[10:11]"),
            none);
}

TEST(CheckInit, FollowsMemory) {
  const std::string wait = "s_waitcnt lgkmcnt(0)\n";
  EXPECT_EQ(init("ds_read_b32 v2, v0\n" + wait + decide), branch);
  EXPECT_EQ(init("ds_write_b32 v0, v5\nds_read_b32 v2, v0\n" + wait + decide), none);
  EXPECT_EQ(init("ds_write_b32 v0, v3\nds_read_b32 v2, v0\n" + wait + decide), branch);
  EXPECT_EQ(init("ds_write_b8 v0, v5\nds_read_u8 v2, v0\n" + wait + decide), none);
  EXPECT_EQ(init("ds_write_b8 v0, v5\nds_read_u16 v2, v0\n" + wait + decide), branch);
  EXPECT_EQ(init("ds_write_b8 v0, v5\nds_read_u8 v2, v0 offset:1\n" + wait + decide), branch);
  EXPECT_EQ(init("ds_write2_b32 v0, v5, v3 offset1:64\nds_read_b32 v2, v0\n" + wait + decide), none);
  EXPECT_EQ(init("ds_write2_b32 v0, v5, v3 offset1:64\nds_read_b32 v2, v0 offset:256\n" + wait + decide), branch);
  // A block that reads nothing undefined but what it loads.
  EXPECT_EQ(init("v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_mov_b32 v4, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
                 "s_branch next\nnext:\nds_read_b32 v3, v0\n" +
                 wait + "v_add_u32 v2, v3, v4\n" + decide),
            branch);
}

TEST(CheckInit, FollowsBuffersThatNothingIsIn) {
  launch::Job job;
  job.check = "init";
  job.arguments = {"in=u32[64]:uninit", "out=u32[64]"};
  const std::string load = "global_load_dword v2, v0, s[4:5]\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(findings(load + decide, job).size(), 1u);
  EXPECT_EQ(findings("global_store_dword v0, v5, s[4:5]\n" + load + decide, job).size(), 0u);
  EXPECT_EQ(findings("s_load_dword s8, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 end\n"
                     "s_nop 0\nend:",
                     job)
                .size(),
            1u);
  job.arguments = {"in=u32[64]", "out=u32[64]"};
  EXPECT_EQ(findings(load + decide, job).size(), 0u);
}

TEST(CheckInit, SaysWhereItCameFrom) {
  const auto found = findings(std::string("v_mov_b32 v2, v3") + decide);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "decides by scc, which depends on v3 that nothing has written");
  ASSERT_EQ(found[0].notes.size(), 1u);
  EXPECT_EQ(found[0].notes[0].text, "v3 is read here first");
  EXPECT_EQ(findings("v_and_b32 v4, 0, v5\nv_mov_b32 v4, 4\nds_read_b32 v2, v4" + std::string(decide)).at(0).message,
            "decides by scc, which depends on byte 4 of LDS that nothing has written");
  EXPECT_EQ(findings("s_cmp_eq_u32 s4, s4\nv_cmp_eq_u32 vcc, 0, v2\ns_and_b64 exec, vcc, exec").at(0).message,
            "turns lanes on by exec_lo, which depends on v2 that nothing has written");
}

TEST(CheckInit, TellsOfStoresWhereThatIsAskedFor) {
  const std::string body = "global_store_dword v0, v2, s[6:7]";
  EXPECT_EQ(rules_found("init", body), none);
  EXPECT_EQ(rules_found("all", body), none);
  EXPECT_EQ(rules_found("init-stores", body), Rules{"undefined-store"});
  EXPECT_EQ(rules_found("init-stores", "ds_write_b32 v0, v2"), none);
}

} // namespace crosslane::test
