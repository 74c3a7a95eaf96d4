// Owns putting compiled code where it can run.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace crosslane::jit {

// A copy in memory of its own, which is written first and executable then. Null: `error` says why.
std::shared_ptr<void> in_memory(std::span<const uint8_t> image, std::string& error);

} // namespace crosslane::jit
