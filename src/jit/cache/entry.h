// Owns what the cache keeps of a compilation, as a file has it: under which key, of which code, what the compiler
// answered.
#pragma once
#include "files/cache.h"
#include "jit/request.h"
#include <optional>

namespace crosslane::jit {

using files::CacheKey;

struct CacheEntry {
  engine::CodeBytes code; // that was compiled: has the kernel at hand the same?
  Compiled answer;        // without what is told of the compilation itself
};

// Bytes that are the same for the same entry.
std::vector<uint8_t> packed(const CacheKey&, const engine::CodeBytes&, const Compiled&);
// None: these are not what packed() gave for that key, or not all of it.
std::optional<CacheEntry> unpacked(const CacheKey&, std::span<const uint8_t>);

} // namespace crosslane::jit
