// See hex.h.
#include "isa/hex.h"
#include "isa/decode.h"
#include "isa/print.h"
#include <charconv>
#include <vector>

namespace crosslane::isa {
namespace {

constexpr std::string_view separators = " \t\r\n\f\v,[]";

std::string hex(std::span<const uint8_t> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string s;
  for (const uint8_t b : bytes) {
    if (!s.empty())
      s += ' ';
    s += digits[b >> 4];
    s += digits[b & 15];
  }
  return s;
}

// What stands in an error message: no control characters, not endless.
std::string quoted(std::string_view token) {
  std::string s = "'";
  for (const char c : token.substr(0, 40))
    s += c >= 0x20 && c < 0x7f ? c : '?';
  return s + (token.size() > 40 ? "...'" : "'");
}

// Appends one token: up to two digits are a byte, eight are a little-endian dword. False if it is neither.
bool append_token(std::string_view token, std::vector<uint8_t>& bytes) {
  std::string_view digits = token;
  if (digits.starts_with("0x") || digits.starts_with("0X"))
    digits.remove_prefix(2);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool dword = digits.size() == 8;
  if (error != std::errc() || end != digits.data() + digits.size() || !(dword || digits.size() <= 2))
    return false;
  for (int i = 0; i < (dword ? 4 : 1); ++i)
    bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
  return true;
}

} // namespace

std::string decode_hex_line(Target target, std::string_view line, Instruction& inst) {
  std::vector<uint8_t> bytes;
  for (size_t at = line.find_first_not_of(separators); at != line.npos;) {
    const size_t end = std::min(line.find_first_of(separators, at), line.size());
    const std::string_view token = line.substr(at, end - at);
    if (!append_token(token, bytes))
      return quoted(token) + " is neither a byte (two hexadecimal digits) nor a dword (eight)";
    at = line.find_first_not_of(separators, end);
  }
  if (bytes.empty())
    return "no bytes: give an instruction as dwords (7e000280) or bytes (0x80,0x02,0x00,0x7e)";
  if (bytes.size() % 4 != 0)
    return std::to_string(bytes.size()) + " bytes: instructions are whole dwords of four bytes";

  const size_t size = static_cast<size_t>(decode(target, bytes, inst));
  const std::string_view name = info(target).name;
  if (size == 0) {
    std::vector<uint8_t> longer = bytes;
    longer.resize(bytes.size() + 4);
    if (bytes.size() == 4 && decode(target, longer, inst) != 0)
      return hex(bytes) + " is the first half of an instruction of eight bytes";
    return hex(bytes) + " is not an instruction of " + std::string(name);
  }
  if (size < bytes.size())
    return std::to_string(bytes.size() - size) + " bytes follow '" + print(inst) + "': give one instruction a line";
  return {};
}

std::string disassemble_hex_line(Target target, std::string_view line) {
  Instruction inst;
  const std::string wrong = decode_hex_line(target, line, inst);
  return wrong.empty() ? print(inst) : "error: " + wrong;
}

} // namespace crosslane::isa
