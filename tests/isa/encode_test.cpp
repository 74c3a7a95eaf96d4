// What cannot be encoded is refused with the part that does not fit, and nothing that is accepted comes back as
// something else. That what can be encoded is encoded right is encode_sweep_test.cpp's.
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/op.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::tests {
namespace {
using isa::EncodeError;
using isa::Form;
using isa::Instruction;
using isa::Op;
using isa::Part;

Instruction assembled(const std::string& target, const std::string& text) {
  const LlvmAssembler::Line line = LlvmAssembler(target).assemble(text);
  Instruction i;
  EXPECT_GT(isa::decode(*isa::parse_target(target), line.bytes, i), 0) << target << " " << text << ": " << line.error;
  EXPECT_TRUE(isa::encode(i)) << text;
  return i;
}

// An instruction that can be encoded, a change after which it cannot, and what the refusal must name.
struct Refusal {
  const char *target, *text;
  void (*change)(Instruction&);
  EncodeError error;
  Part part;
};

constexpr EncodeError value = EncodeError::value, superfluous = EncodeError::superfluous;

const Refusal refusals[] = {
    // Operations and forms that are not there.
    {"gfx900", "v_pk_add_f16 v0, v1, v2", [](Instruction& i) { i.target = isa::Target::gfx803; },
     EncodeError::operation, Part::none},
    {"gfx803", "v_readfirstlane_b32 s0, v1", [](Instruction& i) { i.form = Form::sdwa; }, EncodeError::form,
     Part::none},
    {"gfx900", "v_cmp_eq_u32_e32 vcc, v0, v1", [](Instruction& i) { i.form = Form::dpp; }, EncodeError::form,
     Part::none},
    {"gfx803", "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf",
     [](Instruction& i) { i.target = isa::Target::gfx700; }, EncodeError::form, Part::none},
    {"gfx900", "v_madak_f32 v0, v1, v2, 0x12345678", [](Instruction& i) { i.form = Form::vop3; }, EncodeError::form,
     Part::none},
    {"gfx900", "s_add_u32 s0, s1, s2", [](Instruction& i) { i.form = Form::vop3; }, EncodeError::form, Part::none},
    {"gfx900", "v_mul_lo_u32 v0, v1, v2", [](Instruction& i) { i.form = Form::base; }, EncodeError::form, Part::none},
    {"gfx700", "v_readlane_b32 s0, v1, s2", [](Instruction& i) { i.form = Form::vop3; }, EncodeError::form, Part::none},
    // Registers that the field or the target does not have.
    {"gfx900", "s_mov_b32 s0, s1", [](Instruction& i) { i.dst = isa::code::vgpr0; }, value, Part::dst},
    {"gfx900", "s_mov_b32 s0, s1", [](Instruction& i) { i.dst = isa::code::none; }, value, Part::dst},
    {"gfx900", "s_mov_b64 s[0:1], s[2:3]", [](Instruction& i) { i.dst = 5; }, value, Part::dst},
    {"gfx900", "s_load_dwordx8 s[0:7], s[8:9], 0x0", [](Instruction& i) { i.dst = 100; }, value, Part::dst},
    {"gfx600", "s_mov_b32 s0, s1", [](Instruction& i) { i.src[0] = 104; }, value, Part::src0},
    {"gfx900", "v_add_f32_e32 v0, v1, v2", [](Instruction& i) { i.src[1] = 3; }, value, Part::src1},
    {"gfx803", "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0",
     [](Instruction& i) { i.src[0] = 3; }, value, Part::src0},
    {"gfx900", "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf", [](Instruction& i) { i.src[0] = 3; },
     value, Part::src0},
    {"gfx700", "v_sqrt_f32_e32 v0, 1.0", [](Instruction& i) { i.src[0] = 248; }, value, Part::src0},
    {"gfx900", "global_load_dword v0, v[2:3], off", [](Instruction& i) { i.addr = isa::code::vgpr0 + 255; }, value,
     Part::addr},
    {"gfx908", "global_load_dword v0, v[2:3], off", [](Instruction& i) { i.dst = isa::code::agpr0; }, value, Part::dst},
    {"gfx90a", "global_store_dword v[2:3], v0, off", [](Instruction& i) { i.data = isa::code::agpr0 + 256; }, value,
     Part::data},
    {"gfx900", "buffer_load_dword v0, off, s[8:11], s3", [](Instruction& i) { i.srsrc = 9; }, value, Part::srsrc},
    {"gfx900", "s_load_dword s0, s[2:3], 0x0", [](Instruction& i) { i.src[0] = 3; }, value, Part::src0},
    // Literals.
    {"gfx900", "v_add_f32_e64 v0, v1, v2", [](Instruction& i) { i.src[1] = isa::code::literal, i.literal = 7; }, value,
     Part::src1},
    {"gfx900", "v_add_f32_e32 v0, v1, v2", [](Instruction& i) { i.src[1] = isa::code::literal, i.literal = 7; }, value,
     Part::src1},
    {"gfx900", "v_add_f32_e32 v0, v1, v2", [](Instruction& i) { i.literal = 7; }, superfluous, Part::literal},
    // Immediates.
    {"gfx900", "s_branch 5", [](Instruction& i) { i.imm = 40000; }, value, Part::imm},
    {"gfx900", "s_movk_i32 s0, 0x5", [](Instruction& i) { i.imm = -32769; }, value, Part::imm},
    {"gfx900", "s_nop 0", [](Instruction& i) { i.imm = 0x10000; }, value, Part::imm},
    {"gfx900", "s_endpgm", [](Instruction& i) { i.imm = -1; }, value, Part::imm},
    {"gfx803", "s_load_dword s0, s[2:3], 0x0", [](Instruction& i) { i.imm = -4; }, value, Part::imm},
    {"gfx900", "s_load_dword s0, s[2:3], 0x0", [](Instruction& i) { i.imm = 1 << 20; }, value, Part::imm},
    {"gfx700", "s_load_dword s0, s[2:3], 0x0", [](Instruction& i) { i.imm = 2; }, value, Part::imm},
    {"gfx700", "s_load_dword s0, s[2:3], 0x0", [](Instruction& i) { i.imm = 1024; }, value, Part::imm},
    {"gfx900", "ds_read_b32 v0, v1", [](Instruction& i) { i.imm = 65536; }, value, Part::imm},
    {"gfx900", "ds_read2_b32 v[0:1], v1", [](Instruction& i) { i.imm = 256; }, value, Part::imm},
    {"gfx900", "ds_read_b32 v0, v1", [](Instruction& i) { i.offset1 = 1; }, value, Part::imm},
    {"gfx900", "buffer_load_dword v0, off, s[8:11], s3", [](Instruction& i) { i.imm = 4096; }, value, Part::imm},
    {"gfx900", "global_load_dword v0, v[2:3], off", [](Instruction& i) { i.imm = 4096; }, value, Part::imm},
    {"gfx900", "global_load_dword v0, v[2:3], off", [](Instruction& i) { i.imm = -4097; }, value, Part::imm},
    {"gfx700", "flat_load_dword v0, v[2:3]", [](Instruction& i) { i.imm = 4; }, value, Part::imm},
    // Modifiers.
    {"gfx803", "v_mad_f16 v0, v1, v2, v3", [](Instruction& i) { i.op_sel = 1; }, superfluous, Part::op_sel},
    {"gfx900", "v_add_f32_e32 v0, v1, v2", [](Instruction& i) { i.clamp = true; }, superfluous, Part::clamp},
    {"gfx900", "v_add_f32_e32 v0, v1, v2", [](Instruction& i) { i.neg = 1; }, superfluous, Part::neg},
    {"gfx900", "v_and_b32_e64 v0, v1, v2", [](Instruction& i) { i.clamp = true; }, value, Part::clamp},
    {"gfx900", "v_and_b32_e64 v0, v1, v2", [](Instruction& i) { i.abs = 1; }, value, Part::abs},
    {"gfx900", "v_add_f32_e64 v0, v1, v2", [](Instruction& i) { i.omod = 4; }, value, Part::omod},
    {"gfx900", "v_add_f32_e64 v0, v1, v2", [](Instruction& i) { i.abs = 8; }, value, Part::abs},
    {"gfx900", "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf", [](Instruction& i) { i.dpp_ctrl = 512; },
     value, Part::dpp_ctrl},
    {"gfx900", "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf", [](Instruction& i) { i.row_mask = 16; },
     value, Part::row_mask},
    {"gfx803", "v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD",
     [](Instruction& i) { i.omod = 1; }, superfluous, Part::omod},
    {"gfx900", "s_dcache_inv", [](Instruction& i) { i.glc = true; }, superfluous, Part::glc},
    {"gfx90a", "buffer_load_dword v0, off, s[8:11], s3", [](Instruction& i) { i.tfe = true; }, superfluous, Part::tfe},
    {"gfx803", "buffer_load_dword v0, off, s[8:11], s3", [](Instruction& i) { i.addr64 = true; }, superfluous,
     Part::addr64},
    {"gfx908", "global_atomic_add_f32 v[0:1], v2, off", [](Instruction& i) { i.glc = true; }, value, Part::glc},
    {"gfx803", "image_load v[0:3], v0, s[0:7] dmask:0xf", [](Instruction& i) { i.a16 = true; }, superfluous, Part::a16},
    {"gfx900", "exp mrt0 v0, v1, v2, v3", [](Instruction& i) { i.imm = 64; }, value, Part::imm},
};

TEST(Encode, RefusesWhatDoesNotFit) {
  for (const Refusal& r : refusals) {
    Instruction i = assembled(r.target, r.text);
    r.change(i);
    const isa::Encoded e = isa::encode(i);
    EXPECT_EQ(e.size, 0) << r.target << " " << r.text << " became " << std::hex << e.words[0] << " " << e.words[1];
    EXPECT_EQ(int(e.error), int(r.error)) << r.target << " " << r.text << ": " << isa::describe(e, i);
    EXPECT_EQ(int(e.part), int(r.part)) << r.target << " " << r.text << ": " << isa::describe(e, i);
  }
}

TEST(Encode, SaysWhy) {
  const auto reason = [](const char* target, const char* text, void (*change)(Instruction&)) {
    Instruction i = assembled(target, text);
    change(i);
    return isa::describe(isa::encode(i), i);
  };
  EXPECT_EQ(reason("gfx900", "v_pk_add_f16 v0, v1, v2", [](Instruction& i) { i.target = isa::Target::gfx803; }),
            "gfx803 has no v_pk_add_f16");
  EXPECT_EQ(reason("gfx900", "v_cmp_eq_u32_e32 vcc, v0, v1", [](Instruction& i) { i.form = Form::dpp; }),
            "v_cmp_eq_u32 has no DPP form on gfx900");
  EXPECT_EQ(reason("gfx900", "v_add_f32_e64 v0, v1, v2", [](Instruction& i) { i.src[1] = isa::code::literal; }),
            "v_add_f32 cannot have this value as source 1 in its VOP3 form on gfx900");
  EXPECT_EQ(reason("gfx900", "s_dcache_inv", [](Instruction& i) { i.glc = true; }),
            "s_dcache_inv does not take glc on gfx900");
  EXPECT_EQ(isa::describe(isa::encode(assembled("gfx900", "s_endpgm")), assembled("gfx900", "s_endpgm")), "");
}

TEST(Encode, ReservedEncodingsAreMarked) {
  Instruction i = assembled("gfx900", "s_mov_b32 s0, s1");
  EXPECT_FALSE(isa::encode(i).reserved);
  i.src[0] = isa::code::null_;
  const isa::Encoded e = isa::encode(i);
  EXPECT_TRUE(e);
  EXPECT_TRUE(e.reserved);
}

// Every member but these takes part in encoding.
bool same(Instruction a, const Instruction& b) {
  a.size = b.size;
  a.reserved = b.reserved;
  a.encoding = b.encoding;
  return a == b;
}

// Values that a member may be given by mistake, more of the likely ones.
uint32_t any_value(std::mt19937_64& random) {
  constexpr uint32_t likely[] = {0,    1,    2,    3,     4,     15,     16,     63,         64,        100, 103,
                                 104,  106,  124,  125,   126,   127,    128,    192,        208,       240, 248,
                                 249,  250,  254,  255,   256,   257,    511,    512,        767,       768, 255,
                                 4095, 4096, 8191, 65535, 65536, 0xfffe, 0xffff, 0x80000000, 0xffffffff};
  return random() % 4 ? likely[random() % std::size(likely)] : uint32_t(random());
}

void change_one(Instruction& i, std::mt19937_64& random) {
  const uint32_t v = any_value(random);
  const auto set = [v]<class T>(T& member) {
    if constexpr (std::is_same_v<T, bool>)
      member = v & 1;
    else
      member = static_cast<T>(v);
  };
  switch (Part(1 + random() % uint64_t(Part::d16))) {
#define CROSSLANE_PART(name, member, words)                                                                            \
  case Part::name: set(i.member); break;
#include "isa/parts.inc"
#undef CROSSLANE_PART
  case Part::none: break;
  }
}

TEST(Encode, NothingComesBackAsSomethingElse) {
  const uint64_t seed = 1;
  std::mt19937_64 random(seed);
  std::vector<Instruction> seeds;
  for (int t = 0; t < int(isa::Target::count); ++t)
    for (int k = 0; k < 20'000; ++k) {
      uint32_t words[2] = {uint32_t(random()), uint32_t(random())};
      Instruction i;
      if (isa::decode(isa::Target(t), {reinterpret_cast<const uint8_t*>(words), sizeof words}, i))
        seeds.push_back(i);
    }
  long accepted = 0, refused = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    Instruction i = seeds[random() % seeds.size()];
    const int changes = 1 + int(random() % 3);
    for (int n = 0; n < changes; ++n)
      change_one(i, random);
    switch (random() % 16) {
    case 0: i.op = Op(random() % (uint64_t(Op::count) + 3)); break;
    case 1: i.target = isa::Target(random() % (uint64_t(isa::Target::count) + 2)); break;
    case 2: i.form = Form(random() % 6); break;
    }
    const isa::Encoded e = isa::encode(i);
    if (!e) {
      ++refused;
      ASSERT_NE(int(e.error), int(EncodeError::none));
      ASSERT_NE(isa::describe(e, i), "");
      continue;
    }
    ++accepted;
    Instruction back;
    ASSERT_EQ(isa::decode(i.target, e.bytes(), back), e.size);
    ASSERT_TRUE(same(i, back)) << "seed " << seed << ": " << isa::print(back);
  }
  EXPECT_GT(accepted, 50'000);
  EXPECT_GT(refused, 50'000);
}

} // namespace
} // namespace crosslane::tests
