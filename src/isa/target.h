// Owns the list of GPU targets: which generation a gfx name belongs to and what it can do. A target is a column of
// opcodes (its generation) plus the features below; whatever else differs between targets follows from these.
// Source: LLVM AMDGPUUsage, "Processors" and "ELF Header"; GCN manuals per generation.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace crosslane::isa {

// What instructions exist and how they are numbered changes per generation, so a generation is a column of opcodes in
// the rows. Ordered: `>= Generation::gfx9` is every Vega and CDNA. gfx9 is gfx900, gfx902, gfx909 and gfx90c; gfx904
// replaced mad_mix by fma_mix.
enum class Generation : uint8_t { gfx6, gfx7, gfx8, gfx9, gfx904, gfx906, gfx908, gfx90a };
inline constexpr int generation_count = 8;

enum class Target : uint8_t {
  gfx600,
  gfx601,
  gfx602,
  gfx700,
  gfx701,
  gfx702,
  gfx703,
  gfx704,
  gfx705,
  gfx801,
  gfx802,
  gfx803,
  gfx805,
  gfx810,
  gfx900,
  gfx902,
  gfx904,
  gfx906,
  gfx908,
  gfx909,
  gfx90a,
  gfx90c,
  count
};

struct TargetInfo {
  Target target;
  std::string_view name; // "gfx900"
  Generation generation;
  uint32_t elf_mach; // EF_AMDGPU_MACH value in e_flags
  bool xnack;        // XNACK is supported (may be on or off)
  bool sramecc;
  uint8_t f64_rate;           // f32 FMAs in the time of one f64 FMA: 2, 4, 8 or 16; 1 on gfx90a
  uint8_t waves_per_simd;     // most that a SIMD holds
  uint16_t vgprs;             // per lane and SIMD; a wave may have 256 (gfx90a: 512 with its AccVGPRs)
  uint8_t vgpr_granule;       // they are allocated in multiples of this
  uint16_t sgprs;             // per SIMD
  uint8_t sgpr_granule;       // allocated in multiples of this
  uint8_t addressable_sgprs;  // a wave's, without VCC and the like
  uint32_t lds_per_workgroup; // bytes that one workgroup may have, of 64 KiB a compute unit
};

namespace detail {
extern const TargetInfo* const first_target;
}
inline const TargetInfo& info(Target t) { return detail::first_target[size_t(t)]; }
// Whether d16 format and image accesses have two components in each data register; else one. Since gfx9, and on gfx810.
bool packed_d16(Target);
std::span<const TargetInfo> targets();                     // all, in the order of Target
std::optional<Target> parse_target(std::string_view name); // "gfx900", also "gfx906:xnack-"
std::optional<Target> target_from_mach(uint32_t elf_mach);

} // namespace crosslane::isa
