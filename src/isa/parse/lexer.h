// The words of an assembly statement: names, numbers, punctuation. Numbers are read as GNU-style assemblers do (0x, 0b,
// leading 0 for octal, 'c'). Not for other layers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::isa::detail {

enum class TokenKind : uint8_t { end, name, integer, real, string, mark, wrong };

struct Token {
  TokenKind kind = TokenKind::end;
  size_t column = 1;     // counted from 1
  std::string_view text; // of a string, without its quotes; of a wrong one, what is the matter
  uint64_t value = 0;    // of an integer, or the bits of a real as a double
};

// The last token is an `end`, at the column behind the statement. Comments are left out.
std::vector<Token> lex(std::string_view statement);

// A reader's position in the tokens of one statement, and the first thing that was wrong with them.
class Cursor {
public:
  explicit Cursor(std::string_view statement) : statement_(statement), tokens_(lex(statement)) {}

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() {
    const Token& t = peek();
    at_ = std::min(at_ + 1, tokens_.size() - 1);
    return t;
  }
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool is(std::string_view mark, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::mark && peek(ahead).text == mark;
  }
  bool is_name(std::string_view name, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::name && peek(ahead).text == name;
  }
  bool accept(std::string_view mark) {
    if (!is(mark))
      return false;
    next();
    return true;
  }
  bool accept_name(std::string_view name) {
    if (!is_name(name))
      return false;
    next();
    return true;
  }
  bool expect(std::string_view mark);

  size_t column() const { return peek().column; }
  std::string_view between(size_t column) const; // the text from there to the last token that was read
  bool fail(size_t column, std::string message); // false; the first failure counts
  bool failed() const { return !message_.empty(); }
  size_t error_column() const { return error_column_; }
  const std::string& message() const { return message_; }

private:
  std::string_view statement_;
  std::vector<Token> tokens_;
  size_t at_ = 0, error_column_ = 1;
  std::string message_;
};

// What stands in an error message: no control characters, not endless.
std::string quoted(std::string_view text);
std::string described(const Token&); // "'foo'", "the end of the line"

} // namespace crosslane::isa::detail
