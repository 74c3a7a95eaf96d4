// Element by element.
#include "cli/compare.h"
#include "cli/error.h"
#include <cmath>

namespace crosslane::cli {

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

} // namespace

llvm::Expected<std::optional<Difference>> compare(std::string_view name, const Buffer& got, const Buffer& expected,
                                                  double rtol, double atol) {
  if (got.count() != expected.count() || is_float(got.type) != is_float(expected.type))
    return fail("'{}' is {}, but {} is expected", name, describe(got), describe(expected));
  Difference difference;
  for (uint64_t i = 0; i < got.count(); ++i) {
    const uint8_t* a = got.bytes.data() + i * size_of(got.type);
    const uint8_t* b = expected.bytes.data() + i * size_of(expected.type);
    if (equal(got.type, a, expected.type, b, rtol, atol))
      continue;
    if (difference.count++ == 0) {
      difference.first = i;
      difference.text = fmt::format("{}[{}]: got {}, expected {}", name, index_text(i, expected.shape),
                                    format(got.type, a), format(expected.type, b));
    }
  }
  if (difference.count == 0)
    return std::optional<Difference>();
  difference.text += fmt::format(" ({} of {} elements differ)", difference.count, got.count());
  return std::optional(std::move(difference));
}

} // namespace crosslane::cli
