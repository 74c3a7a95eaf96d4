// Text -> Instruction: what llvm-mc-19 accepts for the target, its choice of the shortest form included. One statement
// at a time; isa/parse_program.h reads whole texts with labels. Every operand is checked against the row, so what comes
// back can be encoded and executed. Where LLVM encodes a value that does not fit its field, it is an error here
// (docs/isa-errata.md).
#pragma once
#include "isa/instruction.h"
#include <map>
#include <string>

namespace crosslane::isa {

struct ParseError {
  size_t column = 1; // of the first character that is wrong, counted from 1
  std::string message;
};

struct [[nodiscard]] Parsed {
  Instruction instruction; // valid if there is no error
  ParseError error;        // the message is empty if there is none
  explicit operator bool() const { return error.message.empty(); }
};

// What a name in an expression stands for.
struct Symbol {
  int64_t value = 0;    // of a label, its byte address
  bool label = false;   // branches may go there
  bool resolved = true; // false: a label whose address is not known yet; a branch to it gets the offset 0
};
using Symbols = std::map<std::string, Symbol, std::less<>>;

// `statement` is one instruction; comments may follow it. `address` is its own, which branches count from.
Parsed parse(Target, std::string_view statement);
Parsed parse(Target, std::string_view statement, const Symbols&, int64_t address);

// The value of an expression of numbers and symbols. False with the error if it has none yet.
bool evaluate(std::string_view expression, const Symbols&, int64_t& value, ParseError&);

} // namespace crosslane::isa
