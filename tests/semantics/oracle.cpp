// Inputs and comparison for tests against outside oracles.
#include "tests/semantics/oracle.h"
#include <cstdio>

namespace crosslane::test {

std::set<std::string, std::less<>>& answered(Outside by) {
  static std::set<std::string, std::less<>> rows[2];
  return rows[int(by)];
}

void for_inputs(const RowEntry& row, const ModeBits& mode, bool first, int random,
                const std::function<bool(const In&)>& f) {
  Inputs inputs(std::hash<std::string_view>{}(row.name) + 1);
  const auto type = [&](int i) { return row.src[i] == isa::Type::None ? isa::Type::B32 : row.src[i]; };
  const auto a_edges = edges(type(0)), b_edges = row.src[1] == isa::Type::None ? a_edges.first(1) : edges(type(1));
  const auto rest = [&] { return inputs.next(type(2)); };
  const auto old = [&] { return inputs.next(row.dst == isa::Type::Mask ? isa::Type::B32 : row.dst); };
  for (const uint64_t a : a_edges)
    for (const uint64_t b : b_edges)
      if (first || inputs.bits() % 8 == 0)
        if (!f({a, b, rest(), old(), bool(inputs.bits() & 1), mode}))
          return;
  for (int i = 0; i < random; ++i)
    if (!f({inputs.next(type(0)), inputs.next(type(1)), rest(), old(), bool(inputs.bits() & 1), mode}))
      return;
}

static bool is_quiet(isa::Type type, uint64_t bits) {
  return bits >> (type == isa::Type::F16 ? 9 : type == isa::Type::F32 ? 22 : 51) & 1;
}
bool same_value(isa::Type type, uint64_t got, uint64_t want) {
  if (type == isa::Type::PkF16)
    return same_value(isa::Type::F16, got & 0xffff, want & 0xffff) && same_value(isa::Type::F16, got >> 16, want >> 16);
  if (type == isa::Type::PkF32)
    return same_value(isa::Type::F32, uint32_t(got), uint32_t(want)) &&
           same_value(isa::Type::F32, got >> 32, want >> 32);
  if (is_nan(type, want))
    return is_nan(type, got) && (is_quiet(type, got) || !is_quiet(type, want));
  return got == want;
}

std::string explain(const RowEntry& row, const In& in, const Out& got, const Out& want) {
  char text[400];
  const auto ull = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  snprintf(text, sizeof text,
           "%s(0x%llx, 0x%llx, 0x%llx, old 0x%llx, mask %d; ieee %d flush %d%d round %d%d) = 0x%llx flag %d, "
           "expected 0x%llx flag %d",
           row.name, ull(in.a), ull(in.b), ull(in.c), ull(in.old), in.mask, in.mode.ieee, in.mode.flush32,
           in.mode.flush64, in.mode.round32, in.mode.round64, ull(got.value), got.flag, ull(want.value), want.flag);
  return text;
}

} // namespace crosslane::test
