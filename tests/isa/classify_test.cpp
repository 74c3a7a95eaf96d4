// What isa/classify.h and isa/matrix.h say, by hand and against the names of the rows, which no other code reads.
// classify_llvm_test.cpp asks LLVM.
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/image.h"
#include "isa/instances.h"
#include "isa/matrix.h"
#include "isa/parse.h"
#include "isa/shape.h"
#include <charconv>
#include <gtest/gtest.h>

namespace crosslane::isa {
namespace {

Instruction parsed(std::string_view line, Target t = Target::gfx900) {
  const auto result = parse(t, line);
  EXPECT_TRUE(result) << line << ": " << result.error.message;
  return result.instruction;
}

TEST(Classify, Units) {
  const struct {
    Unit unit;
    const char* line;
  } cases[] = {
      {Unit::salu, "s_add_u32 s0, s1, s2"},
      {Unit::salu, "s_set_gpr_idx_off"},
      {Unit::salu, "s_getpc_b64 s[0:1]"},
      {Unit::branch, "s_cbranch_scc0 2"},
      {Unit::branch, "s_setpc_b64 s[0:1]"},
      {Unit::branch, "s_cbranch_join s0"},
      {Unit::branch, "s_trap 2"},
      {Unit::message, "s_sendmsg 1"},
      {Unit::internal, "s_waitcnt 0"},
      {Unit::internal, "s_barrier"},
      {Unit::internal, "s_endpgm"},
      {Unit::smem, "s_memtime s[0:1]"},
      {Unit::valu, "v_interp_p1_f32 v0, v1, attr0.x"},
      {Unit::lds, "ds_bpermute_b32 v0, v1, v2"},
      {Unit::gds, "ds_add_u32 v0, v1 gds"},
      {Unit::flat, "global_load_dword v0, v[2:3], off"},
      {Unit::vmem, "buffer_wbinvl1"},
      {Unit::export_, "exp mrt0 v0, v0, v0, v0"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(unit(parsed(c.line)), c.unit) << c.line;
}

struct Use {
  Target target;
  const char* line;
  Space spaces;
  bool loads, stores, atomic, returns;
};

TEST(Classify, Memory) {
  using enum Target;
  const Use cases[] = {
      {gfx900, "s_load_dword s0, s[2:3], 0x0", Space::global, true, false, false, true},
      {gfx900, "s_scratch_store_dword s0, s[2:3], 0x0", Space::scratch, false, true, false, false},
      {gfx900, "s_atomic_add s0, s[2:3], 0x0 glc", Space::global, true, true, true, true},
      {gfx900, "s_memtime s[0:1]", Space::none, false, false, false, false},
      {gfx900, "s_dcache_wb", Space::none, false, false, false, false},
      {gfx900, "flat_load_dword v0, v[2:3]", Space::global | Space::scratch | Space::lds, true, false, false, true},
      {gfx900, "global_atomic_add v[2:3], v0, off", Space::global, true, true, true, false},
      {gfx900, "global_atomic_add v1, v[2:3], v0, off glc", Space::global, true, true, true, true},
      {gfx900, "global_load_dword v[2:3], off lds", Space::global | Space::lds, true, true, false, false},
      {gfx900, "scratch_store_dword v0, v1, off", Space::scratch, false, true, false, false},
      {gfx900, "buffer_load_dword v0, off, s[0:3], 0", Space::global | Space::scratch, true, false, false, true},
      {gfx900, "buffer_wbinvl1_vol", Space::none, false, false, false, false},
      {gfx900, "image_load v0, v1, s[0:7] dmask:0x1", Space::global, true, false, false, true},
      {gfx900, "image_get_resinfo v0, v1, s[0:7] dmask:0x1", Space::none, false, false, false, false},
      {gfx900, "image_atomic_add v0, v1, s[0:7] dmask:0x1 glc", Space::global, true, true, true, true},
      {gfx900, "ds_write_b32 v0, v1", Space::lds, false, true, false, false},
      {gfx900, "ds_write_src2_b32 v0", Space::lds, true, true, false, false},
      {gfx900, "ds_add_rtn_u32 v0, v1, v2 gds", Space::gds, true, true, true, true},
      {gfx900, "ds_append v0", Space::lds, true, true, true, true},
      {gfx900, "ds_swizzle_b32 v0, v1", Space::none, false, false, false, false},
      {gfx900, "v_add_f32 v0, v1, v2", Space::none, false, false, false, false},
  };
  for (const Use& c : cases) {
    const MemoryUse m = memory_use(parsed(c.line, c.target));
    EXPECT_EQ(m.spaces, c.spaces) << c.line;
    EXPECT_EQ(m.loads, c.loads) << c.line;
    EXPECT_EQ(m.stores, c.stores) << c.line;
    EXPECT_EQ(m.atomic, c.atomic) << c.line;
    EXPECT_EQ(m.returns, c.returns) << c.line;
  }
}

TEST(Classify, EveryAccessHasItsKind) {
  for (const Row& r : rows()) {
    const bool named = r.mnemonic.find("atomic_") != std::string_view::npos;
    if (named)
      EXPECT_TRUE(is_atomic(r.access)) << r.mnemonic;
    EXPECT_LE(int(is_atomic(r.access)) + int(is_load(r.access)) + int(is_store(r.access)), 1) << r.mnemonic;
    if (r.mnemonic.find("_load") != std::string_view::npos || r.mnemonic.find("_read") != std::string_view::npos)
      EXPECT_TRUE(is_load(r.access) || r.encoding < Encoding::SMEM || r.encoding == Encoding::VOP1 ||
                  r.encoding == Encoding::VOP3 || r.encoding == Encoding::VOP3P)
          << r.mnemonic;
    if (r.mnemonic.find("_store") != std::string_view::npos)
      EXPECT_TRUE(is_store(r.access)) << r.mnemonic;
  }
}

TEST(Classify, Waits) {
  const auto of = [](std::string_view line, Target t = Target::gfx900) {
    std::string text;
    for (const Raised& r : waits(parsed(line, t)))
      text += r.counter == Counter::vm ? "vm " : r.counter == Counter::lgkm ? "lgkm " : "exp ";
    return text;
  };
  EXPECT_EQ(of("s_load_dword s0, s[2:3], 0x0"), "lgkm ");
  EXPECT_EQ(of("ds_read_b32 v0, v1"), "lgkm ");
  EXPECT_EQ(of("ds_read_b32 v0, v1 gds"), "lgkm exp ");
  EXPECT_EQ(of("flat_store_dword v[0:1], v2"), "vm lgkm ");
  EXPECT_EQ(of("global_store_dword v[0:1], v2, off"), "vm ");
  EXPECT_EQ(of("buffer_store_dword v0, off, s[0:3], 0"), "vm ");
  EXPECT_EQ(of("buffer_store_dword v0, off, s[0:3], 0", Target::gfx600), "vm exp ");
  EXPECT_EQ(of("buffer_load_dword v0, off, s[0:3], 0", Target::gfx600), "vm ");
  EXPECT_EQ(of("buffer_store_dword v0, off, s[0:3], 0", Target::gfx700), "vm ");
  EXPECT_EQ(of("buffer_wbinvl1_vol"), "");
  EXPECT_EQ(of("buffer_wbl2", Target::gfx90a), "vm ");
  EXPECT_EQ(of("exp mrt0 v0, v0, v0, v0"), "exp ");
  EXPECT_EQ(of("s_sendmsg 1"), "lgkm ");
  EXPECT_EQ(of("v_mov_b32_e32 v0, v1"), "");
  EXPECT_EQ(of("s_waitcnt 0"), "");
  EXPECT_FALSE(in_order(Counted::smem) || in_order(Counted::flat));
  EXPECT_TRUE(in_order(Counted::vmem) && in_order(Counted::lds));
}

// Against what the operation computes, bit by bit.
TEST(Classify, MaskOperations) {
  const auto apply = [](MaskOp op, unsigned s, unsigned e) -> unsigned {
    switch (op) {
    case MaskOp::none: return e;
    case MaskOp::and_: return s & e;
    case MaskOp::andn1: return ~s & e;
    case MaskOp::andn2: return s & ~e;
    case MaskOp::or_: return s | e;
    case MaskOp::orn1: return ~s | e;
    case MaskOp::orn2: return s | ~e;
    case MaskOp::xor_: return s ^ e;
    case MaskOp::xnor: return ~(s ^ e);
    case MaskOp::nand: return ~(s & e);
    case MaskOp::nor: return ~(s | e);
    }
    return 0;
  };
  int found = 0;
  for (size_t o = 0; o < rows().size(); ++o) {
    const std::string_view name = rows()[o].mnemonic;
    const bool saves = name.find("_saveexec_") != std::string_view::npos, writes = name.find("_wrexec_") != name.npos;
    EXPECT_EQ(exec_mask_op(Op(o)) != MaskOp::none, saves || writes) << name;
    if (!saves && !writes)
      continue;
    ++found;
    for (const Instruction& i : instances(Op(o), Target::gfx900)) {
      bool narrows = true;
      for (unsigned bits = 0; bits < 4; ++bits)
        narrows &= (apply(exec_mask_op(i.op), bits & 1, bits >> 1) & 1 & ~(bits >> 1)) == 0;
      EXPECT_EQ(narrows_exec(i), narrows) << name;
      EXPECT_EQ(saves_exec(i), saves) << name;
      EXPECT_TRUE(writes_exec(i)) << name;
    }
  }
  EXPECT_EQ(found, 12);
}

TEST(Classify, ExecWritten) {
  const struct {
    const char* line;
    bool writes, narrows;
  } cases[] = {
      {"s_mov_b64 exec, s[0:1]", true, false},
      {"s_mov_b64 exec, exec", true, true},
      {"s_mov_b32 exec_hi, s0", true, false},
      {"s_and_b64 exec, exec, s[0:1]", true, true},
      {"s_and_b64 exec, s[0:1], exec", true, true},
      {"s_and_b64 exec, s[0:1], s[2:3]", true, false},
      {"s_andn2_b64 exec, exec, s[0:1]", true, true},
      {"s_andn2_b64 exec, s[0:1], exec", true, false},
      {"s_or_b64 exec, exec, s[0:1]", true, false},
      {"s_and_b32 exec_lo, exec_lo, s0", true, true},
      {"s_and_b32 exec_lo, exec_hi, s0", true, false},
      {"v_cmpx_lt_f32 vcc, v0, v1", true, true},
      {"v_cmp_lt_f32 vcc, v0, v1", false, false},
      {"s_cbranch_g_fork s[0:1], s[2:3]", true, true},
      {"s_cbranch_join s0", true, false},
      {"s_sendmsg 10", true, false},
      {"s_sendmsg 1", false, false},
      {"s_and_b64 s[0:1], exec, s[0:1]", false, false},
      {"v_add_f32 v0, v1, v2", false, false},
  };
  for (const auto& c : cases) {
    const Instruction i = parsed(c.line);
    EXPECT_EQ(writes_exec(i), c.writes) << c.line;
    EXPECT_EQ(narrows_exec(i), c.narrows) << c.line;
  }
}

TEST(Classify, Transcendental) {
  for (const Row& r : rows()) {
    bool named = false;
    for (const std::string_view start : {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"})
      named |= r.mnemonic.starts_with(start);
    EXPECT_EQ(is_transcendental(r), named) << r.mnemonic;
    EXPECT_EQ(is_mixed(r), r.mnemonic.find("_mix") != std::string_view::npos) << r.mnemonic;
    EXPECT_EQ(writes_hwreg(r), r.mnemonic.starts_with("s_setreg_")) << r.mnemonic;
    EXPECT_EQ(is_scalar_scratch(Op(&r - rows().data())), r.mnemonic.starts_with("s_scratch_")) << r.mnemonic;
  }
}

// Vega ISA manual, table 38: the suffixes of image_sample and image_gather4.
TEST(Classify, ImagesAreWhatTheirNamesSay) {
  using enum ImageTrait;
  for (size_t o = 0; o < rows().size(); ++o) {
    const Row& r = rows()[o];
    if (r.encoding != Encoding::MIMG) {
      EXPECT_EQ(image_traits(Op(o)), ImageTrait::none) << r.mnemonic;
      continue;
    }
    ImageTrait expected = r.mnemonic.starts_with("image_gather4") ? gather : ImageTrait::none;
    for (size_t at = r.mnemonic.find('_'); at != std::string_view::npos; at = r.mnemonic.find('_', at + 1)) {
      const std::string_view rest = r.mnemonic.substr(at + 1), word = rest.substr(0, rest.find('_'));
      expected = expected | (word == "mip"                 ? mip
                             : word == "pck"               ? raw
                             : word == "sgn"               ? sign_extends
                             : word == "c"                 ? ImageTrait::compare
                             : word == "o"                 ? offset
                             : word == "b"                 ? bias
                             : word == "d" || word == "cd" ? derivatives
                             : word == "l"                 ? lod
                             : word == "lz"                ? level_zero
                             : word == "cl"                ? clamp
                                                           : ImageTrait::none);
    }
    EXPECT_EQ(image_traits(Op(o)), expected) << r.mnemonic;
  }
}

TEST(Classify, Reversed) {
  for (size_t o = 0; o < rows().size(); ++o) {
    const Row& r = rows()[o];
    const bool vector = is_vector(r.encoding) && r.encoding != Encoding::VOP1;
    EXPECT_EQ(shape(Op(o)).reversed, vector && r.mnemonic.find("rev_") != std::string_view::npos) << r.mnemonic;
  }
}

// v_mfma_<sums>_<m>x<n>x<k><items>[_1k]
TEST(Matrix, IsWhatItsNameSays) {
  int found = 0;
  for (size_t o = 0; o < rows().size(); ++o) {
    const Row& r = rows()[o];
    const Matrix x = matrix(Op(o));
    EXPECT_EQ(is_matrix(Op(o)), r.mnemonic.starts_with("v_mfma_")) << r.mnemonic;
    if (!is_matrix(Op(o)))
      continue;
    ++found;
    const char* at = r.mnemonic.data() + 11;
    const char* const end = r.mnemonic.data() + r.mnemonic.size();
    for (const int size : {x.m, x.n, x.k}) {
      int n = 0;
      at = std::from_chars(at, end, n).ptr;
      EXPECT_EQ(n, size) << r.mnemonic;
      at += *at == 'x';
    }
    constexpr std::string_view names[] = {"", "f16", "bf16", "f32", "f64", "i8"};
    EXPECT_TRUE(std::string_view(at, end).starts_with(names[size_t(x.item)])) << r.mnemonic;
    EXPECT_EQ(x.results() * (x.item == MatrixItem::f64 ? 2 : 1), dwords(r.dst)) << r.mnemonic;
    EXPECT_EQ(std::max(4, x.items() * x.item_bytes()), 4 * dwords(r.src[0])) << r.mnemonic;
    EXPECT_EQ(r.dst, r.src[2]) << r.mnemonic;
  }
  EXPECT_EQ(found, 27);
  EXPECT_EQ(matrix(Op::v_mfma_f32_32x32x1f32).passes(), 16);
  EXPECT_EQ(matrix(Op::v_mfma_f32_16x16x16f16).passes(), 8);
  EXPECT_EQ(matrix(Op::v_mfma_i32_4x4x4i8).passes(), 2);
  EXPECT_EQ(matrix(Op::v_mfma_f64_16x16x4f64).passes(), 8);
  EXPECT_EQ(matrix(Op::v_mfma_f64_4x4x4f64).passes(), 4);
}

} // namespace
} // namespace crosslane::isa
