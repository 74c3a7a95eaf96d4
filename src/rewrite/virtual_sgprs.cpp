// Names in text, fields in instructions.
#include "rewrite/virtual_sgprs.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace crosslane::rewrite {

namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// f(begin, end, number) of each number of an SGPR: in s130, and both in s[128:131].
template <class F> void each_sgpr(std::string_view text, F f) {
  const auto number = [&](size_t at) {
    unsigned n = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), n);
    const auto stop = size_t(end - text.data());
    if (error == std::errc())
      f(at, stop, n);
    return stop;
  };
  for (size_t at = text.find('s'); at != text.npos; at = text.find('s', at + 1)) {
    if (at > 0 && in_word(text[at - 1]))
      continue;
    if (at + 1 < text.size() && text[at + 1] == '[') {
      if (const size_t end = number(at + 2); end < text.size() && text[end] == ':')
        number(end + 1);
    } else {
      number(at + 1);
    }
  }
}

} // namespace

bool names_virtual_sgprs(std::string_view assembly) {
  bool any = false;
  each_sgpr(assembly, [&](size_t, size_t, unsigned n) { any |= n >= first_virtual_sgpr; });
  return any;
}

std::string with_virtual_sgprs_at(uint16_t first, std::string_view assembly) {
  std::string out;
  size_t done = 0;
  each_sgpr(assembly, [&](size_t begin, size_t end, unsigned n) {
    if (n < first_virtual_sgpr)
      return;
    out += assembly.substr(done, begin - done);
    out += fmt::format("{}", n - first_virtual_sgpr + first);
    done = end;
  });
  out += assembly.substr(done);
  return out;
}

std::array<uint16_t*, 10> register_fields(isa::Instruction& in) {
  return {&in.dst, &in.sdst, &in.src[0], &in.src[1], &in.src[2], &in.addr, &in.saddr, &in.data, &in.data1, &in.srsrc};
}

namespace {

Item encoded(const isa::Instruction& in, Item item) {
  const isa::Encoded words = isa::encode(in);
  if (!words)
    throw std::logic_error("a probe's instruction with other registers: " + isa::describe(words, in));
  item.size += words.size, item.words = words.words;
  return item;
}

} // namespace

Item virtual_item(const isa::Instruction& in, uint16_t virtual_fields) {
  return encoded(in, {.kind = Item::Kind::words, .virtual_fields = virtual_fields});
}

isa::Instruction instruction_of(const Item& item, isa::Target target, std::span<const uint16_t> sgprs) {
  uint8_t bytes[sizeof item.words];
  std::memcpy(bytes, item.words.data(), sizeof bytes);
  isa::Instruction in;
  if (isa::decode(target, bytes, in) <= 0)
    throw std::logic_error("a probe's instruction that cannot be read");
  const auto fields = register_fields(in);
  for (size_t f = 0; f < fields.size(); ++f)
    if (item.virtual_fields >> f & 1)
      *fields[f] = sgprs[*fields[f]];
  return in;
}

Item with_registers(const Item& item, isa::Target target, std::span<const uint16_t> sgprs) {
  Item out = item;
  if (is_virtual(item.scalar))
    out.scalar = uint8_t(sgprs[item.scalar - first_virtual_sgpr]);
  if (item.virtual_fields == 0)
    return out;
  out.virtual_fields = 0, out.size = item.kind == Item::Kind::load ? 4 : 0; // s_getpc_b64 is not in its words
  return encoded(instruction_of(item, target, sgprs), out);
}

} // namespace crosslane::rewrite
