// Immediates with a syntax of their own: wait counts, hwreg(...), sendmsg(...), gpr_idx(...). The names are those that
// isa/print/immediate.cpp prints.
#include "isa/parse/operand.h"
#include "isa/wait_counts.h"

namespace crosslane::isa::detail {
namespace {

bool waitcnt(Cursor& in, const Context& c, Item& item) {
  struct Counter {
    std::string_view name;
    uint8_t WaitCounts::* member;
  };
  constexpr Counter counters[] = {
      {"vmcnt", &WaitCounts::vm}, {"expcnt", &WaitCounts::exp}, {"lgkmcnt", &WaitCounts::lgkm}};
  const WaitCounts most = most_waits(c.generation());
  WaitCounts counts = most;
  while (!in.at_end()) {
    const Token name = in.peek();
    const bool saturate = name.text.ends_with("_sat");
    const std::string_view plain = name.text.substr(0, name.text.size() - (saturate ? 4 : 0));
    const Counter* counter = nullptr;
    for (const Counter& k : counters)
      if (name.kind == TokenKind::name && k.name == plain)
        counter = &k;
    if (!counter)
      return in.fail(name.column, "expected vmcnt(...), expcnt(...) or lgkmcnt(...) before " + described(name));
    in.next();
    if (!in.expect("("))
      return false;
    const size_t column = in.column();
    int64_t n = 0;
    if (!parse_number(in, c, n))
      return false;
    const uint8_t max = most.*counter->member;
    if (n < 0 || n > max) {
      if (!saturate)
        return in.fail(column, std::string(counter->name) + " counts from 0 to " + std::to_string(max) + " here; " +
                                   std::string(counter->name) + "_sat(...) takes the maximum instead");
      n = max;
    }
    if (!in.expect(")"))
      return false;
    counts.*counter->member = static_cast<uint8_t>(n);
    if ((in.accept("&") || in.accept(",")) && in.at_end())
      return in.fail(in.column(), "expected a counter at the end of the line");
  }
  item.value = wait_immediate(c.generation(), counts);
  return true;
}

struct Names {
  std::string_view name;
  unsigned value;
  Generation first;
};
constexpr Names hardware_registers[] = {
    {"HW_REG_MODE", 1, Generation::gfx6},      {"HW_REG_STATUS", 2, Generation::gfx6},
    {"HW_REG_TRAPSTS", 3, Generation::gfx6},   {"HW_REG_HW_ID", 4, Generation::gfx6},
    {"HW_REG_GPR_ALLOC", 5, Generation::gfx6}, {"HW_REG_LDS_ALLOC", 6, Generation::gfx6},
    {"HW_REG_IB_STS", 7, Generation::gfx6},    {"HW_REG_SH_MEM_BASES", 15, Generation::gfx9},
    {"HW_REG_TBA_LO", 16, Generation::gfx9},   {"HW_REG_TBA_HI", 17, Generation::gfx9},
    {"HW_REG_TMA_LO", 18, Generation::gfx9},   {"HW_REG_TMA_HI", 19, Generation::gfx9},
};
constexpr Names messages[] = {
    {"MSG_INTERRUPT", 1, Generation::gfx6},       {"MSG_GS", 2, Generation::gfx6},
    {"MSG_GS_DONE", 3, Generation::gfx6},         {"MSG_SAVEWAVE", 4, Generation::gfx8},
    {"MSG_STALL_WAVE_GEN", 5, Generation::gfx9},  {"MSG_HALT_WAVES", 6, Generation::gfx9},
    {"MSG_ORDERED_PS_DONE", 7, Generation::gfx9}, {"MSG_EARLY_PRIM_DEALLOC", 8, Generation::gfx9},
    {"MSG_GS_ALLOC_REQ", 9, Generation::gfx9},    {"MSG_GET_DOORBELL", 10, Generation::gfx9},
    {"MSG_SYSMSG", 15, Generation::gfx6},
};
constexpr std::string_view gs_operations[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
constexpr std::string_view system_operations[] = {"", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                                  "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};

template <size_t N> const Names* find(const Names (&table)[N], const Token& t) {
  if (t.kind == TokenKind::name)
    for (const Names& n : table)
      if (n.name == t.text)
        return &n;
  return nullptr;
}

bool exists(Cursor& in, const Context& c, const Names& n, size_t column) {
  return c.generation() >= n.first ||
         in.fail(column, std::string(info(c.target).name) + " has no " + std::string(n.name));
}

bool in_range(Cursor& in, size_t column, int64_t v, int64_t low, int64_t high, std::string_view what) {
  return (v >= low && v <= high) || in.fail(column, std::string(what) + " is a number from " + std::to_string(low) +
                                                        " to " + std::to_string(high));
}

bool pack_hwreg(Cursor& in, const size_t (&column)[3], const int64_t (&v)[3], Item& item) {
  if (!in_range(in, column[0], v[0], 0, 63, "a hardware register") ||
      !in_range(in, column[1], v[1], 0, 31, "the first bit") || !in_range(in, column[2], v[2], 1, 32, "the width"))
    return false;
  item.value = v[0] | v[1] << 6 | (v[2] - 1) << 11;
  return true;
}

// hwreg(HW_REG_MODE, 0, 4) behind its parenthesis.
bool hwreg(Cursor& in, const Context& c, Item& item) {
  int64_t v[3] = {0, 0, 32};
  size_t column[3] = {in.column(), in.column(), in.column()};
  if (const Names* n = find(hardware_registers, in.peek())) {
    if (!exists(in, c, *n, in.column()))
      return false;
    v[0] = n->value;
    in.next();
  } else if (!parse_number(in, c, v[0])) {
    return false;
  }
  if (in.accept(",")) {
    column[1] = in.column();
    if (!parse_number(in, c, v[1]) || !in.expect(","))
      return false;
    column[2] = in.column();
    if (!parse_number(in, c, v[2]))
      return false;
  }
  return in.expect(")") && pack_hwreg(in, column, v, item);
}

// {id: 1, offset: 0, size: 4} behind its brace; fields in any order.
bool hwreg_fields(Cursor& in, const Context& c, Item& item) {
  constexpr std::string_view names[] = {"id", "offset", "size"};
  int64_t v[3] = {0, 0, 32};
  size_t column[3] = {in.column(), in.column(), in.column()};
  bool seen[3] = {};
  for (bool first = true; !in.accept("}"); first = false) {
    if (!first && !in.expect(","))
      return false;
    const Token name = in.next();
    int k = 0;
    while (k < 3 && (name.kind != TokenKind::name || names[k] != name.text))
      ++k;
    if (k == 3)
      return in.fail(name.column, "expected id:, offset: or size: before " + described(name));
    if (seen[k])
      return in.fail(name.column, quoted(name.text) + " is given twice");
    seen[k] = true;
    if (!in.expect(":"))
      return false;
    column[k] = in.column();
    if (!parse_number(in, c, v[k]))
      return false;
  }
  return pack_hwreg(in, column, v, item);
}

template <size_t N> bool operation(Cursor& in, const std::string_view (&names)[N], int64_t& value) {
  for (size_t k = 0; k < N; ++k)
    if (!names[k].empty() && in.accept_name(names[k])) {
      value = static_cast<int64_t>(k);
      return true;
    }
  return false;
}

// A message given by name must make sense; one given by number must fit its fields.
bool sendmsg(Cursor& in, const Context& c, Item& item) {
  int64_t id = 0, op = 0, stream = 0;
  const size_t id_column = in.column();
  const Names* name = find(messages, in.peek());
  if (name) {
    if (!exists(in, c, *name, id_column))
      return false;
    id = name->value;
    in.next();
  } else if (!parse_number(in, c, id) || !in_range(in, id_column, id, 0, 15, "a message")) {
    return false;
  }
  const bool gs = id == 2 || id == 3, system = id == 15;
  size_t op_column = 0, stream_column = 0;
  if (in.accept(",")) {
    op_column = in.column();
    if (!(gs && operation(in, gs_operations, op)) && !(system && operation(in, system_operations, op)) &&
        !parse_number(in, c, op))
      return false;
    if (in.accept(",")) {
      stream_column = in.column();
      if (!parse_number(in, c, stream))
        return false;
    }
  }
  if (!in.expect(")"))
    return false;
  if (name) {
    if (!gs && !system && op_column)
      return in.fail(op_column, std::string(name->name) + " has no operations");
    if ((gs || system) && !op_column)
      return in.fail(id_column, std::string(name->name) + " needs an operation, such as " +
                                    std::string(gs ? gs_operations[1] : system_operations[1]));
    const bool known =
        gs ? op >= (id == 2 ? 1 : 0) && op <= 3 : !system || (op >= 1 && op <= 4 && !(c.gfx9() && op == 3));
    if (!known)
      return in.fail(op_column,
                     std::string(name->name) + " has no such operation on " + std::string(info(c.target).name));
    if (stream_column && (!gs || op == 0))
      return in.fail(stream_column, "this message goes to no stream");
  }
  if (!in_range(in, op_column, op, 0, 7, "an operation") || !in_range(in, stream_column, stream, 0, 3, "a stream"))
    return false;
  item.value = id | op << 4 | stream << 8;
  return true;
}

bool gpr_idx(Cursor& in, Item& item) {
  constexpr std::string_view names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (in.accept(")"))
    return true;
  while (true) {
    const Token t = in.next();
    int k = 0;
    while (k < 4 && (t.kind != TokenKind::name || names[k] != t.text))
      ++k;
    if (k == 4)
      return in.fail(t.column, "expected SRC0, SRC1, SRC2 or DST before " + described(t));
    if (item.value >> k & 1)
      return in.fail(t.column, quoted(t.text) + " is given twice");
    item.value |= int64_t(1) << k;
    if (in.accept(")"))
      return true;
    if (!in.expect(","))
      return false;
  }
}

} // namespace

bool parse_special(Cursor& in, const Context& c, Type type, Item& item, bool& found) {
  const auto call = [&](std::string_view name) {
    if (!in.is_name(name) || !in.is("(", 1))
      return false;
    in.next();
    in.next();
    return found = true;
  };
  item.macro = true;
  switch (type) {
  case Type::WaitCnt:
    if (in.peek().kind == TokenKind::name && in.is("(", 1)) {
      found = true;
      return waitcnt(in, c, item);
    }
    break;
  case Type::HwReg:
    if (call("hwreg"))
      return hwreg(in, c, item);
    if (in.accept("{")) {
      found = true;
      return hwreg_fields(in, c, item);
    }
    break;
  case Type::SendMsg:
    if (call("sendmsg"))
      return sendmsg(in, c, item);
    break;
  default:
    if (call("gpr_idx"))
      return gpr_idx(in, item);
    break;
  }
  item.macro = false;
  return true;
}

} // namespace crosslane::isa::detail
