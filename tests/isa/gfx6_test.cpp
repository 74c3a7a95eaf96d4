// gfx6 and gfx7, for which LLVM has an assembler but no disassembler: what we decode and print, it assembles to the
// same bytes and prints the same way; what it assembles, we decode to the text that it prints.
#include "isa/decode.h"
#include "isa/op.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include "tests/isa/sweep.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <unordered_set>

namespace crosslane::tests {
namespace {

int number(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : otherwise;
}

// Errors by which LLVM's assembler refuses what its disassembler prints for later generations too, or what the encoding
// can say all the same.
constexpr std::string_view refusals[] = {
    "invalid operand (violates constant bus restrictions)", // a rule of which operands go together, not of the encoding
    "image data size does not match dmask and tfe",         // LLVM prints the nearest size that it has
    "invalid image_gather dmask: only one bit must be set", "invalid atomic image dmask",
    "TFE modifier has no meaning for store instructions",
    "lds_direct cannot be used with this instruction", // the *rev operations
};

// Where LLVM has no other way to say it.
bool llvm_lacks(const isa::Instruction& i) {
  const isa::Row& r = isa::row(i.op);
  // Only the manual and CLRX have these.
  if (r.access == isa::Access::atomic_rsub && r.encoding == isa::Encoding::MUBUF)
    return true;
  if (i.op == isa::Op::v_qsad_pk_u16_u8 && isa::info(i.target).generation == isa::Generation::gfx6)
    return true;
  // What LLVM's printer writes in these cases its parser reads as something else.
  if (i.op == isa::Op::ds_swizzle_b32) // another offset with the same effect
    return true;
  if (i.op == isa::Op::s_setreg_imm32_b32) // `4.0` is read as the low half of a double
    return true;
  if (i.op == isa::Op::s_cbranch_g_fork && (i.src[0] == isa::code::literal || i.src[1] == isa::code::literal))
    return true;
  if (i.compr && ((i.dmask & 3) % 3 != 0 || (i.dmask >> 2) % 3 != 0)) // half of a pair
    return true;
  for (int k = 0; k < 3; ++k) // `0x1` as the high half is read as the whole
    if (i.src[k] == isa::code::literal && r.src[k] == isa::Type::F64 && i.literal <= 64)
      return true;
  // Image atomics work on one component or two adjacent ones, cmpswap on twice as many; LLVM refuses others.
  const bool compares = r.access == isa::Access::atomic_cmpswap || r.access == isa::Access::atomic_fcmpswap;
  if (r.encoding == isa::Encoding::MIMG && r.access >= isa::Access::atomic_swap && i.dmask != 3 &&
      i.dmask != (compares ? 15 : 1))
    return true;
  // LLVM has no inline constants in halves before gfx8: it makes literals of them.
  return r.src[0] == isa::Type::F16 && isa::is_inline_constant(i.src[0]);
}

class Gfx6 : public testing::TestWithParam<std::string> {
protected:
  struct Form {
    std::vector<uint8_t> bytes;
    std::string text;
  };

  // A line per kind of disagreement, so that one mistake does not fill the report.
  void disagree(std::string_view what, std::string_view mnemonic, std::string example) {
    auto& e = failures_[fmt::format("{}: {}", what, mnemonic)];
    if (e.first++ == 0)
      e.second = std::move(example);
  }
  void report() {
    std::string s;
    int shown = 0;
    for (const auto& [where, e] : failures_)
      if (shown++ < number("CROSSLANE_SWEEP_EXAMPLES", 20))
        s += fmt::format("  {} ({} times), first {}\n", where, e.first, e.second);
    EXPECT_EQ(failures_.size(), 0u) << s;
  }

  void check(std::vector<Form>& forms) {
    std::vector<std::string> lines;
    for (const Form& f : forms)
      lines.push_back(f.text);
    const auto answers = assembler_.assemble(lines);
    for (size_t i = 0; i < forms.size(); ++i) {
      const Form& f = forms[i];
      const auto& line = answers[i];
      isa::Instruction inst;
      isa::decode(target_, f.bytes, inst);
      const std::string_view mnemonic = std::string_view(f.text).substr(0, f.text.find(' '));
      ++compared_;
      if (llvm_lacks(inst) || std::find(std::begin(refusals), std::end(refusals), line.error) != std::end(refusals) ||
          same_but_for_idle_bits(f, line)) {
        ++excused_;
        continue;
      }
      if (!line.error.empty())
        disagree(line.error, mnemonic, fmt::format("{:02x} {}", fmt::join(f.bytes, ""), f.text));
      else if (line.bytes != f.bytes)
        disagree("other bytes", mnemonic,
                 fmt::format("{:02x} {} gives {:02x}", fmt::join(f.bytes, ""), f.text, fmt::join(line.bytes, "")));
      else if (line.text != f.text)
        disagree("other text", mnemonic, fmt::format("{} for LLVM's {}", f.text, line.text));
    }
    forms.clear();
  }

  // LLVM leaves bits zero that mean nothing in an instruction, and takes an inline constant where a literal was. That
  // no bit passes for meaningless which has a meaning shows where LLVM assembles texts with that meaning.
  bool same_but_for_idle_bits(const Form& f, const LlvmAssembler::Line& line) const {
    isa::Instruction again;
    if (line.bytes == f.bytes || !isa::decode(target_, line.bytes, again) || isa::print(again) != f.text)
      return false;
    if (line.bytes.size() < f.bytes.size())
      return true;
    for (size_t i = 0; i < f.bytes.size(); ++i)
      if (line.bytes[i] & ~f.bytes[i])
        return false;
    return line.bytes.size() == f.bytes.size();
  }

  const isa::Target target_ = *isa::parse_target(GetParam());
  LlvmAssembler assembler_{GetParam(), true};
  std::map<std::string, std::pair<long, std::string>> failures_;
  long compared_ = 0, excused_ = 0;
};

TEST_P(Gfx6, WhatWePrintLlvmAssemblesBack) {
  std::vector<Form> forms;
  std::unordered_set<std::string> seen;
  const Visit visit = [&](std::string_view, unsigned, const Words& w) {
    uint8_t bytes[12];
    std::memcpy(bytes, w.word, sizeof bytes);
    isa::Instruction inst;
    const int size = isa::decode(target_, bytes, inst);
    if (size == 0)
      return;
    Form f{{bytes, bytes + size}, isa::print(inst)};
    if (!seen.insert(std::string(f.bytes.begin(), f.bytes.end())).second)
      return;
    forms.push_back(std::move(f));
    if (forms.size() == 5000)
      check(forms);
  };
  sweep_encodings(target_, number("CROSSLANE_SWEEP_SEED", 1), number("CROSSLANE_SWEEP_MIXTURES", 30), visit);
  sweep_random(number("CROSSLANE_SWEEP_SEED", 1), number("CROSSLANE_SWEEP_RANDOM", 30'000), visit);
  check(forms);
  report();
  EXPECT_GT(compared_, 100'000);
  fmt::print("{}: {} instructions assembled back, {} excused\n", GetParam(), compared_, excused_);
}

INSTANTIATE_TEST_SUITE_P(Isa, Gfx6,
                         testing::ValuesIn(targets_to_sweep(isa::Generation::gfx6, isa::Generation::gfx7,
                                                            {"gfx600", "gfx700"})),
                         [](const auto& i) { return i.param; });

} // namespace
} // namespace crosslane::tests
