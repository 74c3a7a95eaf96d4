// Packed halves, bytes, dot products and sums of differences against LLVM's constant folder: as IR vectors.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

#define PAIRS "%x = bitcast i32 %a to <2 x i16>; %y = bitcast i32 %b to <2 x i16>;"
#define THREE PAIRS "%z = bitcast i32 %c to <2 x i16>;"
#define BACK ";%r = bitcast <2 x i16> %d to i32"
#define BINARY(op) PAIRS "%d = " op " <2 x i16> %x, %y" BACK
#define CALL(name) PAIRS "%d = call <2 x i16> @llvm." name ".v2i16(<2 x i16> %x, <2 x i16> %y)" BACK
#define AMOUNT PAIRS "%n = and <2 x i16> %x, <i16 15, i16 15>;"
const std::vector<Fold> packed = {
    {"v_pk_mad_i16", THREE "%p = mul <2 x i16> %x, %y; %d = add <2 x i16> %p, %z" BACK},
    {"v_pk_mad_u16", THREE "%p = mul <2 x i16> %x, %y; %d = add <2 x i16> %p, %z" BACK},
    {"v_pk_mul_lo_u16", BINARY("mul")},
    {"v_pk_add_i16", BINARY("add")},
    {"v_pk_sub_i16", BINARY("sub")},
    {"v_pk_add_u16", BINARY("add")},
    {"v_pk_sub_u16", BINARY("sub")},
    {"v_pk_max_i16", CALL("smax")},
    {"v_pk_min_i16", CALL("smin")},
    {"v_pk_max_u16", CALL("umax")},
    {"v_pk_min_u16", CALL("umin")},
    {"v_pk_lshlrev_b16", AMOUNT "%d = shl <2 x i16> %y, %n" BACK},
    {"v_pk_lshrrev_b16", AMOUNT "%d = lshr <2 x i16> %y, %n" BACK},
    {"v_pk_ashrrev_i16", AMOUNT "%d = ashr <2 x i16> %y, %n" BACK},
};

// Products of the elements of two vectors, added up with %s.
std::string dot(int count, const std::string& extend, const char* sum) {
  const std::string n = std::to_string(count), narrow = "<" + n + " x i" + std::to_string(32 / count) + ">",
                    wide = "<" + n + " x i32>";
  return "%x = bitcast i32 %a to " + narrow + "; %y = bitcast i32 %b to " + narrow + "; %p = " + extend + " " + narrow +
         " %x to " + wide + "; %q = " + extend + " " + narrow + " %y to " + wide + "; %m = mul " + wide +
         " %p, %q; %t = call i32 @llvm.vector.reduce.add.v" + n + "i32(" + wide + " %m); %r = add i32 %t, " + sum;
}
const std::vector<Fold> dots = {
    {"v_dot2_i32_i16", dot(2, "sext", "%c")},    {"v_dot2_u32_u16", dot(2, "zext", "%c")},
    {"v_dot4_i32_i8", dot(4, "sext", "%c")},     {"v_dot4_u32_u8", dot(4, "zext", "%c")},
    {"v_dot8_i32_i4", dot(8, "sext", "%c")},     {"v_dot8_u32_u4", dot(8, "zext", "%c")},
    {"v_dot2c_i32_i16", dot(2, "sext", "%old")}, {"v_dot4c_i32_i8", dot(4, "sext", "%old")},
    {"v_dot8c_i32_i4", dot(8, "sext", "%old")},
};

// |x - y| over `count` bytes or words, widened so that the difference keeps its sign, then added up.
std::string distances(int count, const char* a, const char* b, bool masked) {
  const std::string n = std::to_string(count), narrow = "<" + n + " x i" + std::to_string(32 / count) + ">",
                    wide = "<" + n + " x i64>";
  std::string body = std::string("%x = bitcast i32 ") + a + " to " + narrow + "; %y = bitcast i32 " + b + " to " +
                     narrow + "; %p = zext " + narrow + " %x to " + wide + "; %q = zext " + narrow + " %y to " + wide +
                     "; %m = sub " + wide + " %p, %q; %e = call " + wide + " @llvm.abs.v" + n + "i64(" + wide +
                     " %m, i1 false);";
  if (masked)
    body += "%k = icmp eq " + narrow + " %y, zeroinitializer; %g = select <" + n + " x i1> %k, " + wide +
            " zeroinitializer, " + wide + " %e;";
  else
    body += "%g = freeze " + wide + " %e;";
  return body + "%t = call i64 @llvm.vector.reduce.add.v" + n + "i64(" + wide + " %g); %s = trunc i64 %t to i32;";
}
// Four sums, of the bytes of %a from byte k on, each with 16 bits of %c.
std::string quad(bool masked) {
  std::string body, last = "zero";
  body = "%zero = and i64 %a, 0;";
  for (int k = 0; k < 4; ++k) {
    const std::string n = std::to_string(k);
    std::string part = distances(4, "%win", "%b", masked);
    for (const char* name : {"%x", "%y", "%p", "%q", "%m", "%e", "%k", "%g", "%t", "%s", "%win"})
      for (size_t at = 0; (at = part.find(name, at)) != std::string::npos; at += 2) {
        const char after = part[at + std::string_view(name).size()];
        if (!isalnum(after))
          part.insert(at + std::string_view(name).size(), "_" + n);
      }
    body += "%sh" + n + " = lshr i64 %a, " + std::to_string(8 * k) + "; %win_" + n + " = trunc i64 %sh" + n +
            " to i32;" + part + "%c" + n + " = lshr i64 %c, " + std::to_string(16 * k) + "; %d" + n +
            " = trunc i64 %c" + n + " to i16; %h" + n + " = trunc i32 %s_" + n + " to i16; %u" + n + " = add i16 %h" +
            n + ", %d" + n + "; %v" + n + " = zext i16 %u" + n + " to i64; %w" + n + " = shl i64 %v" + n + ", " +
            std::to_string(16 * k) + "; %" + (k == 3 ? "r" : "o" + n) + " = or i64 %" + last + ", %w" + n + ";";
    last = "o" + n;
  }
  return body;
}
const std::vector<Fold> differences = {
    {"v_sad_u8", distances(4, "%a", "%b", false) + "%r = add i32 %s, %c"},
    {"v_msad_u8", distances(4, "%a", "%b", true) + "%r = add i32 %s, %c"},
    {"v_sad_hi_u8", distances(4, "%a", "%b", false) + "%h = shl i32 %s, 16; %r = add i32 %h, %c"},
    {"v_sad_u16", distances(2, "%a", "%b", false) + "%r = add i32 %s, %c"},
    {"v_sad_u32", distances(1, "%a", "%b", false) + "%r = add i32 %s, %c"},
    {"v_qsad_pk_u16_u8", quad(false)},
    {"v_mqsad_pk_u16_u8", quad(true)},
    {"v_lerp_u8", "%x = bitcast i32 %a to <4 x i8>; %y = bitcast i32 %b to <4 x i8>; %z = bitcast i32 %c to <4 x i8>;"
                  "%o = and <4 x i8> %z, <i8 1, i8 1, i8 1, i8 1>; %p = zext <4 x i8> %x to <4 x i9>;"
                  "%q = zext <4 x i8> %y to <4 x i9>; %s = zext <4 x i8> %o to <4 x i9>; %t = add <4 x i9> %p, %q;"
                  "%u = add <4 x i9> %t, %s; %h = lshr <4 x i9> %u, <i9 1, i9 1, i9 1, i9 1>;"
                  "%v = trunc <4 x i9> %h to <4 x i8>; %r = bitcast <4 x i8> %v to i32"},
};

const std::vector<Fold> packs = {
    {"v_cvt_pk_u16_u32",
     "%x = call i32 @llvm.umin.i32(i32 %a, i32 65535); %y = call i32 @llvm.umin.i32(i32 %b, i32 65535);"
     "%h = shl i32 %y, 16; %r = or i32 %x, %h"},
    {"v_cvt_pk_i16_i32",
     "%x = call i32 @llvm.smin.i32(i32 %a, i32 32767); %y = call i32 @llvm.smin.i32(i32 %b, i32 32767);"
     "%p = call i32 @llvm.smax.i32(i32 %x, i32 -32768); %q = call i32 @llvm.smax.i32(i32 %y, i32 -32768);"
     "%l = and i32 %p, 65535; %h = shl i32 %q, 16; %r = or i32 %l, %h"},
    {"v_pack_b32_f16", "%x = bitcast half %a to i16; %y = bitcast half %b to i16; %l = zext i16 %x to i32;"
                       "%m = zext i16 %y to i32; %h = shl i32 %m, 16; %r = or i32 %l, %h"},
};

const Asked asked[] = {
    {Outside::llvm, packed}, {Outside::llvm, dots}, {Outside::llvm, differences}, {Outside::llvm, packs}};
TEST(LlvmPacked, Pairs) { expect_folds(packed, 4000); }
TEST(LlvmPacked, Dots) { expect_folds(dots, 4000); }
TEST(LlvmPacked, Differences) { expect_folds(differences, 4000); }
TEST(LlvmPacked, Packs) { expect_folds(packs); }

} // namespace
} // namespace crosslane::test
