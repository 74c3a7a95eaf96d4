// Owns code objects with probes that earlier runs made, in the folder of files/cache.h: what is found is what
// instrumenting would give, of the same code, for the same probes, by the same build.
#pragma once
#include "files/cache.h"
#include "rewrite/instrument.h"
#include <map>
#include <mutex>

namespace crosslane::rewrite {

// Code objects, and what of the cache.
struct ProbeStats {
  uint64_t made = 0, found = 0, kept = 0;
  uint64_t verified = 0, differing = 0; // found, and made again (CROSSLANE_CACHE=verify)
  BranchShare branches;                 // of all that were made or found
  double making = 0, finding = 0;       // seconds of processor time of this thread
  std::string folder, trouble;          // why nothing is kept; empty: no reason
};
// For --stats; empty: nothing was instrumented.
std::string text(const ProbeStats&);

// Thread-safe.
class ProbeCache {
public:
  explicit ProbeCache(const files::CacheSettings&);
  // Options::compiler's intermediate code is asked for in any case, once, as it alone tells what a source includes.
  llvm::Expected<Result> instrument(const codeobject::CodeObject&, const Options&);
  ProbeStats stats() const;

private:
  std::optional<Result> find(const files::CacheKey&);
  void keep(const files::CacheKey&, const Result&);
  llvm::Expected<Result> make(const codeobject::CodeObject&, const Options&);
  ProbeCompiler remembering(const ProbeCompiler&);

  const files::CacheUse use_;
  const files::KeptFiles files_;
  std::vector<uint8_t> maker_; // this build
  mutable std::mutex mutex_;   // guards what follows
  ProbeStats stats_;
  // What compilers gave, by file and by intermediate code.
  std::map<std::pair<std::string, isa::Target>, std::string> ir_;
  std::map<std::pair<std::string, isa::Target>, std::vector<uint8_t>> code_;
};
// As the environment wants it, for this process.
ProbeCache& probe_cache();

} // namespace crosslane::rewrite
