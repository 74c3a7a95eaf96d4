// Owns the cards: what a GPU model tells about itself, which is what programs see in device properties. One row per
// card, each number with its source in card.cpp.
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crosslane::gpu {

struct Card {
  std::string_view name;    // "vega10", how users choose it
  std::string_view product; // marketing name: HSA_AMD_AGENT_INFO_PRODUCT_NAME
  isa::Target target;
  std::string_view isa_features; // what follows the processor in the ISA name: ":xnack-", ":sramecc+:xnack-" or ""
  uint32_t device_id;            // PCI: HSA_AMD_AGENT_INFO_CHIP_ID
  uint32_t compute_units;
  uint32_t simds_per_unit; // 4
  uint32_t shader_engines, arrays_per_engine;
  uint32_t clock_mhz, memory_clock_mhz, memory_width_bits;
  uint64_t vram_bytes;
  uint32_t l1_bytes, l2_bytes, l3_bytes; // per unit; of the card; 0: none
  uint32_t cacheline_bytes;              // 64
  uint32_t max_waves_per_unit;           // 40
  uint32_t revision;                     // HSA_AMD_AGENT_INFO_ASIC_REVISION
  uint32_t family;                       // AMDGPU_FAMILY_* of the kernel's amdgpu_drm.h
  bool apu;                              // the GPU is part of a CPU and its memory is the system's
  uint32_t sdma_engines;                 // for copies to and from the host: HSA_AMD_AGENT_INFO_NUM_SDMA_ENG
  uint32_t sdma_link_engines;            // for copies over links: HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG
  bool xgmi; // it has links of its own to other GPUs, and so fine-grained memory that they may share
};

// All cards; the first one of a target is what its gfx name means.
std::span<const Card> cards();
// By name ("vega10", in any case) or gfx name ("gfx900"); null if there is none.
const Card* find_card(std::string_view name);
// Peak bandwidths of all compute units together, in bytes a second. Source: GPUOpen, "AMD GCN Assembly: Cross-Lane
// Operations": in a clock the LDS of each reads 4 bytes from each of 32 banks, and 64 lanes take three registers of 4
// bytes.
double lds_bandwidth(const Card&);
double register_bandwidth(const Card&);
// What to say of a name that find_card() does not know.
std::string unknown_card(std::string_view name);
// "amdgcn-amd-amdhsa--gfx900:xnack-"
std::string isa_name(const Card&);

} // namespace crosslane::gpu
