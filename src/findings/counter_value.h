// Owns Value: a number, or why there is none. Arithmetic keeps the first reason, so that a metric's formula can be
// written down as its documentation has it and says by itself which of its parts is missing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace crosslane::findings {

struct Value {
  std::optional<double> number;
  std::string why;

  template <class T>
    requires std::is_arithmetic_v<T>
  Value(T n) : number(static_cast<double>(n)) {}                         // not explicit: formulas have numbers in them
  static constexpr std::string_view of_nothing = "nothing to divide by"; // a reason
  static Value none(std::string why) { return Value(std::move(why)); }

private:
  explicit Value(std::string reason) : why(std::move(reason)) {}
};

template <class F> Value combine(const Value& a, const Value& b, F f) {
  return !a.number ? a : !b.number ? b : f(*a.number, *b.number);
}
inline Value operator+(const Value& a, const Value& b) {
  return combine(a, b, [](double x, double y) { return Value(x + y); });
}
inline Value operator-(const Value& a, const Value& b) {
  return combine(a, b, [](double x, double y) { return Value(x - y); });
}
inline Value operator*(const Value& a, const Value& b) {
  return combine(a, b, [](double x, double y) { return Value(x * y); });
}
// Of nothing there is no average.
inline Value operator/(const Value& a, const Value& b) {
  return combine(
      a, b, [](double x, double y) { return y != 0 ? Value(x / y) : Value::none(std::string(Value::of_nothing)); });
}

} // namespace crosslane::findings
