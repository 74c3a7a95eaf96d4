// See parse_program.h. Two passes: the first finds where labels are, the second knows them. What an instruction is must
// not change in between, so a difference of labels is always a literal, as with LLVM.
#include "isa/parse/operand.h"
#include "isa/parse_program.h"
#include <algorithm>
#include <set>

namespace crosslane::isa {
namespace {
using namespace detail;

enum class Kind : uint8_t { label, constant, instruction, error };

// A piece of a line that is one thing.
struct Piece {
  Kind kind;
  size_t line, column; // of `text`
  std::string_view text;
  std::string_view blanked;    // without comments over several lines
  std::string name;            // label, constant
  std::string_view expression; // constant
  size_t expression_column = 1;
  std::string message; // error
};

// Directives that change nothing in a plain sequence of instructions.
constexpr std::string_view ignored[] = {".text", ".globl", ".global", ".type", ".size"};

class Reader {
public:
  Reader(Target target, std::string_view text) : target_(target), text_(text) { split(); }

  Program run() {
    pass(false);
    if (program_.errors.empty())
      pass(true);
    return std::move(program_);
  }

private:
  // Comments over several lines become blanks, so that lines and columns stay.
  void split() {
    blanked_ = text_;
    for (size_t at = 0; at < blanked_.size();) {
      const char c = blanked_[at];
      if (c == ';' || blanked_.compare(at, 2, "//") == 0) {
        at = std::min(blanked_.find('\n', at), blanked_.size());
      } else if (c == '"') {
        const size_t end = blanked_.find_first_of("\"\n", at + 1);
        at = end == std::string::npos ? blanked_.size() : end + 1;
      } else if (blanked_.compare(at, 2, "/*") == 0) {
        const size_t end = blanked_.find("*/", at + 2);
        if (end == std::string::npos)
          break; // the reader of the statement says so
        for (; at < end + 2; ++at)
          if (blanked_[at] != '\n')
            blanked_[at] = ' ';
      } else {
        ++at;
      }
    }
    size_t line = 1;
    for (size_t start = 0; start < blanked_.size(); ++line) {
      const size_t end = std::min(blanked_.find('\n', start), blanked_.size());
      if (blanked_[start] != '#') // a line marker of the C preprocessor
        split_line(line, start, end);
      start = end + 1;
    }
  }

  std::string_view original(size_t start, size_t end) const {
    std::string_view s = text_.substr(start, end - start);
    const size_t last = s.find_last_not_of(" \t\r");
    return s.substr(0, last == s.npos ? 0 : last + 1);
  }

  void split_line(size_t line, size_t start, size_t end) {
    const size_t line_start = start;
    while (true) {
      const std::string_view rest = std::string_view(blanked_).substr(start, end - start);
      Cursor in(rest);
      if (in.at_end() && in.peek().kind == TokenKind::end)
        return;
      const Token first = in.next();
      const size_t column = start - line_start;
      const size_t at = start + first.column - 1;
      Piece p{Kind::instruction, line, column + first.column, original(at, end), {}, {}, {}, 1, {}};
      p.blanked = std::string_view(blanked_).substr(at, end - at);
      const bool number = first.kind == TokenKind::integer;
      if ((first.kind == TokenKind::name || number) && in.is(":")) {
        p.kind = Kind::label;
        p.name = std::string(first.text);
        start += in.peek().column;
        pieces_.push_back(std::move(p));
        continue;
      }
      if (first.kind == TokenKind::name) {
        const bool set = first.text == ".set" || first.text == ".equ";
        const Token name = set ? in.next() : first;
        if (set || in.is("=")) {
          p.kind = Kind::constant;
          p.name = std::string(name.text);
          if (name.kind != TokenKind::name || !(set ? in.accept(",") : in.accept("="))) {
            p.kind = Kind::error;
            p.message = "expected .set name, value";
          }
          p.expression_column = column + in.column();
          p.expression = rest.substr(in.column() - 1);
        } else if (first.text.starts_with('.')) {
          if (std::find(std::begin(ignored), std::end(ignored), first.text) != std::end(ignored))
            return;
          p.kind = Kind::error;
          p.message = "directives such as " + quoted(first.text) +
                      " make a code object: name the output file.co, or describe a kernel with .amdhsa_kernel";
        }
      }
      pieces_.push_back(std::move(p));
      return;
    }
  }

  void error(size_t line, size_t column, std::string message) {
    program_.errors.push_back({line, column, std::move(message)});
  }

  void constant(const Piece& p) {
    int64_t value = 0;
    ParseError e;
    if (!evaluate(p.expression, symbols_, value, e))
      return error(p.line, p.expression_column + e.column - 1, e.message);
    if (const auto found = symbols_.find(p.name); found != symbols_.end() && found->second.label)
      return error(p.line, p.column, quoted(p.name) + " is a label");
    symbols_[p.name] = {value, false, true};
  }

  void label(const Piece& p, size_t index) {
    addresses_[index] = address_;
    const bool number = p.name[0] >= '0' && p.name[0] <= '9';
    if (second_)
      program_.labels.push_back({p.name, address_});
    if (number) {
      symbols_[p.name + "b"] = {address_, true, true};
      symbols_.erase(p.name + "f");
      for (size_t k = index + 1; k < pieces_.size(); ++k)
        if (pieces_[k].kind == Kind::label && pieces_[k].name == p.name) {
          symbols_[p.name + "f"] = {addresses_[k], true, second_};
          break;
        }
      return;
    }
    if (!second_ && !defined_.insert(p.name).second)
      return error(p.line, p.column, quoted(p.name) + " is defined twice");
    symbols_[p.name] = {address_, true, true};
  }

  void instruction(const Piece& p) {
    const Parsed parsed = parse(target_, p.blanked, symbols_, address_);
    if (!parsed) {
      error(p.line, p.column + parsed.error.column - 1, parsed.error.message);
      address_ += 4;
      return;
    }
    if (second_) {
      const Row& r = row(parsed.instruction.op);
      std::string target;
      if (r.src[0] == Type::Label || r.src[1] == Type::Label) {
        std::vector<Token> tokens = lex(p.blanked);
        const Token& last = tokens[tokens.size() >= 2 ? tokens.size() - 2 : 0];
        if (last.kind == TokenKind::name && symbols_.contains(last.text))
          target = std::string(last.text);
      }
      program_.statements.push_back({p.line, p.text, std::move(target), parsed.instruction, address_});
    }
    address_ += parsed.instruction.size;
  }

  void pass(bool second) {
    second_ = second;
    address_ = 0;
    addresses_.resize(pieces_.size());
    symbols_.clear();
    for (size_t k = pieces_.size(); k-- > 0;) {
      const Piece& p = pieces_[k];
      if (p.kind != Kind::label)
        continue;
      const bool number = p.name[0] >= '0' && p.name[0] <= '9';
      symbols_[number ? p.name + "f" : p.name] = {addresses_[k], true, second};
    }
    for (size_t k = 0; k < pieces_.size(); ++k) {
      const Piece& p = pieces_[k];
      switch (p.kind) {
      case Kind::label: label(p, k); break;
      case Kind::constant: constant(p); break;
      case Kind::error: error(p.line, p.column, p.message); break;
      case Kind::instruction: instruction(p); break;
      }
    }
  }

  Target target_;
  std::string_view text_;
  std::string blanked_;
  std::vector<Piece> pieces_;
  std::vector<int64_t> addresses_; // of the labels among the pieces
  Symbols symbols_;
  std::set<std::string> defined_; // labels that have had their turn
  int64_t address_ = 0;
  bool second_ = false;
  Program program_;
};

} // namespace

Program parse_program(Target target, std::string_view text) { return Reader(target, text).run(); }

} // namespace crosslane::isa
