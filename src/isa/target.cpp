// The list of targets. EF_AMDGPU_MACH, xnack and sramecc: LLVM AMDGPUUsage, "Processors" and "ELF Header e_flags".
#include "isa/target.h"

namespace crosslane::isa {
namespace {

// What a generation decides for all of its targets. Source: LLVM 19, AMDGPUBaseInfo.cpp (namespace IsaInfo), which
// repeats the kernel descriptor's rules; the LDS of gfx6: FeatureLocalMemorySize32768.
struct Limits {
  uint8_t waves_per_simd;
  uint16_t vgprs;
  uint8_t vgpr_granule;
  uint16_t sgprs;
  uint8_t sgpr_granule, addressable_sgprs;
  uint32_t lds_per_workgroup;
};
constexpr Limits limits(Generation g) {
  Limits l{10, 256, 4, 800, 16, 102, 65536};
  if (g < Generation::gfx8) {
    l.sgprs = 512;
    l.sgpr_granule = 8;
    l.addressable_sgprs = 104; // FLAT_SCRATCH is not among the SGPRs yet
  }
  if (g == Generation::gfx6)
    l.lds_per_workgroup = 32768;
  if (g == Generation::gfx90a) {
    l.waves_per_simd = 8;
    l.vgprs = 512;
    l.vgpr_granule = 8;
  }
  return l;
}

// f64_rate: AMD's peak rates per board; for the APUs LLVM 19's FeatureHalfRate64Ops. gfx701 is the professional Hawaii,
// gfx702 the consumer's. assumed: gfx705 as the other gfx7 APUs; a data sheet would settle it.
constexpr TargetInfo make(Target t, std::string_view name, Generation g, uint32_t mach, bool xnack, bool sramecc,
                          uint8_t f64_rate) {
  const Limits l = limits(g);
  // gfx802 and gfx805 initialise SGPRs wrongly above 96 (LLVM FeatureSGPRInitBug).
  const bool sgpr_bug = t == Target::gfx802 || t == Target::gfx805;
  return {t,
          name,
          g,
          mach,
          xnack,
          sramecc,
          f64_rate,
          l.waves_per_simd,
          l.vgprs,
          l.vgpr_granule,
          l.sgprs,
          l.sgpr_granule,
          sgpr_bug ? uint8_t(96) : l.addressable_sgprs,
          l.lds_per_workgroup};
}

// clang-format off
#define TARGET(name, generation, mach, xnack, sramecc, f64_rate) \
  make(Target::name, #name, Generation::generation, mach, xnack, sramecc, f64_rate)
constexpr bool yes = true, no = false;
constexpr TargetInfo table[] = {
    //     name    generation mach  xnack sramecc f64
    TARGET(gfx600, gfx6,     0x020, no,   no,     4),  // Tahiti
    TARGET(gfx601, gfx6,     0x021, no,   no,     16), // Pitcairn, Verde
    TARGET(gfx602, gfx6,     0x03a, no,   no,     16), // Hainan, Oland
    TARGET(gfx700, gfx7,     0x022, no,   no,     16), // Kaveri
    TARGET(gfx701, gfx7,     0x023, no,   no,     2),  // Hawaii, professional
    TARGET(gfx702, gfx7,     0x024, no,   no,     8),  // Hawaii
    TARGET(gfx703, gfx7,     0x025, no,   no,     16), // Kabini, Mullins
    TARGET(gfx704, gfx7,     0x026, no,   no,     16), // Bonaire
    TARGET(gfx705, gfx7,     0x03b, no,   no,     16),
    TARGET(gfx801, gfx8,     0x028, yes,  no,     2),  // Carrizo
    TARGET(gfx802, gfx8,     0x029, no,   no,     16), // Tonga, Iceland
    TARGET(gfx803, gfx8,     0x02a, no,   no,     16), // Fiji, Polaris
    TARGET(gfx805, gfx8,     0x03c, no,   no,     16), // Tonga Pro
    TARGET(gfx810, gfx8,     0x02b, yes,  no,     16), // Stoney
    TARGET(gfx900, gfx9,     0x02c, yes,  no,     16), // Vega 10
    TARGET(gfx902, gfx9,     0x02d, yes,  no,     16), // Raven
    TARGET(gfx904, gfx904,   0x02e, yes,  no,     16), // Vega 12
    TARGET(gfx906, gfx906,   0x02f, yes,  yes,    2),  // Vega 20
    TARGET(gfx908, gfx908,   0x030, yes,  yes,    2),  // Arcturus
    TARGET(gfx909, gfx9,     0x031, yes,  no,     16), // Raven 2
    TARGET(gfx90a, gfx90a,   0x03f, yes,  yes,    1),  // Aldebaran
    TARGET(gfx90c, gfx9,     0x032, yes,  no,     16), // Renoir
};
#undef TARGET
// clang-format on
static_assert(std::size(table) == static_cast<size_t>(Target::count));

} // namespace

const TargetInfo* const detail::first_target = std::data(table);

bool packed_d16(Target t) { return t == Target::gfx810 || info(t).generation >= Generation::gfx9; }

std::span<const TargetInfo> targets() { return table; }

std::optional<Target> parse_target(std::string_view name) {
  const std::string_view processor = name.substr(0, name.find(':'));
  for (const TargetInfo& t : table)
    if (t.name == processor)
      return t.target;
  return std::nullopt;
}

std::optional<Target> target_from_mach(uint32_t elf_mach) {
  for (const TargetInfo& t : table)
    if (t.elf_mach == elf_mach)
      return t.target;
  return std::nullopt;
}

} // namespace crosslane::isa
