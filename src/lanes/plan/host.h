// Owns what the planner knows of a host: the instruction sets that change how data is permuted, and the CPUs whose
// costs are tabled (lanes/plan/cost.h).
#pragma once
#include "lanes/level.h"
#include <cstdint>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Each includes the ones before it.
enum class Isa : uint8_t {
  avx2,
  avx512,       // F, BW, DQ, VL
  avx512_vbmi,  // bytes across lanes
  avx512_vbmi2, // compress and expand of bytes and words, double shifts
  avx512_gfni,  // bit matrices: no byte permute, so plans are those of avx512_vbmi2
};
enum class Cpu : uint8_t { icelake, zen3, zen4, zen5, sapphirerapids, alderlake };
constexpr bool is_zen(Cpu cpu) { return cpu == Cpu::zen3 || cpu == Cpu::zen4 || cpu == Cpu::zen5; }

inline constexpr const char* isa_names[] = {"avx2", "avx512", "avx512_vbmi", "avx512_vbmi2", "avx512_gfni"};
inline constexpr const char* cpu_names[] = {"icelake", "zen3", "zen4", "zen5", "sapphirerapids", "alderlake"};

constexpr int widest_register(Isa isa) { return isa == Isa::avx2 ? 32 : 64; }

// What this translation unit is compiled for. Below AVX2 there are no plans: the compiler's own shuffles do.
#ifdef __AVX2__
inline constexpr bool has_plans = true;
#else
inline constexpr bool has_plans = false;
#endif
inline constexpr Isa compiled_isa =
#if defined(__AVX512VBMI2__) && defined(__GFNI__)
    Isa::avx512_gfni;
#elif defined(__AVX512VBMI2__)
    Isa::avx512_vbmi2;
#elif defined(__AVX512VBMI__)
    Isa::avx512_vbmi;
#elif defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
    Isa::avx512;
#else
    Isa::avx2;
#endif

// Whose costs decide at compile time: -DCROSSLANE_LANES_CPU=zen4 or another; else the CPU of -march, which the compiler
// tells of AMD's by name (clang has no macro for that of -mtune); of Intel's the features that each was the first to
// have tell the family. Others are guessed to be near one of these.
#if defined(CROSSLANE_LANES_CPU)
inline constexpr Cpu compiled_cpu = Cpu::CROSSLANE_LANES_CPU;
inline constexpr bool compiled_cpu_guessed = false;
#elif defined(__tune_znver5__) || defined(__znver5__)
inline constexpr Cpu compiled_cpu = Cpu::zen5;
inline constexpr bool compiled_cpu_guessed = false;
#elif defined(__tune_znver4__) || defined(__znver4__)
inline constexpr Cpu compiled_cpu = Cpu::zen4;
inline constexpr bool compiled_cpu_guessed = false;
#elif defined(__tune_znver3__) || defined(__znver3__)
inline constexpr Cpu compiled_cpu = Cpu::zen3;
inline constexpr bool compiled_cpu_guessed = false;
#elif defined(__AVX512FP16__) // and their successors
inline constexpr Cpu compiled_cpu = Cpu::sapphirerapids;
inline constexpr bool compiled_cpu_guessed = false;
#elif defined(__AVXVNNI__) && !defined(__AVX512F__)
    inline constexpr Cpu compiled_cpu = Cpu::alderlake;
inline constexpr bool compiled_cpu_guessed = false;
#elif defined(__AVX512VBMI2__) && defined(__AVX512BITALG__) && defined(__SGX__)
    inline constexpr Cpu compiled_cpu = Cpu::icelake;
inline constexpr bool compiled_cpu_guessed = false;
#else
    inline constexpr Cpu compiled_cpu = Cpu::icelake;
inline constexpr bool compiled_cpu_guessed = true;
#endif

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
