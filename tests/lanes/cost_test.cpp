// The costs of lanes/plan/costs.inc against where they come from, and the planner's choices by them against the
// document's tables 5 and 6 (Intel, "Permuting Data Within and Between AVX Registers", 2022).
#include "lanes/plan/host_cpu.h"
#include "lanes/plan/planner.h"
#include "tests/lanes/cost_rows.h"
#include <array>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace crosslane::lanes::planner {
namespace {

constexpr CostSource source_of(const Step& s) {
  for (const CostRow& row : costs::rows)
    if (row.op == s.op && row.element == s.element &&
        row.bytes == (s.op != Op::extract           ? s.bytes
                      : s.bytes == 32 || s.imm >= 2 ? 64
                                                    : 32))
      return row.icelake_source;
  return CostSource::document;
}

TEST(Cost, HasARowForEveryInstructionAndNoOther) {
  std::vector<bool> used(std::size(costs::rows));
  every_cost_row([&](Op, int element, int, const std::vector<Step>& steps) {
    for (const Step& s : steps)
      for (const Cpu cpu : {Cpu::icelake, Cpu::zen4, Cpu::zen5, Cpu::sapphirerapids, Cpu::alderlake})
        EXPECT_LT(cost(cpu, s).latency, 10) << instruction_name(s, true) << " " << int(s.bytes);
    for (size_t i = 0; i < used.size(); ++i)
      for (const Step& s : steps) {
        const CostRow& row = costs::rows[i];
        const int bytes = s.op != Op::extract ? s.bytes : s.bytes == 32 || s.imm >= 2 ? 64 : 32;
        if (row.op == s.op && row.element == element && row.bytes == bytes) {
          EXPECT_TRUE(cost(Cpu::zen4, s).latency == row.zen4.latency &&
                      cost(Cpu::icelake, s).latency == row.icelake.latency &&
                      cost(Cpu::zen5, s).latency == row.zen5.latency &&
                      cost(Cpu::alderlake, s).latency == row.golden_cove.latency);
          used[i] = true;
        }
      }
  });
  for (size_t i = 0; i < used.size(); ++i)
    EXPECT_TRUE(used[i]) << "row " << i << " is no instruction";
}

// What LLVM's model says of each line: latency, and one every so many cycles.
struct Modelled {
  double latency, each;
};
std::vector<Modelled> model(const std::string& cpu, const std::string& text) {
  const std::string name = "/tmp/crosslane-lanes-cost-" + std::to_string(getpid()) + ".s";
  std::ofstream(name) << text;
  FILE* pipe =
      popen((CROSSLANE_LLVM_MCA " -mcpu=" + cpu + " -x86-asm-syntax=intel --instruction-tables -json " + name + " 2>&1")
                .c_str(),
            "r");
  std::string said;
  for (char part[4096]; const size_t n = fread(part, 1, sizeof part, pipe);)
    said.append(part, n);
  const int status = pclose(pipe);
  unlink(name.c_str());
  std::vector<Modelled> all;
  if (status)
    return ADD_FAILURE() << status << said.substr(0, 500), all;
  const nlohmann::json report = nlohmann::json::parse(said);
  for (const auto& i : report["CodeRegions"][0]["InstructionInfoView"]["InstructionList"])
    all.push_back({i["Latency"], i["RThroughput"]});
  return all;
}

TEST(Cost, OfIceLakeIsThatOfLlvmWhereItSaysSo) {
  std::string text;
  std::vector<Step> asked;
  every_cost_row([&](Op op, int, int, const std::vector<Step>& steps) {
    for (const Step& s : steps) {
      if (source_of(s) != CostSource::llvm)
        continue;
      const bool two = op == Op::permute_two;
      text +=
          instruction_text(
              s, {.result = two ? 2 : 0, .a = op == Op::zero ? 0 : 2, .b = 3, .constant = 4, .memory = {}, .mask = 1}) +
          "\n";
      asked.push_back(s);
    }
  });
  const std::vector<Modelled> all = model("icelake-server", text);
  ASSERT_EQ(all.size(), asked.size());
  EXPECT_GT(all.size(), 120u);
  for (size_t i = 0; i < all.size(); ++i) {
    const StepCost c = cost(Cpu::icelake, asked[i]);
    const std::string name =
        instruction_name(asked[i], asked[i].bytes == 64) + " of " + std::to_string(asked[i].bytes) + " bytes";
    EXPECT_EQ(double(c.latency), all[i].latency) << name;
    if (asked[i].op != Op::zero)
      EXPECT_NEAR(double(c.occupancy) / std::popcount(c.ports), all[i].each, 0.01) << name;
  }
}

// Golden Cove's are measured. LLVM's model of Sapphire Rapids has the same but for what it has of compress and expand
// (6 and 8 cycles), of moves, which it does not rename, and of vpmovqd of 16 bytes.
TEST(Cost, OfGoldenCoveIsThatOfLlvmButForAFew) {
  std::string text;
  std::vector<Step> asked;
  every_cost_row([&](Op op, int, int, const std::vector<Step>& steps) {
    using enum Op;
    for (Step s : steps) {
      if (op == compress || op == expand || op == move || op == zero || (op == truncate && s.bytes == 16))
        continue;
      for (const bool masked : {false, true}) {
        s.masked = masked;
        if (masked && !available(Isa::avx512_gfni, s))
          continue;
        if (masked && (s.element > 2 || op == extract || op == insert || op == truncate || op == shift_double))
          continue; // LLVM has two cycles for the masks of dwords of some, and three for vpshldw
        const bool two = op == permute_two;
        text +=
            instruction_text(s, {.result = two ? 2 : 0, .a = 2, .b = 3, .constant = 4, .memory = {}, .mask = 1}) + "\n";
        asked.push_back(s);
      }
    }
  });
  const std::vector<Modelled> all = model("sapphirerapids", text);
  ASSERT_EQ(all.size(), asked.size());
  EXPECT_GT(all.size(), 200u);
  for (size_t i = 0; i < all.size(); ++i) {
    const StepCost c = cost(Cpu::sapphirerapids, asked[i]);
    const std::string name = instruction_name(asked[i], asked[i].bytes == 64) + " of " +
                             std::to_string(asked[i].bytes) + " bytes" + (asked[i].masked ? ", masked" : "");
    EXPECT_EQ(double(c.latency), all[i].latency) << name;
    EXPECT_NEAR(double(c.occupancy) / std::popcount(c.ports), all[i].each, 0.01) << name;
  }
}

// Family and model of each CPU that was sold under these names.
TEST(Cost, KnowsTheCpuOrSaysThatItGuesses) {
  const auto is = [](bool amd, int family, int model, bool avx512, bool avx_vnni, Cpu cpu, bool guessed) {
    const HostCpu host = lanes::detail::known_cpu(amd, family, model, avx512, avx_vnni);
    EXPECT_TRUE(host.cpu == cpu && host.guessed == guessed) << family << " " << model;
  };
  is(true, 0x19, 0x11, true, false, Cpu::zen4, false);        // Genoa
  is(true, 0x19, 0x61, true, false, Cpu::zen4, false);        // Raphael
  is(true, 0x19, 0x01, false, false, Cpu::zen3, false);       // Milan
  is(true, 0x19, 0x21, false, false, Cpu::zen3, false);       // Vermeer
  is(true, 0x17, 0x31, false, false, Cpu::zen3, true);        // Rome, Zen 2
  is(true, 0x1a, 0x44, true, true, Cpu::zen5, false);         // Granite Ridge
  is(false, 6, 0x6a, true, false, Cpu::icelake, false);       // Ice Lake server
  is(false, 6, 0x55, true, false, Cpu::icelake, true);        // Skylake server
  is(false, 6, 0x8f, true, true, Cpu::sapphirerapids, false); // Sapphire Rapids
  is(false, 6, 0xad, true, true, Cpu::sapphirerapids, true);  // Granite Rapids
  is(false, 6, 0x97, false, true, Cpu::alderlake, false);     // Alder Lake
  is(false, 6, 0xc6, false, true, Cpu::alderlake, true);      // Arrow Lake
  const HostCpu here = host_cpu();
  if (__builtin_cpu_is("sapphirerapids"))
    EXPECT_TRUE(here.cpu == Cpu::sapphirerapids && !here.guessed);
  if (__builtin_cpu_is("znver3"))
    EXPECT_TRUE(here.cpu == Cpu::zen3 || here.cpu == Cpu::zen4); // libgcc's before 13 takes Zen 4 for one
}

// Table 4: latency/cycles for each, of permutes within 128 bits, across them, and across them from two sources. The
// document leaves port 1 out of account; it shuffles within 16 and 32 bytes, so there the cycles for each are at most
// those.
TEST(Cost, OfIceLakeIsThatOfTheDocumentsTable4) {
  struct Row {
    Op op;
    int element;
    float latency, each;
  };
  constexpr Row table4[] = {
      {Op::shuffle_bytes, 1, 1, 1},
      {Op::permute, 1, 3, 1},
      {Op::permute_two, 1, 4, 2},
      {Op::permute, 2, 4, 1},
      {Op::permute_two, 2, 7, 2},
      {Op::shuffle_dwords, 4, 1, 1},
      {Op::permute, 4, 3, 1},
      {Op::permute_two, 4, 3, 1},
      {Op::shuffle_qwords, 8, 1, 1},
      {Op::permute, 8, 3, 1},
      {Op::permute_two, 8, 3, 1},
      // 3.2.1 broadcast, 3.2.2 duplicate
      {Op::broadcast, 1, 3, 1},
      {Op::broadcast, 8, 3, 1},
      {Op::duplicate_even, 4, 1, 1},
      {Op::duplicate_odd, 4, 1, 1},
      {Op::duplicate_even, 8, 1, 1},
  };
  for (const Row& row : table4)
    for (const int bytes : {32, 64}) {
      const StepCost c = cost(Cpu::icelake, {.op = row.op, .bytes = uint8_t(bytes), .element = uint8_t(row.element)});
      const float each = c.occupancy / float(std::popcount(c.ports));
      EXPECT_EQ(c.latency, row.latency) << int(row.op) << " of " << row.element;
      EXPECT_LE(each, row.each);
      if (bytes == 64)
        EXPECT_EQ(each, row.each) << int(row.op) << " of " << row.element;
    }
}

template <class F> std::string code_of(Isa isa, Cpu cpu, int elements, int sources, int source_elements, F fn) {
  const PatternPlan all = plan(make_pattern(4, elements, sources, source_elements, fn), isa, cpu);
  EXPECT_EQ(all.registers, 1);
  std::string text;
  for (const std::string& line : assembly(all.part[0], isa).code)
    text += line + "\n";
  return text;
}
float score_of(Cpu cpu, std::initializer_list<Step> steps, int inputs) {
  Plan p;
  p.inputs = int8_t(inputs);
  for (Step s : steps)
    p.add(s);
  return cost(cpu, p).score();
}

TEST(Cost, ChoosesWhatTable5Prints) {
  for (const Cpu cpu : {Cpu::icelake, Cpu::zen4}) {
    EXPECT_EQ(code_of(Isa::avx2, cpu, 8, 1, 8, [](int i) { return i & ~1; }), "vmovsldup ymm0, ymm0\n");
    // vpermilps of the document is vpshufd by another name.
    EXPECT_EQ(code_of(Isa::avx2, cpu, 8, 1, 8, [](int i) { return i / 4 * 4 + (i + 1) % 4; }),
              "vpshufd ymm0, ymm0, 57\n");
    constexpr int arbitrary[] = {3, 4, 7, 1, 2, 3, 4, 5};
    EXPECT_EQ(code_of(Isa::avx2, cpu, 8, 1, 8, [&](int i) { return arbitrary[i]; }),
              "vmovdqu ymm1, ymmword ptr [rip + .Lindex0]\nvpermd ymm0, ymm1, ymm0\n");
  }
}

TEST(Cost, ChoosesWhatTable6PrintsOrWhatCostsNoMore) {
  for (const Cpu cpu : {Cpu::icelake, Cpu::zen4}) {
    EXPECT_EQ(code_of(Isa::avx512, cpu, 16, 1, 16, [](int i) { return i & ~1; }), "vmovsldup zmm0, zmm0\n");
    // vpermilps by another name; on Ice Lake, a rotation of qwords, which leaves port 5 to others.
    EXPECT_EQ(code_of(Isa::avx512, cpu, 8, 1, 8, [](int i) { return i ^ 1; }),
              cpu == Cpu::zen4 ? "vpshufd ymm0, ymm0, 177\n" : "vprolq ymm0, ymm0, 32\n");
    EXPECT_LE(score_of(Cpu::icelake, {Step{.op = Op::rotate_left, .bytes = 32, .element = 8, .a = 0}}, 1),
              score_of(Cpu::icelake, {Step{.op = Op::shuffle_dwords, .bytes = 32, .element = 4, .a = 0}}, 1));
    EXPECT_EQ(code_of(Isa::avx512, cpu, 8, 1, 16, [](int i) { return i + 8; }), "vextracti64x4 ymm0, zmm0, 1\n");
    const auto odd = [](int i) { return i % 2 ? i / 2 + 16 : i; };
    const PatternPlan p = plan(make_pattern(4, 16, 2, 16, odd), Isa::avx512, cpu);
    Step two{.op = Op::permute_two, .bytes = 64, .element = 4, .a = 0, .b = 1};
    EXPECT_LE(cost(cpu, p.part[0]).score(), score_of(cpu, {two}, 2)) << describe(p.part[0], cpu);
  }
}

TEST(Cost, IsAConstantExpression) {
  static_assert(cost(Cpu::icelake, Step{.op = Op::permute_two, .bytes = 64, .element = 1}).latency == 4);
  static_assert(cost(Cpu::zen4, Step{.op = Op::shuffle_bytes, .bytes = 32, .element = 4}).latency == 2);
  static_assert(cost(Cpu::zen4, Step{.op = Op::move, .bytes = 64, .element = 1}).latency == 0);
  static_assert(cost(Cpu::zen4, Step{.op = Op::move, .bytes = 64, .element = 1, .masked = true}).latency == 1);
  constexpr PatternPlan p =
      plan(make_pattern(1, 64, 2, 64, [](int i) { return (i * 37 + 11) % 128; }), Isa::avx512_vbmi, Cpu::zen4);
  static_assert(p.part[0].found);
}

} // namespace
} // namespace crosslane::lanes::planner
