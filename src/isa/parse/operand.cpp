// Registers and the list of items of a statement.
#include "isa/parse/operand.h"
#include "isa/shape.h"
#include <algorithm>
#include <charconv>

namespace crosslane::isa::detail {
namespace {

struct Special {
  std::string_view name;
  uint16_t code;
  int dwords; // 0: takes the width of the operand
};
constexpr Special specials[] = {
    {"exec", 126, 2},
    {"exec_lo", 126, 1},
    {"exec_hi", 127, 1},
    {"vcc", 106, 2},
    {"vcc_lo", 106, 1},
    {"vcc_hi", 107, 1},
    {"flat_scratch", 102, 2},
    {"flat_scratch_lo", 102, 1},
    {"flat_scratch_hi", 103, 1},
    {"xnack_mask", 104, 2},
    {"xnack_mask_lo", 104, 1},
    {"xnack_mask_hi", 105, 1},
    {"tba", 108, 2},
    {"tba_lo", 108, 1},
    {"tba_hi", 109, 1},
    {"tma", 110, 2},
    {"tma_lo", 110, 1},
    {"tma_hi", 111, 1},
    {"m0", 124, 1},
    {"null", 125, 0},
    {"shared_base", 235, 0},
    {"src_shared_base", 235, 0},
    {"shared_limit", 236, 0},
    {"src_shared_limit", 236, 0},
    {"private_base", 237, 0},
    {"src_private_base", 237, 0},
    {"private_limit", 238, 0},
    {"src_private_limit", 238, 0},
    {"pops_exiting_wave_id", 239, 0},
    {"src_pops_exiting_wave_id", 239, 0},
    {"vccz", 251, 0},
    {"src_vccz", 251, 0},
    {"execz", 252, 0},
    {"src_execz", 252, 0},
    {"scc", 253, 0},
    {"src_scc", 253, 0},
    {"lds_direct", 254, 1},
    {"src_lds_direct", 254, 1},
};

const Special* find_special(std::string_view name) {
  for (const Special& s : specials)
    if (s.name == name)
      return &s;
  return nullptr;
}

enum class File : uint8_t { sgpr, vgpr, agpr, trap, special };
struct FileName {
  std::string_view name;
  File file;
};
// The longer of two names with the same start comes first.
constexpr FileName files[] = {
    {"v", File::vgpr}, {"s", File::sgpr}, {"ttmp", File::trap}, {"acc", File::agpr}, {"a", File::agpr}};

const FileName* find_file(std::string_view name) {
  for (const FileName& f : files)
    if (name.starts_with(f.name))
      return &f;
  return nullptr;
}

std::optional<unsigned> decimal(std::string_view s) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || error != std::errc() || end != s.data() + s.size())
    return std::nullopt;
  return value;
}

bool names_register(const Token& t, const Token& next) {
  if (t.kind == TokenKind::mark)
    return t.text == "[";
  if (t.kind != TokenKind::name)
    return false;
  if (find_special(t.text))
    return true;
  const FileName* f = find_file(t.text);
  if (!f)
    return false;
  const std::string_view number = t.text.substr(f->name.size());
  if (number.empty())
    return next.kind == TokenKind::mark && next.text == "[";
  return decimal(number).has_value();
}

struct Range {
  File file = File::special;
  uint64_t first = 0, count = 1;
};

// Checks what the register files of the target hold; the rest is a matter of the operand.
bool place(Cursor& in, const Context& c, size_t column, const Range& r, Item& item) {
  const Generation g = c.generation();
  const auto unavailable = [&](std::string_view what) {
    return in.fail(column, std::string(info(c.target).name) + " has no " + std::string(what));
  };
  item.kind = ItemKind::reg;
  item.dwords = static_cast<int>(r.count);
  const bool scalar = r.file == File::sgpr || r.file == File::trap;
  constexpr uint64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 32};
  if (std::find(std::begin(sizes), std::end(sizes), r.count) == std::end(sizes) || (scalar && r.count == 32))
    return in.fail(column, "no operand has " + std::to_string(r.count) + " registers");
  const uint64_t align = !scalar || r.count == 1 ? 1 : r.count == 2 ? 2 : 4;
  if (r.first % align != 0)
    return in.fail(column, "a tuple of " + std::to_string(r.count) + " scalar registers starts at a multiple of " +
                               std::to_string(align));
  switch (r.file) {
  case File::vgpr:
  case File::agpr:
    if (r.file == File::agpr && g < Generation::gfx908)
      return unavailable("accumulation registers: they exist since gfx908");
    if (r.first + r.count > 256)
      return in.fail(column, "the last vector register is number 255");
    item.code = static_cast<uint16_t>((r.file == File::vgpr ? code::vgpr0 : code::agpr0) + r.first);
    return true;
  case File::sgpr: {
    const unsigned last = g >= Generation::gfx8 ? 101 : 103;
    if (r.first + r.count > last + 1)
      return in.fail(column, "the last scalar register of " + std::string(info(c.target).name) + " is s" +
                                 std::to_string(last));
    item.code = static_cast<uint16_t>(r.first);
    return true;
  }
  case File::trap: {
    const unsigned first = first_ttmp(c.generation()), count = code::m0 - first;
    if (r.first + r.count > count)
      return in.fail(column, "the last trap temporary of " + std::string(info(c.target).name) + " is ttmp" +
                                 std::to_string(count - 1));
    item.code = static_cast<uint16_t>(first + r.first);
    return true;
  }
  case File::special: break;
  }
  return true;
}

bool place_special(Cursor& in, const Context& c, size_t column, const Special& s, Item& item) {
  const Generation g = c.generation();
  bool there = true;
  if (s.code == code::null_)
    there = false;
  else if (s.code >= code::shared_base && s.code <= code::pops_exiting_wave_id)
    there = c.gfx9();
  else if (s.code >= 108 && s.code <= 111)
    there = !c.gfx9();
  else if (s.code == code::xnack_mask || s.code == code::xnack_mask + 1)
    there = g >= Generation::gfx8 && info(c.target).xnack;
  else if (s.code == code::flat_scratch || s.code == code::flat_scratch + 1)
    there = g >= Generation::gfx7;
  else if (s.code == code::lds_direct)
    there = !c.gfx90a();
  if (!there)
    return in.fail(column, std::string(info(c.target).name) + " has no register " + std::string(s.name));
  item.kind = ItemKind::reg;
  item.code = s.code;
  if (g < Generation::gfx8 && (s.code == code::flat_scratch || s.code == code::flat_scratch + 1))
    item.code = static_cast<uint16_t>(s.code - code::flat_scratch + code::flat_scratch_gfx7);
  item.dwords = s.dwords;
  return true;
}

// v7, s[4:5], s[4], vcc
bool parse_one(Cursor& in, const Context& c, Range& r, const Special*& special) {
  const Token t = in.peek();
  special = t.kind == TokenKind::name ? find_special(t.text) : nullptr;
  if (special) {
    in.next();
    return true;
  }
  const FileName* f = t.kind == TokenKind::name ? find_file(t.text) : nullptr;
  if (!f || !names_register(t, in.peek(1)))
    return in.fail(t.column, "expected a register before " + described(t));
  in.next();
  r.file = f->file;
  const std::string_view number = t.text.substr(f->name.size());
  if (!number.empty()) {
    r.first = decimal(number).value_or(0); // names_register() has seen that it is one
    return true;
  }
  in.next(); // [
  int64_t first = 0, last = 0;
  const size_t column = in.column();
  if (!parse_number(in, c, first))
    return false;
  last = first;
  if (in.accept(":") && !parse_number(in, c, last))
    return false;
  if (!in.expect("]"))
    return false;
  if (first < 0 || last < first || last > 1023)
    return in.fail(column, "expected two register numbers, the smaller first");
  r.first = static_cast<uint64_t>(first);
  r.count = static_cast<uint64_t>(last - first + 1);
  return true;
}

// [s4,s5], [vcc_lo,vcc_hi]
bool parse_list(Cursor& in, const Context& c, size_t column, Item& item) {
  Range all;
  const Special* low = nullptr;
  for (int k = 0;; ++k) {
    const size_t where = in.column();
    Range r;
    const Special* special;
    if (!parse_one(in, c, r, special))
      return false;
    if (k == 0) {
      all = r;
      low = special;
    } else if (special || low) {
      // The two halves of a special register make the whole.
      if (k != 1 || !special || !low || special->code != low->code + 1 || low->dwords != 1 || low->code % 2 != 0 ||
          low->code == code::m0 || low->code > 127)
        return in.fail(where, "the registers of a list follow each other");
    } else {
      if (r.file != all.file || r.first != all.first + all.count)
        return in.fail(where, "the registers of a list follow each other");
      all.count += r.count;
    }
    const bool alone = k == 0 && !in.is(","); // [vcc] is vcc
    if (special ? special->dwords != 1 && !alone : r.count != 1)
      return in.fail(where, "a list consists of single registers");
    if (in.accept(",")) {
      continue;
    }
    if (!in.expect("]"))
      return false;
    if (!low)
      return place(in, c, column, all, item);
    if (!place_special(in, c, column, *low, item))
      return false;
    item.dwords = k == 0 ? low->dwords : 2;
    return true;
  }
}

// A source with its modifiers: -v0, |v0|, neg(...), abs(...), sext(...), lit(...).
bool parse_source(Cursor& in, const Context& c, bool signs, Item& item) {
  if (signs && in.is("-") && in.is("-", 1))
    return in.fail(in.column(), "write neg(...): the sign of a sign is not clear");
  const bool minus = in.is("-") && (is_register(in, 1) || in.is("|", 1) || in.is_name("abs", 1));
  if (minus)
    in.next();
  const auto call = [&](std::string_view name) {
    if (!in.is_name(name) || !in.is("(", 1))
      return false;
    in.next();
    in.next();
    return true;
  };
  const bool sext = !minus && call("sext");
  const bool neg = !sext && !minus && call("neg");
  const bool abs = !sext && call("abs");
  const bool lit = !sext && call("lit");
  const size_t column = in.column();
  const bool bars = in.accept("|");
  if (bars && (abs || sext))
    return in.fail(column, "expected a register or a number");
  const bool inner = bars && !lit && call("lit");
  if (is_register(in)) {
    if (lit || inner)
      return in.fail(in.column(), "lit(...) takes a number");
    if (!parse_register(in, c, item))
      return false;
  } else {
    const bool negative = in.is("-") && in.peek(1).kind == TokenKind::real;
    if (negative)
      in.next();
    if (in.peek().kind == TokenKind::real) {
      item.kind = ItemKind::real;
      item.value = static_cast<int64_t>(in.next().value ^ (negative ? uint64_t(1) << 63 : 0));
    } else if (bars ? !parse_primary(in, c, item) : !parse_expression(in, c, item)) {
      return false;
    }
  }
  if ((inner && !in.expect(")")) || (bars && !in.expect("|")) || (lit && !in.expect(")")) || (abs && !in.expect(")")) ||
      (neg && !in.expect(")")) || (sext && !in.expect(")")))
    return false;
  item.neg = neg || minus;
  item.abs = abs || bars;
  item.sext = sext;
  if (item.label && (item.neg || item.abs || item.sext))
    return in.fail(column, "a label takes no modifiers");
  return true;
}

} // namespace

bool is_register(const Cursor& in, size_t ahead) { return names_register(in.peek(ahead), in.peek(ahead + 1)); }

bool parse_register(Cursor& in, const Context& c, Item& item) {
  const size_t column = in.column();
  if (in.accept("["))
    return parse_list(in, c, column, item);
  Range r;
  const Special* special;
  if (!parse_one(in, c, r, special))
    return false;
  return special ? place_special(in, c, column, *special, item) : place(in, c, column, r, item);
}

bool parse_items(Cursor& in, const Context& c, std::vector<Item>& items) {
  const Row& r = row(c.op);
  const bool signs = shape(c.op, c.generation()).abs != 0;
  const bool interpolation = r.encoding == Encoding::VINTRP || r.src[1] == Type::Attr;
  const bool memory = r.encoding == Encoding::SMEM || r.encoding >= Encoding::DS;
  Type special = Type::None;
  for (const Type t : r.src)
    if (t == Type::WaitCnt || t == Type::SendMsg || t == Type::HwReg || t == Type::GprIdx)
      special = t;
  while (!in.at_end()) {
    Item item;
    item.column = in.column();
    bool found = false;
    if (!parse_modifier(in, c, item, found))
      return false;
    if (!found && special != Type::None && !parse_special(in, c, special, item, found))
      return false;
    if (!found) {
      const Token& t = in.peek();
      if (memory && in.accept_name("off")) {
        item.kind = ItemKind::off;
      } else if (t.kind == TokenKind::name && ((r.encoding == Encoding::EXP && items.empty()) ||
                                               (interpolation && !is_register(in) && !in.is("(", 1)))) {
        item.kind = ItemKind::word;
        in.next();
      } else if (t.kind == TokenKind::name && in.is(":", 1)) {
        return in.fail(t.column, quoted(std::string(t.text) + ':') + " is not a modifier of " +
                                     std::string(mnemonic(c.op, c.target)));
      } else if (!parse_source(in, c, signs, item)) {
        return false;
      }
    }
    item.text = std::string(in.between(item.column));
    items.push_back(std::move(item));
    in.accept(","); // LLVM takes blanks for commas, and a comma at the end
  }
  return true;
}

} // namespace crosslane::isa::detail
