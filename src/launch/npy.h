// Owns NumPy's .npy files, versions 1, 2 and 3: numeric types, little-endian, C order. Everything else is an error that
// says what to do in NumPy. Source: numpy.lib.format, "Format Version 1.0" to "3.0".
#pragma once
#include "launch/values.h"

namespace crosslane::launch {

bool is_npy(std::span<const uint8_t> bytes);
// `name` is used in messages.
llvm::Expected<Buffer> parse_npy(std::span<const uint8_t> bytes, std::string_view name);
std::vector<uint8_t> format_npy(const Buffer&); // version 1.0, data aligned to 64 bytes, as NumPy writes it

} // namespace crosslane::launch
