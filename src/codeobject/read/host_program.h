// Device code in programs of the host, as spans of their bytes.
#pragma once
#include "codeobject/code_object.h"

namespace crosslane::codeobject {

// Empty: the host's file has none, or is none.
std::span<const uint8_t> find_fatbin(std::span<const uint8_t> bytes);     // .hip_fatbin: bundles
std::span<const uint8_t> find_offloading(std::span<const uint8_t> bytes); // .llvm.offloading: offload binaries

bool is_offload_binary(std::span<const uint8_t> bytes);
// One behind the other.
llvm::Error read_offload_binaries(std::span<const uint8_t> bytes, std::vector<BundleEntry>& entries);

// Code objects in the host's data.
std::vector<BundleEntry> objects_in_data(std::span<const uint8_t> bytes);
std::span<const uint8_t> first_object_in_data(std::span<const uint8_t> bytes); // empty: there is none

} // namespace crosslane::codeobject
