// Prints the table of classes in docs/lanes.md, whose lines the test lanes.documentation looks for there: for each
// class a pattern, what the planner makes of it, and its cost on both CPUs. Wrong if the planner sees another class in
// it.
#include "lanes/plan/planner.h"
#include "lanes/plan/print.h"
#include <cstdio>
#include <cstdlib>

using namespace crosslane::lanes;
using namespace crosslane::lanes::planner;

struct Row {
  Class kind;
  const char *example, *instruction; // what the table says; the instruction is checked
  int element, elements, sources, source_elements;
  int (*from)(int);
  Isa isa = Isa::avx512_vbmi2;
};

const Row rows[] = {
    {Class::identity, "`i`", "none", 4, 16, 1, 16, [](int i) { return i; }},
    {Class::zeros, "`i < 8 ? i : zero`", "`vmovdqa`", 4, 16, 1, 16, [](int i) { return i < 8 ? i : zero; }},
    {Class::broadcast, "`0`", "`vpbroadcastd`", 4, 16, 1, 16, [](int) { return 0; }},
    {Class::duplicate, "`i & ~1`", "`vmovsldup`", 4, 16, 1, 16, [](int i) { return i & ~1; }},
    {Class::in_lane_imm, "`i ^ 3`", "`vpshufd`", 4, 16, 1, 16, [](int i) { return i ^ 3; }},
    {Class::in_lane_bytes, "bytes: `i ^ 15`", "`vpshufb`", 1, 64, 1, 64, [](int i) { return i ^ 15; }},
    {Class::shift_in_element, "bytes: `i % 4 ? i - 1 : zero`", "`vpslld`", 1, 64, 1, 64,
     [](int i) { return i % 4 ? i - 1 : zero; }},
    {Class::rotate_in_element, "16 bits: `i ^ 1`", "`vprold`", 2, 32, 1, 32, [](int i) { return i ^ 1; }},
    {Class::shift_in_lane, "bytes: `i % 16 < 3 ? zero : i - 3`", "`vpslldq`", 1, 64, 1, 64,
     [](int i) { return i % 16 < 3 ? zero : i - 3; }},
    {Class::lanes, "`(i + 4) % 16`", "`vshufi64x2`", 4, 16, 1, 16, [](int i) { return (i + 4) % 16; }},
    {Class::extract, "8 of 16: `i + 8`", "`vextracti64x4`", 4, 8, 1, 16, [](int i) { return i + 8; }},
    {Class::insert, "two: `i < 12 ? i : i + 4`", "`vinserti32x4`", 4, 16, 2, 16,
     [](int i) { return i < 12 ? i : i + 4; }},
    {Class::stride, "8 of 16: `2 * i`", "`vpmovqd`", 4, 8, 1, 16, [](int i) { return 2 * i; }},
    {Class::extend, "bytes: `i % 2 ? zero : i / 2`", "`vpmovzxbw`", 1, 64, 1, 64,
     [](int i) { return i % 2 ? zero : i / 2; }},
    {Class::permute_imm, "64 bits: `i ^ 3`", "`vpermq`", 8, 8, 1, 8, [](int i) { return i ^ 3; }},
    {Class::permute, "`15 - i`", "`vpermd`", 4, 16, 1, 16, [](int i) { return 15 - i; }},
    {Class::align_lane, "two, bytes: `i % 16 < 11 ? i + 5 : i + 53`", "`vpalignr`", 1, 64, 2, 64,
     [](int i) { return i % 16 < 11 ? i + 5 : i + 53; }},
    {Class::align_register, "two: `i + 3`", "`valignd`", 4, 16, 2, 16, [](int i) { return i + 3; }},
    {Class::align_element, "two, 16 bits: `i % 2 ? i - 1 : i + 33`", "`vpshldd`", 2, 32, 2, 32,
     [](int i) { return i % 2 ? i - 1 : i + 33; }},
    {Class::unpack, "two: `i / 4 * 4 + i % 4 / 2 + i % 2 * 16`", "`vpunpckldq`", 4, 16, 2, 16,
     [](int i) { return i / 4 * 4 + i % 4 / 2 + i % 2 * 16; }},
    {Class::shuffle_two, "two: `i / 4 * 4 + i % 2 * 2 + i % 4 / 2 * 16`", "`vshufps`", 4, 16, 2, 16,
     [](int i) { return i / 4 * 4 + i % 2 * 2 + i % 4 / 2 * 16; }},
    {Class::blend, "two: `i % 2 ? i + 16 : i`", "`vpblendmd`", 4, 16, 2, 16, [](int i) { return i % 2 ? i + 16 : i; }},
    {Class::merge, "two: `i % 4 ? 16 + (i ^ 3) : i`", "`vpshufd {k}`", 4, 16, 2, 16,
     [](int i) { return i % 4 ? 16 + (i ^ 3) : i; }},
    {Class::permute_two, "two: `i % 2 ? 16 + i / 2 : i / 2`", "`vpermt2d`", 4, 16, 2, 16,
     [](int i) { return i % 2 ? 16 + i / 2 : i / 2; }},
    {Class::pack, "AVX2, two of 16 bytes: `2 * i + 1`", "`vpsrlw` twice, `vpackuswb`", 1, 16, 2, 16,
     [](int i) { return 2 * i + 1; }, Isa::avx2},
    {Class::several, "bytes: `63 - i`, without VBMI", "`vshufi32x4`, `vpshufb`", 1, 64, 1, 64,
     [](int i) { return 63 - i; }, Isa::avx512},
};

int main() {
  for (const Row& r : rows) {
    const Pattern p = make_pattern(r.element, r.elements, r.sources, r.source_elements, r.from);
    PlanCost costs[2];
    int column = 0;
    for (Cpu cpu : {Cpu::icelake, Cpu::zen4}) {
      const Plan found = plan_register(p, 0, r.isa, cpu);
      costs[column++] = cost(cpu, found);
      std::string names; // of the plan's instructions, as the table has them
      for (const std::string& line : assembly(found, r.isa).code)
        if (const std::string name = line.substr(0, line.find(' '));
            name != "mov" && name != "kmovd" && name != "vmovdqu64")
          names += name + " ";
      bool named = r.kind == Class::identity ? names.empty() : !names.empty();
      for (size_t at = 0, end; (end = names.find(' ', at)) != std::string::npos; at = end + 1)
        named &= std::string(r.instruction).find("`" + names.substr(at, end - at)) != std::string::npos;
      if (found.kind != r.kind || !named) {
        std::printf("%s: on %s the planner finds %s: %s\n", r.example, cpu_names[int(cpu)],
                    class_names[int(found.kind)], names.c_str());
        return 1;
      }
    }
    std::printf("| %s | %s | %s | %.3g / %.2g | %.3g / %.2g |\n", class_names[int(r.kind)], r.example, r.instruction,
                double(costs[0].latency), double(costs[0].throughput), double(costs[1].latency),
                double(costs[1].throughput));
  }
}
