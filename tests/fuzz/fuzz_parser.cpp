// Fuzzes the assembly parser: the first byte picks the target, the rest is a text. Whatever the text, there is a
// program whose instructions encode and print, or errors that point into the text and can be printed.
#include "isa/encode.h"
#include "isa/parse_program.h"
#include "isa/print.h"
#include "isa/target.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {
using namespace crosslane::isa;

void require(bool condition, const char* promise, Target target, std::string_view text, const std::string& what = "") {
  if (condition)
    return;
  std::fprintf(stderr, "broken promise: %s\n%s\n%.*s\n%s\n", promise, std::string(info(target).name).c_str(),
               int(text.size()), text.data(), what.c_str());
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const auto target = static_cast<Target>(data[0] % static_cast<unsigned>(Target::count));
  // Whole texts are short; a long one says nothing new.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, std::min<size_t>(size - 1, 2000));
  const Program program = parse_program(target, text);
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const ProgramError& e : program.errors) {
    require(e.line >= 1 && e.line <= lines, "an error is on a line of the text", target, text, e.message);
    require(e.column >= 1 && e.column <= text.size() + 1, "an error is at a column of the text", target, text,
            e.message);
    require(!e.message.empty() && e.message.size() < 1000, "a message of sane length", target, text, e.message);
    for (const char c : e.message)
      require(c >= ' ' && c < 0x7f, "a printable message", target, text, e.message);
  }
  if (!program.errors.empty())
    return 0;
  int64_t address = 0;
  for (const Statement& s : program.statements) {
    require(s.address == address, "instructions follow each other", target, text);
    require(!s.instruction.reserved, "what parses is defined", target, text, print(s.instruction));
    const Encoded code = encode(s.instruction);
    require(bool(code), "what parses can be encoded", target, text, print(s.instruction));
    require(code.size == s.instruction.size, "Instruction::size is the size", target, text, print(s.instruction));
    const Parsed again = parse(target, print(s.instruction));
    require(bool(again), "what prints can be parsed", target, text, print(s.instruction) + ": " + again.error.message);
    address += code.size;
  }
  return 0;
}
