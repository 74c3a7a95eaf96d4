// Parses lane expressions into a tree, then walks it once for each lane.
#include "cli/permute/lane_expression.h"
#include "files/error.h"
#include "isa/suggest.h"
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace crosslane::cli {

namespace {

constexpr size_t max_length = 10000; // characters
constexpr int max_depth = 200;       // parentheses, signs and ?: within each other

// Where and what; becomes an llvm::Error at the end, with the caret.
struct Mistake {
  size_t column;
  std::string text;
};

enum class Kind : uint8_t { number, lane, lanes, zero, any, unary, binary, choice, call };

struct Node {
  Kind kind;
  size_t column; // of its operator or name: where what is wrong with it is shown
  size_t begin;  // of its first character
  std::string_view op;
  int64_t value = 0;
  std::vector<std::unique_ptr<Node>> parts;
};
using Tree = std::unique_ptr<Node>;

struct Function {
  std::string_view name;
  size_t least, most; // arguments
  std::string_view usage;
};
constexpr Function functions[] = {
    {"min", 2, 99, "min(a, b, ...)"},  {"max", 2, 99, "max(a, b, ...)"},        {"abs", 1, 1, "abs(x)"},
    {"popcount", 1, 1, "popcount(x)"}, {"rev", 2, 2, "rev(x, number of bits)"},
};
constexpr std::string_view names[] = {"i", "n", "zero", "any"};

struct Operator {
  std::string_view mark;
  int precedence;
};
// Longer marks before their beginnings.
constexpr Operator operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
    {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

std::string unknown(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  std::vector<std::string_view> known(std::begin(names), std::end(names));
  for (const auto& f : functions)
    known.push_back(f.name);
  std::string best(isa::nearest(lower, known));
  for (const auto& f : functions)
    if (best == f.name)
      best = f.usage;
  // What people call the same things.
  for (const auto& [theirs, ours] : {std::pair{"lane", "i"},
                                     {"lane_id", "i"},
                                     {"x", "i"},
                                     {"tid", "i"},
                                     {"lanes", "n"},
                                     {"reverse", "rev(x, number of bits)"},
                                     {"bitreverse", "rev(x, number of bits)"},
                                     {"dontcare", "any"},
                                     {"undef", "any"}})
    if (lower == theirs)
      best = ours;
  return fmt::format("there is no '{}'{}", name.substr(0, 40),
                     best.empty() ? "; the names are i, n, zero, any, min, max, abs, popcount and rev"
                                  : "; did you mean " + best + "?");
}

class Parser {
public:
  Parser(std::string_view text, std::optional<Mistake>& mistake) : text_(text), mistake_(mistake) {}

  // A list's entries, or the one expression.
  std::vector<Tree> run(bool& list) {
    std::vector<Tree> trees;
    list = accept("[");
    if (!list) {
      trees.push_back(expression(0));
    } else {
      do
        trees.push_back(expression(0));
      while (!mistake_ && accept(","));
      expect("]", "',' or ']'");
    }
    skip();
    if (!mistake_ && at_ < text_.size())
      fail(at_, fmt::format("{} is not expected here{}", here(), text_[at_] == '=' ? "; == compares" : ""));
    return trees;
  }

private:
  Tree fail(size_t column, std::string text) {
    if (!mistake_)
      mistake_ = Mistake{column, std::move(text)};
    return nullptr;
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool accept(std::string_view mark) {
    skip();
    if (text_.substr(at_, mark.size()) != mark)
      return false;
    at_ += mark.size();
    return true;
  }
  bool expect(std::string_view mark, std::string_view what) {
    if (mistake_)
      return false;
    if (accept(mark))
      return true;
    fail(at_, fmt::format("expected {}, not {}", what, here()));
    return false;
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string_view word() const {
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end]))
      ++end;
    return text_.substr(at_, end - at_);
  }
  // What stands at the place, for messages.
  std::string here() {
    skip();
    if (at_ == text_.size())
      return "the end";
    if (const auto w = word(); !w.empty())
      return fmt::format("'{}'", w.substr(0, 40));
    const auto c = static_cast<unsigned char>(text_[at_]);
    return c >= 0x20 && c < 0x7f ? fmt::format("'{}'", text_[at_]) : fmt::format("a character of code {}", c);
  }

  Tree make(Kind kind, size_t column, size_t begin, std::string_view op = {}) {
    auto node = std::make_unique<Node>();
    node->kind = kind, node->column = column, node->begin = begin, node->op = op;
    return node;
  }

  Tree expression(int depth) {
    if (mistake_)
      return nullptr;
    if (depth > max_depth)
      return fail(at_, "this is nested too deeply");
    Tree condition = binary(1, depth);
    skip();
    const size_t question = at_;
    if (mistake_ || !accept("?"))
      return condition;
    Tree choice = make(Kind::choice, question, condition->begin, "?");
    choice->parts.push_back(std::move(condition));
    choice->parts.push_back(expression(depth + 1));
    if (!expect(":", "':' of the '?'"))
      return nullptr;
    choice->parts.push_back(expression(depth + 1));
    return choice;
  }

  const Operator* next_operator() {
    skip();
    for (const Operator& op : operators)
      if (text_.substr(at_, op.mark.size()) == op.mark)
        return &op;
    return nullptr;
  }

  Tree binary(int lowest, int depth) {
    Tree left = unary(depth);
    while (!mistake_) {
      const Operator* op = next_operator();
      if (!op || op->precedence < lowest)
        return left;
      const size_t column = at_;
      at_ += op->mark.size();
      Tree right = binary(op->precedence + 1, depth);
      if (mistake_)
        return nullptr;
      Tree node = make(Kind::binary, column, left->begin, op->mark);
      node->parts.push_back(std::move(left));
      node->parts.push_back(std::move(right));
      left = std::move(node);
    }
    return nullptr;
  }

  Tree unary(int depth) {
    skip();
    const size_t column = at_;
    if (depth > max_depth)
      return fail(column, "this is nested too deeply");
    for (const std::string_view sign : {"-", "+", "~", "!"})
      if (accept(sign)) {
        Tree operand = unary(depth + 1);
        if (mistake_)
          return nullptr;
        Tree node = make(Kind::unary, column, column, sign);
        node->parts.push_back(std::move(operand));
        return node;
      }
    return primary(depth);
  }

  Tree primary(int depth) {
    const size_t column = at_;
    if (accept("(")) {
      Tree inner = expression(depth + 1);
      return expect(")", "')'") ? std::move(inner) : nullptr;
    }
    const std::string_view w = word();
    if (w.empty())
      return fail(column, fmt::format("expected a number, a name or '(', not {}", here()));
    at_ += w.size();
    if (std::isdigit(static_cast<unsigned char>(w[0])))
      return number(w, column);
    if (w == "i")
      return make(Kind::lane, column, column);
    if (w == "n")
      return make(Kind::lanes, column, column);
    if (w == "zero")
      return make(Kind::zero, column, column);
    if (w == "any")
      return make(Kind::any, column, column);
    for (const Function& f : functions)
      if (w == f.name)
        return call(f, column, depth);
    return fail(column, unknown(w));
  }

  Tree number(std::string_view w, size_t column) {
    const bool hex = w.starts_with("0x") || w.starts_with("0X"), bits = w.starts_with("0b") || w.starts_with("0B");
    const unsigned base = hex ? 16 : bits ? 2 : 10;
    const std::string_view digits = w.substr(base == 10 ? 0 : 2);
    if (base == 10 && digits.size() > 1 && digits[0] == '0')
      return fail(column, fmt::format("'{}': a number that begins with 0 would be octal in C; leave out the 0",
                                      w.substr(0, 40)));
    int64_t value = 0;
    for (size_t k = 0; k < digits.size(); ++k) {
      const char c = char(std::tolower(static_cast<unsigned char>(digits[k])));
      const unsigned digit = std::isdigit(static_cast<unsigned char>(c)) ? unsigned(c - '0')
                             : c >= 'a' && c <= 'f'                      ? unsigned(c - 'a' + 10)
                                                                         : 99;
      if (digit >= base)
        return fail(column + (w.size() - digits.size()) + k, fmt::format("'{}' is no digit of a {} number", digits[k],
                                                                         base == 10  ? "decimal"
                                                                         : base == 2 ? "binary"
                                                                                     : "hexadecimal"));
      if (__builtin_mul_overflow(value, int64_t(base), &value) || __builtin_add_overflow(value, int64_t(digit), &value))
        return fail(column, "this number does not fit into 64 bits");
    }
    if (digits.empty())
      return fail(column, fmt::format("'{}' has no digits", w));
    Tree node = make(Kind::number, column, column);
    node->value = value;
    return node;
  }

  Tree call(const Function& f, size_t column, int depth) {
    if (!accept("("))
      return fail(column, fmt::format("{} is a function: write {}", f.name, f.usage));
    Tree node = make(Kind::call, column, column, f.name);
    if (!accept(")")) {
      do
        node->parts.push_back(expression(depth + 1));
      while (!mistake_ && accept(","));
      if (!expect(")", "',' or ')'"))
        return nullptr;
    }
    if (node->parts.size() < f.least || node->parts.size() > f.most)
      return fail(column, fmt::format("{} takes {}{} argument{}, not {}: {}", f.name, f.least,
                                      f.most > f.least ? " or more" : "", f.least == 1 ? "" : "s", node->parts.size(),
                                      f.usage));
    return node;
  }

  std::string_view text_;
  std::optional<Mistake>& mistake_;
  size_t at_ = 0;
};

class Evaluator {
public:
  Evaluator(int lane, int lanes, std::optional<Mistake>& mistake) : lane_(lane), lanes_(lanes), mistake_(mistake) {}

  // The lane that is read; lane_zero, lane_any. Sets a mistake if it is none of the lanes.
  int source(const Node& node) {
    if (node.kind == Kind::choice) {
      const int64_t condition = value(*node.parts[0]);
      return mistake_ ? 0 : source(*node.parts[condition ? 1 : 2]);
    }
    if (node.kind == Kind::zero)
      return lane_zero;
    if (node.kind == Kind::any)
      return lane_any;
    const int64_t from = value(node);
    if (!mistake_ && (from < 0 || from >= lanes_))
      fail(node.begin,
           fmt::format("reads lane {}, but the lanes are 0 to {}; '& (n - 1)' wraps around, 'zero' and 'any' need "
                       "no lane",
                       from, lanes_ - 1));
    return int(from);
  }

private:
  int64_t fail(size_t column, std::string text) {
    if (!mistake_)
      mistake_ = Mistake{column, std::move(text)};
    return 0;
  }
  int64_t overflow(const Node& node) { return fail(node.column, fmt::format("{} leaves 64 bits", node.op)); }

  int64_t value(const Node& node) {
    if (mistake_)
      return 0;
    switch (node.kind) {
    case Kind::number: return node.value;
    case Kind::lane: return lane_;
    case Kind::lanes: return lanes_;
    case Kind::zero:
    case Kind::any:
      return fail(node.column, fmt::format("'{}' says what a whole lane becomes; it is no number to compute with",
                                           node.kind == Kind::zero ? "zero" : "any"));
    case Kind::choice: return value(*node.parts[value(*node.parts[0]) ? 1 : 2]);
    case Kind::unary: return unary(node);
    case Kind::binary: return binary(node);
    case Kind::call: return call(node);
    }
    return 0;
  }

  int64_t unary(const Node& node) {
    const int64_t a = value(*node.parts[0]);
    int64_t result = a;
    switch (node.op[0]) {
    case '-': return __builtin_sub_overflow(int64_t(0), a, &result) ? overflow(node) : result;
    case '~': return ~a;
    case '!': return !a;
    }
    return a;
  }

  int64_t binary(const Node& node) {
    const std::string_view op = node.op;
    const int64_t a = value(*node.parts[0]);
    if (op == "&&")
      return a && value(*node.parts[1]);
    if (op == "||")
      return a || value(*node.parts[1]);
    const int64_t b = value(*node.parts[1]);
    if (mistake_)
      return 0;
    if (op == "==" || op == "!=")
      return (a == b) == (op == "==");
    if (op == "<=")
      return a <= b;
    if (op == ">=")
      return a >= b;
    int64_t result = 0;
    if (op == "<<" || op == ">>") {
      if (b < 0 || b > 63)
        return fail(node.column, fmt::format("shifts by {}; 0 to 63 are possible", b));
      if (op == ">>")
        return a >> b;
      result = int64_t(uint64_t(a) << b);
      return result >> b != a ? overflow(node) : result;
    }
    switch (op[0]) {
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '<': return a < b;
    case '>': return a > b;
    case '+': return __builtin_add_overflow(a, b, &result) ? overflow(node) : result;
    case '-': return __builtin_sub_overflow(a, b, &result) ? overflow(node) : result;
    case '*': return __builtin_mul_overflow(a, b, &result) ? overflow(node) : result;
    }
    if (b == 0)
      return fail(node.column, op == "/" ? "divides by zero" : "takes a remainder by zero");
    if (a == INT64_MIN && b == -1)
      return overflow(node);
    return op == "/" ? a / b : a % b;
  }

  int64_t call(const Node& node) {
    std::vector<int64_t> a;
    a.reserve(node.parts.size());
    for (const Tree& part : node.parts)
      a.push_back(value(*part));
    if (mistake_)
      return 0;
    if (node.op == "min")
      return *std::min_element(a.begin(), a.end());
    if (node.op == "max")
      return *std::max_element(a.begin(), a.end());
    if (node.op == "abs")
      return a[0] == INT64_MIN ? overflow(node) : a[0] < 0 ? -a[0] : a[0];
    if (node.op == "popcount")
      return std::popcount(uint64_t(a[0]));
    if (a[1] < 0 || a[1] > 64)
      return fail(node.column, fmt::format("reverses {} bits; 0 to 64 are possible", a[1]));
    uint64_t reversed = a[1] == 64 ? 0 : uint64_t(a[0]) >> a[1] << a[1];
    for (int b = 0; b < a[1]; ++b)
      reversed |= (uint64_t(a[0]) >> b & 1) << (a[1] - 1 - b);
    return int64_t(reversed);
  }

  int lane_, lanes_;
  std::optional<Mistake>& mistake_;
};

llvm::Error error(const Mistake& mistake, std::string_view text, int lane) {
  std::string shown(text);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
  return fail("{}{}\n  {}\n  {}^", lane < 0 ? "" : fmt::format("lane {}: ", lane), mistake.text, shown,
              std::string(mistake.column, ' '));
}

} // namespace

llvm::Expected<std::vector<int>> evaluate_lanes(std::string_view text, int lanes) {
  if (text.size() > max_length)
    return fail("an expression of {} characters is too long; {} are possible", text.size(), max_length);
  std::optional<Mistake> mistake;
  bool list = false;
  const std::vector<Tree> trees = Parser(text, mistake).run(list);
  if (mistake)
    return error(*mistake, text, -1);
  const int group = list ? int(trees.size()) : lanes;
  if (lanes % group != 0)
    return error({0, fmt::format("a list of {} lanes does not divide {} lanes", group, lanes)}, text, -1);
  std::vector<int> from;
  for (int lane = 0; lane < lanes; ++lane) {
    const int in_group = lane % group;
    const int source = Evaluator(in_group, group, mistake).source(*trees[list ? size_t(in_group) : 0]);
    if (mistake)
      return error(*mistake, text, lane);
    from.push_back(source < 0 ? source : lane - in_group + source);
  }
  return from;
}

} // namespace crosslane::cli
