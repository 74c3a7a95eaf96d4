// Owns which language a file is in: by what it begins with, else by its name. Not for users of the layer.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace crosslane::toolchain {

enum class Language { code_object, assembly, opencl, hip };
Language language_of(const std::string& path, std::span<const uint8_t> bytes);
inline bool is_for_clang(Language language) { return language == Language::opencl || language == Language::hip; }

} // namespace crosslane::toolchain
