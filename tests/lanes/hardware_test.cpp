// The model of lanes/plan/step.h against this CPU: the text of each step is assembled by LLVM, run on random bytes, and
// compared with what execute() makes of them. Every operation, width, element size and immediate; random indexes and
// masks.
#include "tests/lanes/cost_rows.h"
#include "tests/lanes/plan_runner.h"
#include <gtest/gtest.h>

namespace crosslane::lanes::planner {
namespace {

Random& random_source() {
  static Random source(20240607);
  return source;
}
int random_below(int n) { return random_source().below(n); }

// Runs plans on this CPU and on the scalar executor. Add all of them first; they are assembled together.
class Comparison {
public:
  explicit Comparison(Isa isa) : isa_(isa), runner_(isa) {}

  void add(const Plan& plan) {
    const std::string fault = runner_.add(plan);
    if (fault.ends_with("registers")) // there are no spills
      return void(++too_many_);
    ASSERT_EQ(fault, "") << describe(plan, Cpu::zen4);
    plans_.push_back(plan);
  }
  int too_many() const { return too_many_; }

  // Answers how many plans agree. Each is run `rounds` times on other bytes.
  int run(int rounds) {
    const std::string errors = runner_.build();
    if (!errors.empty())
      return ADD_FAILURE() << errors.substr(0, 2000), 0;
    int good = 0, shown = 0;
    for (size_t i = 0; i < plans_.size(); ++i) {
      const Plan& plan = plans_[i];
      Values values{};
      bool same = true;
      for (int round = 0; round < rounds && same; ++round) {
        for (int v = 0; v < plan.inputs; ++v)
          values[size_t(v)] = random_source().bytes(widest_register(isa_));
        const Bytes got = runner_.run(int(i), values.data()), expected = execute(plan, values);
        same = got == expected;
        if (!same && ++shown <= 5)
          ADD_FAILURE() << describe(plan, Cpu::zen4) << assembly(plan, isa_).text() << "differs from the model at "
                        << difference(got, expected);
      }
      good += same;
    }
    EXPECT_EQ(good, int(plans_.size()));
    return good;
  }

private:
  static std::string difference(const Bytes& got, const Bytes& expected) {
    std::string text;
    for (size_t i = 0; i < 64; ++i)
      if (got[i] != expected[i])
        text +=
            " byte " + std::to_string(i) + ": " + std::to_string(got[i]) + ", not " + std::to_string(expected[i]) + ";";
    return text;
  }

  Isa isa_;
  std::vector<Plan> plans_;
  PlanRunner runner_;
  int too_many_ = 0; // plans that need more registers than there are
};

bool has_imm(Op op) { return has_immediate(op) || op == Op::extend || op == Op::truncate; }
bool shifts_bits(Op op) {
  return op == Op::shift_left || op == Op::shift_right || op == Op::rotate_left || op == Op::shift_double;
}
// Every number a byte can be, so that bits which an index does not use are dirty; a selection of whole bytes where the
// model says so.
void randomize(Step& s) {
  for (uint8_t& i : s.index)
    i = s.op == Op::keep ? uint8_t(-random_below(2)) : uint8_t(random_source().bits());
  s.mask = random_source().bits();
  if (random_below(8) == 0)
    s.mask = random_below(2) ? 0 : ~uint64_t(0);
}

Isa host_isa() {
  Isa best = Isa::avx2;
  for (const Isa isa : all_isas)
    if (host_has(isa))
      best = isa;
  return best;
}

// Calls f with every step there is, but for the contents of index and mask.
template <class F> void every_step(Op op, F f) {
  for (const int bytes : {16, 32, 64})
    for (const int element : {1, 2, 4, 8})
      for (int imm = 0; imm < (has_imm(op) ? 256 : 1); ++imm) {
        if (shifts_bits(op) && imm % 8)
          continue;
        Step s{.op = op,
               .bytes = uint8_t(bytes),
               .element = uint8_t(element),
               .a = op == Op::zero ? no_value : int8_t(0),
               .imm = uint8_t(imm)};
        if (two_sources(op))
          s.b = 1;
        if (named_element(s) != element && instructions[int(op)].element != Element::only)
          continue;
        f(s);
        s.masked = true;
        f(s);
        for (s.merge = 0; s.merge < 3; ++s.merge)
          f(s);
      }
}

TEST(Hardware, DoesWhatTheModelSaysOfEveryStep) {
  if (!host_has(Isa::avx2))
    GTEST_SKIP() << "this CPU has no AVX2";
  const Isa isa = host_isa();
  int skipped = 0, ran = 0;
  for (int op = 0; op < op_count; ++op) {
    SCOPED_TRACE(op);
    Comparison comparison(isa);
    int before = ran;
    every_step(Op(op), [&](Step s) {
      if (!available(Isa::avx512_gfni, s))
        return;
      if (!available(isa, s))
        return void(++skipped);
      const int times = !has_imm(Op(op)) ? 40 : 1;
      for (int i = 0; i < times; ++i) {
        randomize(s);
        Plan plan;
        plan.inputs = 3;
        plan.add(s);
        comparison.add(plan);
      }
    });
    ran += comparison.run(2);
    EXPECT_TRUE(ran > before || skipped) << "no step of operation " << op << " ran";
  }
  std::printf("%d steps ran, %d need more than this CPU has\n", ran, skipped);
}

TEST(Hardware, UsesOnlyInstructionsOfTheLevel) {
  std::vector<int> steps;
  for (const Isa isa : all_isas) {
    std::string text;
    int count = 0;
    for (int op = 0; op < op_count; ++op)
      every_step(Op(op), [&](const Step& s) {
        if ((s.imm & 0xcc) || !available(isa, s))
          return;
        Plan plan;
        plan.inputs = 3;
        plan.add(s);
        text += assembly(plan, isa, std::to_string(count++) + "_").text();
      });
    EXPECT_EQ(tests::outside_of_features(features(isa), text).substr(0, 2000), "") << isa_names[int(isa)];
    steps.push_back(count);
  }
  EXPECT_GT(steps[0], 300);
  EXPECT_GT(steps[1], 3 * steps[0]);
  EXPECT_GT(steps[2], steps[1]);
  EXPECT_GT(steps[3], steps[2]);
  EXPECT_EQ(steps[4], steps[3]);
  EXPECT_NE(tests::outside_of_features({"avx2"}, "vpermq zmm0, zmm1, 2\n"), "")
      << "GNU's assembler must refuse what is outside";
}

// Values that live on, are overwritten, are merged with: what the allocation of registers has to get right.
TEST(Hardware, DoesWhatTheModelSaysOfRandomPlans) {
  for (const Isa isa : all_isas) {
    if (!host_has(isa))
      continue;
    Comparison comparison(isa);
    for (int n = 0; n < 1500; ++n) {
      Plan plan;
      const bool crowded = n % 4 == 0; // more registers than VEX can name
      plan.inputs = int8_t(crowded ? 8 + random_below(9) : 1 + random_below(4));
      const int reach = crowded ? 14 + random_below(8) : 5;
      const int length = 1 + random_below(Plan::max_steps);
      while (plan.count < length) {
        Step s{.op = Op(random_below(op_count)),
               .bytes = uint8_t(16 << random_below(3)),
               .element = uint8_t(1 << random_below(4))};
        s.imm = uint8_t(s.op == Op::extend || s.op == Op::truncate ? 2 << random_below(3) : random_source().bits());
        if (shifts_bits(s.op))
          s.imm &= 0xf8;
        if (s.op == Op::insert)
          s.imm &= 0x33;
        if (s.op == Op::extract)
          s.imm &= 3;
        const auto value = [&] { return int8_t(std::max(0, plan.inputs + plan.count - 1 - random_below(reach))); };
        if (s.op != Op::zero)
          s.a = value();
        if (two_sources(s.op))
          s.b = value();
        s.masked = random_below(3) == 0;
        if (s.masked && random_below(2))
          s.merge = s.op == Op::permute_two ? (random_below(2) ? s.a : s.b) : value();
        randomize(s);
        if (available(isa, s))
          plan.add(s);
      }
      comparison.add(plan);
    }
    EXPECT_LT(comparison.too_many(), isa == Isa::avx2 ? 250 : 120) << isa_names[int(isa)];
    comparison.run(3);
  }
}

} // namespace
} // namespace crosslane::lanes::planner
