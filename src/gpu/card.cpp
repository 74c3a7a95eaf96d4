// The cards. Sources, by column:
//   product               libdrm's amdgpu.ids, which the kernel driver's thunk takes the name from
//   pci                   the same and pci.ids
//   units                 AMD's product pages
//   SE, SA                max_shader_engines and max_sh_per_se of the kernel's gfx_v6_0.c to gfx_v9_0.c
//   clock, memory         AMD's product pages; where rocminfo of a real card is public, what it prints
//   VRAM                  gfx9: 16 MiB less than is on the board, as rocminfo prints the pool's size (8372224 KB)
//   L2                    gfx9: the kernel's kfd_crat.c (vega10_cache_info and so on), which is what HIP programs
//                         see, though Vega 20 itself has but 4 MiB. Before gfx9, which has no such table, AMD's
//                         descriptions of Tahiti, Hawaii, Fiji and Polaris; the others are assumed: 64 KiB for
//                         each of max_texture_channel_caches
//   SDMA engines          sdma.num_instances of the kernel's si_dma.c, cik_sdma.c and sdma_v2_4.c to sdma_v4_0.c (1 for
//   Stoney,
//                         Raven and Renoir, 8 for Arcturus, 5 for Aldebaran); kfd_device.c has the first two serve the
//                         host
// Public outputs of rocminfo that rows were compared with are named in tests/hsa/agent_info_test.cpp.
#include "gpu/card.h"
#include "isa/suggest.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace crosslane::gpu {

namespace {

constexpr uint64_t MiB = 1 << 20, GiB = 1 << 30;
constexpr uint64_t less(uint64_t board) { return board - 16 * MiB; } // what gfx9 keeps for itself

// AMDGPU_FAMILY_* of amdgpu_drm.h.
enum Family : uint32_t { SI = 110, CI = 120, KV = 125, VI = 130, CZ = 135, AI = 141, RV = 142 };
constexpr bool is_apu(Family f) { return f == KV || f == CZ || f == RV; }

struct Memory {
  uint32_t clock_mhz, width_bits;
  uint64_t bytes;
};

// Instinct cards from Vega 20 on correct errors of their SRAM, and have links to each other.
constexpr std::string_view none = "", xnack = ":xnack-", ecc = ":sramecc+:xnack-", no_ecc = ":sramecc-:xnack-";

constexpr Card make(std::string_view name, std::string_view product, isa::Target target, std::string_view features,
                    uint32_t pci, uint32_t revision, Family family, uint32_t units, uint32_t engines, uint32_t arrays,
                    uint32_t clock, Memory memory, uint32_t l2_kib) {
  const bool cdna2 = target == isa::Target::gfx90a;
  return {.name = name,
          .product = product,
          .target = target,
          .isa_features = features,
          .device_id = pci,
          .compute_units = units,
          .simds_per_unit = 4,
          .shader_engines = engines,
          .arrays_per_engine = arrays,
          .clock_mhz = clock,
          .memory_clock_mhz = memory.clock_mhz,
          .memory_width_bits = memory.width_bits,
          .vram_bytes = memory.bytes,
          .l1_bytes = 16 * 1024, // every GCN has 16 KiB in a compute unit
          .l2_bytes = l2_kib * 1024,
          .l3_bytes = 0,
          .cacheline_bytes = cdna2 ? 128U : 64U,   // aldebaran_cache_info
          .max_waves_per_unit = cdna2 ? 32U : 40U, // 8 or 10 a SIMD
          .revision = revision,
          .family = family,
          .apu = is_apu(family),
          .sdma_engines = target == isa::Target::gfx810 || family == RV ? 1U : 2U,
          .sdma_link_engines = target == isa::Target::gfx908 ? 6U
                               : cdna2                       ? 3U
                                                             : 0U,
          .xgmi = features == ecc};
}

using enum isa::Target;

// clang-format off
// What a gfx name means stands first among the cards of its target.
// assumed: an APU's memory is 2 GiB, the most that most boards can set aside.
constexpr std::array table{
//   name          product                          target  features pci     rev family units SE SA clock memory: MHz, bits, bytes     L2 KiB
make("tahiti",     "AMD Radeon R9 200 / HD 7900 Series", gfx600, none, 0x6798, 0, SI,  32, 2, 2,  925, {1375,  384,  3 * GiB},          768),
make("pitcairn",   "AMD Radeon HD 7800 Series",     gfx601, none,    0x6818, 0, SI,  20, 2, 2, 1000, {1200,  256,  2 * GiB},          512),
make("oland",      "AMD Radeon R7 200 Series",      gfx602, none,    0x6610, 0, SI,   6, 1, 1, 1050, {1150,  128,  2 * GiB},          256),
make("kaveri",     "AMD Radeon R7 Graphics",        gfx700, none,    0x130f, 0, KV,   8, 1, 1,  720, {1066,  128,  2 * GiB},          256),
make("hawaii",     "AMD Radeon FirePro W9100",      gfx701, none,    0x67a0, 0, CI,  44, 4, 1,  930, {1250,  512, 16 * GiB},         1024),
make("r9-290x",    "AMD Radeon R9 200 Series",      gfx702, none,    0x67b0, 0, CI,  44, 4, 1, 1000, {1250,  512,  4 * GiB},         1024),
make("kabini",     "AMD Radeon HD 8400 / R3 Series", gfx703, none,   0x9830, 0, KV,   2, 1, 1,  600, { 800,   64,  2 * GiB},          128),
make("bonaire",    "AMD Radeon R7 200 Series",      gfx704, none,    0x6658, 0, CI,  14, 2, 1, 1100, {1625,  128,  2 * GiB},          256),
// LLVM knows gfx705 and no product that has it. assumed: like Kabini.
make("gfx705",     "AMD Radeon Graphics",           gfx705, none,    0x9830, 0, KV,   2, 1, 1,  600, { 800,   64,  2 * GiB},          128),
make("carrizo",    "AMD Radeon R7 Graphics",        gfx801, xnack,   0x9874, 0, CZ,   8, 1, 1,  800, {1066,  128,  2 * GiB},          128),
make("tonga",      "AMD Radeon R9 380 Series",      gfx802, none,    0x6938, 0, VI,  32, 4, 1,  970, {1425,  256,  4 * GiB},          512),
make("fiji",       "AMD Radeon R9 Fury Series",     gfx803, none,    0x7300, 0, VI,  64, 4, 1, 1050, { 500, 4096,  4 * GiB},         2048),
make("polaris10",  "AMD Radeon RX 480 Graphics",    gfx803, none,    0x67df, 1, VI,  36, 4, 1, 1266, {2000,  256,  8 * GiB},         2048),
make("rx480",      "AMD Radeon RX 480 Graphics",    gfx803, none,    0x67df, 1, VI,  36, 4, 1, 1266, {2000,  256,  8 * GiB},         2048),
make("rx580",      "AMD Radeon RX 580 Series",      gfx803, none,    0x67df, 1, VI,  36, 4, 1, 1340, {2000,  256,  8 * GiB},         2048),
make("polaris11",  "AMD Radeon RX 460 Graphics",    gfx803, none,    0x67ef, 1, VI,  14, 2, 1, 1200, {1750,  128,  4 * GiB},         1024),
make("polaris12",  "AMD Radeon RX 550 / 550 Series", gfx803, none,   0x699f, 0, VI,   8, 2, 1, 1183, {1750,  128,  4 * GiB},          512),
make("s7150",      "AMD FirePro S7150",             gfx805, none,    0x6929, 0, VI,  32, 4, 1,  920, {1250,  256,  8 * GiB},          512),
make("stoney",     "AMD Radeon R5 Graphics",        gfx810, xnack,   0x98e4, 0, CZ,   3, 1, 1,  800, {1066,   64,  2 * GiB},          128),
make("vega10",     "AMD Radeon RX Vega",            gfx900, xnack,   0x687f, 1, AI,  64, 4, 1, 1630, { 945, 2048, less( 8 * GiB)},   4096),
make("vega56",     "AMD Radeon RX Vega",            gfx900, xnack,   0x687f, 1, AI,  56, 4, 1, 1590, { 800, 2048, less( 8 * GiB)},   4096),
make("vegafe",     "AMD Radeon Vega Frontier Edition", gfx900, xnack, 0x6863, 1, AI, 64, 4, 1, 1600, { 945, 2048, less(16 * GiB)},   4096),
make("mi25",       "AMD Radeon Instinct MI25",      gfx900, xnack,   0x6860, 1, AI,  64, 4, 1, 1500, { 945, 2048, less(16 * GiB)},   4096),
make("raven",      "AMD Radeon Vega 11 Graphics",   gfx902, xnack,   0x15dd, 0, RV,  11, 1, 1, 1250, {1466,  128,  2 * GiB},         1024),
make("vega12",     "AMD Radeon Pro Vega 20",        gfx904, xnack,   0x69af, 0, AI,  20, 4, 1, 1301, { 740, 1024, less( 4 * GiB)},   2048),
make("vega20",     "AMD Radeon VII",                gfx906, no_ecc,  0x66af, 1, AI,  60, 4, 1, 1801, {1000, 4096, less(16 * GiB)},   8192),
make("mi50",       "AMD Instinct MI60 / MI50",      gfx906, ecc,     0x66a1, 1, AI,  60, 4, 1, 1725, {1000, 4096, less(16 * GiB)},   8192),
make("mi60",       "AMD Instinct MI60 / MI50",      gfx906, ecc,     0x66a1, 1, AI,  64, 4, 1, 1800, {1000, 4096, less(32 * GiB)},   8192),
make("mi100",      "AMD Instinct MI100",            gfx908, ecc,     0x738c, 2, AI, 120, 8, 1, 1502, {1200, 4096, less(32 * GiB)},   8192),
make("raven2",     "AMD Radeon Vega 3 Graphics",    gfx909, xnack,   0x15d8, 0, RV,   3, 1, 1, 1200, {1200,  128,  2 * GiB},          512),
make("mi210",      "AMD Instinct MI210",            gfx90a, ecc,     0x740f, 1, AI, 104, 8, 1, 1700, {1600, 4096, less(64 * GiB)},   8192),
// MI250 and MI250X are two GPUs each; a row is one of them.
make("mi250",      "AMD Instinct MI250X / MI250",   gfx90a, ecc,     0x740c, 1, AI, 104, 8, 1, 1700, {1600, 4096, less(64 * GiB)},   8192),
make("mi250x",     "AMD Instinct MI250X",           gfx90a, ecc,     0x7408, 1, AI, 110, 8, 1, 1700, {1600, 4096, less(64 * GiB)},   8192),
make("renoir",     "AMD Radeon Graphics",           gfx90c, xnack,   0x1636, 0, RV,   7, 1, 1, 1600, {1600,  128,  2 * GiB},         1024),
};
// clang-format on

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

} // namespace

std::span<const Card> cards() { return table; }

const Card* find_card(std::string_view name) {
  for (const Card& card : table)
    if (same(card.name, name))
      return &card;
  for (const Card& card : table)
    if (same(isa::info(card.target).name, name))
      return &card;
  return nullptr;
}

namespace {

double bytes_a_second(const Card& card, uint32_t bytes_a_clock_and_unit) {
  return card.clock_mhz * 1e6 * card.compute_units * bytes_a_clock_and_unit;
}

} // namespace

double lds_bandwidth(const Card& card) { return bytes_a_second(card, 32 * 4); }
double register_bandwidth(const Card& card) { return bytes_a_second(card, 64 * 3 * 4); }

std::string unknown_card(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(std::size(table) + isa::targets().size());
  for (const Card& card : table)
    names.push_back(card.name);
  for (const isa::TargetInfo& target : isa::targets())
    names.push_back(target.name);
  return "there is no card '" + std::string(name) + "'" + isa::did_you_mean(name, names);
}

std::string isa_name(const Card& card) {
  return "amdgcn-amd-amdhsa--" + std::string(isa::info(card.target).name) + std::string(card.isa_features);
}

} // namespace crosslane::gpu
