// Items from assembly text.
#include "rewrite/listing.h"
#include "isa/encode.h"
#include "isa/parse_program.h"
#include "rewrite/virtual_sgprs.h"
#include <fmt/format.h>
#include <stdexcept>

namespace crosslane::rewrite {

namespace {

// Text of this program is no input: it must be right.
[[noreturn]] void mistake(isa::Target target, std::string_view text, std::string_view why) {
  throw std::logic_error(fmt::format("probe '{}' on {}: {}", text, isa::info(target).name, why));
}

isa::Program parsed(isa::Target target, std::string_view assembly) {
  isa::Program program = isa::parse_program(target, assembly);
  if (!program.errors.empty())
    mistake(target, assembly, program.errors.front().message);
  return program;
}

// With two sets of registers: operands that differ are virtual.
void append_virtual(std::vector<Item>& items, isa::Target target, std::string_view assembly) {
  const std::string at_0 = with_virtual_sgprs_at(0, assembly), at_4 = with_virtual_sgprs_at(4, assembly);
  isa::Program program = parsed(target, at_0), other = parsed(target, at_4);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const auto fields = register_fields(program.statements[i].instruction),
               others = register_fields(other.statements[i].instruction);
    uint16_t differ = 0;
    for (size_t f = 0; f < fields.size(); ++f)
      differ |= uint16_t((*fields[f] != *others[f]) << f);
    items.push_back(virtual_item(program.statements[i].instruction, differ));
  }
}

} // namespace

void append(std::vector<Item>& items, isa::Target target, std::string_view assembly) {
  if (names_virtual_sgprs(assembly))
    return append_virtual(items, target, assembly);
  const isa::Program program = parsed(target, assembly);
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

void append_load(std::vector<Item>& items, isa::Target target, uint16_t scalar, uint64_t value,
                 std::string_view assembly) {
  std::vector<Item> load;
  append(load, target, assembly);
  if (isa::info(target).generation < isa::Generation::gfx9) { // offsets go forwards only
    items.push_back(address_of(scalar, value));
    items.push_back(load[0]);
    return;
  }
  load[0].kind = Item::Kind::load, load[0].scalar = uint8_t(scalar), load[0].value = value;
  load[0].size += 4;
  items.push_back(load[0]);
}

std::array<Item, 2> load_from_afar(const Item& load) {
  Item words = load;
  words.kind = Item::Kind::words, words.value = 0;
  words.size -= 4;
  return {address_of(load.scalar, load.value), words};
}

uint32_t instructions_of(const Item& item) {
  switch (item.kind) {
  case Item::Kind::address: return 3;
  case Item::Kind::load: return 2;
  default: return 1;
  }
}

} // namespace crosslane::rewrite
