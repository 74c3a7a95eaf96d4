// Numbers between text and bytes.
#include "launch/values.h"
#include "files/error.h"
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace crosslane::launch {

namespace {

struct TypeRow {
  std::string_view name;
  uint32_t size;
  bool is_float, is_signed;
};
constexpr std::array<TypeRow, type_count> types = {{
    {"i8", 1, false, true},
    {"i16", 2, false, true},
    {"i32", 4, false, true},
    {"i64", 8, false, true},
    {"u8", 1, false, false},
    {"u16", 2, false, false},
    {"u32", 4, false, false},
    {"u64", 8, false, false},
    {"f16", 2, true, true},
    {"f32", 4, true, true},
    {"f64", 8, true, true},
    {"b1", 1, false, false},
}};

struct Alias {
  std::string_view name;
  Type type;
};
constexpr Alias aliases[] = {
    {"char", Type::i8},           {"signed char", Type::i8},
    {"short", Type::i16},         {"int", Type::i32},
    {"long", Type::i64},          {"long long", Type::i64},
    {"uchar", Type::u8},          {"unsigned char", Type::u8},
    {"ushort", Type::u16},        {"unsigned short", Type::u16},
    {"uint", Type::u32},          {"unsigned int", Type::u32},
    {"unsigned", Type::u32},      {"ulong", Type::u64},
    {"unsigned long", Type::u64}, {"unsigned long long", Type::u64},
    {"size_t", Type::u64},        {"int8_t", Type::i8},
    {"int16_t", Type::i16},       {"int32_t", Type::i32},
    {"int64_t", Type::i64},       {"uint8_t", Type::u8},
    {"uint16_t", Type::u16},      {"uint32_t", Type::u32},
    {"uint64_t", Type::u64},      {"int8", Type::i8},
    {"int16", Type::i16},         {"int32", Type::i32},
    {"int64", Type::i64},         {"uint8", Type::u8},
    {"uint16", Type::u16},        {"uint32", Type::u32},
    {"uint64", Type::u64},        {"half", Type::f16},
    {"_Float16", Type::f16},      {"__fp16", Type::f16},
    {"__half", Type::f16},        {"float16", Type::f16},
    {"float", Type::f32},         {"float32", Type::f32},
    {"double", Type::f64},        {"float64", Type::f64},
    {"bool", Type::b1},
};

template <class T> T read(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T> void write(uint8_t* bytes, T value) { std::memcpy(bytes, &value, sizeof value); }

// An integer of the text with all its 64 bits, its sign apart; nothing if it is not an integer or has more bits.
std::optional<std::pair<bool, uint64_t>> parse_integer(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    negative = text[0] == '-', text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    base = 16, text.remove_prefix(2);
  else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
    base = 2, text.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
    return {};
  return std::pair(negative, magnitude);
}

std::optional<double> parse_real(std::string_view text) {
  const std::string copy(text);
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])))
    return {};
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end); // takes nan, inf, 0x1p-3
  if (end != copy.c_str() + copy.size())
    return {};
  return value;
}

} // namespace

std::string_view name(Type type) { return types[static_cast<size_t>(type)].name; }
uint32_t size_of(Type type) { return types[static_cast<size_t>(type)].size; }
bool is_float(Type type) { return types[static_cast<size_t>(type)].is_float; }
bool is_signed(Type type) { return types[static_cast<size_t>(type)].is_signed; }

std::optional<Type> parse_type(std::string_view text) {
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].name == text)
      return static_cast<Type>(i);
  for (const auto& alias : aliases)
    if (alias.name == text)
      return alias.type;
  return {};
}

Number load(Type type, const uint8_t* bytes) {
  Number number;
  switch (type) {
  case Type::f16: number.real = static_cast<double>(read<_Float16>(bytes)); return number;
  case Type::f32: number.real = read<float>(bytes); return number;
  case Type::f64: number.real = read<double>(bytes); return number;
  case Type::i8: number.integer = read<int8_t>(bytes); break;
  case Type::i16: number.integer = read<int16_t>(bytes); break;
  case Type::i32: number.integer = read<int32_t>(bytes); break;
  case Type::i64: number.integer = read<int64_t>(bytes); break;
  case Type::u8:
  case Type::b1: number.integer = read<uint8_t>(bytes); break;
  case Type::u16: number.integer = read<uint16_t>(bytes); break;
  case Type::u32: number.integer = read<uint32_t>(bytes); break;
  case Type::u64:
    number.integer = read<int64_t>(bytes);
    number.real = static_cast<double>(read<uint64_t>(bytes));
    return number;
  }
  number.real = static_cast<double>(number.integer);
  return number;
}

void store_integer(Type type, int64_t value, uint8_t* out) {
  if (is_float(type))
    return store_real(type, static_cast<double>(value), out);
  if (type == Type::b1)
    value = value != 0;
  std::memcpy(out, &value, size_of(type));
}

void store_real(Type type, double value, uint8_t* out) {
  if (type == Type::f16)
    write(out, static_cast<_Float16>(value));
  else if (type == Type::f32)
    write(out, static_cast<float>(value));
  else
    write(out, value);
}

llvm::Error store(Type type, std::string_view text, uint8_t* out) {
  if (is_float(type)) {
    // f32 is rounded once, from the text.
    const auto value = parse_real(text);
    if (!value)
      return fail("'{}' is not a number", text);
    if (type == Type::f32)
      write(out, std::strtof(std::string(text).c_str(), nullptr));
    else
      store_real(type, *value, out);
    return llvm::Error::success();
  }
  if (text == "true" || text == "false") {
    store_integer(type, text == "true", out);
    return llvm::Error::success();
  }
  const auto integer = parse_integer(text);
  if (!integer)
    return fail("'{}' is not an integer, which type {} needs", text, name(type));
  const auto [negative, magnitude] = *integer;
  const uint32_t bits = type == Type::b1 ? 1 : size_of(type) * 8;
  const uint64_t all = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  const uint64_t largest = is_signed(type) && negative ? all / 2 + 1 : negative ? 0 : is_signed(type) ? all / 2 : all;
  // Bit patterns such as 0xffffffff are welcome for signed types too.
  const bool pattern = !negative && is_signed(type) && text.starts_with("0x") && magnitude <= all;
  if (magnitude > largest && !pattern)
    return fail("{} does not fit into type {}", text, name(type));
  store_integer(type, static_cast<int64_t>(negative ? 0 - magnitude : magnitude), out);
  return llvm::Error::success();
}

std::string format(Type type, const uint8_t* bytes) {
  switch (type) {
  case Type::f16: return fmt::format("{:.5g}", static_cast<float>(read<_Float16>(bytes)));
  case Type::f32: return fmt::format("{}", read<float>(bytes));
  case Type::f64: return fmt::format("{}", read<double>(bytes));
  case Type::u64: return fmt::format("{}", read<uint64_t>(bytes));
  case Type::b1: return *bytes ? "true" : "false";
  default: return fmt::format("{}", load(type, bytes).integer);
  }
}

std::string describe(const Buffer& buffer) {
  return fmt::format("{}[{}]", name(buffer.type), fmt::join(buffer.shape, ","));
}

llvm::Expected<std::vector<uint64_t>> parse_shape(std::string_view text) {
  std::vector<uint64_t> shape;
  uint64_t count = 1;
  while (true) {
    const size_t comma = text.find(',');
    const auto integer = parse_integer(text.substr(0, comma));
    if (!integer || integer->first)
      return fail("'{}' is not a size", text.substr(0, comma));
    shape.push_back(integer->second);
    if (__builtin_mul_overflow(count, integer->second, &count) || count > uint64_t(1) << 40)
      return fail("a buffer of more than 2^40 elements");
    if (comma == std::string_view::npos)
      return shape;
    text.remove_prefix(comma + 1);
  }
}

} // namespace crosslane::launch
