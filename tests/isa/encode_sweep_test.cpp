// The encoder over the whole opcode space, on the words of the decoder's sweep. Of every word that decodes: the encoder
// gives bytes that decode to the same instruction; where they are not the word itself, LLVM prints the same text for
// both, so the difference means nothing; and they are what LLVM's assembler makes of that text, where it takes it. The
// assembler's exceptions are the classes below.
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/op.h"
#include "isa/print.h"
#include "tests/isa/llvm_assembler.h"
#include "tests/isa/llvm_oracle.h"
#include "tests/isa/sweep.h"
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace crosslane::tests {
namespace {
using isa::Generation;
using isa::Instruction;
using isa::Part;

int number(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : otherwise;
}

std::set<Part> differences(const Instruction& a, const Instruction& b) {
  std::set<Part> d;
#define CROSSLANE_PART(name, member, words)                                                                            \
  if (a.member != b.member)                                                                                            \
    d.insert(Part::name);
#include "isa/parts.inc"
#undef CROSSLANE_PART
  return d;
}

bool only(const std::set<Part>& d, std::initializer_list<Part> allowed) {
  for (const Part p : d)
    if (std::find(allowed.begin(), allowed.end(), p) == allowed.end())
      return false;
  return !d.empty();
}

bool has_literal(const Instruction& i) { return i.src[0] == isa::code::literal || i.src[1] == isa::code::literal; }

bool is_swizzle(const Instruction& i) { return isa::row(i.op).access == isa::Access::swizzle; }
unsigned swizzled(int pattern, unsigned lane) {
  return ((lane & unsigned(pattern)) | unsigned(pattern >> 5)) ^ unsigned(pattern >> 10);
}

// Where LLVM's assembler makes something else of LLVM's text than what it was printed from.
struct Class {
  const char* reason;
  bool (*here)(Generation); // whether it must occur
  bool (*matches)(const Instruction& ours, const Instruction& theirs, const std::set<Part>& differ);
};
bool everywhere(Generation) { return true; }
bool gfx8(Generation g) { return g >= Generation::gfx8; }
bool not_gfx90a(Generation g) { return g != Generation::gfx90a; }

const Class classes[] = {
    {"a literal that a constant could hold prints like that constant", everywhere,
     [](const Instruction& a, const Instruction& b, const std::set<Part>& d) {
       return only(d, {Part::src0, Part::src1, Part::literal}) && has_literal(a) && !has_literal(b);
     }},
    {"of a float the assembler gives s_setreg_imm32_b32 the low half of the double", everywhere,
     [](const Instruction& a, const Instruction&, const std::set<Part>& d) {
       return a.op == isa::Op::s_setreg_imm32_b32 && only(d, {Part::literal});
     }},
    {"of literals of 16-bit operands 16 bits print", gfx8,
     [](const Instruction& a, const Instruction& b, const std::set<Part>& d) {
       return only(d, {Part::literal}) && has_literal(a) && uint16_t(a.literal) == b.literal;
     }},
    {"float constants of 16-bit integers print in hexadecimal, which assembles to a literal", gfx8,
     [](const Instruction& a, const Instruction& b, const std::set<Part>& d) {
       return only(d, {Part::src0, Part::literal}) && a.src[0] >= isa::code::inline_float0 &&
              b.src[0] == isa::code::literal && !isa::is_float(isa::row(a.op).src[0]);
     }},
    {"the assembler enables both components of a source of a compressed export", not_gfx90a,
     [](const Instruction& a, const Instruction&, const std::set<Part>& d) {
       return a.compr && d.contains(Part::dmask) && only(d, {Part::dmask, Part::src0, Part::src1});
     }},
    {"swizzles of the same effect print alike", gfx8,
     [](const Instruction& a, const Instruction& b, const std::set<Part>& d) {
       for (unsigned lane = 0; lane < 32; ++lane)
         if ((swizzled(a.imm, lane) ^ swizzled(b.imm, lane)) & 31)
           return false;
       return is_swizzle(a) && only(d, {Part::imm});
     }},
    {"bits of s_waitcnt and s_sendmsg that no field holds do not print", everywhere,
     [](const Instruction& a, const Instruction& b, const std::set<Part>& d) {
       const int counters = isa::info(a.target).generation >= Generation::gfx9 ? 0xcf7f : 0xf7f;
       const isa::Type t = isa::row(a.op).src[0];
       const int fields = t == isa::Type::WaitCnt ? counters : t == isa::Type::SendMsg ? 0x37f : ~0;
       return only(d, {Part::imm}) && ((a.imm ^ b.imm) & fields) == 0;
     }},
    {"there is no syntax for nv", [](Generation g) { return g >= Generation::gfx8 && g != Generation::gfx90a; },
     [](const Instruction&, const Instruction&, const std::set<Part>& d) { return only(d, {Part::nv}); }},
    {"gds does not print on gfx90a", [](Generation g) { return g == Generation::gfx90a; },
     [](const Instruction&, const Instruction&, const std::set<Part>& d) { return only(d, {Part::gds}); }},
    {"instructions without operands print alike in all forms", everywhere,
     [](const Instruction& a, const Instruction& b, const std::set<Part>& d) {
       return d.empty() && a.form != b.form && a.dst == isa::code::none && a.src[0] == isa::code::none;
     }},
};

class Encodings {
public:
  explicit Encodings(const std::string& target) : target_(*isa::parse_target(target)), assembler_(target) {
    if (isa::info(target_).generation >= Generation::gfx8) // LLVM does not disassemble the others
      disassembler_.emplace(target);
  }

  void operator()(const Words& w) {
    uint8_t bytes[12];
    std::memcpy(bytes, w.word, sizeof bytes);
    Instruction inst;
    const int size = isa::decode(target_, bytes, inst);
    if (size == 0)
      return;
    ++encoded_;
    const auto described = [&] { return fmt::format("{:08x} {:08x} '{}'", w.word[0], w.word[1], isa::print(inst)); };
    const isa::Encoded e = isa::encode(inst);
    if (!e)
      return fail("refused", described() + ": " + isa::describe(e, inst));
    Instruction back;
    if (isa::decode(target_, e.bytes(), back) != size || back != inst || e.reserved != inst.reserved)
      return fail("does not come back", described());
    if (std::memcmp(bytes, e.words.data(), size_t(size)) != 0) {
      ++normalised_;
      same_text(bytes, e, described);
    }
    static const int every = number("CROSSLANE_ENCODE_EVERY", 5);
    if (encoded_ % every != 0)
      return;
    lines_.push_back(isa::print(inst));
    instructions_.push_back(inst);
    encodings_.push_back(e);
    if (lines_.size() == 20'000)
      assemble();
  }

  void assemble() {
    const std::vector<LlvmAssembler::Line> theirs = assembler_.assemble(lines_);
    for (size_t k = 0; k < lines_.size(); ++k) {
      const std::span<const uint8_t> ours = encodings_[k].bytes();
      if (!theirs[k].error.empty())
        ++refused_by_llvm_;
      else if (std::equal(ours.begin(), ours.end(), theirs[k].bytes.begin(), theirs[k].bytes.end()))
        ++same_;
      else
        classify(k, theirs[k].bytes);
    }
    lines_.clear();
    instructions_.clear();
    encodings_.clear();
  }

  std::string report() const {
    std::string s;
    for (const auto& [what, f] : failures_)
      s += fmt::format("  {}: {} times, first {}\n", what, f.count, f.example);
    for (size_t k = 0; k < std::size(classes); ++k)
      if (uses_[k] == 0 && classes[k].here(isa::info(target_).generation))
        s += fmt::format("  no longer so: {}\n", classes[k].reason);
    return s;
  }
  std::string summary() const {
    long other = 0;
    for (const long n : uses_)
      other += n;
    return fmt::format("{} encoded, {} of them with bits that mean nothing; LLVM assembles {} to the same bytes, {} "
                       "otherwise as its text says less, and refuses {}",
                       encoded_, normalised_, same_, other, refused_by_llvm_);
  }
  isa::Target target() const { return target_; }
  long same() const { return same_; }

private:
  struct Failure {
    long count = 0;
    std::string example;
  };

  void fail(const std::string& what, const std::string& example) {
    Failure& f = failures_[what];
    if (f.count++ == 0)
      f.example = example;
  }

  void same_text(const uint8_t (&bytes)[12], const isa::Encoded& e, auto described) {
    if (!disassembler_)
      return;
    uint8_t canonical[12];
    std::memcpy(canonical, bytes, sizeof canonical);
    std::memcpy(canonical, e.words.data(), e.size);
    std::string text, canonical_text;
    if (disassembler_->disassemble(bytes, text) != disassembler_->disassemble(canonical, canonical_text) ||
        text != canonical_text)
      fail("bits that mean something are lost", described() + " became '" + canonical_text + "'");
  }

  void classify(size_t k, const std::vector<uint8_t>& bytes) {
    Instruction theirs;
    const Instruction& ours = instructions_[k];
    if (isa::decode(target_, bytes, theirs) == int(bytes.size()) && theirs.op == ours.op) {
      std::set<Part> d = differences(ours, theirs);
      if (d.size() > 1 && isa::info(target_).generation == Generation::gfx90a)
        d.erase(Part::gds); // a class of its own, which may come with another
      for (size_t c = 0; c < std::size(classes); ++c)
        if (classes[c].matches(ours, theirs, d)) {
          ++uses_[c];
          return;
        }
    }
    std::string hex;
    for (const uint8_t b : bytes)
      hex += fmt::format("{:02x} ", b);
    fail("LLVM assembles otherwise", fmt::format("{} ours {:08x} {:08x} LLVM's bytes {}", lines_[k],
                                                 encodings_[k].words[0], encodings_[k].words[1], hex));
  }

  isa::Target target_;
  std::optional<LlvmOracle> disassembler_;
  LlvmAssembler assembler_;
  std::vector<std::string> lines_;
  std::vector<Instruction> instructions_;
  std::vector<isa::Encoded> encodings_;
  std::map<std::string, Failure> failures_;
  long encoded_ = 0, normalised_ = 0, same_ = 0, refused_by_llvm_ = 0;
  long uses_[std::size(classes)] = {};
};

class EncodeSweep : public testing::TestWithParam<const char*> {};

TEST_P(EncodeSweep, AgreesWithLlvm) {
  Encodings encodings(GetParam());
  const Visit visit = [&](std::string_view, unsigned, const Words& w) { encodings(w); };
  sweep_encodings(encodings.target(), number("CROSSLANE_SWEEP_SEED", 1), number("CROSSLANE_SWEEP_MIXTURES", 40), visit);
  sweep_random(number("CROSSLANE_SWEEP_SEED", 1), number("CROSSLANE_SWEEP_RANDOM", 300'000), visit);
  encodings.assemble();
  fmt::print("{}: {}\n", GetParam(), encodings.summary());
  EXPECT_EQ(encodings.report(), "");
  EXPECT_GT(encodings.same(), 100'000);
}

INSTANTIATE_TEST_SUITE_P(Isa, EncodeSweep,
                         testing::Values("gfx600", "gfx701", "gfx803", "gfx810", "gfx900", "gfx906", "gfx908",
                                         "gfx90a"),
                         [](const auto& i) { return i.param; });

} // namespace
} // namespace crosslane::tests
