// Integer rows of the vector ALU against LLVM's constant folder.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

const std::vector<Fold> logic = {
    {"v_mov_b32", "%r = freeze i32 %a"},
    {"v_accvgpr_read_b32", "%r = freeze i32 %a"},
    {"v_accvgpr_write_b32", "%r = freeze i32 %a"},
    {"v_accvgpr_mov_b32", "%r = freeze i32 %a"},
    {"v_pk_mov_b32", "%l = and i64 %a, 4294967295; %h = shl i64 %b, 32; %r = or i64 %l, %h"},
    {"v_cndmask_b32", "%r = select i1 %mask, i32 %b, i32 %a"},
    {"v_not_b32", "%r = xor i32 %a, -1"},
    {"v_and_b32", "%r = and i32 %a, %b"},
    {"v_or_b32", "%r = or i32 %a, %b"},
    {"v_xor_b32", "%r = xor i32 %a, %b"},
    {"v_xnor_b32", "%x = xor i32 %a, -1; %r = xor i32 %x, %b"},
    {"v_and_or_b32", "%x = and i32 %a, %b; %r = or i32 %x, %c"},
    {"v_or3_b32", "%x = or i32 %b, %c; %r = or i32 %x, %a"},
    {"v_bfi_b32", "%x = xor i32 %b, %c; %y = and i32 %x, %a; %r = xor i32 %y, %c"},
    {"v_xad_u32", "%x = xor i32 %a, %b; %r = add i32 %x, %c"},
    // A masked shift is a funnel shift of the value with zero.
    {"v_lshlrev_b32", "%r = call i32 @llvm.fshl.i32(i32 %b, i32 0, i32 %a)"},
    {"v_lshrrev_b32", "%r = call i32 @llvm.fshr.i32(i32 0, i32 %b, i32 %a)"},
    {"v_ashrrev_i32", "%s = ashr i32 %b, 31; %r = call i32 @llvm.fshr.i32(i32 %s, i32 %b, i32 %a)"},
    {"v_lshl_b32", "%r = call i32 @llvm.fshl.i32(i32 %a, i32 0, i32 %b)"},
    {"v_lshr_b32", "%r = call i32 @llvm.fshr.i32(i32 0, i32 %a, i32 %b)"},
    {"v_ashr_i32", "%s = ashr i32 %a, 31; %r = call i32 @llvm.fshr.i32(i32 %s, i32 %a, i32 %b)"},
    {"v_lshl_or_b32", "%x = call i32 @llvm.fshl.i32(i32 %a, i32 0, i32 %b); %r = or i32 %x, %c"},
    {"v_lshl_add_u32", "%x = call i32 @llvm.fshl.i32(i32 %a, i32 0, i32 %b); %r = add i32 %x, %c"},
    {"v_add_lshl_u32", "%x = add i32 %a, %b; %r = call i32 @llvm.fshl.i32(i32 %x, i32 0, i32 %c)"},
    {"v_alignbit_b32", "%r = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %c)"},
    {"v_alignbyte_b32",
     "%n = mul i32 %c, 8; %m = and i32 %n, 24; %r = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %m)"},
    {"v_perm_b32", "%r = call i32 @llvm.amdgcn.perm(i32 %a, i32 %b, i32 %c)"},
    {"v_bfm_b32", "%o = call i32 @llvm.fshl.i32(i32 1, i32 0, i32 %a); %m = sub i32 %o, 1;"
                  "%r = call i32 @llvm.fshl.i32(i32 %m, i32 0, i32 %b)"},
    {"v_bfrev_b32", "%r = call i32 @llvm.bitreverse.i32(i32 %a)"},
    {"v_bcnt_u32_b32", "%n = call i32 @llvm.ctpop.i32(i32 %a); %r = add i32 %n, %b"},
    {"v_ffbh_u32", "%n = call i32 @llvm.ctlz.i32(i32 %a, i1 false); %z = icmp eq i32 %n, 32;"
                   "%r = select i1 %z, i32 -1, i32 %n"},
    {"v_ffbl_b32", "%n = call i32 @llvm.cttz.i32(i32 %a, i1 false); %z = icmp eq i32 %n, 32;"
                   "%r = select i1 %z, i32 -1, i32 %n"},
    {"v_ffbh_i32", "%s = ashr i32 %a, 1; %x = xor i32 %s, %a; %n = call i32 @llvm.ctlz.i32(i32 %x, i1 false);"
                   "%z = icmp eq i32 %n, 32; %r = select i1 %z, i32 -1, i32 %n"},
    {"v_sat_pk_u8_i16",
     "%v = bitcast i32 %a to <2 x i16>; %p = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %v, <2 x i16> zeroinitializer);"
     "%q = call <2 x i16> @llvm.umin.v2i16(<2 x i16> %p, <2 x i16> <i16 255, i16 255>);"
     "%t = trunc <2 x i16> %q to <2 x i8>; %w = bitcast <2 x i8> %t to i16; %r = zext i16 %w to i32"},
};

const std::vector<Fold> sums = {
    {"v_add_u32", "%r = add i32 %a, %b"},
    {"v_sub_u32", "%r = sub i32 %a, %b"},
    {"v_subrev_u32", "%r = sub i32 %b, %a"},
    {"v_add_i32", "%r = add i32 %a, %b"},
    {"v_sub_i32", "%r = sub i32 %a, %b"},
    {"v_add3_u32", "%x = add i32 %b, %c; %r = add i32 %a, %x"},
    {"v_add_co_u32", "%p = call {i32, i1} @llvm.uadd.with.overflow.i32(i32 %a, i32 %b);"
                     "%r = extractvalue {i32, i1} %p, 0; %f = extractvalue {i32, i1} %p, 1"},
    {"v_sub_co_u32", "%p = call {i32, i1} @llvm.usub.with.overflow.i32(i32 %a, i32 %b);"
                     "%r = extractvalue {i32, i1} %p, 0; %f = extractvalue {i32, i1} %p, 1"},
    {"v_subrev_co_u32", "%p = call {i32, i1} @llvm.usub.with.overflow.i32(i32 %b, i32 %a);"
                        "%r = extractvalue {i32, i1} %p, 0; %f = extractvalue {i32, i1} %p, 1"},
    // With a carry in: 33 bits.
    {"v_addc_co_u32",
     "%x = zext i32 %a to i33; %y = zext i32 %b to i33; %m = zext i1 %mask to i33; %s = add i33 %x, %y;"
     "%t = add i33 %s, %m; %r = trunc i33 %t to i32; %f = icmp slt i33 %t, 0"},
    {"v_subb_co_u32",
     "%x = zext i32 %a to i34; %y = zext i32 %b to i34; %m = zext i1 %mask to i34; %s = sub i34 %x, %y;"
     "%t = sub i34 %s, %m; %r = trunc i34 %t to i32; %f = icmp slt i34 %t, 0"},
    {"v_subbrev_co_u32", "%x = zext i32 %b to i34; %y = zext i32 %a to i34; %m = zext i1 %mask to i34;"
                         "%s = sub i34 %x, %y; %t = sub i34 %s, %m; %r = trunc i34 %t to i32; %f = icmp slt i34 %t, 0"},
};

#define WIDE(kind, low) "%x = " kind " i32 %a to i64; %y = " kind " i32 %b to i64; %p = mul i64 %x, %y;" low
#define HIGH "%h = lshr i64 %p, 32; %r = trunc i64 %h to i32"
#define CUT(kind, rest)                                                                                                \
  "%t = trunc i32 %a to i24; %u = trunc i32 %b to i24; %x = " kind " i24 %t to i64; %y = " kind " i24 %u to i64;"      \
  "%p = mul i64 %x, %y;" rest
const std::vector<Fold> products = {
    {"v_mul_lo_u32", "%r = mul i32 %a, %b"},
    {"v_mul_lo_i32", "%r = mul i32 %a, %b"},
    {"v_mul_hi_u32", WIDE("zext", HIGH)},
    {"v_mul_hi_i32", WIDE("sext", HIGH)},
    {"v_mul_u32_u24", CUT("zext", "%r = trunc i64 %p to i32")},
    {"v_mul_i32_i24", CUT("sext", "%r = trunc i64 %p to i32")},
    {"v_mul_hi_u32_u24", CUT("zext", HIGH)},
    {"v_mul_hi_i32_i24", CUT("sext", HIGH)},
    {"v_mad_u32_u24", CUT("zext", "%q = trunc i64 %p to i32; %r = add i32 %q, %c")},
    {"v_mad_i32_i24", CUT("sext", "%q = trunc i64 %p to i32; %r = add i32 %q, %c")},
    {"v_mad_u64_u32", "%x = zext i32 %a to i65; %y = zext i32 %b to i65; %z = zext i64 %c to i65; %p = mul i65 %x, %y;"
                      "%s = add i65 %p, %z; %r = trunc i65 %s to i64; %f = icmp slt i65 %s, 0"},
    {"v_mad_i64_i32", "%x = sext i32 %a to i65; %y = sext i32 %b to i65; %z = sext i64 %c to i65; %p = mul i65 %x, %y;"
                      "%s = add i65 %p, %z; %r = trunc i65 %s to i64; %f = icmp slt i65 %s, 0"},
    {"v_mad_u32_u16", "%x = zext i16 %a to i32; %y = zext i16 %b to i32; %p = mul i32 %x, %y; %r = add i32 %p, %c"},
    {"v_mad_i32_i16", "%x = sext i16 %a to i32; %y = sext i16 %b to i32; %p = mul i32 %x, %y; %r = add i32 %p, %c"},
};
#undef WIDE
#undef HIGH
#undef CUT

// Minimum, maximum, median of three (by sorting: the sum less both ends), for i16 and i32, signed and unsigned.
std::vector<Fold> extremes() {
  std::vector<Fold> list;
  for (const std::string sign : {"u", "i"})
    for (const std::string width : {"16", "32"}) {
      const std::string type = "i" + width, s = sign == "u" ? "u" : "s";
      const auto pick = [&](const char* to, const char* which, const char* x, const char* y) {
        return "%" + std::string(to) + " = call " + type + " @llvm." + s + which + "." + type + "(" + type + " %" + x +
               ", " + type + " %" + y + ");";
      };
      const std::string suffix = sign + width;
      for (const char* which : {"min", "max"}) {
        list.push_back({"v_" + std::string(which) + "_" + suffix, pick("r", which, "a", "b")});
        list.push_back(
            {"v_" + std::string(which) + "3_" + suffix, pick("x", which, "b", "c") + pick("r", which, "a", "x")});
      }
      list.push_back({"v_med3_" + suffix, pick("x", "min", "a", "b") + pick("l", "min", "x", "c") +
                                              pick("y", "max", "a", "b") + pick("h", "max", "y", "c") + "%p = xor " +
                                              type + " %a, %b; %q = xor " + type + " %p, %c; %v = xor " + type +
                                              " %q, %l; %r = xor " + type + " %v, %h"});
    }
  return list;
}

const std::vector<Fold> fields = {
    // Shifts past the width cannot be: offset and width have five bits.
    {"v_bfe_u32", "%o = and i32 %b, 31; %w = and i32 %c, 31; %s = lshr i32 %a, %o; %n = shl i32 -1, %w;"
                  "%m = xor i32 %n, -1; %r = and i32 %s, %m"},
    {"v_bfe_i32",
     "%o = and i32 %b, 31; %w = and i32 %c, 31; %s = ashr i32 %a, %o; %x = sext i32 %s to i64;"
     "%u = zext i32 %w to i64; %n = sub i64 64, %u; %k = and i64 %n, 63; %l = shl i64 %x, %k;"
     "%h = ashr i64 %l, %k; %t = trunc i64 %h to i32; %z = icmp eq i32 %w, 0; %r = select i1 %z, i32 0, i32 %t"},
};

const std::vector<Fold> halves = {
    {"v_add_u16", "%r = add i16 %a, %b"},
    {"v_sub_u16", "%r = sub i16 %a, %b"},
    {"v_subrev_u16", "%r = sub i16 %b, %a"},
    {"v_add_i16", "%r = add i16 %a, %b"},
    {"v_sub_i16", "%r = sub i16 %a, %b"},
    {"v_mul_lo_u16", "%r = mul i16 %a, %b"},
    {"v_lshlrev_b16", "%r = call i16 @llvm.fshl.i16(i16 %b, i16 0, i16 %a)"},
    {"v_lshrrev_b16", "%r = call i16 @llvm.fshr.i16(i16 0, i16 %b, i16 %a)"},
    {"v_ashrrev_i16", "%s = ashr i16 %b, 15; %r = call i16 @llvm.fshr.i16(i16 %s, i16 %b, i16 %a)"},
    {"v_mad_u16", "%p = mul i16 %a, %b; %r = add i16 %p, %c"},
    {"v_mad_i16", "%p = mul i16 %a, %b; %r = add i16 %p, %c"},
    {"v_mad_legacy_u16", "%p = mul i16 %a, %b; %r = add i16 %p, %c"},
    {"v_mad_legacy_i16", "%p = mul i16 %a, %b; %r = add i16 %p, %c"},
    {"v_lshlrev_b64", "%n = zext i32 %a to i64; %r = call i64 @llvm.fshl.i64(i64 %b, i64 0, i64 %n)"},
    {"v_lshrrev_b64", "%n = zext i32 %a to i64; %r = call i64 @llvm.fshr.i64(i64 0, i64 %b, i64 %n)"},
    {"v_ashrrev_i64",
     "%n = zext i32 %a to i64; %s = ashr i64 %b, 63; %r = call i64 @llvm.fshr.i64(i64 %s, i64 %b, i64 %n)"},
    {"v_lshl_b64", "%n = zext i32 %b to i64; %r = call i64 @llvm.fshl.i64(i64 %a, i64 0, i64 %n)"},
    {"v_lshr_b64", "%n = zext i32 %b to i64; %r = call i64 @llvm.fshr.i64(i64 0, i64 %a, i64 %n)"},
    {"v_ashr_i64", "%n = zext i32 %b to i64; %s = ashr i64 %a, 63;"
                   "%r = call i64 @llvm.fshr.i64(i64 %s, i64 %a, i64 %n)"},
};

const std::vector<Fold> mins = extremes();
const Asked asked[] = {{Outside::llvm, logic},  {Outside::llvm, sums}, {Outside::llvm, products},
                       {Outside::llvm, fields}, {Outside::llvm, mins}, {Outside::llvm, halves}};
TEST(LlvmInteger, Logic) { expect_folds(logic); }
TEST(LlvmInteger, Sums) { expect_folds(sums); }
TEST(LlvmInteger, Products) { expect_folds(products); }
TEST(LlvmInteger, Extremes) { expect_folds(mins); }
TEST(LlvmInteger, Fields) { expect_folds(fields, 5000); }
TEST(LlvmInteger, HalvesAndPairs) { expect_folds(halves); }

} // namespace
} // namespace crosslane::test
