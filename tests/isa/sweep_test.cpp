// Our disassembler against LLVM's over the whole opcode space, both ways: what one accepts and the other does not, and
// what they print differently. Zero disagreements but for tests/isa/llvm_disagreements.txt, whose every line must still
// disagree.
#include "isa/decode.h"
#include "isa/print.h"
#include "tests/isa/llvm_oracle.h"
#include "tests/isa/sweep.h"
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace crosslane::tests {
namespace {

// For longer runs than a test should take.
int number(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : otherwise;
}

enum Kind { we_accept, llvm_accepts, text_differs, kinds };
constexpr const char* kind_names[] = {"accepted here, rejected by LLVM", "rejected here, accepted by LLVM",
                                      "printed differently"};

// One line of llvm_disagreements.txt: target, kind, a part of LLVM's text or (for "ours") of ours, reason.
struct Known {
  std::string target, kind, part, reason;
  long uses = 0;
};

std::vector<Known> read_known() {
  std::vector<Known> known;
  std::ifstream file(CROSSLANE_TEST_DIR "/llvm_disagreements.txt");
  EXPECT_TRUE(file) << "llvm_disagreements.txt is missing";
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::vector<std::string> column;
    size_t start = 0;
    for (size_t bar; (bar = line.find(" | ", start)) != std::string::npos; start = bar + 3)
      column.push_back(line.substr(start, bar - start));
    column.push_back(line.substr(start));
    EXPECT_EQ(column.size(), 4u) << "four columns separated by ' | ': " << line;
    if (column.size() == 4)
      known.push_back({column[0], column[1], column[2], column[3]});
  }
  return known;
}

class Comparison {
public:
  explicit Comparison(const std::string& target)
      : target_(*isa::parse_target(target)), oracle_(target), known_(read_known()), name_(target) {}

  void operator()(std::string_view encoding, unsigned opcode, const Words& w) {
    if (llvm_has_no_answer(w.word[0], w.word[1]))
      return;
    uint8_t bytes[12];
    std::memcpy(bytes, w.word, sizeof bytes);
    ++compared_;
    const int theirs = oracle_.disassemble(bytes, their_text_);
    isa::Instruction inst;
    const int ours = isa::decode(target_, bytes, inst);
    std::string our_text = ours ? isa::print(inst) : std::string();
    accepted_ += ours && theirs;
    if (ours == theirs && our_text == their_text_)
      return;
    const Kind kind = !theirs ? we_accept : !ours ? llvm_accepts : text_differs;
    for (Known& k : known_)
      if ((k.target == name_ || k.target == "*") &&
          k.kind == (kind == we_accept      ? "ours"
                     : kind == llvm_accepts ? "llvm"
                                            : "text") &&
          (kind == we_accept ? our_text : their_text_).find(k.part) != std::string::npos) {
        ++k.uses;
        return;
      }
    Entry& e = entries_[kind][fmt::format("{} {:#05x}", encoding, opcode)];
    if (e.count++ == 0)
      e.example = fmt::format("{:08x} {:08x} {:08x} LLVM: {} '{}' ours: {} '{}'", w.word[0], w.word[1], w.word[2],
                              theirs, their_text_, ours, our_text);
    ++totals_[kind];
  }

  std::string report() const {
    std::string s;
    for (int k = 0; k < kinds; ++k) {
      if (!totals_[k])
        continue;
      s += fmt::format("{}: {} {} times, in {} opcodes\n", name_, kind_names[k], totals_[k], entries_[k].size());
      int shown = 0;
      const int limit = number("CROSSLANE_SWEEP_EXAMPLES", 12);
      for (const auto& [where, e] : entries_[k])
        if (shown++ < limit)
          s += fmt::format("  {:18} {:6} times, first {}\n", where, e.count, e.example);
    }
    return s;
  }
  long compared() const { return compared_; }
  long accepted() const { return accepted_; }
  long disagreements() const { return totals_[0] + totals_[1] + totals_[2]; }
  std::string unused() const {
    std::string s;
    for (const Known& k : known_)
      if ((k.target == name_) && k.uses == 0)
        s += fmt::format("  {} | {} | {}\n", k.target, k.kind, k.part);
    return s;
  }

private:
  struct Entry {
    long count = 0;
    std::string example;
  };
  isa::Target target_;
  LlvmOracle oracle_;
  std::vector<Known> known_;
  std::string name_, their_text_;
  std::map<std::string, Entry> entries_[kinds];
  long totals_[kinds] = {}, compared_ = 0, accepted_ = 0;
};

class Sweep : public testing::TestWithParam<std::string> {};

TEST_P(Sweep, AgreesWithLlvm) {
  Comparison compare(GetParam());
  const Visit visit = [&](std::string_view e, unsigned o, const Words& w) { compare(e, o, w); };
  sweep_encodings(*isa::parse_target(GetParam()), number("CROSSLANE_SWEEP_SEED", 1),
                  number("CROSSLANE_SWEEP_MIXTURES", 200), visit);
  sweep_random(number("CROSSLANE_SWEEP_SEED", 1), number("CROSSLANE_SWEEP_RANDOM", 300'000), visit);
  RecordProperty("compared", std::to_string(compare.compared()));
  RecordProperty("accepted", std::to_string(compare.accepted()));
  EXPECT_EQ(compare.disagreements(), 0) << compare.report();
  EXPECT_EQ(compare.unused(), "") << "these lines of llvm_disagreements.txt no longer disagree: remove them";
  // The sweep is worth something only if much of it decodes.
  EXPECT_GT(compare.accepted(), 200'000);
  fmt::print("{}: {} words compared, {} accepted by both\n", GetParam(), compare.compared(), compare.accepted());
}

INSTANTIATE_TEST_SUITE_P(Isa, Sweep,
                         testing::ValuesIn(targets_to_sweep(isa::Generation::gfx8, isa::Generation::gfx90a,
                                                            {"gfx803", "gfx810", "gfx900", "gfx904", "gfx906", "gfx908",
                                                             "gfx90a"})),
                         [](const auto& i) { return i.param; });

} // namespace
} // namespace crosslane::tests
