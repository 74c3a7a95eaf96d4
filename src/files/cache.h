// Owns what everything that is kept between runs has in common: what the user says of it, where it lies, and the names
// of its files.
#pragma once
#include "files/kept_files.h"
#include <array>
#include <cstdint>
#include <llvm/Support/BLAKE3.h>
#include <string>
#include <type_traits>

namespace crosslane::files {

// What CROSSLANE_CACHE asks for.
enum class CacheUse {
  off,
  on,
  verify,  // what is found is compiled again, and compared
  unknown, // another word: dispatches are refused
};

// As the environment says, at the process's begin:
//   CROSSLANE_CACHE       on (not set: the same), off, verify
//   CROSSLANE_CACHE_DIR   the folder; not set: $XDG_CACHE_HOME/crosslane, or ~/.cache/crosslane
//   CROSSLANE_CACHE_SIZE  most bytes of all files, with K, M or G (default: 256M)
struct CacheSettings {
  CacheUse use = CacheUse::off;
  std::string folder; // empty: there is no place
  uint64_t most_bytes = 256 << 20;
  std::string wrong; // what cannot be meant, as a sentence; empty: nothing
};
CacheSettings cache_settings();

// What a kept file is made of, in full: who asks with the same key gets the same file.
using CacheKey = std::array<uint8_t, 32>;
// As KeptFiles wants it.
std::string name_of(const CacheKey&);

// Values, each of a size that its place says.
class CacheHasher {
public:
  template <class T> CacheHasher& operator()(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    hash_.update({reinterpret_cast<const uint8_t*>(&value), sizeof value});
    return *this;
  }
  CacheHasher& bytes(const void* p, size_t size) {
    (*this)(uint64_t(size));
    hash_.update({static_cast<const uint8_t*>(p), size});
    return *this;
  }
  CacheKey result();

private:
  llvm::BLAKE3 hash_;
};

} // namespace crosslane::files
