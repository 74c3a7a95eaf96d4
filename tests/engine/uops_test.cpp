// What instructions are lowered to, as engine/uops.h shows it.
#include "engine/decode/waiting_loops.h"
#include "engine/executes.h"
#include "engine/uops.h"
#include "isa/decode.h"
#include "isa/instances.h"
#include "isa/parse.h"
#include "isa/print.h"
#include <gtest/gtest.h>

namespace crosslane::engine {
namespace {

std::string kinds_of(const isa::Instruction& inst) {
  std::string out;
  for (const LoweredUop& u : lowered(inst))
    out += (out.empty() ? "" : " ") + std::string(name(u.kind));
  return out;
}

isa::Instruction decoded(std::initializer_list<uint32_t> words, isa::Target target = isa::Target::gfx900) {
  isa::Instruction inst;
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.begin());
  EXPECT_EQ(isa::decode(target, std::span(bytes, words.size() * 4), inst), int(words.size()) * 4);
  return inst;
}

// Encodings by llvm-mc 19.
TEST(Uops, OperandsAreStagedAndResultsFinished) {
  EXPECT_EQ(kinds_of(decoded({0x02020702})), "vector");                           // v_add_f32 v1, v2, v3
  EXPECT_EQ(kinds_of(decoded({0xd1010001, 0x20020702})), "bits vector");          // v_add_f32_e64 v1, -v2, v3
  EXPECT_EQ(kinds_of(decoded({0xd1018001, 0x08020702})), "vector put_float put"); // ... clamp, mul:2
  EXPECT_EQ(kinds_of(decoded({0x020206fa, 0xff00b102})), "dpp vector dpp_end");   // quad_perm:[1,0,3,2]
  EXPECT_EQ(kinds_of(decoded({0x020206f9, 0x06051402})),
            "field vector put_field");                  // dst_sel:WORD_0, preserve, src0_sel:WORD_1
  EXPECT_EQ(kinds_of(decoded({0x80020100})), "scalar"); // s_add_u32 s2, s0, s1
  EXPECT_EQ(kinds_of(decoded({0xbf800000})), "");       // s_nop 0
}

TEST(Uops, PlacesAndConstants) {
  EXPECT_EQ(text(lowered(decoded({0x02020702}))[0]), "vector dst=v1 a=v2 b=v3 c=vcc_lo flags=vcc_lo");
  EXPECT_EQ(text(lowered(decoded({0x8002c100}))[0]), "scalar dst=s2 a=s0 k1=0xffffffff"); // s_add_u32 s2, s0, -1
  EXPECT_EQ(text(lowered(decoded({0xbefe0180}))[0]), "scalar dst=exec_lo");               // s_mov_b64 exec, 0
}

// An instruction that is executed is lowered to something, or is known to do nothing; one that is not is lowered to
// nothing.
TEST(Uops, EveryForm) {
  for (const isa::Target target : {isa::Target::gfx600, isa::Target::gfx803, isa::Target::gfx906, isa::Target::gfx90a})
    for (size_t o = 0; o < isa::rows().size(); ++o)
      for (const isa::Instruction& inst : isa::instances(isa::Op(o), target)) {
        const auto uops = lowered(inst);
        if (!executes(inst))
          EXPECT_TRUE(uops.empty()) << isa::rows()[o].mnemonic;
        for (const LoweredUop& u : uops) {
          EXPECT_FALSE(name(u.kind).empty());
          EXPECT_NE(u.kind, UopKind::link);
        }
        const auto encoding = isa::rows()[o].encoding;
        const bool computes = encoding >= isa::Encoding::VOP1 && encoding <= isa::Encoding::VOP3P;
        if (computes && executes(inst) && isa::row(inst.op).dst != isa::Type::None)
          EXPECT_FALSE(uops.empty()) << isa::rows()[o].mnemonic;
      }
}

bool looks_like_waiting(const char* look) {
  const isa::Parsed inst = isa::parse(isa::Target::gfx900, look);
  EXPECT_TRUE(inst) << look << ": " << inst.error.message;
  WaitingLoops loops;
  loops.pass(inst.instruction, 8);
  return loops.cost(10, 8) > 0;
}

TEST(Uops, LoopsThatLookAtWhatOthersWriteLookLikeWaiting) {
  for (const char* look : {
           "s_load_dword s4, s[2:3], 0x0 glc",
           "flat_load_dword v4, v[2:3] glc",
           "flat_atomic_add v4, v[2:3], v5 glc",
           "global_load_dword v4, v[2:3], off glc",
           "buffer_load_dword v4, v2, s[8:11], 0 offen glc",
           "tbuffer_load_format_x v4, v2, s[8:11], 0 offen glc",
           "image_load v4, v[2:3], s[8:15] dmask:0x1 unorm glc",
           "ds_read_b32 v4, v2",
           "ds_add_rtn_u32 v4, v2, v5",
           "ds_read_b32 v4, v2 gds",
       })
    EXPECT_TRUE(looks_like_waiting(look)) << look;
  for (const char* other : {
           "s_load_dword s4, s[2:3], 0x0",
           "s_scratch_load_dword s4, s[2:3], 0x0 glc", // the wave's own memory
           "scratch_load_dword v4, v2, off glc", "s_store_dword s4, s[2:3], 0x0 glc", "flat_load_dword v4, v[2:3]",
           "flat_atomic_add v[2:3], v5", "global_store_dword v[2:3], v4, off glc",
           "buffer_store_dword v4, v2, s[8:11], 0 offen glc", "tbuffer_store_format_x v4, v2, s[8:11], 0 offen glc",
           "ds_write_b32 v2, v4",
           "ds_swizzle_b32 v4, v2 offset:0x401f", // lanes, not memory
       })
    EXPECT_FALSE(looks_like_waiting(other)) << other;
}

} // namespace
} // namespace crosslane::engine
