// Owns the map from a row's isa::Type to the lane type of lanes::Vec.
#pragma once
#include "isa/types.h"
#include "lanes/vec.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

using isa::Type;
using lanes::Mask;
using lanes::Vec;

template <Type T> struct Element {
  using type = uint32_t;
};
template <> struct Element<Type::I32> {
  using type = int32_t;
};
template <> struct Element<Type::I8> {
  using type = int32_t;
};
template <> struct Element<Type::F32> {
  using type = float;
};
template <> struct Element<Type::B16> {
  using type = uint16_t;
};
template <> struct Element<Type::U16> {
  using type = uint16_t;
};
template <> struct Element<Type::I16> {
  using type = int16_t;
};
template <> struct Element<Type::F16> {
  using type = _Float16;
};
template <> struct Element<Type::PkF32> {
  using type = uint64_t;
};
template <> struct Element<Type::PkB32> {
  using type = uint64_t;
};
template <> struct Element<Type::B64> {
  using type = uint64_t;
};
template <> struct Element<Type::U64> {
  using type = uint64_t;
};
template <> struct Element<Type::I64> {
  using type = int64_t;
};
template <> struct Element<Type::F64> {
  using type = double;
};
template <Type T> using element_t = typename Element<T>::type;

constexpr bool is_64bit(Type t) { return isa::dwords(t) == 2 && t != Type::Mask; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
