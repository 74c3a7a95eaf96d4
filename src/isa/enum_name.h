// Owns the names of enumerators as text, taken from the compiler, so that no list of them is written twice.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace crosslane::isa {

namespace detail {

// "... [V = crosslane::isa::Encoding::SOP1]"; a value without an enumerator is "(crosslane::isa::Encoding)99" there.
template <auto V> constexpr std::string_view enumerator() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_suffix(1);
  text = text.substr(text.rfind(' ') + 1);
  if (text.starts_with('('))
    return {};
  text.remove_prefix(text.rfind(':') + 1);
  if (text.ends_with('_')) // export_
    text.remove_suffix(1);
  return text;
}

template <class E, size_t... I> constexpr std::string_view find(E e, std::index_sequence<I...>) {
  constexpr std::array<std::string_view, sizeof...(I)> names{enumerator<static_cast<E>(I)>()...};
  return static_cast<size_t>(e) < names.size() ? names[static_cast<size_t>(e)] : std::string_view();
}

} // namespace detail

// "SOP1" of Encoding::SOP1. For enumerations that count from 0 to less than 100; empty for other values.
template <class E> constexpr std::string_view enum_name(E e) {
  return detail::find(e, std::make_index_sequence<100>());
}

} // namespace crosslane::isa
