// Makes IR of bodies, and compares rows with what LLVM made of it.
#include "tests/semantics/llvm_body.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/ValueSymbolTable.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace crosslane::test {
namespace {

using isa::Type;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}
int width(Type t) {
  using enum Type;
  return t == F16 || t == I16 || t == U16 || t == B16 ? 16 : isa::dwords(t) == 2 && t != Mask ? 64 : 32;
}
std::string ir_type(Type t) {
  switch (t) {
  case Type::F16: return "half";
  case Type::F32: return "float";
  case Type::F64: return "double";
  default: return "i" + std::to_string(width(t));
  }
}
bool flushed_by(Type t, const ModeBits& mode) {
  return t == Type::F32 ? mode.flush32 : t == Type::F16 || t == Type::F64 ? mode.flush64 : false;
}
uint64_t exponent_bits(Type t) { return t == Type::F16 ? 0x7c00 : t == Type::F32 ? 0x7f800000 : 0x7ff0000000000000; }
uint64_t least_normal(Type t) { return t == Type::F16 ? 0x400 : t == Type::F32 ? 0x800000 : 1ull << 52; }
uint64_t flush(Type t, uint64_t bits) { return bits & exponent_bits(t) ? bits : bits & 1ull << (width(t) - 1); }

std::string function_text(const RowEntry& r, const Fold& fold, const ModeBits& mode) {
  static constexpr const char* rounding[] = {"round.tonearest", "round.upward", "round.downward", "round.towardzero"};
  std::string args;
  static constexpr const char* names[] = {" %a", " %b", " %c"};
  for (int i = 0; i < 3; ++i)
    if (r.src[i] != Type::None)
      args += (args.empty() ? "" : ", ") + ir_type(r.src[i]) + names[i];
  if (r.reads_old)
    args += ", " + ir_type(r.dst) + " %old";
  if (r.reads_mask)
    args += ", i1 %mask";
  std::string body = fold.body;
  replace_all(body, ";", "\n");
  replace_all(body, "$R",
              std::string("metadata !\"") + rounding[uses_mode64(r) ? mode.round64 : mode.round32] +
                  "\", metadata !\"fpexcept.ignore\"");
  replace_all(body, "$E", mode.ieee ? "true" : "false");
  return "define void @row(" + args + ") {\n" + body + "\nret void\n}\n";
}

} // namespace

Body::Body(const RowEntry& r, const Fold& fold, const ModeBits& mode) : row(r) {
  const std::string text = function_text(r, fold, mode);
  llvm::SMDiagnostic diagnostic;
  module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module) {
    llvm::raw_string_ostream out(error);
    diagnostic.print(r.name, out);
    error += text;
    return;
  }
  function = module->getFunction("row");
  const auto* symbols = function->getValueSymbolTable();
  value = symbols->lookup("r"), flag = symbols->lookup("f");
  open = symbols->lookup("open"), skip = symbols->lookup("skip");
  if ((r.has_value && !value) || (r.has_flag && !flag))
    error = std::string(r.name) + ": the body lacks %r or %f";
}

llvm::Constant* Body::argument(const llvm::Argument& a, const In& in) {
  const llvm::StringRef name = a.getName();
  if (name == "mask")
    return llvm::ConstantInt::get(a.getType(), in.mask);
  const bool old = name == "old";
  const int i = old ? 0 : name[0] - 'a';
  const Type type = old ? row.dst : row.src[i];
  uint64_t bits = old ? in.old : i == 0 ? in.a : i == 1 ? in.b : in.c;
  if (flushed_by(type, in.mode))
    bits = flush(type, bits);
  const llvm::APInt cut = llvm::APInt(64, bits).trunc(unsigned(width(type)));
  if (a.getType()->isIntegerTy())
    return llvm::ConstantInt::get(a.getType(), cut);
  return llvm::ConstantFP::get(context, llvm::APFloat(a.getType()->getFltSemantics(), cut));
}

bool bits_of(llvm::Constant* c, uint64_t& bits) {
  if (const auto* i = llvm::dyn_cast_or_null<llvm::ConstantInt>(c))
    bits = i->getZExtValue();
  else if (const auto* f = llvm::dyn_cast_or_null<llvm::ConstantFP>(c))
    bits = f->getValueAPF().bitcastToAPInt().getZExtValue();
  else
    return false;
  return true;
}

std::vector<ModeBits> modes_of(unsigned modes) {
  std::vector<ModeBits> list = {{}};
  if (modes & rounds)
    for (uint8_t r = 1; r < 4; ++r)
      list.push_back({.round32 = r, .round64 = r});
  if (modes & flushes)
    list.push_back({.flush32 = true, .flush64 = true});
  if (modes & ieee)
    list.push_back({.ieee = true});
  return list;
}

bool agrees(const RowEntry& r, const In& in, Out want) {
  const Out got = run_lane(r, in);
  bool value = true;
  if (r.has_value) {
    const uint64_t raw = want.value, sign = 1ull << (width(r.dst) - 1);
    if (flushed_by(r.dst, in.mode))
      want.value = flush(r.dst, want.value);
    value = same_value(r.dst, got.value, want.value);
    // MXCSR takes a result for a denormal that rounds up to the least normal; APFloat does not show it.
    if (!value && flushed_by(r.dst, in.mode) && (raw & ~sign) == least_normal(r.dst))
      value = got.value == (raw & sign);
  }
  const bool ok = value && (!r.has_flag || got.flag == want.flag);
  EXPECT_TRUE(ok) << explain(r, in, got, want) << " by LLVM";
  return ok;
}

std::vector<Fold> family(std::initializer_list<const char*> suffixes, const std::vector<Fold>& list) {
  std::vector<Fold> all;
  for (const std::string suffix : suffixes)
    for (Fold fold : list) {
      const char* type = suffix == "f16" ? "half" : suffix == "f32" ? "float" : "double";
      for (std::string* text : {&fold.row, &fold.body}) {
        replace_all(*text, "$T", type);
        replace_all(*text, "$S", suffix);
        replace_all(*text, "$I", "i" + suffix.substr(1));
        replace_all(*text, "$M", suffix == "f16" ? "10" : suffix == "f32" ? "23" : "52");
      }
      all.push_back(std::move(fold));
    }
  return all;
}

} // namespace crosslane::test
