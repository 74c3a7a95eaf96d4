// Owns what the files of a capture are called.
#pragma once
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace crosslane::capture {

inline constexpr const char* about_name = "capture.json";
inline constexpr const char* about_text = "{\n \"crosslane capture\": 1\n}\n";
inline constexpr const char* pack_name = "memory.pack";
inline constexpr const char* dispatches_name = "dispatches";

inline std::string file_of(uint64_t number) { return fmt::format("{}/{:06}.json", dispatches_name, number); }

} // namespace crosslane::capture
