// Fuzzes decoder and printer: whatever the bytes, either no instruction or one that fits in them, prints one line, and decodes
// the same again from its own bytes alone. And the hex line reader: one line of printable text for any input.
#include "isa/decode.h"
#include "isa/hex.h"
#include "isa/op.h"
#include "isa/print.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
using namespace crosslane::isa;

#define REQUIRE(CONDITION)                                                                                             \
  do {                                                                                                                 \
    if (!(CONDITION)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #CONDITION);                             \
      std::abort();                                                                                                    \
    }                                                                                                                  \
  } while (false)

void require_one_line(const std::string& text) {
  REQUIRE(!text.empty() && text.size() < 400);
  for (const unsigned char c : text)
    REQUIRE(c >= 0x20 && c < 0x7f);
}

void decode_all(Target target, std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size();) {
    Instruction inst;
    const int size = decode(target, bytes.subspan(at), inst);
    REQUIRE(size == 0 || size == 4 || size == 8 || size == 12);
    REQUIRE(size_t(size) <= bytes.size() - at);
    if (size == 0) {
      at += 4;
      continue;
    }
    REQUIRE(inst.op < Op::count && inst.size == size && inst.target == target);
    const std::string text = print(inst);
    require_one_line(text);
    const std::vector<uint8_t> alone(bytes.begin() + ptrdiff_t(at), bytes.begin() + ptrdiff_t(at) + size);
    Instruction again;
    REQUIRE(decode(target, alone, again) == size && print(again) == text);
    at += size_t(size);
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const Target target = Target(data[0] % size_t(Target::count));
  decode_all(target, {data + 1, size - 1});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_one_line(disassemble_hex_line(target, text.substr(0, 200)));
  return 0;
}
