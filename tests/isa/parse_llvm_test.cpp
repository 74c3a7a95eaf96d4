// Our parser and encoder against LLVM's assembler: texts of the sweep, and mutations of them of which most are wrong.
// Both accept with the same bytes, or both reject; the exceptions are the lines of tests/isa/parse_disagreements.txt,
// whose every line must still be one.
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/parse.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include "tests/isa/llvm_oracle.h"
#include "tests/isa/mutate.h"
#include "tests/isa/sweep.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>

namespace crosslane::tests {
namespace {

// For longer runs than a test should take.
int number(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : otherwise;
}

struct Known {
  std::string kind, pattern, reason;
  std::regex regex;
  long uses = 0;
};

std::vector<Known> read_known() {
  std::vector<Known> known;
  std::ifstream file(CROSSLANE_TEST_DIR "/parse_disagreements.txt");
  EXPECT_TRUE(file) << "parse_disagreements.txt is missing";
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const size_t first = line.find(" ~ "), second = line.find(" ~ ", first + 3);
    EXPECT_NE(second, std::string::npos) << "three columns separated by ' ~ ': " << line;
    if (second == std::string::npos)
      continue;
    const std::string pattern = line.substr(first + 3, second - first - 3);
    known.push_back({line.substr(0, first), pattern, line.substr(second + 3), std::regex(pattern)});
  }
  return known;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string s;
  for (const uint8_t b : bytes)
    s += fmt::format("{:02x}", b);
  return s;
}

class Comparison {
public:
  Comparison(const std::string& name, std::vector<Known>& known)
      : name_(name), target_(*isa::parse_target(name)), llvm_(name), known_(known) {}

  void operator()(std::span<const std::string> texts) {
    constexpr size_t batch = 5000;
    for (size_t at = 0; at < texts.size(); at += batch) {
      const auto part = texts.subspan(at, std::min(batch, texts.size() - at));
      const std::vector<LlvmAssembler::Line> theirs = llvm_.assemble(part);
      for (size_t k = 0; k < part.size(); ++k)
        if (llvm_assembler_crashes_on(part[k]).empty())
          one(part[k], theirs[k]);
    }
  }

  long same = 0, rejected = 0, disagreements = 0;
  std::string examples;

private:
  void one(const std::string& text, const LlvmAssembler::Line& theirs) {
    const isa::Parsed parsed = isa::parse(target_, text);
    const isa::Encoded ours = parsed ? isa::encode(parsed.instruction) : isa::Encoded{};
    if (parsed && !ours)
      return disagree("encode", text, fmt::format("{} of {}", int(ours.error), int(ours.part)));
    if (!parsed && !theirs.error.empty()) {
      ++rejected;
    } else if (!parsed) {
      disagree("llvm", text, fmt::format("{}: {}", parsed.error.column, parsed.error.message));
    } else if (!theirs.error.empty()) {
      disagree("ours", text, theirs.error);
    } else if (!std::ranges::equal(ours.bytes(), theirs.bytes)) {
      disagree("bytes", text, fmt::format("LLVM {} ours {}", hex(theirs.bytes), hex(ours.bytes())));
    } else {
      ++same;
    }
  }

  void disagree(const char* kind, const std::string& text, const std::string& what) {
    const std::string line = fmt::format("{} {} => {}", name_, text, what);
    for (Known& k : known_)
      if (k.kind == kind && std::regex_search(line, k.regex)) {
        ++k.uses;
        return;
      }
    if (disagreements++ < number("CROSSLANE_PARSE_EXAMPLES", 20))
      examples += fmt::format("  {}: {}\n", kind, line);
  }

  std::string name_;
  isa::Target target_;
  LlvmAssembler llvm_;
  std::vector<Known>& known_;
};

std::vector<std::string> read_syntax() {
  std::vector<std::string> lines;
  std::ifstream file(CROSSLANE_TEST_DIR "/parse_syntax.txt");
  EXPECT_TRUE(file) << "parse_syntax.txt is missing";
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != ';')
      lines.push_back(line);
  return lines;
}

// Some of the texts of the sweep: one in `share`, chosen by its hash.
std::vector<std::string> sweep_texts(isa::Target target, size_t share, bool literals = true) {
  std::vector<std::string> texts;
  sweep_encodings(target, 1, number("CROSSLANE_PARSE_MIXTURES", 8), [&](std::string_view, unsigned, const Words& w) {
    uint8_t bytes[12];
    std::memcpy(bytes, w.word, sizeof bytes);
    isa::Instruction i;
    if (llvm_has_no_answer(w.word[0], w.word[1]) || !isa::decode(target, bytes, i) || i.reserved)
      return;
    if (!literals && std::ranges::count(i.src, isa::code::literal) != 0)
      return;
    std::string text = isa::print(i);
    if (std::hash<std::string>()(text) % share == 0)
      texts.push_back(std::move(text));
  });
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
  return texts;
}

TEST(ParseLlvm, AgreesWithLlvmsAssembler) {
  std::vector<Known> known = read_known();
  const auto share = static_cast<size_t>(number("CROSSLANE_PARSE_SHARE", 16));
  // An example of each known disagreement, so that none depends on what the mutations happen to be.
  const std::string examples[] = {
      "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:16",
      "image_load v1, v2, s[12:19] dmask:16",
      "buffer_load_dword v1, off, s[4:7], s1 offset:4096",
      "s_nop 65536",
      "s_atc_probe 128, s[2:3], 0",
      "v_pk_add_f16 v0, v1, v2 op_sel:[0,0,0]",
      "s_sleep 1.0",
      "s_mov_b32 scc, s0",
      "v_min_i16_sdwa v0, v1, 0xffff",
      "v_add_f32_dpp v0, v[2:3], v4 row_newbcast:1",
      "global_atomic_add_f32 v0, v1, s[0:1] scc",
      "v_div_scale_f32 v0, vcc, v1, |v1|, v2",
      "v_cmp_class_f32_e64 s[0:1], s0, --1",
      "v_ldexp_f16_e64 v0, v1, 0x10000",
      "v_cvt_f32_f16_e64 v0, 1",
      "v_div_scale_f32 v0, vcc, v1, v1, v2 clamp",
      "s_setreg_imm32_b32 hwreg(1), 0x100000000",
      "v_dot2c_f32_f16 v0, 1.0e-10, v1",
      "buffer_atomic_rsub v0, off, s[0:3], s0",
      "v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]",
      "v_min_i16_sdwa v0, 0.15915494, v1",
      "s_setreg_imm32_b32 hwreg(1), 1.0",
      "v_cmp_class_f16_sdwa vcc, v0, 0x3f800000 src0_sel:BYTE_0",
  };
  const std::vector<std::string> syntax = read_syntax();
  const int mutations = number("CROSSLANE_PARSE_MUTATIONS", 50'000);
  for (const char* name : {"gfx600", "gfx701", "gfx803", "gfx810", "gfx900", "gfx906", "gfx908", "gfx90a"}) {
    const isa::Target target = *isa::parse_target(name);
    const std::vector<std::string> texts = sweep_texts(target, share);
    Comparison compare(name, known);
    compare(texts);
    compare(examples);
    compare(syntax);
    Mutator mutate(static_cast<uint64_t>(number("CROSSLANE_PARSE_SEED", 1)));
    std::mt19937_64 random(7);
    std::vector<std::string> mutated;
    for (int k = 0; k < mutations; ++k)
      mutated.push_back(mutate(texts[random() % texts.size()]));
    const long same = compare.same;
    compare(mutated);
    EXPECT_EQ(compare.disagreements, 0) << compare.examples;
    EXPECT_GT(same, 20'000);
    fmt::print("{}: {} texts and {} mutations: {} with the same bytes, {} rejected by both\n", name, texts.size(),
               mutated.size(), compare.same, compare.rejected);
  }
  for (const Known& k : known)
    EXPECT_GT(k.uses, 0) << "this line of parse_disagreements.txt is no disagreement any more: " << k.kind << " ~ "
                         << k.pattern;
}

// Whatever prints and parses, prints the same again. (A literal may print as the inline constant of its value.)
class ParseSweep : public testing::TestWithParam<const char*> {};

TEST_P(ParseSweep, PrintsAsItWasWritten) {
  const isa::Target target = *isa::parse_target(GetParam());
  long parsed = 0, refused = 0, different = 0;
  for (const std::string& text : sweep_texts(target, 4, false)) {
    const isa::Parsed p = isa::parse(target, text);
    if (!p) {
      ++refused; // operands that do not go together; the other test asks LLVM
      continue;
    }
    ++parsed;
    const std::string again = isa::print(p.instruction);
    // Several bits of a swizzle may mean the same, and half of a compressed source has no text.
    const bool ambiguous = text.find("swizzle(") != std::string::npos || text.find(" compr") != std::string::npos;
    if (again != text && !ambiguous && different++ < 10)
      ADD_FAILURE() << text << "\nparses as\n" << again;
    EXPECT_FALSE(p.instruction.reserved);
  }
  EXPECT_EQ(different, 0);
  EXPECT_GT(parsed, 100'000);
  EXPECT_LT(refused * 4, parsed);
}

INSTANTIATE_TEST_SUITE_P(Isa, ParseSweep,
                         testing::Values("gfx600", "gfx701", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a"),
                         [](const auto& i) { return i.param; });

} // namespace
} // namespace crosslane::tests
