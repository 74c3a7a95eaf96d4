// See parse_lexer.h.
#include "isa/parse/lexer.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace crosslane::isa::detail {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool hex_digit(char c) { return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; }
bool name_part(char c) { return name_start(c) || digit(c) || c == '$' || c == '@'; }

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (skip_blanks())
      one();
    add(TokenKind::end, at_, 0);
    return std::move(tokens_);
  }

private:
  char ahead(size_t n = 0) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void add(TokenKind kind, size_t start, size_t size, uint64_t value = 0) {
    tokens_.push_back({kind, start + 1, text_.substr(start, size), value});
  }
  void wrong(size_t start, std::string_view what) {
    tokens_.push_back({TokenKind::wrong, start + 1, what, 0});
    at_ = text_.size();
  }

  // False at the end of the statement or at a comment that reaches to it.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';' || (c == '/' && ahead(1) == '/')) {
        text_ = text_.substr(0, at_);
        return false;
      }
      if (c == '/' && ahead(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) {
          wrong(at_, "this comment has no */");
          return false;
        }
        at_ = end + 2;
      } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  void one() {
    const size_t start = at_;
    const char c = text_[at_];
    if (digit(c) || (c == '.' && digit(ahead(1)))) {
      number();
    } else if (name_start(c)) {
      while (at_ < text_.size() && name_part(text_[at_]))
        ++at_;
      add(TokenKind::name, start, at_ - start);
    } else if (c == '"') {
      const size_t end = text_.find('"', at_ + 1);
      if (end == text_.npos)
        return wrong(start, "this string has no closing \"");
      at_ = end + 1;
      add(TokenKind::string, start + 1, end - start - 1);
      tokens_.back().column = start + 1;
    } else if (c == '\'') {
      if (ahead(1) == '\0' || ahead(1) == '\\' || ahead(2) != '\'')
        return wrong(start, "a character constant is one character between ' and '");
      add(TokenKind::integer, start, 3, static_cast<unsigned char>(text_[at_ + 1]));
      at_ += 3;
    } else {
      constexpr std::string_view pairs[] = {"<<", ">>", "&&", "||", "==", "!=", "<=", ">=", "<>"};
      size_t size = 1;
      for (const std::string_view p : pairs)
        if (text_.substr(at_, 2) == p)
          size = 2;
      if (size == 1 && std::string_view("+-*/%&|^~!<>()[]{}:,=").find(c) == std::string_view::npos)
        return wrong(start, "this character means nothing here");
      at_ += size;
      add(TokenKind::mark, start, size);
    }
  }

  // 1.5 .5 1e3 are reals; an integer has no point and no exponent.
  void number() {
    const size_t start = at_;
    const bool prefixed = text_[at_] == '0' && (ahead(1) == 'x' || ahead(1) == 'X');
    if (prefixed) {
      at_ += 2;
      const size_t digits = at_;
      while (hex_digit(ahead()))
        ++at_;
      if (ahead() == 'p' || ahead() == 'P' || ahead() == '.')
        return hexadecimal_real(start, digits);
      return integer(start, digits, 16);
    }
    if (text_[at_] == '0' && (ahead(1) == 'b' || ahead(1) == 'B') && digit(ahead(2))) {
      at_ += 2;
      const size_t digits = at_;
      while (digit(ahead()))
        ++at_;
      return integer(start, digits, 2);
    }
    while (digit(ahead()))
      ++at_;
    const bool exponent = (ahead() == 'e' || ahead() == 'E') &&
                          (digit(ahead(1)) || ((ahead(1) == '+' || ahead(1) == '-') && digit(ahead(2))));
    if (ahead() == '.' || exponent)
      return real(start);
    integer(start, start, text_[start] == '0' && at_ - start > 1 ? 8 : 10);
  }

  void integer(size_t start, size_t digits, int base) {
    uint64_t value = 0;
    const char* end = text_.data() + at_;
    const auto [stop, error] = std::from_chars(text_.data() + digits, end, value, base);
    if (error == std::errc::result_out_of_range)
      return wrong(start, "this number has more than 64 bits");
    if (error != std::errc() || stop != end)
      return wrong(start, base == 8   ? "a number that starts with 0 is octal: it has no 8 or 9"
                          : base == 2 ? "a number that starts with 0b is binary: it has only 0 and 1"
                                      : "digits are missing after 0x");
    for (int k = 0; k < 3 && (ahead() == 'u' || ahead() == 'U' || ahead() == 'l' || ahead() == 'L'); ++k)
      ++at_;
    if (base == 10 && (ahead() == 'b' || ahead() == 'f') && !name_part(ahead(1))) { // 1b: the label 1 before
      ++at_;
      return add(TokenKind::name, start, at_ - start);
    }
    if (name_part(ahead()))
      return wrong(start, "letters follow this number");
    add(TokenKind::integer, start, at_ - start, value);
  }

  // 0x1.8p3: the exponent is that of 2, in decimal, and must be there.
  void hexadecimal_real(size_t start, size_t digits) {
    while (hex_digit(ahead()) || ahead() == '.')
      ++at_;
    const bool exponent = ahead() == 'p' || ahead() == 'P';
    if (exponent && (ahead(1) == '+' || ahead(1) == '-'))
      ++at_;
    if (!exponent || !digit(ahead(1)))
      return wrong(start, "a hexadecimal number with a point needs an exponent, such as 0x1.8p3");
    ++at_;
    while (digit(ahead()))
      ++at_;
    double value = 0;
    const char* end = text_.data() + at_;
    const auto [stop, error] = std::from_chars(text_.data() + digits, end, value, std::chars_format::hex);
    if (stop != end || error != std::errc() || name_part(ahead()))
      return wrong(start, "this is not a hexadecimal floating-point number");
    add(TokenKind::real, start, at_ - start, std::bit_cast<uint64_t>(value));
  }

  void real(size_t start) {
    while (digit(ahead()))
      ++at_;
    if (ahead() == '.')
      ++at_;
    while (digit(ahead()))
      ++at_;
    if (ahead() == 'e' || ahead() == 'E') {
      ++at_;
      if (ahead() == '+' || ahead() == '-')
        ++at_;
      if (!digit(ahead()))
        return wrong(start, "the exponent of this number has no digits");
      while (digit(ahead()))
        ++at_;
    }
    if (name_part(ahead()))
      return wrong(start, "letters follow this number");
    double value = 0;
    const auto [stop, error] = std::from_chars(text_.data() + start, text_.data() + at_, value);
    if (error == std::errc::result_out_of_range && value == 0)
      value = text_.substr(start, at_ - start).find("e-") != text_.npos ? 0 : HUGE_VAL;
    add(TokenKind::real, start, at_ - start, std::bit_cast<uint64_t>(value));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> lex(std::string_view statement) { return Lexer(statement).run(); }

std::string_view Cursor::between(size_t column) const {
  const Token& last = tokens_[at_ == 0 ? 0 : at_ - 1];
  const size_t end = last.column - 1 + last.text.size() + (last.kind == TokenKind::string ? 2 : 0);
  return end < column ? std::string_view() : statement_.substr(column - 1, end - (column - 1));
}

bool Cursor::fail(size_t column, std::string message) {
  if (failed())
    return false;
  // What could not be read as a token is what is wrong.
  const bool wrong = peek().kind == TokenKind::wrong;
  error_column_ = wrong ? peek().column : column;
  message_ = wrong ? std::string(peek().text) : std::move(message);
  return false;
}

bool Cursor::expect(std::string_view mark) {
  return accept(mark) || fail(column(), "expected '" + std::string(mark) + "' before " + described(peek()));
}

std::string quoted(std::string_view text) {
  std::string s = "'";
  for (const char c : text.substr(0, 40))
    s += c >= 0x20 && c < 0x7f ? c : '?';
  return s + (text.size() > 40 ? "...'" : "'");
}

std::string described(const Token& t) {
  return t.kind == TokenKind::end ? std::string("the end of the line") : quoted(t.text);
}

} // namespace crosslane::isa::detail
