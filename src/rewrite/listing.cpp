// Items from assembly text.
#include "rewrite/listing.h"
#include "isa/encode.h"
#include "isa/parse_program.h"
#include <fmt/format.h>
#include <stdexcept>

namespace crosslane::rewrite {

namespace {

// Text of this program is no input: it must be right.
[[noreturn]] void mistake(isa::Target target, std::string_view text, std::string_view why) {
  throw std::logic_error(fmt::format("probe '{}' on {}: {}", text, isa::info(target).name, why));
}

} // namespace

void append(std::vector<Item>& items, isa::Target target, std::string_view assembly) {
  const isa::Program program = isa::parse_program(target, assembly);
  if (!program.errors.empty())
    mistake(target, assembly, program.errors.front().message);
  for (const isa::Statement& s : program.statements) {
    const isa::Encoded encoded = isa::encode(s.instruction);
    if (!encoded)
      mistake(target, s.text, isa::describe(encoded, s.instruction));
    Item item{.kind = Item::Kind::words, .size = encoded.size};
    item.words = encoded.words;
    items.push_back(item);
  }
}

Item branch_to(isa::Target target, Label to, std::string_view mnemonic) {
  std::vector<Item> items;
  append(items, target, fmt::format("{} 0", mnemonic));
  items[0].kind = Item::Kind::branch, items[0].target = to;
  return items[0];
}

// Behind s_getpc_b64 (4 bytes): s_add_u32 with a literal (8), s_addc_u32 with 0 or -1 (4).
constexpr uint32_t address_size = 16;

Item address_of(uint16_t scalar, Label to) {
  return {.kind = Item::Kind::address, .scalar = uint8_t(scalar), .size = address_size, .target = to};
}
Item address_of(uint16_t scalar, uint64_t value) {
  return {.kind = Item::Kind::address, .scalar = uint8_t(scalar), .size = address_size, .value = value};
}

} // namespace crosslane::rewrite
