// Owns what the kernel driver would say of the emulated cards under /sys/class/kfd: RCCL, profilers and
// rocm_agent_enumerator read that and do not ask the runtime. The preloaded library (preload/) leads them to a folder
// that is written here when the first of them looks.
#pragma once
#include "gpu/card.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace crosslane::hsa {

struct TopologyGpu {
  const gpu::Card* card;
  uint64_t vram_bytes;
};
struct TopologyFile {
  std::string path, text; // the path below /sys/class/kfd/kfd/topology
};

// Node 0 is the CPU, the GPUs follow. Source of names and order: Linux 6.1, drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
std::vector<TopologyFile> topology(std::span<const TopologyGpu> gpus);

// The folder that stands for /sys/class/kfd/kfd/topology: always the same for the same cards, in $TMPDIR or /tmp, this
// user's alone, written unless it is there. Empty: it cannot be.
std::string topology_folder();

} // namespace crosslane::hsa
