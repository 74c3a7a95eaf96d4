// Scalar ALU rows against LLVM's constant folder. SCC is %f; s_cmpk has the immediate as %b, other SOPK as %a.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

// Rows in 32 and 64 bits: $B is the width.
std::vector<Fold> both(const std::vector<Fold>& list) {
  std::vector<Fold> all;
  for (const std::string bits : {"32", "64"})
    for (Fold fold : list) {
      for (std::string* text : {&fold.row, &fold.body})
        for (size_t at = 0; (at = text->find("$B", at)) != std::string::npos;)
          text->replace(at, 2, bits);
      all.push_back(std::move(fold));
    }
  return all;
}
#define NONZERO ";%f = icmp ne i$B %r, 0"
#define NONZERO32 ";%f = icmp ne i32 %r, 0"
#define NARROW "%w = zext i$B %n to i65; %r = trunc i65 %w to i32;"
const std::vector<Fold> logic = both({
    {"s_mov_b$B", "%r = freeze i$B %a"},
    {"s_cmov_b$B", "%r = select i1 %mask, i$B %a, i$B %old"},
    {"s_cselect_b$B", "%r = select i1 %mask, i$B %a, i$B %b"},
    {"s_and_b$B", "%r = and i$B %a, %b" NONZERO},
    {"s_or_b$B", "%r = or i$B %a, %b" NONZERO},
    {"s_xor_b$B", "%r = xor i$B %a, %b" NONZERO},
    {"s_andn2_b$B", "%n = xor i$B %b, -1; %r = and i$B %a, %n" NONZERO},
    {"s_orn2_b$B", "%n = xor i$B %b, -1; %r = or i$B %a, %n" NONZERO},
    {"s_nand_b$B", "%n = and i$B %a, %b; %r = xor i$B %n, -1" NONZERO},
    {"s_nor_b$B", "%n = or i$B %a, %b; %r = xor i$B %n, -1" NONZERO},
    {"s_xnor_b$B", "%n = xor i$B %a, -1; %r = xor i$B %n, %b" NONZERO},
    {"s_not_b$B", "%r = xor i$B %a, -1" NONZERO},
    {"s_bcnt1_i32_b$B", "%n = call i$B @llvm.ctpop.i$B(i$B %a);" NARROW "%f = icmp ne i$B %a, 0"},
    {"s_bcnt0_i32_b$B", "%x = xor i$B %a, -1; %n = call i$B @llvm.ctpop.i$B(i$B %x);" NARROW "%f = icmp ne i$B %x, 0"},
    {"s_brev_b$B", "%r = call i$B @llvm.bitreverse.i$B(i$B %a)"},
    {"s_wqm_b$B", "%r = call i$B @llvm.amdgcn.s.wqm.i$B(i$B %a)" NONZERO},
    {"s_quadmask_b$B", "%r = call i$B @llvm.amdgcn.s.quadmask.i$B(i$B %a)" NONZERO},
});

// Positions from either end; the width becomes -1. By way of i65, as a truncation to the same width is no IR.
#define COUNT(source, count)                                                                                           \
  source "%n = call i$B @llvm." count ".i$B(i$B %x, i1 false); %z = icmp eq i$B %n, $B;"                               \
         "%m = select i1 %z, i$B -1, i$B %n; %w = sext i$B %m to i65; %r = trunc i65 %w to i32"
std::vector<Fold> counts() {
  std::vector<Fold> list = both({
      {"s_ff1_i32_b$B", COUNT("%x = or i$B %a, 0;", "cttz")},
      {"s_ff0_i32_b$B", COUNT("%x = xor i$B %a, -1;", "cttz")},
      {"s_flbit_i32_b$B", COUNT("%x = or i$B %a, 0;", "ctlz")},
      {"s_flbit_i32_i$B", COUNT("%s = ashr i$B %a, 1; %x = xor i$B %s, %a;", "ctlz")},
  });
  for (Fold& fold : list)
    if (fold.row == "s_flbit_i32_i32")
      fold.row = "s_flbit_i32";
  return list;
}

#define OVERFLOW32(op, x, y)                                                                                           \
  "%p = call {i32, i1} @llvm." op ".with.overflow.i32(i32 " x ", i32 " y ");"                                          \
  "%r = extractvalue {i32, i1} %p, 0; %f = extractvalue {i32, i1} %p, 1"
#define CARRY33(op)                                                                                                    \
  "%x = zext i32 %a to i34; %y = zext i32 %b to i34; %m = zext i1 %mask to i34; %s = " op " i34 %x, %y;"               \
  "%t = " op " i34 %s, %m; %r = trunc i34 %t to i32; %u = zext i32 %r to i34; %f = icmp ne i34 %t, %u"
#define SHIFT_ADD(k)                                                                                                   \
  "%x = zext i32 %a to i40; %y = zext i32 %b to i40; %s = shl i40 %x, " k "; %t = add i40 %s, %y;"                     \
  "%r = trunc i40 %t to i32; %h = lshr i40 %t, 32; %f = icmp ne i40 %h, 0"
#define MINMAX(op, strict) "%r = call i32 @llvm." op ".i32(i32 %a, i32 %b); %f = icmp " strict " i32 %a, %b"
const std::vector<Fold> sums = {
    {"s_add_u32", OVERFLOW32("uadd", "%a", "%b")},
    {"s_sub_u32", OVERFLOW32("usub", "%a", "%b")},
    {"s_add_i32", OVERFLOW32("sadd", "%a", "%b")},
    {"s_sub_i32", OVERFLOW32("ssub", "%a", "%b")},
    {"s_addk_i32", OVERFLOW32("sadd", "%old", "%a")},
    {"s_addc_u32", CARRY33("add")},
    {"s_subb_u32", CARRY33("sub")},
    {"s_mul_i32", "%r = mul i32 %a, %b"},
    {"s_mulk_i32", "%r = mul i32 %old, %a"},
    {"s_mul_hi_u32", "%x = zext i32 %a to i64; %y = zext i32 %b to i64; %p = mul i64 %x, %y; %h = lshr i64 %p, 32;"
                     "%r = trunc i64 %h to i32"},
    {"s_mul_hi_i32", "%x = sext i32 %a to i64; %y = sext i32 %b to i64; %p = mul i64 %x, %y; %h = lshr i64 %p, 32;"
                     "%r = trunc i64 %h to i32"},
    {"s_absdiff_i32", "%d = sub i32 %a, %b; %r = call i32 @llvm.abs.i32(i32 %d, i1 false)" NONZERO32},
    {"s_abs_i32", "%r = call i32 @llvm.abs.i32(i32 %a, i1 false)" NONZERO32},
    {"s_lshl1_add_u32", SHIFT_ADD("1")},
    {"s_lshl2_add_u32", SHIFT_ADD("2")},
    {"s_lshl3_add_u32", SHIFT_ADD("3")},
    {"s_lshl4_add_u32", SHIFT_ADD("4")},
    {"s_min_i32", MINMAX("smin", "slt")},
    {"s_min_u32", MINMAX("umin", "ult")},
    {"s_max_i32", MINMAX("smax", "sgt")},
    {"s_max_u32", MINMAX("umax", "ugt")},
    {"s_sext_i32_i8", "%t = trunc i32 %a to i8; %r = sext i8 %t to i32"},
    {"s_sext_i32_i16", "%t = trunc i32 %a to i16; %r = sext i16 %t to i32"},
    {"s_movk_i32", "%r = freeze i32 %a"},
    {"s_cmovk_i32", "%r = select i1 %mask, i32 %a, i32 %old"},
};

// The amount of a 64-bit shift comes in 32 bits.
#define AMOUNT "%n = zext i32 %b to i64;"
#define NONZERO64 ";%f = icmp ne i64 %r, 0"
// A field of i32 or i64 in i192, where no offset or width reaches the end.
#define FIELD(kind, bits, mask)                                                                                        \
  "%o = and i32 %b, " mask "; %h = lshr i32 %b, 16; %w = and i32 %h, 127; %v = " kind " i" bits " %a to i192;"         \
  "%p = zext i32 %o to i192; %q = zext i32 %w to i192; %s = lshr i192 %v, %p; %n = shl i192 -1, %q;"                   \
  "%m = xor i192 %n, -1; %t = and i192 %s, %m;"
#define SIGNED_FIELD(bits)                                                                                             \
  "%k = sub i192 192, %q; %z = icmp eq i32 %w, 0; %j = select i1 %z, i192 0, i192 %k; %l = shl i192 %t, %j;"           \
  "%e = ashr i192 %l, %j; %r = trunc i192 %e to i" bits ";%f = icmp ne i" bits " %r, 0"
#define UNSIGNED_FIELD(bits) "%r = trunc i192 %t to i" bits ";%f = icmp ne i" bits " %r, 0"
const std::vector<Fold> bits = {
    {"s_lshl_b32", "%r = call i32 @llvm.fshl.i32(i32 %a, i32 0, i32 %b)" NONZERO32},
    {"s_lshr_b32", "%r = call i32 @llvm.fshr.i32(i32 0, i32 %a, i32 %b)" NONZERO32},
    {"s_ashr_i32", "%s = ashr i32 %a, 31; %r = call i32 @llvm.fshr.i32(i32 %s, i32 %a, i32 %b)" NONZERO32},
    {"s_lshl_b64", AMOUNT "%r = call i64 @llvm.fshl.i64(i64 %a, i64 0, i64 %n)" NONZERO64},
    {"s_lshr_b64", AMOUNT "%r = call i64 @llvm.fshr.i64(i64 0, i64 %a, i64 %n)" NONZERO64},
    {"s_ashr_i64", AMOUNT "%s = ashr i64 %a, 63; %r = call i64 @llvm.fshr.i64(i64 %s, i64 %a, i64 %n)" NONZERO64},
    {"s_bfm_b32", "%o = call i32 @llvm.fshl.i32(i32 1, i32 0, i32 %a); %m = sub i32 %o, 1;"
                  "%r = call i32 @llvm.fshl.i32(i32 %m, i32 0, i32 %b)"},
    {"s_bfm_b64", "%x = zext i32 %a to i64;" AMOUNT "%o = call i64 @llvm.fshl.i64(i64 1, i64 0, i64 %x);"
                  "%m = sub i64 %o, 1; %r = call i64 @llvm.fshl.i64(i64 %m, i64 0, i64 %n)"},
    {"s_bfe_u32", FIELD("zext", "32", "31") UNSIGNED_FIELD("32")},
    {"s_bfe_i32", FIELD("sext", "32", "31") SIGNED_FIELD("32")},
    {"s_bfe_u64", FIELD("zext", "64", "63") UNSIGNED_FIELD("64")},
    {"s_bfe_i64", FIELD("sext", "64", "63") SIGNED_FIELD("64")},
    {"s_bitset0_b32", "%m = call i32 @llvm.fshl.i32(i32 -2, i32 -2, i32 %a); %r = and i32 %old, %m"},
    {"s_bitset1_b32", "%m = call i32 @llvm.fshl.i32(i32 1, i32 1, i32 %a); %r = or i32 %old, %m"},
    {"s_bitset0_b64", "%x = zext i32 %a to i64; %m = call i64 @llvm.fshl.i64(i64 -2, i64 -2, i64 %x);"
                      "%r = and i64 %old, %m"},
    {"s_bitset1_b64",
     "%x = zext i32 %a to i64; %m = call i64 @llvm.fshl.i64(i64 1, i64 1, i64 %x); %r = or i64 %old, %m"},
    {"s_bitcmp0_b32",
     "%s = call i32 @llvm.fshr.i32(i32 %a, i32 %a, i32 %b); %t = trunc i32 %s to i1; %f = xor i1 %t, true"},
    {"s_bitcmp1_b32", "%s = call i32 @llvm.fshr.i32(i32 %a, i32 %a, i32 %b); %f = trunc i32 %s to i1"},
    {"s_bitcmp0_b64", AMOUNT "%s = call i64 @llvm.fshr.i64(i64 %a, i64 %a, i64 %n); %t = trunc i64 %s to i1;"
                             "%f = xor i1 %t, true"},
    {"s_bitcmp1_b64", AMOUNT "%s = call i64 @llvm.fshr.i64(i64 %a, i64 %a, i64 %n); %f = trunc i64 %s to i1"},
    {"s_bitreplicate_b64_b32", "%r = call i64 @llvm.amdgcn.s.bitreplicate(i32 %a)"},
    {"s_pack_ll_b32_b16", "%x = bitcast i32 %a to <2 x i16>; %y = bitcast i32 %b to <2 x i16>;"
                          "%v = shufflevector <2 x i16> %x, <2 x i16> %y, <2 x i32> <i32 0, i32 2>;"
                          "%r = bitcast <2 x i16> %v to i32"},
    {"s_pack_lh_b32_b16", "%x = bitcast i32 %a to <2 x i16>; %y = bitcast i32 %b to <2 x i16>;"
                          "%v = shufflevector <2 x i16> %x, <2 x i16> %y, <2 x i32> <i32 0, i32 3>;"
                          "%r = bitcast <2 x i16> %v to i32"},
    {"s_pack_hh_b32_b16", "%x = bitcast i32 %a to <2 x i16>; %y = bitcast i32 %b to <2 x i16>;"
                          "%v = shufflevector <2 x i16> %x, <2 x i16> %y, <2 x i32> <i32 1, i32 3>;"
                          "%r = bitcast <2 x i16> %v to i32"},
};

std::vector<Fold> compares() {
  const std::pair<const char*, const char*> relations[] = {{"eq", "eq"}, {"lg", "ne"}, {"gt", "gt"},
                                                           {"ge", "ge"}, {"lt", "lt"}, {"le", "le"}};
  std::vector<Fold> list;
  for (const auto& [relation, predicate] : relations)
    for (const std::string sign : {"i", "u"}) {
      const std::string p = predicate, full = p == "eq" || p == "ne" ? p : (sign == "i" ? "s" : "u") + p;
      for (const std::string kind : {"s_cmp_", "s_cmpk_"})
        list.push_back({kind + relation + "_" + sign + "32", "%f = icmp " + full + " i32 %a, %b"});
    }
  list.push_back({"s_cmp_eq_u64", "%f = icmp eq i64 %a, %b"});
  list.push_back({"s_cmp_lg_u64", "%f = icmp ne i64 %a, %b"});
  return list;
}

const std::vector<Fold> zeros = counts(), relations = compares();
const Asked asked[] = {{Outside::llvm, logic},
                       {Outside::llvm, zeros},
                       {Outside::llvm, sums},
                       {Outside::llvm, bits},
                       {Outside::llvm, relations}};
TEST(LlvmScalar, Logic) { expect_folds(logic); }
TEST(LlvmScalar, Counts) { expect_folds(zeros); }
TEST(LlvmScalar, Sums) { expect_folds(sums); }
TEST(LlvmScalar, Bits) { expect_folds(bits, 5000); }
TEST(LlvmScalar, Compares) { expect_folds(relations); }

} // namespace
} // namespace crosslane::test
