// Owns which extensions there are, for the questions about the system and about agents.
#pragma once
#include <array>
#include <cstdint>

namespace crosslane::hsa {

// What HSA_SYSTEM_INFO_EXTENSIONS and HSA_AGENT_INFO_EXTENSIONS give: bit i stands for extension i.
std::array<uint8_t, 128> extension_bits();

} // namespace crosslane::hsa
