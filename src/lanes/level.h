// Owns the name of the instruction set a translation unit is compiled for. Code that is compiled once per instruction
// set lives in an inline namespace of that name, so that the linker can never hand AVX-512 code to a CPU without it.
// The engine names its levels on the command line (v1, v3, v4); everyone else gets the name of what the compiler may
// use.
#pragma once
// Apple counts clang's versions in its own way.
#if !defined(__clang__) || (__clang_major__ < 19 && !defined(__apple_build_version__))
#error "lanes/ is written with clang's vector extensions: compile with clang 19 or later"
#include <clang 19 or later> // is no file: no further errors
#endif
#ifndef CROSSLANE_LEVEL
#if defined(__AVX512VBMI2__) && defined(__GFNI__)
#define CROSSLANE_LEVEL avx512_gfni
#elif defined(__AVX512VBMI2__)
#define CROSSLANE_LEVEL avx512_vbmi2
#elif defined(__AVX512VBMI__)
#define CROSSLANE_LEVEL avx512_vbmi
#elif defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define CROSSLANE_LEVEL avx512
#elif defined(__AVX2__)
#define CROSSLANE_LEVEL avx2
#else
#define CROSSLANE_LEVEL baseline
#endif
#endif
#define CROSSLANE_LEVEL_BEGIN inline namespace CROSSLANE_LEVEL {
#define CROSSLANE_LEVEL_END }
