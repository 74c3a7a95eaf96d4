// Owns the list of GPU targets: which generation a gfx name belongs to and what it can do.
// Source: LLVM AMDGPUUsage, "Processors"; GCN manuals per generation.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace crosslane::isa {

// What instructions exist and how they are numbered changes per generation, so a generation is a column of opcodes in
// the rows. Ordered: `>= Generation::gfx9` is every Vega and CDNA. gfx9 is gfx900 and gfx902; gfx904 replaced mad_mix
// by fma_mix.
enum class Generation : uint8_t { gfx6, gfx7, gfx8, gfx9, gfx904, gfx906, gfx908, gfx90a };
inline constexpr int generation_count = 8;

enum class Target : uint8_t {
  gfx600,
  gfx601,
  gfx700,
  gfx701,
  gfx801,
  gfx802,
  gfx803,
  gfx900,
  gfx902,
  gfx904,
  gfx906,
  gfx908,
  gfx90a,
  count
};

struct TargetInfo {
  Target target;
  std::string_view name; // "gfx900"
  Generation generation;
  uint32_t elf_mach; // EF_AMDGPU_MACH value in e_flags
  bool xnack;        // XNACK is supported (may be on or off)
  bool sramecc;
};

const TargetInfo& info(Target);
std::optional<Target> parse_target(std::string_view name); // "gfx900", also "gfx906:xnack-"
std::optional<Target> target_from_mach(uint32_t elf_mach);

} // namespace crosslane::isa
