// Owns what a GPU's place in the machine gives it: identity, bus and links; for clients of the runtime and for readers
// of the driver's files (topology.cpp) alike.
#pragma once
#include "gpu/card.h"
#include <cstdint>
#include <string_view>

namespace crosslane::hsa {

// FNV-1a.
class Fnv {
public:
  Fnv& add(std::string_view text) {
    for (const char c : text)
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return *this;
  }
  uint64_t value() const { return value_; }

private:
  uint64_t value_ = 0xcbf29ce484222325;
};

// Stays the same for a card in a place, and differs between places: the UUID.
inline uint64_t unique_id(const gpu::Card& card, uint32_t node) {
  const char place = char(node);
  return Fnv().add(card.name).add({&place, 1}).value();
}
// What the driver calls the GPU by: 16 bits (KFD_GPU_ID_HASH_WIDTH), and never 0, which means the CPU.
inline uint32_t driver_id(const gpu::Card& card, uint32_t node) {
  return uint32_t(unique_id(card, node) & 0xff00) | (node & 0xff);
}
// PCI bus, device and function: function in bits 0 to 2, device in 3 to 7, bus above; 03:00.0 is the first GPU.
constexpr uint32_t bus_location(uint32_t node) { return (node + 2) << 8; }

// Bandwidth of PCIe 3.0 x16 and of one xGMI link, in MB/s. Source: AMD MI50 and Vega 10 data sheets.
constexpr uint32_t pcie_megabytes = 15754, xgmi_megabytes = 46000;

} // namespace crosslane::hsa
