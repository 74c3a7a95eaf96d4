// Element by element.
#include "launch/compare.h"
#include "files/error.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace crosslane::launch {

namespace {

bool equal(Type got_type, const uint8_t* got, Type expected_type, const uint8_t* expected, double rtol, double atol) {
  const Number a = load(got_type, got), b = load(expected_type, expected);
  if (!is_float(got_type) && !is_float(expected_type) && rtol == 0 && atol == 0) {
    const bool a_negative = got_type != Type::u64 && a.integer < 0,
               b_negative = expected_type != Type::u64 && b.integer < 0;
    return a.integer == b.integer && a_negative == b_negative;
  }
  if (std::isnan(a.real) || std::isnan(b.real))
    return std::isnan(a.real) && std::isnan(b.real);
  if (a.real == b.real)
    return true;
  if (std::isinf(a.real) || std::isinf(b.real))
    return false;
  return std::abs(a.real - b.real) <= atol + rtol * std::abs(b.real);
}

std::string index_text(uint64_t index, const std::vector<uint64_t>& shape) {
  if (shape.size() < 2)
    return fmt::format("{}", index);
  std::vector<uint64_t> indices(shape.size());
  for (size_t d = shape.size(); d-- > 0; index /= shape[d])
    indices[d] = index % shape[d];
  return fmt::format("{}", fmt::join(indices, ","));
}

// The greatest of a kind of error, and where.
struct Largest {
  double value = 0;
  uint64_t at = 0;
  void add(double error, uint64_t i) {
    if (error > value) // not if it is no number: nothing is relative to infinity
      value = error, at = i;
  }
};

// Distance of neighbouring numbers of a floating-point type around `value`.
double ulp(Type type, double value) {
  struct {
    int bits, least; // of the significand; exponent of the smallest normal number
  } constexpr half{11, -14}, single{24, -126}, twice{53, -1022};
  const auto& format = type == Type::f16 ? half : type == Type::f32 ? single : twice;
  const int exponent = value == 0 ? format.least : std::max(std::ilogb(value), format.least);
  return std::ldexp(1.0, exponent - (format.bits - 1));
}

// Infinite if one side alone is infinite or no number.
double distance(const Number& a, const Number& b, Type a_type, Type b_type) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (is_float(a_type)) {
    const double error = std::abs(a.real - b.real);
    return std::isnan(error) ? infinite : error;
  }
  // 64-bit integers keep all their bits.
  const auto whole = [](const Number& n, Type type) {
    return type == Type::u64 ? __int128(uint64_t(n.integer)) : __int128(n.integer);
  };
  const __int128 error = whole(a, a_type) - whole(b, b_type);
  return static_cast<double>(error < 0 ? -error : error);
}

constexpr uint64_t most_shown = 8;

} // namespace

llvm::Expected<Comparison> compare(std::string_view name, const Buffer& got, const Buffer& expected, double rtol,
                                   double atol) {
  if (got.count() != expected.count() || is_float(got.type) != is_float(expected.type))
    return fail("'{}' is {}, but {} is expected", name, describe(got), describe(expected));
  Comparison result;
  Largest absolute, relative, ulps;
  std::string list;
  const auto element = [&](uint64_t i) { return fmt::format("{}[{}]", name, index_text(i, expected.shape)); };
  for (uint64_t i = 0; i < got.count(); ++i) {
    const uint8_t* a = got.bytes.data() + i * size_of(got.type);
    const uint8_t* b = expected.bytes.data() + i * size_of(expected.type);
    if (equal(got.type, a, expected.type, b, 0, 0))
      continue;
    const Number one = load(got.type, a), other = load(expected.type, b);
    const double error = distance(one, other, got.type, expected.type);
    absolute.add(error, i);
    if (other.real != 0)
      relative.add(error / std::abs(other.real), i);
    if (is_float(got.type))
      ulps.add(error / ulp(got.type, other.real), i);
    if (equal(got.type, a, expected.type, b, rtol, atol))
      continue;
    if (result.different++ < most_shown)
      list += fmt::format("\n  {}: got {}, expected {}", element(i), format(got.type, a), format(expected.type, b));
  }
  const std::string elements = fmt::format("{} element{}", got.count(), got.count() == 1 ? "" : "s");
  if (absolute.value == 0) {
    result.text = fmt::format("{}: equal ({})", name, elements);
    return result;
  }
  std::string errors = fmt::format("largest error {:.3g} at {}", absolute.value, element(absolute.at));
  if (relative.value > 0)
    errors += fmt::format(", relative {:.3g} at {}", relative.value, element(relative.at));
  if (ulps.value > 0)
    errors += fmt::format(", {:.3g} ulp at {}", ulps.value, element(ulps.at));
  if (!result.different) {
    result.text = fmt::format("{}: within the tolerance ({}); {}", name, elements, errors);
    return result;
  }
  result.text = fmt::format("{}: {} of {} differ; {}{}", name, result.different, elements, errors, list);
  if (result.different > most_shown)
    result.text += fmt::format("\n  and {} more", result.different - most_shown);
  return result;
}

} // namespace crosslane::launch
