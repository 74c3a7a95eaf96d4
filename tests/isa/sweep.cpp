// See sweep.h. Field positions: GCN3 ISA manual, chapter 13; Vega ISA manual, chapter 13 (gfx9's added fields included:
// reserved bits on gfx8 are then swept too).
#include "tests/isa/sweep_format.h"
#include <cstdlib>
#include <random>

namespace crosslane::tests {
namespace {

constexpr uint64_t prefix(uint32_t top_bits) { return top_bits; }

const std::vector<Format>& formats_gfx8() {
  static const std::vector<Format> all = {
      {"SOP2", prefix(0x80000000), {23, 7}, {{0, 8}, {8, 8}, {16, 7}}, 0x60},
      {"SOPK", prefix(0xb0000000), {23, 5}, {{0, 6}, {6, 5}, {11, 5}, {16, 7}}, 29},
      {"SOP1", prefix(0xbe800000), {8, 8}, {{0, 8}, {16, 7}}},
      {"SOPC", prefix(0xbf000000), {16, 7}, {{0, 8}, {8, 8}}},
      {"SOPP", prefix(0xbf800000), {16, 7}, {{0, 4}, {4, 4}, {8, 4}, {12, 4}, {0, 8}, {8, 8}}},
      {"VOP2", 0, {25, 6}, {{0, 9}, {9, 8}, {17, 8}}, 0x3e},
      {"VOP1", prefix(0x7e000000), {9, 8}, {{0, 9}, {17, 8}}},
      {"VOPC", prefix(0x7c000000), {17, 8}, {{0, 9}, {9, 8}}},
      {"VOP3",
       prefix(0xd0000000),
       {16, 10},
       {{0, 8}, {8, 3}, {8, 7}, {11, 4}, {15, 1}, {32, 9}, {41, 9}, {50, 9}, {59, 2}, {61, 3}},
       0x380},
      {"VOP3P",
       prefix(0xd3800000),
       {16, 7},
       {{0, 8}, {8, 3}, {11, 3}, {14, 1}, {15, 1}, {32, 9}, {41, 9}, {50, 9}, {59, 2}, {61, 3}}},
      {"VINTRP", prefix(0xd4000000), {16, 2}, {{0, 8}, {8, 2}, {10, 6}, {18, 8}}},
      {"DS", prefix(0xd8000000), {17, 8}, {{0, 8}, {8, 8}, {16, 1}, {25, 1}, {32, 8}, {40, 8}, {48, 8}, {56, 8}}},
      {"FLAT",
       prefix(0xdc000000),
       {18, 7},
       {{0, 4},
        {4, 8},
        {12, 1},
        {13, 1},
        {14, 2},
        {16, 1},
        {17, 1},
        {25, 1},
        {32, 8},
        {40, 8},
        {48, 7},
        {55, 1},
        {56, 8}}},
      {"GLOBAL",
       prefix(0xdc008000),
       {18, 7},
       {{0, 4}, {4, 8}, {12, 1}, {13, 1}, {16, 1}, {17, 1}, {25, 1}, {32, 8}, {40, 8}, {48, 7}, {55, 1}, {56, 8}}},
      {"GLOBAL off",
       prefix(0xdc008000) | 0x007full << 48 >> 0,
       {18, 7},
       {{0, 4}, {12, 1}, {13, 1}, {16, 1}, {32, 8}, {40, 8}, {55, 1}, {56, 8}}},
      {"SCRATCH",
       prefix(0xdc004000),
       {18, 7},
       {{0, 4}, {4, 8}, {12, 1}, {13, 1}, {16, 1}, {17, 1}, {25, 1}, {32, 8}, {40, 8}, {48, 7}, {55, 1}, {56, 8}}},
      {"SCRATCH off",
       prefix(0xdc004000) | 0x007full << 48,
       {18, 7},
       {{0, 4}, {12, 1}, {13, 1}, {16, 1}, {32, 8}, {40, 8}, {55, 1}, {56, 8}}},
      {"MUBUF",
       prefix(0xe0000000),
       {18, 7},
       {{0, 4},
        {4, 8},
        {12, 2},
        {14, 1},
        {15, 1},
        {16, 1},
        {17, 1},
        {25, 1},
        {32, 8},
        {40, 8},
        {48, 5},
        {53, 2},
        {55, 1},
        {56, 8}}},
      {"MTBUF",
       prefix(0xe8000000),
       {15, 4},
       {{0, 4},
        {4, 8},
        {12, 2},
        {14, 1},
        {19, 4},
        {23, 3},
        {32, 8},
        {40, 8},
        {48, 5},
        {53, 1},
        {54, 1},
        {55, 1},
        {56, 8}}},
      {"MIMG",
       prefix(0xf0000000),
       {18, 7},
       {{0, 1},
        {1, 7},
        {8, 4},
        {12, 1},
        {13, 1},
        {14, 1},
        {15, 1},
        {16, 1},
        {17, 1},
        {25, 1},
        {32, 8},
        {40, 8},
        {48, 5},
        {53, 5},
        {58, 5},
        {63, 1}}},
      {"SMEM",
       prefix(0xc0000000),
       {18, 8},
       {{0, 6}, {6, 7}, {13, 1}, {14, 1}, {15, 1}, {16, 1}, {17, 1}, {32, 7}, {39, 7}, {46, 7}, {53, 4}, {57, 7}}},
      {"EXP",
       prefix(0xc4000000),
       {4, 6},
       {{0, 4}, {10, 1}, {11, 1}, {12, 1}, {13, 5}, {18, 8}, {32, 8}, {40, 8}, {48, 8}, {56, 8}}},
      {"VOP1 SDWA",
       prefix(0x7e0000f9),
       {9, 8},
       {{17, 8},
        {32, 8},
        {40, 3},
        {43, 2},
        {45, 1},
        {46, 2},
        {48, 3},
        {51, 1},
        {52, 1},
        {53, 1},
        {54, 1},
        {55, 1},
        {56, 8}}},
      {"VOP2 SDWA",
       prefix(0x000000f9),
       {25, 6},
       {{9, 8},
        {17, 8},
        {32, 8},
        {40, 3},
        {43, 2},
        {45, 1},
        {46, 2},
        {48, 3},
        {51, 1},
        {52, 1},
        {53, 1},
        {54, 1},
        {55, 1},
        {56, 3},
        {59, 1},
        {60, 1},
        {61, 1},
        {62, 1},
        {63, 1}},
       0x3e},
      {"VOPC SDWA",
       prefix(0x7c0000f9),
       {17, 8},
       {{9, 8},
        {32, 8},
        {40, 7},
        {47, 1},
        {48, 3},
        {51, 1},
        {52, 1},
        {53, 1},
        {54, 1},
        {55, 1},
        {56, 3},
        {59, 1},
        {60, 1},
        {61, 1},
        {62, 1},
        {63, 1}}},
      {"VOP1 DPP",
       prefix(0x7e0000fa),
       {9, 8},
       {{17, 8}, {32, 8}, {40, 9}, {49, 2}, {51, 1}, {52, 2}, {54, 2}, {56, 4}, {60, 4}}},
      {"VOP2 DPP",
       prefix(0x000000fa),
       {25, 6},
       {{9, 8}, {17, 8}, {32, 8}, {40, 9}, {49, 2}, {51, 1}, {52, 2}, {54, 2}, {56, 4}, {60, 4}},
       0x3e},
      {"VOPC DPP",
       prefix(0x7c0000fa),
       {17, 8},
       {{9, 8}, {32, 8}, {40, 9}, {49, 2}, {51, 1}, {52, 2}, {54, 2}, {56, 4}, {60, 4}}},
  };
  return all;
}

constexpr uint64_t mask(Field f) { return ((1ull << f.count) - 1) << f.low; }

// Codes at the edges of what 8- and 9-bit operand fields mean.
constexpr unsigned edges[] = {0,   1,   2,   3,   4,   8,   95,  96,  99,  100, 101, 102, 103, 104, 105, 106,
                              107, 108, 109, 110, 111, 112, 113, 116, 120, 121, 122, 123, 124, 125, 126, 127,
                              128, 129, 192, 193, 208, 209, 234, 235, 236, 237, 238, 239, 240, 242, 247, 248,
                              249, 250, 251, 252, 253, 254, 255, 256, 257, 260, 383, 384, 508, 509, 510, 511};
// Literals around the inline constants.
constexpr uint32_t literals[] = {
    0,      1,      64,     65,     0xfffffff0, 0xffffffef, 0xffffffff, 0x3f800000, 0xbf000000, 0x3e22f983, 0x40800000,
    0x3c00, 0x3118, 0xc400, 0xfff0, 0xffff,     0x3ff00000, 0xc0100000, 0x3fc45f30, 0x12345678, 0x80000000, 0x00010041};

} // namespace

void sweep_encodings(isa::Target target, uint64_t seed, int mixtures, const Visit& visit) {
  const bool gfx8 = isa::info(target).generation >= isa::Generation::gfx8;
  std::mt19937_64 random(seed);
  const auto literal = [&] { return random() % 4 ? literals[random() % std::size(literals)] : uint32_t(random()); };
  for (const Format& format : gfx8 ? formats_gfx8() : formats_gfx6()) {
    const unsigned opcodes = format.opcodes ? format.opcodes : 1u << format.opcode.count;
    uint64_t swept = 0;
    for (const Field f : format.fields)
      swept |= mask(f);
    const bool has_second_word = (swept | format.fixed) >> 32 != 0;
    for (unsigned op = 0; op < opcodes; ++op) {
      const uint64_t base = format.fixed | uint64_t(op) << format.opcode.low;
      const auto emit = [&](uint64_t bits) {
        Words w{uint32_t(bits), uint32_t(bits >> 32), literal()};
        if (!has_second_word)
          w.word[1] = literal();
        visit(format.name, op, w);
      };
      emit(base);
      // One field at a time; the others zero, then all VGPR-like and nothing else.
      for (const Field f : format.fields)
        for (uint64_t v = 0; v < 1ull << f.count; ++v) {
          if (f.count == 9 && v >= 264 && v < 504)
            continue;
          emit(base | v << f.low);
        }
      for (int k = 0; k < mixtures; ++k) {
        uint64_t bits = base;
        const unsigned quiet = unsigned(random() % 4); // how many fields stay zero
        for (const Field f : format.fields) {
          if (random() % 4 < quiet)
            continue;
          uint64_t v = random();
          if (f.count >= 7 && random() % 4 != 0)
            v = edges[random() % std::size(edges)];
          bits |= v << f.low & mask(f);
        }
        emit(bits);
      }
    }
  }
}

std::vector<std::string> targets_to_sweep(isa::Generation first, isa::Generation last, std::vector<std::string> some) {
  if (!std::getenv("CROSSLANE_SWEEP_ALL"))
    return some;
  std::vector<std::string> all;
  for (const isa::TargetInfo& t : isa::targets())
    if (t.generation >= first && t.generation <= last)
      all.emplace_back(t.name);
  return all;
}

void sweep_random(uint64_t seed, int count, const Visit& visit) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    const uint64_t v = random();
    visit("random", 0, {{uint32_t(v), uint32_t(v >> 32), uint32_t(random())}});
  }
}

} // namespace crosslane::tests
