// Owns numbers as text: the element types of arguments and buffers, and the way from a word of the command line to
// bytes and back. Every conversion that loses something (range, fraction of an integer) is an error.
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::launch {

enum class Type : uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, b1 };
inline constexpr int type_count = 12;

std::string_view name(Type); // "f32"
uint32_t size_of(Type);      // bytes
bool is_float(Type);
bool is_signed(Type);

// "f32", and what C and OpenCL call it: "float", "unsigned int", "size_t", "half", ...
std::optional<Type> parse_type(std::string_view text);

// Where an element is exactly representable, the double is the value; 64-bit integers keep all their bits in `integer`.
struct Number {
  double real = 0;
  int64_t integer = 0; // of an integer type; u64 as its bit pattern
};
Number load(Type, const uint8_t* bytes);

// "5", "-3", "0x1f", "0b101", "1e-3", "nan", "-inf", "true" as one element at `out`.
llvm::Error store(Type, std::string_view text, uint8_t* out);
// Integers wrap; used for generated values such as iota.
void store_integer(Type, int64_t value, uint8_t* out);
void store_real(Type, double value, uint8_t* out); // floating point types only

// Shortest text that reads back as the same element.
std::string format(Type, const uint8_t* bytes);

// Elements of known shape: an array argument, a .npy file.
struct Buffer {
  Type type = Type::f32;
  std::vector<uint64_t> shape; // row-major; empty: one element
  std::vector<uint8_t> bytes;
  std::string file = {};  // that it was read from; empty: none
  bool unwritten = false; // nothing is put into it
  uint64_t count() const { return bytes.size() / size_of(type); }
};
std::string describe(const Buffer&); // "f32[64,64]"

// Text of a shape: "64,64" -> {64, 64}.
llvm::Expected<std::vector<uint64_t>> parse_shape(std::string_view text);

} // namespace crosslane::launch
