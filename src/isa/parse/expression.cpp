// Integer expressions of 64 bits with the operators and precedences of GNU assemblers. A label counts as an address
// that may only be subtracted from another.
#include "isa/parse/operand.h"
#include <array>

namespace crosslane::isa::detail {
namespace {

constexpr int max_depth = 64; // of parentheses and signs

struct Value {
  uint64_t number = 0;
  int addresses = 0; // labels added minus labels subtracted
  bool bare = false; // a label alone
  bool resolved = true, late = false;
  std::string_view label;
};

struct Operator {
  std::string_view mark;
  int precedence;
};
constexpr Operator operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<>", 3}, {"<", 3}, {"<=", 3}, {">", 3}, {">=", 3}, {"+", 4},
    {"-", 4},  {"|", 5},  {"!", 5},  {"^", 5},  {"&", 5},  {"*", 6}, {"/", 6},  {"%", 6}, {"<<", 6}, {">>", 6},
};

class Expression {
public:
  Expression(Cursor& in, const Context& c) : in_(in), context_(c) {}

  bool primary(Value& v, int depth) {
    const Token& t = in_.peek();
    if (depth > max_depth)
      return in_.fail(t.column, "this expression is nested too deeply");
    if (t.kind == TokenKind::integer) {
      v.number = in_.next().value;
      return true;
    }
    if (t.kind == TokenKind::real)
      return in_.fail(t.column,
                      "a floating-point number cannot be part of an expression; write it alone, as 1.0 or -1.0");
    if (t.kind == TokenKind::name)
      return symbol(v);
    if (in_.accept("("))
      return binary(v, 1, depth + 1) && in_.expect(")");
    for (const char sign : {'-', '+', '~', '!'})
      if (in_.accept(std::string_view(&sign, 1))) {
        if (!primary(v, depth + 1))
          return false;
        if (sign != '+' && v.addresses != 0)
          return in_.fail(t.column, "an address can only be subtracted from another address");
        v.bare = false;
        v.number = sign == '-' ? -v.number : sign == '~' ? ~v.number : sign == '!' ? !v.number : v.number;
        return true;
      }
    return in_.fail(t.column, "expected an operand before " + described(t));
  }

  bool binary(Value& left, int lowest, int depth) {
    if (!primary(left, depth))
      return false;
    while (true) {
      const Operator* o = find();
      if (!o || o->precedence < lowest)
        return true;
      const size_t column = in_.column();
      in_.next();
      Value right;
      if (!binary(right, o->precedence + 1, depth + 1) || !apply(left, right, o->mark, column))
        return false;
    }
  }

private:
  const Operator* find() const {
    if (in_.peek().kind == TokenKind::mark)
      for (const Operator& o : operators)
        if (o.mark == in_.peek().text)
          return &o;
    return nullptr;
  }

  bool symbol(Value& v) {
    const Token& t = in_.peek();
    const auto found = context_.symbols.find(t.text);
    if (found == context_.symbols.end())
      return in_.fail(t.column, quoted(t.text) + " is neither a register nor a modifier of this instruction, and no "
                                                 "symbol or label of this name is defined");
    in_.next();
    const Symbol& s = found->second;
    v.number = static_cast<uint64_t>(s.value);
    v.addresses = s.label ? 1 : 0;
    v.bare = s.label;
    v.resolved = s.resolved;
    v.late = s.label;
    return true;
  }

  bool apply(Value& a, const Value& b, std::string_view mark, size_t column) {
    const bool sum = mark == "+" || mark == "-";
    if (!sum && (a.addresses != 0 || b.addresses != 0))
      return in_.fail(column, "an address can only be added to or subtracted from");
    a.bare = false;
    a.resolved &= b.resolved;
    a.late |= b.late;
    a.addresses += mark == "-" ? -b.addresses : b.addresses;
    const auto x = static_cast<int64_t>(a.number), y = static_cast<int64_t>(b.number);
    const auto truth = [](bool c) { return c ? ~uint64_t(0) : 0; }; // comparisons give -1
    switch (mark[0]) {
    case '+': a.number += b.number; break;
    case '-': a.number -= b.number; break;
    case '*': a.number *= b.number; break;
    case '/':
    case '%':
      if (y == 0)
        return in_.fail(column, "division by zero");
      if (y == -1)
        a.number = mark == "/" ? -a.number : 0;
      else
        a.number = static_cast<uint64_t>(mark == "/" ? x / y : x % y);
      break;
    case '^': a.number ^= b.number; break;
    case '|': a.number = mark == "||" ? uint64_t(x || y) : a.number | b.number; break;
    case '&': a.number = mark == "&&" ? uint64_t(x && y) : a.number & b.number; break;
    case '!': a.number = mark == "!=" ? truth(x != y) : a.number | ~b.number; break;
    case '=': a.number = truth(x == y); break;
    case '<':
      if (mark == "<<")
        a.number = b.number < 64 ? a.number << b.number : 0;
      else
        a.number = truth(mark == "<>" ? x != y : mark == "<" ? x < y : x <= y);
      break;
    default:
      if (mark == ">>")
        a.number = b.number < 64 ? a.number >> b.number : 0;
      else
        a.number = truth(mark == ">" ? x > y : x >= y);
      break;
    }
    return true;
  }

  Cursor& in_;
  const Context& context_;
};

bool finish(Cursor& in, size_t column, const Value& v, Item& item) {
  if (v.addresses != 0 && !v.bare)
    return in.fail(column, "expected a number, a label, or the difference of two labels");
  item.kind = ItemKind::integer;
  item.value = static_cast<int64_t>(v.number);
  item.label = v.bare;
  item.resolved = v.resolved;
  item.late = v.late;
  return true;
}

} // namespace

bool parse_expression(Cursor& in, const Context& c, Item& item) {
  const size_t column = in.column();
  Value v;
  return Expression(in, c).binary(v, 1, 0) && finish(in, column, v, item);
}

bool parse_primary(Cursor& in, const Context& c, Item& item) {
  const size_t column = in.column();
  Value v;
  return Expression(in, c).primary(v, 0) && finish(in, column, v, item);
}

bool parse_number(Cursor& in, const Context& c, int64_t& value) {
  const size_t column = in.column();
  Item item;
  if (!parse_expression(in, c, item))
    return false;
  if (item.label || item.late)
    return in.fail(column, "expected a number that does not depend on a label");
  value = item.value;
  return true;
}

} // namespace crosslane::isa::detail
