// Plans against their patterns, by the scalar executor: on any machine, for every instruction set and CPU. What the
// hardware makes of the same plans is in plan_hardware_test.cpp.
#include "lanes/plan/planner.h"
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace crosslane::lanes::planner {
namespace {

constexpr Isa isas[] = {Isa::avx2, Isa::avx512, Isa::avx512_vbmi, Isa::avx512_vbmi2, Isa::avx512_gfni};
constexpr Cpu cpus[] = {Cpu::icelake, Cpu::zen4, Cpu::zen5, Cpu::sapphirerapids};

std::mt19937 random_numbers(1);

// The registers that a plan gives for random sources, against an array indexed by the pattern. Answers the parts
// without plan.
int check(const Pattern& p, Isa isa, Cpu cpu, const std::string& what) {
  EXPECT_EQ(p.fault(), nullptr) << what;
  const PatternPlan all = plan(p, isa, cpu);
  uint8_t sources[2][Pattern::max_bytes];
  for (auto& s : sources)
    for (uint8_t& b : s)
      b = uint8_t(random_numbers());
  int missing = 0;
  for (int r = 0; r < all.registers; ++r) {
    const Plan& part = all.part[r];
    if (!part.found) {
      ++missing;
      continue;
    }
    Values values;
    for (int k = 0; k < part.inputs; ++k)
      for (int b = 0; b < 64; ++b) {
        const int at = k % all.source_registers * all.register_bytes + b;
        // What is above a source is not zero: nothing may depend on it.
        values[k][b] = b < all.source_bytes ? sources[k / all.source_registers][at] : uint8_t(random_numbers());
      }
    const Bytes got = execute(part, values);
    for (int b = 0; b < all.register_bytes; ++b) {
      const int at = r * all.register_bytes + b, e = p.element_bytes;
      if (at >= p.bytes() || p.from[at / e] == dont_care)
        continue;
      const int from = p.from[at / e];
      const int expected = from == zero ? 0 : sources[from / p.source_elements][from % p.source_elements * e + at % e];
      if (got[b] != expected) {
        ADD_FAILURE() << what << ": byte " << at << " is " << int(got[b]) << ", not " << expected;
        return missing;
      }
    }
  }
  return missing;
}

TEST(Plan, GivesTheRandomPatternsOfEveryShape) {
  int missing = 0;
  for (int round = 0; round < 12000; ++round) {
    const auto below = [](int n) { return int(random_numbers() % unsigned(n)); };
    const int e = 1 << below(4), elements = (16 << below(5)) / e, source_elements = (16 << below(5)) / e,
              sources = 1 + below(2);
    const int total = sources * source_elements, kind = below(8), k = below(1 << 16), holes = below(4);
    const Pattern p = make_pattern(e, elements, sources, source_elements, [&](int i) {
      if (holes == 1 && below(8) == 0)
        return zero;
      if (holes == 2 && below(8) == 0)
        return dont_care;
      switch (kind) {
      case 0: return (i ^ k) % total;
      case 1: return (i + k) % total;
      case 2: return (i / 2 + i % 2 * source_elements) % total;
      case 3: return (2 * i + k % 2) % total;
      case 4: return k % total;
      case 5: return (i >> k % 3 << k % 3) % total;
      case 6: return (i % 4 * 4 + i / 4) % total;
      default: return below(total);
      }
    });
    missing +=
        check(p, isas[below(5)], cpus[below(2)], "round " + std::to_string(round) + ", kind " + std::to_string(kind));
  }
  EXPECT_LE(missing, 4) << "registers without a plan: only AVX2's of 16 sources may have none";
}

TEST(Plan, GivesSmallVectors) {
  for (int e : {1, 2, 4, 8})
    for (int n : {1, 2, 4, 8})
      for (int m : {1, 2, 4, 8})
        for (Isa isa : isas) {
          const std::string what = std::to_string(m) + " of " + std::to_string(n) + " x " + std::to_string(e);
          EXPECT_EQ(check(make_pattern(e, m, 1, n, [&](int i) { return (n - 1 - i % n); }), isa, Cpu::zen4,
                          what + " reversed"),
                    0);
          EXPECT_EQ(check(make_pattern(e, m, 2, n, [&](int i) { return i % 2 ? n : zero; }), isa, Cpu::icelake,
                          what + " zeros"),
                    0);
        }
}

TEST(Plan, FindsNothingToDo) {
  for (Isa isa : isas) {
    const Plan same = plan_register(make_pattern(4, 16, 2, 16, [](int i) { return 16 + i; }), 0, isa, Cpu::zen4);
    EXPECT_EQ(same.count, 0);
    EXPECT_EQ(same.result, isa == Isa::avx2 ? 2 : 1);
    const Plan nobody_cares =
        plan_register(make_pattern(1, 64, 1, 64, [](int) { return dont_care; }), 0, isa, Cpu::zen4);
    EXPECT_EQ(nobody_cares.count, 0);
  }
}

struct Known {
  const char* what;
  int element_bytes, elements, sources;
  int (*from)(int);
  Isa isa;
  Class kind;
  int instructions;
  Class or_else = Class::several; // what some CPU does at no more cost
};

// One pattern of each class. Sources have as many elements as the result.
const Known known[] = {
    {"zeros", 4, 16, 1, [](int) { return zero; }, Isa::avx512, Class::zeros, 0},
    {"every second zero", 4, 16, 1, [](int i) { return i % 2 ? zero : i; }, Isa::avx512, Class::zeros, 1},
    {"the low half", 4, 16, 1, [](int i) { return i < 8 ? i : zero; }, Isa::avx512, Class::zeros, 1},
    {"broadcast an element", 2, 32, 1, [](int) { return 0; }, Isa::avx512, Class::broadcast, 1},
    {"broadcast an element, AVX2", 1, 32, 1, [](int) { return 0; }, Isa::avx2, Class::broadcast, 1},
    {"broadcast a group", 4, 16, 1, [](int i) { return i % 2; }, Isa::avx512, Class::broadcast, 1},
    {"broadcast a lane", 4, 16, 1, [](int i) { return 8 + i % 4; }, Isa::avx512, Class::lanes, 1},
    {"duplicate even", 4, 16, 1, [](int i) { return i & ~1; }, Isa::avx512, Class::duplicate, 1, Class::in_lane_imm},
    {"duplicate odd", 4, 8, 1, [](int i) { return i | 1; }, Isa::avx2, Class::duplicate, 1, Class::in_lane_imm},
    {"duplicate even qwords", 8, 8, 1, [](int i) { return i & ~1; }, Isa::avx512, Class::duplicate, 1,
     Class::in_lane_imm},
    {"reverse in groups of four", 4, 16, 1, [](int i) { return i ^ 3; }, Isa::avx512, Class::in_lane_imm, 1},
    {"swap qwords", 8, 4, 1, [](int i) { return i ^ 1; }, Isa::avx2, Class::in_lane_imm, 1},
    {"the low words of a lane", 2, 32, 1, [](int i) { return i % 8 < 4 ? i ^ 1 : i; }, Isa::avx512, Class::in_lane_imm,
     1},
    {"bytes of a word", 1, 64, 1, [](int i) { return i ^ 3; }, Isa::avx512, Class::in_lane_bytes, 1},
    {"swap the words of a dword", 2, 32, 1, [](int i) { return i ^ 1; }, Isa::avx512, Class::rotate_in_element, 1},
    {"shift by a byte in dwords", 1, 64, 1, [](int i) { return i % 4 ? i - 1 : zero; }, Isa::avx512,
     Class::shift_in_element, 1},
    {"shift by five in lanes", 1, 64, 1, [](int i) { return i % 16 < 11 ? i + 5 : zero; }, Isa::avx512,
     Class::shift_in_lane, 1},
    {"lanes reversed", 4, 16, 1, [](int i) { return (3 - i / 4) * 4 + i % 4; }, Isa::avx512, Class::lanes, 1},
    {"halves swapped", 4, 8, 1, [](int i) { return i ^ 4; }, Isa::avx2, Class::permute_imm, 1, Class::lanes},
    {"even dwords, zeros", 4, 16, 1, [](int i) { return i < 8 ? 2 * i : zero; }, Isa::avx512, Class::stride, 1},
    {"bytes to dwords", 1, 64, 1, [](int i) { return i % 4 ? zero : i / 4; }, Isa::avx512, Class::extend, 1},
    {"any dwords", 4, 16, 1, [](int i) { return (i * 7 + 3) % 16; }, Isa::avx512, Class::permute, 1},
    {"any bytes", 1, 64, 1, [](int i) { return (i * 7 + 3) % 64; }, Isa::avx512_vbmi, Class::permute, 1},
    {"any dwords, AVX2", 4, 8, 1, [](int i) { return (i * 3 + 1) % 8; }, Isa::avx2, Class::permute, 1},
    {"rotate by three", 4, 16, 1, [](int i) { return (i + 3) % 16; }, Isa::avx512, Class::align_register, 1},
    {"align two by three", 4, 16, 2, [](int i) { return i + 3; }, Isa::avx512, Class::align_register, 1},
    {"align bytes in lanes", 1, 32, 2, [](int i) { return i % 16 + 3 < 16 ? i + 3 : i + 3 - 16 + 32; }, Isa::avx2,
     Class::align_lane, 1},
    {"align in elements", 1, 64, 2, [](int i) { return i % 4 ? i - 1 : i + 3 + 64; }, Isa::avx512_vbmi2,
     Class::align_element, 1},
    {"unpack", 4, 16, 2, [](int i) { return i / 4 * 4 + i % 4 / 2 + i % 2 * 16; }, Isa::avx512, Class::unpack, 1},
    {"two and two", 4, 16, 2, [](int i) { return i / 4 * 4 + (i % 4 < 2 ? 2 * (i % 2) : 2 * (i % 2) + 16); },
     Isa::avx512, Class::shuffle_two, 1},
    {"blend", 4, 16, 2, [](int i) { return i % 3 ? i : i + 16; }, Isa::avx512, Class::blend, 1},
    {"blend, AVX2", 1, 32, 2, [](int i) { return i % 3 ? i : i + 32; }, Isa::avx2, Class::blend, 1},
    {"insert into odd", 4, 16, 2, [](int i) { return i % 2 ? i / 2 + 16 : i; }, Isa::avx512, Class::permute_two, 1},
    {"swap into another", 4, 16, 2, [](int i) { return i % 2 ? i : (i ^ 3) + 16; }, Isa::avx512, Class::merge, 1},
    {"odd bytes of two, AVX2", 1, 16, 2, [](int i) { return 2 * i + 1; }, Isa::avx2, Class::pack, 3},
    {"reverse bytes, AVX2", 1, 32, 1, [](int i) { return 31 - i; }, Isa::avx2, Class::several, 2},
    {"any bytes, no VBMI", 1, 64, 1, [](int i) { return (i * 7 + 3) % 64; }, Isa::avx512, Class::several, 5},
};

TEST(Plan, RecognisesEveryClass) {
  for (const Known& k : known)
    for (Cpu cpu : cpus) {
      const Pattern p = make_pattern(k.element_bytes, k.elements, k.sources, k.elements, k.from);
      EXPECT_EQ(check(p, k.isa, cpu, k.what), 0);
      const Plan found = plan_register(p, 0, k.isa, cpu);
      if (found.kind != k.or_else || found.count > 1)
        EXPECT_EQ(class_names[int(found.kind)], class_names[int(k.kind)]) << k.what << " on " << cpu_names[int(cpu)];
      EXPECT_LE(cost(cpu, found).instructions, k.instructions) << k.what;
    }
}

// The worst that a translation unit may ask for, within clang's usual limit of constant evaluation.
constexpr Plan worst_words =
    plan_register(make_pattern(4, 64, 2, 64, [](int i) { return (i * 37 + 11) % 128; }), 0, Isa::avx512, Cpu::icelake);
constexpr Plan worst_bytes =
    plan_register(make_pattern(1, 256, 2, 256, [](int i) { return (i * 37 + 11) % 512; }), 0, Isa::avx512, Cpu::zen4);
static_assert(worst_words.found && worst_bytes.found);

TEST(Pattern, SaysWhatIsWrongWithIt) {
  const auto any = [](int) { return 0; };
  EXPECT_EQ(make_pattern(4, 16, 1, 16, any).fault(), nullptr);
  EXPECT_STREQ(make_pattern(3, 16, 1, 16, any).fault(), "an element has 1, 2, 4 or 8 bytes");
  EXPECT_STREQ(make_pattern(4, 3, 1, 16, any).fault(),
               "a result has a power of two of elements, and at most 256 bytes");
  EXPECT_STREQ(make_pattern(8, 64, 1, 16, any).fault(),
               "a result has a power of two of elements, and at most 256 bytes");
  EXPECT_STREQ(make_pattern(8, 16, 1, 0, any).fault(),
               "a source has a power of two of elements, and at most 256 bytes");
  EXPECT_STREQ(make_pattern(8, 16, 3, 16, any).fault(), "there are one or two sources");
  EXPECT_STREQ(make_pattern(4, 16, 1, 16, [](int i) { return i + 1; }).fault(), "an element is not of the sources");
}

} // namespace
} // namespace crosslane::lanes::planner
