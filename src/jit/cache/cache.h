// Owns Cache: compiled code of earlier runs, on disk. What it finds is as if it had just been compiled, by the same
// build, for the same processor, of the same code (docs/decisions/0024).
#pragma once
#include "engine/compiler.h"
#include "files/cache.h"
#include "jit/cache/entry.h"

namespace crosslane::jit {

// Thread-safe: nothing changes but files.
class Cache {
public:
  // `compiler`: the shared object's file, which is not loaded.
  Cache(const files::CacheSettings&, const std::string& compiler);

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
  files::KeptFiles folder_;
  std::vector<uint8_t> compiler_; // its build id,
  std::vector<uint8_t> makers_;   // this program's as well, and the processor
  std::string unusable_;
};

} // namespace crosslane::jit
