// Classes of registers for people.
#include "cli/jit/class_text.h"
#include <fmt/format.h>

namespace crosslane::cli {

namespace {

using jit::RegisterClass;
using File = RegisterClass::File;
using Kind = RegisterClass::Kind;

constexpr uint16_t vcc = 106, exec = 126;

std::string affine_text(const RegisterClass& c) {
  if (!c.step && !c.half && c.odd == 16 * int64_t(c.column) && c.last == 32 * int64_t(c.column))
    return c.column == 1 ? "lane" : fmt::format("lane*{}", c.column);
  std::string out;
  const auto add = [&](bool there, std::string text) {
    if (there)
      out += (out.empty() ? "" : " + ") + std::move(text);
  };
  add(c.column, fmt::format("column*{}", c.column));
  add(c.half, fmt::format("half*{}", c.half));
  add(c.odd, fmt::format("odd*{}", c.odd));
  add(c.last, fmt::format("last*{}", c.last));
  add(c.step, c.by[0] ? fmt::format("step*({},{},{})", c.by[0], c.by[1], c.by[2])
                      : fmt::format("step*({},{})", c.by[1], c.by[2]));
  return out;
}

bool is_next(const RegisterClass& a, const RegisterClass& b) {
  return a.file != File::mask && a.file == b.file && a.number + 1 == b.number && value_of(a) == value_of(b);
}

} // namespace

std::string name_of(const RegisterClass& c) {
  if (c.file == File::mask)
    return c.number == exec ? "exec" : c.number == vcc ? "vcc" : fmt::format("s[{}:{}]", c.number, c.number + 1);
  return fmt::format("{}{}", c.file == File::vgpr ? 'v' : 'a', c.number);
}

std::string value_of(const RegisterClass& c) {
  std::string out;
  switch (c.kind) {
  case Kind::as_entered: out = "as entered"; break;
  case Kind::uniform: out = "uniform"; break;
  case Kind::affine: out = affine_text(c); break;
  case Kind::vector: out = "vector"; break;
  case Kind::full: out = "full"; break;
  case Kind::empty: out = "empty"; break;
  case Kind::rows: out = "rows"; break;
  }
  return ~c.may ? out + fmt::format(" (bits {:#x})", c.may) : out;
}

std::string text_of(const std::vector<RegisterClass>& all) {
  std::string out;
  for (size_t first = 0, last = 0; first < all.size(); first = ++last) {
    while (last + 1 < all.size() && is_next(all[last], all[last + 1]))
      ++last;
    const RegisterClass& c = all[first];
    const std::string name =
        first == last ? name_of(c)
                      : fmt::format("{}[{}:{}]", c.file == File::vgpr ? 'v' : 'a', c.number, all[last].number);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, value_of(c));
  }
  return out;
}

RegisterClass class_of(const jit::LaunchLane& l) {
  RegisterClass out{.file = File::vgpr, .kind = Kind::affine, .number = l.vgpr};
  out.column = l.column, out.half = l.half, out.odd = l.odd, out.last = l.last, out.may = l.may;
  if (!l.column && !l.half && !l.odd && !l.last)
    out.kind = Kind::uniform;
  return out;
}

} // namespace crosslane::cli
