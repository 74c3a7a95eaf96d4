// Owns own::name of every row that the engine executes itself, where semantics has nothing (engine/own.inc) or not what
// its handlers want. Everywhere else own::name is semantics::name; see semantics/README.md.
#pragma once
#include "semantics/all.h"
#include <type_traits>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace own {
using namespace semantics;

#define CROSSLANE_ENGINE_ROW(m) inline constexpr semantics::Unimplemented m{};
#include "engine/own.inc"
// values/valu.h: K makes them three-source
CROSSLANE_ENGINE_ROW(v_madmk_f32)
CROSSLANE_ENGINE_ROW(v_madak_f32)
CROSSLANE_ENGINE_ROW(v_madmk_f16)
CROSSLANE_ENGINE_ROW(v_madak_f16)
#undef CROSSLANE_ENGINE_ROW

} // namespace own

template <class R> struct IsPair : std::false_type {};
template <class A, class B> struct IsPair<semantics::Pair<A, B>> : std::true_type {};

// SFINAE-friendly call of a row's semantics.
#define CROSSLANE_CALL(m) decltype([](auto... s) -> decltype(own::m(s...)) { return own::m(s...); })

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
