// Owns Cache: compiled code of earlier runs, on disk. What it finds is as if it had just been compiled, by the same
// build, for the same processor, of the same code (docs/decisions/0024).
#pragma once
#include "engine/compiler.h"
#include "jit/cache/entry.h"
#include "jit/cache/folder.h"

namespace crosslane::jit {

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

// Thread-safe: nothing changes but files.
class Cache {
public:
  // `compiler`: the shared object's file, which is not loaded.
  Cache(const CacheSettings&, const std::string& compiler);

  // Names what the compiler would be asked, of a query and its code as it is in memory. The request needs no unit.
  CacheKey key(const Request&, const engine::Code&, const engine::CompileQuery&) const;
  // None: it is not there, or was made of other code; or the folder is not to be believed, of which `trouble` tells.
  std::optional<CacheEntry> find(const CacheKey&, const engine::Code&, std::string& trouble) const;
  // Not empty: why it cannot be kept. An error is, if it is one that lasts.
  std::string keep(const CacheKey&, const engine::CodeBytes&, const Compiled&) const;

  // Whether the function is of the compiler that the keys are of: the file may have been another one by then.
  bool is_of(const void* function) const;

  // Why nothing can be asked; empty: no reason.
  const std::string& unusable() const { return unusable_; }
  const std::string& folder() const { return folder_.path(); }

private:
  Folder folder_;
  std::vector<uint8_t> compiler_; // its build id,
  std::vector<uint8_t> makers_;   // this program's as well, and the processor
  std::string unusable_;
};

} // namespace crosslane::jit
