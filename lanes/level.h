// Owns the name of the x86-64 level a translation unit is compiled for. Code that is compiled once per level lives in an
// inline namespace of that level, so that the linker can never hand AVX-512 code to a CPU without it.
#pragma once
#ifndef CROSSLANE_LEVEL
#define CROSSLANE_LEVEL v1
#endif
#define CROSSLANE_LEVEL_BEGIN inline namespace CROSSLANE_LEVEL {
#define CROSSLANE_LEVEL_END }
