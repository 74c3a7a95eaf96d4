// The registers that a wave starts with, for every combination of kernel descriptor bits: the kernel dumps its SGPRs,
// EXEC, M0, MODE and v0..v2, and the test says what LLVM AMDGPUUsage, "Initial Kernel Execution State", puts where.
#include "tests/engine/kernel_fixture.h"
#include <algorithm>

namespace crosslane {
namespace {

using test::Buffer;
using test::Kernel;
using test::Shape;

// Each wave takes a slot by an atomic on the first dword of `table` and writes 1024 bytes there: dword i is s_i (i <
// 32), then EXEC, M0 and MODE; then v0, v1 and v2. The output's address lies in the code, because no register is sure
// to hold it.
const char* const dump = R"(
  s_getpc_b64 s[40:41]
here:
  s_mov_b32 s48, m0
  s_getreg_b32 s49, hwreg(HW_REG_MODE)
  s_mov_b64 s[44:45], exec
  s_mov_b64 s[50:51], vcc
  s_add_u32 s40, s40, table-here
  s_addc_u32 s41, s41, 0
  s_load_dwordx2 s[42:43], s[40:41], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  v_mov_b32 v10, s42
  v_mov_b32 v11, s43
  v_mov_b32 v12, 1
  flat_atomic_add v13, v[10:11], v12 glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s46, v13
  s_mov_b64 exec, -1
  s_lshl_b32 s46, s46, 10
  s_add_u32 s42, s42, s46
  s_addc_u32 s43, s43, 0
  s_add_u32 s42, s42, 1024
  s_addc_u32 s43, s43, 0
  .set i, 0
  .rept 32
  v_writelane_b32 v20, s[i], i
  .set i, i+1
  .endr
  v_writelane_b32 v20, s44, 32
  v_writelane_b32 v20, s45, 33
  v_writelane_b32 v20, s48, 34
  v_writelane_b32 v20, s49, 35
  v_mbcnt_lo_u32_b32 v21, -1, 0
  v_mbcnt_hi_u32_b32 v21, -1, v21
  v_lshlrev_b32 v21, 2, v21
  address 22, 42, v21
  flat_store_dword v[22:23], v20
  s_add_u32 s42, s42, 256
  s_addc_u32 s43, s43, 0
  address 22, 42, v21
  flat_store_dword v[22:23], v0
  s_add_u32 s42, s42, 256
  s_addc_u32 s43, s43, 0
  address 22, 42, v21
  flat_store_dword v[22:23], v1
  s_add_u32 s42, s42, 256
  s_addc_u32 s43, s43, 0
  address 22, 42, v21
  flat_store_dword v[22:23], v2
  s_endpgm
  .p2align 3
table:
  .quad 0
)";

struct WaveDump {
  uint32_t s[32], exec[2], m0, mode, unused[28];
  uint32_t v[3][64];
};
static_assert(sizeof(WaveDump) == 1024);

class Dumper {
public:
  explicit Dumper(isa::Target target) : kernel_(target, dump, "", true), out_(memory_, 1024 + 1024 * 256) {
    // The table is the last quadword of the code.
    const auto* code = reinterpret_cast<const uint8_t*>(kernel_.entry());
    size_t at = 0;
    while (std::memcmp(code + at, "\x00\x00\x81\xbf", 4) != 0)
      at += 4; // s_endpgm
    table_ = reinterpret_cast<uint64_t*>((kernel_.entry() + at + 4 + 7) / 8 * 8);
  }
  std::vector<WaveDump> run(const Shape& shape, const engine::Options& options = {}, uint32_t scratch = 0) {
    *table_ = out_.address();
    std::memset(out_.begin(), 0, out_.size());
    const auto outcome = kernel_.run(shape, {}, options, 0, scratch);
    EXPECT_NO_FAULT(outcome);
    uint32_t count;
    std::memcpy(&count, out_.begin(), 4);
    EXPECT_EQ(count, outcome.stats.waves);
    std::vector<WaveDump> waves(count);
    std::memcpy(waves.data(), out_.begin() + 1024, count * sizeof(WaveDump));
    return waves;
  }
  void set_descriptor(uint32_t at, uint32_t value, uint32_t bytes = 4) {
    std::memcpy(kernel_.descriptor() + at, &value, bytes);
  }
  uint32_t descriptor(uint32_t at) {
    uint32_t v;
    std::memcpy(&v, kernel_.descriptor() + at, 4);
    return v;
  }

private:
  machine::Memory memory_;
  Kernel kernel_;
  Buffer<uint8_t> out_;
  uint64_t* table_;
};

constexpr uint32_t rsrc1 = 48, rsrc2 = 52, properties = 56;

// One dispatch per combination of user and system SGPRs: their order and number.
TEST(LaunchState, PutsEverySgprWhereTheDescriptorSays) {
  FOR_ALL_TARGETS(target) {
    Dumper dumper(target);
    const uint64_t fake_queue = 0x123456789000;
    engine::Options options;
    options.dispatch_id = 0x1122334455667788;
    options.queue_address = fake_queue;
    for (uint32_t user = 0; user < 128; ++user)
      for (uint32_t system = 0; system < 32; ++system) {
        uint32_t user_count = 0;
        static constexpr uint32_t width[7] = {4, 2, 2, 2, 2, 2, 1};
        for (int b = 0; b < 7; ++b)
          if (user >> b & 1)
            user_count += width[b];
        if ((user * 32 + system) % 7 && user != 127 && system != 31 && user != 8)
          continue; // a seventh, and the corners
        SCOPED_TRACE("user bits " + std::to_string(user) + ", system bits " + std::to_string(system));
        dumper.set_descriptor(properties, user, 2);
        const bool offset = system >> 4 & 1; // private segment wave offset
        dumper.set_descriptor(rsrc2, uint32_t(offset) | user_count << 1 | (system & 15) << 7 | 2u << 11);
        const Shape shape{{64, 2, 2}, {64, 1, 1}};
        const auto waves = dumper.run(shape, options, 256);
        ASSERT_EQ(waves.size(), 4u);
        std::vector<uint32_t> seen;
        for (const WaveDump& w : waves) {
          uint32_t n = 0;
          const auto pair = [&] {
            n += 2;
            return uint64_t(w.s[n - 2]) | uint64_t(w.s[n - 1]) << 32;
          };
          uint64_t resource_base = 0;
          if (user & 1) {
            resource_base = (uint64_t(w.s[0]) | uint64_t(w.s[1]) << 32) & 0xffffffffffff;
            EXPECT_NE(resource_base, 0u);
            EXPECT_EQ(w.s[1] >> 31, 1u) << "swizzled";
            EXPECT_EQ(w.s[3] >> 23 & 1, 1u) << "ADD_TID_ENABLE";
            n += 4;
          }
          if (user & 2) {
            const auto* packet = reinterpret_cast<const engine::AqlPacket*>(pair());
            EXPECT_GT(reinterpret_cast<uint64_t>(packet), 4096u); // (the packet itself lives only while it runs)
          }
          if (user & 4)
            EXPECT_EQ(pair(), fake_queue);
          if (user & 8)
            EXPECT_NE(pair(), 0u);
          if (user & 16)
            EXPECT_EQ(pair(), options.dispatch_id);
          if (user & 32) {
            const uint64_t flat = pair();
            if (target == isa::Target::gfx803)
              EXPECT_EQ(flat >> 32, 256u) << "bytes per work-item";
            else if (user & 1)
              EXPECT_EQ(flat, resource_base);
          }
          if (user & 64)
            EXPECT_EQ(w.s[n++], 256u);
          EXPECT_EQ(n, user_count);
          if (system & 1)
            EXPECT_EQ(w.s[n++], 0u);
          uint32_t id = 0;
          if (system & 2)
            id |= w.s[n++];
          if (system & 4)
            id |= w.s[n++] << 1;
          if ((system & 6) == 6)
            seen.push_back(id); // y and z, two of each
          if (system & 8) {     // workgroup info: the first wave of one
            EXPECT_EQ(w.s[n] >> 31, 1u);
            EXPECT_EQ(w.s[n++] & 63, 1u);
          }
          if (offset)
            ++n;
          EXPECT_EQ(w.exec[0], ~0u);
          EXPECT_EQ(w.exec[1], ~0u);
          for (uint32_t lane = 0; lane < 64; ++lane)
            ASSERT_EQ(w.v[0][lane], lane);
        }
        std::sort(seen.begin(), seen.end());
        if ((system & 6) == 6)
          EXPECT_EQ(seen, (std::vector<uint32_t>{0, 1, 2, 3}));
        if (HasFailure())
          return;
      }
  }
}

TEST(LaunchState, GivesAsManyWorkItemIdsAsAskedFor) {
  FOR_ALL_TARGETS(target) {
    Dumper dumper(target);
    for (uint32_t ids = 0; ids < 3; ++ids) {
      dumper.set_descriptor(rsrc2, ids << 11);
      for (const WaveDump& w : dumper.run({{8, 4, 4}, {8, 4, 4}}))
        for (uint32_t lane = 0; lane < 64; ++lane) {
          EXPECT_EQ(w.v[0][lane], lane % 8);
          if (ids >= 1)
            EXPECT_EQ(w.v[1][lane], lane / 8 % 4);
          if (ids >= 2)
            EXPECT_EQ(w.v[2][lane] % 2, lane / 32);
        }
    }
  }
}

// Waves of an uneven last workgroup: EXEC has a bit per work-item that exists, ids count within the smaller workgroup.
TEST(LaunchState, MasksWorkItemsThatDoNotExist) {
  FOR_ALL_TARGETS(target) {
    Dumper dumper(target);
    dumper.set_descriptor(rsrc2, 7u << 7 | 2u << 11);
    for (const Shape& shape :
         {Shape{{1, 1, 1}, {64, 1, 1}}, Shape{{65, 1, 1}, {64, 1, 1}}, Shape{{100, 3, 1}, {64, 2, 1}},
          Shape{{7, 5, 3}, {4, 4, 2}}, Shape{{130, 1, 1}, {1024, 1, 1}}, Shape{{10, 10, 10}, {3, 7, 5}}}) {
      uint64_t items = 0;
      for (const WaveDump& w : dumper.run(shape)) {
        uint32_t size[3], count = 1;
        for (int d = 0; d < 3; ++d) {
          size[d] = std::min(shape.group[d], shape.grid[d] - w.s[d] * shape.group[d]);
          count *= size[d];
        }
        const uint64_t exec = w.exec[0] | uint64_t(w.exec[1]) << 32;
        ASSERT_NE(exec, 0u);
        EXPECT_EQ(exec & (exec + 1), 0u) << "lanes are filled from 0";
        items += uint64_t(__builtin_popcountll(exec));
        // Flat ids are consecutive within a wave and start at a multiple of 64.
        const uint32_t first = w.v[0][0] + size[0] * (w.v[1][0] + size[1] * w.v[2][0]);
        EXPECT_EQ(first % 64, 0u);
        EXPECT_EQ(uint32_t(__builtin_popcountll(exec)), std::min(64u, count - first));
        for (uint32_t lane = 0; lane < 64; ++lane) {
          if (!(exec >> lane & 1))
            continue;
          ASSERT_EQ(w.v[0][lane] + size[0] * (w.v[1][lane] + size[1] * w.v[2][lane]), first + lane);
          for (int d = 0; d < 3; ++d)
            ASSERT_LT(w.v[d][lane], size[d]);
        }
      }
      EXPECT_EQ(items, uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2]);
    }
  }
}

TEST(LaunchState, TakesModeFromTheDescriptor) {
  FOR_ALL_TARGETS(target) {
    Dumper dumper(target);
    const uint32_t plain = dumper.descriptor(rsrc1) & ~(0xffu << 12 | 1u << 21 | 1u << 23 | 1u << 26);
    dumper.set_descriptor(rsrc2, 0);
    for (const uint32_t float_mode : {0x00u, 0xf0u, 0xc0u, 0x35u, 0xffu})
      for (const uint32_t bits : {0u, 1u, 2u, 3u}) {
        dumper.set_descriptor(rsrc1, plain | float_mode << 12 | (bits & 1) << 21 | (bits >> 1) << 23);
        for (const WaveDump& w : dumper.run({})) {
          EXPECT_EQ(w.mode & 0xff, float_mode);
          EXPECT_EQ(w.mode >> 8 & 1, bits & 1) << "DX10_CLAMP";
          EXPECT_EQ(w.mode >> 9 & 1, bits >> 1) << "IEEE";
        }
      }
  }
}

TEST(LaunchState, NumbersTheWavesOfAWorkgroup) {
  Dumper dumper(isa::Target::gfx900);
  dumper.set_descriptor(rsrc2, 1u << 10 | 2u << 11);
  const auto waves = dumper.run({{1000, 1, 1}, {1000, 1, 1}});
  ASSERT_EQ(waves.size(), 16u);
  int firsts = 0;
  for (const WaveDump& w : waves) {
    EXPECT_EQ(w.s[0] & 63, 16u);
    firsts += int(w.s[0] >> 31);
  }
  EXPECT_EQ(firsts, 1);
}

// What was in the memory of waves and of LDS does not reach a kernel that reads before it writes: a later dispatch gets
// the memory of one before.
TEST(LaunchState, RegistersAndLdsBeginAsZeros) {
  FOR_ALL_TARGETS(target) {
    const char* const directives = ".amdhsa_group_segment_fixed_size 512\n";
    std::string fill;
    for (int v = 4; v < 64; ++v)
      fill += "  v_mov_b32_e32 v" + std::to_string(v) + ", 0x12345678\n";
    const Kernel writes(target, "  s_mov_b32 m0, -1\n" + fill + R"(
  v_lshlrev_b32_e32 v1, 2, v0
  ds_write_b32 v1, v7
  s_waitcnt lgkmcnt(0)
  s_endpgm
)",
                        directives);
    std::string gather;
    for (int v = 5; v < 64; ++v)
      gather += "  v_or_b32_e32 v4, v4, v" + std::to_string(v) + "\n";
    const Kernel reads(target, gather + R"(
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  s_mov_b32 m0, -1
  v_lshlrev_b32_e32 v1, 2, v0
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  address 2, 6, v1
  flat_store_dword v[2:3], v4
  s_add_u32 s6, s6, 0x100
  s_addc_u32 s7, s7, 0
  address 2, 6, v1
  flat_store_dword v[2:3], v5
  s_waitcnt vmcnt(0)
  s_endpgm
)",
                       directives);
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 128);
    engine::Options options;
    options.threads = 1;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NO_FAULT(writes.run({}, {}, options, 512));
      EXPECT_NO_FAULT(reads.run({}, {out.address()}, options, 512));
      for (size_t lane = 0; lane < 64; ++lane) {
        EXPECT_EQ(out[lane], 0u) << "registers, lane " << lane;
        EXPECT_EQ(out[64 + lane], 0u) << "LDS, lane " << lane;
      }
    }
  }
}

} // namespace
} // namespace crosslane
