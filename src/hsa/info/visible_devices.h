// Owns the choice of GPUs by ROCR_VISIBLE_DEVICES, which means here what it means to ROCr: a list, with commas, of
// indexes and of UUIDs ("GPU-" and the first digits of one GPU's), in the order in which the program is to see them. It
// ends at the first entry that names no GPU, or one again; nothing before that ("", "-1") hides all of them. Source:
// ROCr 5.2, amd_filter_device.cpp; AMD's documentation of ROCm, "GPU isolation techniques".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::hsa {

// Indexes into `uuids`, one for each GPU that is there.
std::vector<size_t> visible_devices(std::string_view list, std::span<const std::string> uuids);

} // namespace crosslane::hsa
