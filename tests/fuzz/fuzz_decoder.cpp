// Fuzzes the decoder, the printer and the encoder: the first byte picks the target, the rest is code. Whatever the
// bytes, decode gives an instruction that keeps its promises and can be encoded, or none; print gives one line that
// starts with the mnemonic. And the reader of hex lines answers any text with one line.
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/hex.h"
#include "isa/op.h"
#include "isa/print.h"
#include "isa/target.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {
using namespace crosslane::isa;

void require(bool condition, const char* promise, Target target, std::span<const uint8_t> bytes,
             const std::string& text = "") {
  if (condition)
    return;
  std::fprintf(stderr, "broken promise: %s\n%s, bytes", promise, std::string(info(target).name).c_str());
  for (uint8_t byte : bytes.first(std::min<size_t>(bytes.size(), 20)))
    std::fprintf(stderr, " %02x", byte);
  std::fprintf(stderr, "\n%s\n", text.c_str());
  std::abort();
}

// Decodes at the front of `bytes`; gives the size, 0 for none.
size_t check(Target target, std::span<const uint8_t> bytes) {
  Instruction instruction;
  int result = decode(target, bytes, instruction);
  require(result >= 0 && result % 4 == 0 && static_cast<size_t>(result) <= bytes.size(), "size within the bytes",
          target, bytes);
  if (result == 0)
    return 0;
  auto size = static_cast<size_t>(result);
  require(instruction.size == size, "Instruction::size is what decode returns", target, bytes);
  require(instruction.target == target, "Instruction::target is the target", target, bytes);
  require(instruction.op < Op::count, "op is one of the rows", target, bytes);
  require(instruction.encoding == row(instruction.op).encoding, "encoding is the row's", target, bytes);
  std::string text = print(instruction);
  require(text.starts_with(mnemonic(instruction.op, target)), "the text starts with the mnemonic", target, bytes, text);
  require(text.find("  ") == std::string::npos && text.back() != ' ', "single spaces", target, bytes, text);
  for (char c : text)
    require(c >= ' ' && c < 0x7f, "printable text", target, bytes, text);

  // Only its own bytes count: alone it is the same, cut short it is none.
  Instruction alone, cut;
  std::vector<uint8_t> own(bytes.begin(), bytes.begin() + result);
  require(decode(target, own, alone) == result && print(alone) == text, "the bytes behind do not matter", target, bytes,
          text);
  own.resize(size - 4);
  own.shrink_to_fit();
  require(decode(target, own, cut) < result, "cut short it is another or none", target, bytes, text);

  Encoded encoded = encode(instruction);
  Instruction back;
  require(encoded.size == size, "what decodes can be encoded", target, bytes, text);
  require(decode(target, encoded.bytes(), back) == result && back == instruction, "and comes back", target, bytes,
          text);
  return size;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  auto target = static_cast<Target>(data[0] % static_cast<unsigned>(Target::count));
  std::vector<uint8_t> code(data + 1, data + size);
  std::span<const uint8_t> rest(code);
  while (!rest.empty()) {
    size_t step = check(target, rest);
    rest = rest.subspan(std::min(rest.size(), std::max<size_t>(step, 4)));
  }
  std::string_view text(reinterpret_cast<const char*>(data), std::min<size_t>(size, 200));
  std::string answer = disassemble_hex_line(target, text);
  require(!answer.empty() && answer.size() < 400, "one answer of sane length", target, code, answer);
  for (char c : answer)
    require(c >= ' ' && c < 0x7f, "a printable answer", target, code, answer);
  return 0;
}
