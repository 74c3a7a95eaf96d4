// The planner against each instruction's own pattern: what an instruction does is a pattern, and the plan for that
// pattern must cost no more than the instruction. The scalar model, which hardware_test.cpp holds to the CPU, says what
// each does.
#include "lanes/plan/planner.h"
#include "tests/lanes/cost_rows.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes::planner {
namespace {

// What the step makes of two registers, in bytes.
Pattern pattern_of(const Step& s) {
  const int read = s.op == Op::extract && (s.bytes == 32 || s.imm >= 2) ? 64 : s.op == Op::extract ? 32 : s.bytes;
  Pattern p{1, result_bytes(s), two_sources(s.op) || s.merge == 1 ? 2 : 1, read, {}};
  for (int i = 0; i < p.elements; ++i) {
    const From f = source(s, i);
    p.from[size_t(i)] = int16_t(f.operand < 0 ? int(zero) : (f.operand == 2 ? s.merge : f.operand) * read + f.byte);
  }
  return p;
}

// f(step) for every step with an immediate, and some with random indexes and masks.
template <class F> void steps(F f) {
  std::mt19937_64 bits(5);
  every_cost_row([&](Op op, int element, int bytes, const std::vector<Step>& row) {
    if (op == Op::zero || op == Op::move || op == Op::pack || op == Op::either)
      return;
    for (Step s : row) {
      const bool fixed = op == Op::extend || op == Op::truncate || op == Op::extract || op == Op::insert;
      const bool bits8 =
          op == Op::shift_left || op == Op::shift_right || op == Op::rotate_left || op == Op::shift_double;
      const bool drawn = needs_constant(s) || needs_mask(s);
      const int limit = fixed ? 1 : drawn ? 8 : bits8 ? element : op == Op::align ? bytes / element : 256;
      const bool immediate = !drawn && !fixed && op != Op::broadcast && op != Op::duplicate_even &&
                             op != Op::duplicate_odd && op != Op::unpack_low && op != Op::unpack_high;
      for (int i = 0; i < (immediate || drawn ? limit : 1); ++i) {
        if (immediate)
          s.imm = uint8_t(bits8 ? 8 * i : i);
        if (drawn)
          for (uint8_t& x : s.index)
            x = op == Op::keep ? uint8_t(-int(bits() % 2)) : uint8_t(bits());
        s.mask = bits();
        f(s);
        if (i % 32 || op == Op::keep)
          continue;
        // With a mask: zero elsewhere; or another register's, of which a narrow result would keep but a part.
        Step masked = s;
        masked.masked = true;
        f(masked);
        masked.merge = two_sources(op) ? 0 : 1;
        if (op != Op::truncate && op != Op::extract)
          f(masked);
      }
    }
  });
}

// Without a mask the planner misses none. With a random mask it misses some where an instruction of two sources merges
// with one of them, and where too little is left unmasked to guess the immediate from; another instruction does it at a
// higher cost.
TEST(Optimal, NoInstructionBeatsThePlanForItsOwnPattern) {
  for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_vbmi2})
    for (const Cpu cpu : {Cpu::icelake, Cpu::zen4}) {
      int count[2] = {}, worse[2] = {};
      steps([&](const Step& s) {
        if (!available(isa, s))
          return;
        const Pattern p = pattern_of(s);
        ASSERT_EQ(p.fault(), nullptr);
        Plan own;
        own.inputs = 2;
        own.add(s);
        const Plan planned = plan_register(p, 0, isa, cpu);
        ASSERT_TRUE(planned.found);
        ++count[s.masked];
        if (cost(cpu, planned).score() <= cost(cpu, own).score() + 1e-3f)
          return;
        ++worse[s.masked];
        if (!s.masked)
          ADD_FAILURE() << isa_names[int(isa)] << "\n"
                        << describe(own, cpu) << "is cheaper than\n"
                        << describe(planned, cpu);
      });
      std::printf("%s, %s: %d of %d without a mask, %d of %d with one are beaten\n",
                  std::string(isa_names[int(isa)]).c_str(), std::string(cpu_names[int(cpu)]).c_str(), worse[0],
                  count[0], worse[1], count[1]);
      EXPECT_GT(count[0], 6000);
      EXPECT_LE(worse[1] * 7, count[1]);
    }
}

template <class F> std::string code(Isa isa, int element, int elements, int sources, F fn) {
  const Plan p = plan_register(make_pattern(element, elements, sources, elements, fn), 0, isa, Cpu::zen4);
  std::string text;
  for (const std::string& line : assembly(p, isa).code)
    text += line + "\n";
  return text;
}

TEST(Optimal, PairsBringTogetherWhatTheyThenPutInOrder) {
  EXPECT_EQ(code(Isa::avx2, 1, 32, 2, [](int i) { return i + 5; }),
            "vperm2i128 ymm1, ymm0, ymm1, 33\nvpalignr ymm0, ymm1, ymm0, 5\n");
  EXPECT_EQ(code(Isa::avx2, 1, 32, 1, [](int i) { return (i + 5) % 32; }),
            "vperm2i128 ymm1, ymm0, ymm0, 1\nvpalignr ymm0, ymm1, ymm0, 5\n");
  EXPECT_EQ(code(Isa::avx2, 4, 8, 2, [](int i) { return 2 * i; }),
            "vshufps ymm0, ymm0, ymm1, 136\nvpermq ymm0, ymm0, 216\n");
  EXPECT_EQ(code(Isa::avx512, 1, 64, 2, [](int i) { return i + 5; }),
            "valignq zmm1, zmm1, zmm0, 2\nvpalignr zmm0, zmm1, zmm0, 5\n");
}

} // namespace
} // namespace crosslane::lanes::planner
