// Owns Agent: the CPU or one emulated GPU. Its handle is its address.
#pragma once
#include "engine/places.h"
#include "gpu/choice.h"
#include "hsa/precedence.h"
#include "machine/gds.h"
#include <array>
#include <atomic>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::hsa {

struct Pool;

struct Agent {
  uint32_t node = 0;                                   // 0 is the CPU
  const gpu::Card* card = nullptr;                     // null: the CPU
  gpu::Choice chosen;                                  // the same, with what its timing depends on
  std::string name;                                    // "gfx900", or the CPU's
  std::string isa;                                     // "amdgcn-amd-amdhsa--gfx900:xnack-"; empty for the CPU
  uint64_t vram_bytes = 0;                             // the card's, or what the user said
  std::vector<std::unique_ptr<Pool>> pools;            // made by memory.cpp
  machine::Gds gds;                                    // of the card, shared by all its queues
  Precedence precedence;                               // among its queues
  std::optional<engine::UnitMask> cu_mask;             // what HSA_CU_MASK leaves of its compute units; none: all
  std::array<std::atomic<uint32_t>, 16> engine_work{}; // copies that each of its engines has to do; see copy_engines.h
  std::string uuid() const;                            // "GPU-" and its 16 hexadecimal digits; the CPU's is "CPU-XX"
  std::atomic<hsa_amd_coherency_type_t> coherency{HSA_AMD_COHERENCY_TYPE_COHERENT}; // what clients asked for
  bool gpu() const { return card != nullptr; }
  hsa_agent_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
  hsa_isa_t isa_handle() const; // of the one it has, see hsa/info/isa.h; 0 for the CPU
};

} // namespace crosslane::hsa
