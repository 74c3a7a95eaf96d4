// Modifiers behind the operands: flags, numbers, lists of bits, DPP controls, SDWA selects, swizzles, buffer formats.
#include "isa/parse/operand.h"
#include <bit>

namespace crosslane::isa::detail {
namespace {

// Encodings that have the modifier; elsewhere the same word may be a register or a symbol.
enum Group : uint8_t { vector = 1, memory = 2, image = 4, exports = 8, interpolation = 16, flat = 32 };

int group(const Row& r) {
  if (r.encoding == Encoding::VINTRP || r.src[1] == Type::Attr)
    return interpolation;
  if (r.encoding == Encoding::EXP)
    return exports;
  if (r.encoding == Encoding::MIMG)
    return image;
  if (r.encoding == Encoding::FLAT || r.encoding == Encoding::GLOBAL || r.encoding == Encoding::SCRATCH)
    return memory | flat;
  if (r.encoding == Encoding::SMEM || r.encoding >= Encoding::DS)
    return memory;
  return r.encoding >= Encoding::VOP1 ? vector : 0;
}

struct Flag {
  std::string_view text;
  Name name;
  int groups;
  bool can_be_off; // "noglc"
};
constexpr Flag flags[] = {
    {"clamp", Name::clamp, vector | interpolation, true},
    {"high", Name::high, interpolation, true},
    {"glc", Name::glc, memory | image, true},
    {"slc", Name::slc, memory | image, true},
    {"scc", Name::scc, memory | image, true},
    {"tfe", Name::tfe, memory | image, true},
    {"lds", Name::lds, memory, false},
    {"gds", Name::gds, memory, true},
    {"offen", Name::offen, memory, false},
    {"idxen", Name::idxen, memory, false},
    {"addr64", Name::addr64, memory, false},
    {"unorm", Name::unorm, image, true},
    {"da", Name::da, image, true},
    {"lwe", Name::lwe, image, true},
    {"r128", Name::r128, image, true},
    {"a16", Name::a16, image, true},
    {"d16", Name::d16, image, true},
    {"done", Name::done, exports, false},
    {"compr", Name::compr, exports, true},
    {"vm", Name::vm, exports, true},
};

struct Number {
  std::string_view text;
  Name name;
  int groups;
  int64_t low, high;
};
// Offsets differ per encoding: the operation checks them.
constexpr int64_t any_low = INT32_MIN, any_high = INT32_MAX;
constexpr Number numbers[] = {
    {"offset", Name::offset, memory, any_low, any_high},
    {"inst_offset", Name::offset, flat, any_low, any_high},
    {"offset0", Name::offset0, memory, 0, 255},
    {"offset1", Name::offset1, memory, 0, 255},
    {"dmask", Name::dmask, image, 0, 15},
    {"cbsz", Name::cbsz, vector, 0, 7},
    {"abid", Name::abid, vector, 0, 15},
    {"blgp", Name::blgp, vector, 0, 7},
    {"row_mask", Name::row_mask, vector, 0, 15},
    {"bank_mask", Name::bank_mask, vector, 0, 15},
};

struct List {
  std::string_view text;
  Name name;
};
constexpr List lists[] = {
    {"op_sel", Name::op_sel}, {"op_sel_hi", Name::op_sel_hi}, {"neg_lo", Name::neg_lo}, {"neg_hi", Name::neg_hi}};
constexpr List selects[] = {{"dst_sel", Name::dst_sel}, {"src0_sel", Name::src0_sel}, {"src1_sel", Name::src1_sel}};
constexpr std::string_view select_names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
constexpr std::string_view unused_names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

struct Control {
  std::string_view text;
  uint16_t base;
  int low, high; // high 0: takes no number
};
constexpr Control controls[] = {
    {"row_shl", 0x100, 1, 15},      {"row_shr", 0x110, 1, 15},   {"row_ror", 0x120, 1, 15},
    {"wave_shl", 0x12f, 1, 1},      {"wave_rol", 0x133, 1, 1},   {"wave_shr", 0x137, 1, 1},
    {"wave_ror", 0x13b, 1, 1},      {"row_mirror", 0x140, 0, 0}, {"row_half_mirror", 0x141, 0, 0},
    {"row_newbcast", 0x150, 0, 15},
};

template <size_t N> int index_of(const std::string_view (&names)[N], const Token& t) {
  if (t.kind == TokenKind::name)
    for (size_t k = 0; k < N; ++k)
      if (names[k] == t.text)
        return static_cast<int>(k);
  return -1;
}

bool ranged(Cursor& in, const Context& c, std::string_view what, int64_t low, int64_t high, int64_t& value) {
  const size_t column = in.column();
  if (!parse_number(in, c, value))
    return false;
  return (value >= low && value <= high) || in.fail(column, std::string(what) + " is a number from " +
                                                                std::to_string(low) + " to " + std::to_string(high));
}

template <size_t N> bool named(Cursor& in, const std::string_view (&names)[N], int64_t& value) {
  value = index_of(names, in.peek());
  if (value < 0) {
    std::string all;
    for (const std::string_view n : names)
      all += (all.empty() ? "" : ", ") + std::string(n);
    return in.fail(in.column(), "expected one of " + all);
  }
  in.next();
  return true;
}

// [0,1,1]: the first bit is the lowest; how many there are stands above bit 8.
bool bit_list(Cursor& in, const Context& c, int64_t& value) {
  if (!in.expect("["))
    return false;
  int count = 0;
  do {
    int64_t bit = 0;
    if (count == 4)
      return in.fail(in.column(), "there are no more than four bits");
    if (!ranged(in, c, "a bit", 0, 1, bit))
      return false;
    value |= bit << count++;
  } while (in.accept(","));
  return in.expect("]");
}

bool quad_perm(Cursor& in, const Context& c, int64_t& value) {
  if (!in.expect("["))
    return false;
  for (int k = 0; k < 4; ++k) {
    int64_t lane = 0;
    if ((k > 0 && !in.expect(",")) || !ranged(in, c, "a lane of four", 0, 3, lane))
      return false;
    value |= lane << 2 * k;
  }
  return in.expect("]");
}

// The cursor is behind the name of the control.
bool dpp_control(Cursor& in, const Context& c, std::string_view name, size_t column, Item& item) {
  item.name = Name::dpp_ctrl;
  if (name == "quad_perm")
    return in.expect(":") && quad_perm(in, c, item.value);
  if (name == "row_bcast") {
    if (!in.expect(":"))
      return false;
    const size_t at = in.column();
    int64_t lane = 0;
    if (!parse_number(in, c, lane))
      return false;
    item.value = lane == 15 ? 0x142 : 0x143;
    return lane == 15 || lane == 31 || in.fail(at, "row_bcast copies lane 15 or 31");
  }
  for (const Control& k : controls)
    if (k.text == name) {
      if (name == "row_newbcast" && !c.gfx90a())
        return in.fail(column, "row_newbcast exists since gfx90a");
      if (k.high == 0) {
        item.value = k.base;
        return true;
      }
      int64_t n = 0;
      if (!in.expect(":") || !ranged(in, c, k.text, k.low, k.high, n))
        return false;
      item.value = k.base + n;
      return true;
    }
  return false;
}

bool is_dpp_control(std::string_view name) {
  if (name == "quad_perm" || name == "row_bcast")
    return true;
  for (const Control& k : controls)
    if (k.text == name)
      return true;
  return false;
}

bool power_of_two(Cursor& in, const Context& c, int64_t low, int64_t high, int64_t& size) {
  if (!in.expect(","))
    return false;
  const size_t column = in.column();
  if (!ranged(in, c, "a group", low, high, size))
    return false;
  return std::has_single_bit(uint64_t(size)) || in.fail(column, "a group has a power of two of lanes");
}

// ds_swizzle_b32: offset:swizzle(MODE, ...) or a number.
bool swizzle(Cursor& in, const Context& c, int64_t& value) {
  if (!in.is_name("swizzle"))
    return ranged(in, c, "a swizzle", 0, 0xffff, value);
  in.next();
  if (!in.expect("("))
    return false;
  const Token mode = in.next();
  int64_t size = 0;
  const auto bits = [&](int64_t and_mask, int64_t or_mask, int64_t xor_mask) {
    value = and_mask | or_mask << 5 | xor_mask << 10;
    return in.expect(")");
  };
  if (mode.text == "QUAD_PERM") {
    value = 0x8000;
    for (int k = 0; k < 4; ++k) {
      int64_t lane = 0;
      if (!in.expect(",") || !ranged(in, c, "a lane of four", 0, 3, lane))
        return false;
      value |= lane << 2 * k;
    }
    return in.expect(")");
  }
  if (mode.text == "BROADCAST") {
    int64_t lane = 0;
    return power_of_two(in, c, 2, 32, size) && in.expect(",") &&
           ranged(in, c, "a lane of the group", 0, size - 1, lane) && bits(32 - size, lane, 0);
  }
  if (mode.text == "REVERSE")
    return power_of_two(in, c, 2, 32, size) && bits(31, 0, size - 1);
  if (mode.text == "SWAP")
    return power_of_two(in, c, 1, 16, size) && bits(31, 0, size);
  if (mode.text != "BITMASK_PERM")
    return in.fail(mode.column,
                   "expected QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP or REVERSE before " + described(mode));
  if (!in.expect(","))
    return false;
  const Token mask = in.next();
  if (mask.kind != TokenKind::string || mask.text.size() != 5 || mask.text.find_first_not_of("01pi") != mask.text.npos)
    return in.fail(mask.column, "expected five characters of 0, 1, p and i in quotes, such as \"00p11\"");
  int64_t and_mask = 0, or_mask = 0, xor_mask = 0;
  for (int k = 0; k < 5; ++k) {
    const char bit = mask.text[static_cast<size_t>(4 - k)];
    and_mask |= int64_t(bit == 'p' || bit == 'i') << k;
    or_mask |= int64_t(bit == '1') << k;
    xor_mask |= int64_t(bit == 'i') << k;
  }
  return bits(and_mask, or_mask, xor_mask);
}

constexpr std::string_view data_formats[] = {
    "BUF_DATA_FORMAT_INVALID",     "BUF_DATA_FORMAT_8",        "BUF_DATA_FORMAT_16",
    "BUF_DATA_FORMAT_8_8",         "BUF_DATA_FORMAT_32",       "BUF_DATA_FORMAT_16_16",
    "BUF_DATA_FORMAT_10_11_11",    "BUF_DATA_FORMAT_11_11_10", "BUF_DATA_FORMAT_10_10_10_2",
    "BUF_DATA_FORMAT_2_10_10_10",  "BUF_DATA_FORMAT_8_8_8_8",  "BUF_DATA_FORMAT_32_32",
    "BUF_DATA_FORMAT_16_16_16_16", "BUF_DATA_FORMAT_32_32_32", "BUF_DATA_FORMAT_32_32_32_32",
    "BUF_DATA_FORMAT_RESERVED_15",
};
constexpr std::string_view number_formats[] = {
    "BUF_NUM_FORMAT_UNORM", "BUF_NUM_FORMAT_SNORM", "BUF_NUM_FORMAT_USCALED",    "BUF_NUM_FORMAT_SSCALED",
    "BUF_NUM_FORMAT_UINT",  "BUF_NUM_FORMAT_SINT",  "BUF_NUM_FORMAT_RESERVED_6", "BUF_NUM_FORMAT_FLOAT",
};
constexpr int64_t default_dfmt = 1, default_nfmt = 0;

// format:[DATA,NUMBER], either may be missing; format:N is dfmt + nfmt * 16.
bool format(Cursor& in, const Context& c, int64_t& value) {
  if (!in.accept("["))
    return ranged(in, c, "a format", 0, 127, value);
  int64_t dfmt = -1, nfmt = -1;
  do {
    const Token t = in.next();
    const int d = index_of(data_formats, t);
    int n = index_of(number_formats, t);
    if (c.generation() < Generation::gfx8 && (n == 6 || t.text == "BUF_NUM_FORMAT_SNORM_OGL"))
      n = n == 6 ? -1 : 6; // its name there
    if (d < 0 && n < 0)
      return in.fail(t.column,
                     "expected a format such as BUF_DATA_FORMAT_32 or BUF_NUM_FORMAT_FLOAT before " + described(t));
    if ((d >= 0 ? dfmt : nfmt) >= 0)
      return in.fail(t.column, "this format is given twice");
    (d >= 0 ? dfmt : nfmt) = d >= 0 ? d : n;
  } while (in.accept(","));
  value = (dfmt < 0 ? default_dfmt : dfmt) | (nfmt < 0 ? default_nfmt : nfmt) << 4;
  return in.expect("]");
}

// dfmt:N, nfmt:N in front of soffset, as older assemblers had it; either may be missing.
bool old_format(Cursor& in, const Context& c, int64_t& value) {
  int64_t dfmt = -1, nfmt = -1;
  while (true) {
    const bool data = in.is_name("dfmt"), number = in.is_name("nfmt");
    if (!(data || number) || !in.is(":", 1))
      break;
    if ((data ? dfmt : nfmt) >= 0)
      return in.fail(in.column(), "this format is given twice");
    in.next();
    in.next();
    if (!ranged(in, c, data ? "dfmt" : "nfmt", 0, data ? 15 : 7, data ? dfmt : nfmt))
      return false;
    if (in.is(",") && (in.is_name("dfmt", 1) || in.is_name("nfmt", 1)))
      in.next();
  }
  value = (dfmt < 0 ? default_dfmt : dfmt) | (nfmt < 0 ? default_nfmt : nfmt) << 4;
  return true;
}

// mul:2, mul:4, div:2 as the OMOD field.
bool output_modifier(Cursor& in, const Context& c, bool divide, int64_t& value) {
  const size_t column = in.column();
  int64_t n = 0;
  if (!parse_number(in, c, n))
    return false;
  if (divide ? n != 1 && n != 2 : n != 1 && n != 2 && n != 4)
    return in.fail(column, divide ? "the result can be divided by 2: div:2" : "the result can be multiplied by 2 or 4");
  value = divide ? (n == 1 ? 0 : 3) : n >> 1;
  return true;
}

// A modifier NAME: with its value; `found` if there is one of this name.
bool with_value(Cursor& in, const Context& c, const Row& r, int groups, std::string_view text, Item& item,
                bool& found) {
  found = true;
  const auto skip = [&](Name n) {
    item.name = n;
    in.next();
    in.next();
    return true;
  };
  if (text == "offset" && r.access == Access::swizzle)
    return skip(Name::offset) && swizzle(in, c, item.value);
  for (const Number& n : numbers)
    if (n.text == text && groups & n.groups)
      return skip(n.name) && ranged(in, c, n.text, n.low, n.high, item.value);
  if (groups & vector) {
    for (const List& l : lists)
      if (l.text == text)
        return skip(l.name) && bit_list(in, c, item.value);
    for (const List& l : selects)
      if (l.text == text)
        return skip(l.name) && named(in, select_names, item.value);
    if (text == "dst_unused")
      return skip(Name::dst_unused) && named(in, unused_names, item.value);
    if (text == "bound_ctrl") { // 0 and 1 both mean that the bit is set
      const bool ok = skip(Name::bound_ctrl) && ranged(in, c, text, 0, 1, item.value);
      item.value = 1;
      return ok;
    }
  }
  if (groups & (vector | interpolation) && (text == "mul" || text == "div"))
    return skip(Name::omod) && output_modifier(in, c, text == "div", item.value);
  if (r.encoding == Encoding::MTBUF) {
    if (text == "format")
      return skip(Name::format) && format(in, c, item.value);
    if (text == "dfmt" || text == "nfmt") {
      item.name = Name::format;
      return old_format(in, c, item.value);
    }
  }
  found = false;
  return true;
}

} // namespace

bool parse_modifier(Cursor& in, const Context& c, Item& item, bool& found) {
  const Token t = in.peek();
  if (t.kind != TokenKind::name)
    return true;
  const Row& r = row(c.op);
  const int groups = group(r);
  if (groups & vector && is_dpp_control(t.text)) {
    in.next();
    found = true;
    item.kind = ItemKind::modifier;
    return dpp_control(in, c, t.text, t.column, item);
  }
  if (in.is(":", 1)) {
    if (!with_value(in, c, r, groups, t.text, item, found))
      return false;
  } else {
    for (const Flag& f : flags) {
      const bool off = f.can_be_off && t.text.starts_with("no") && t.text.substr(2) == f.text;
      if ((f.text == t.text || off) && groups & f.groups) {
        if (f.name == Name::scc && !c.gfx90a())
          return in.fail(t.column,
                         "the modifier scc exists since gfx90a, and the register scc cannot be an operand here");
        in.next();
        item.name = f.name;
        item.value = off ? 0 : 1;
        found = true;
        break;
      }
    }
  }
  if (found)
    item.kind = ItemKind::modifier;
  return true;
}

} // namespace crosslane::isa::detail
