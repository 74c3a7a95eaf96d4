// Owns findings that are known and not to be told again: a file of theirs, and taking them out. A finding is known by
// its rule, the function, its offset and a hash of its instruction; one whose offset alone has changed, because code
// before it did, is still known, once for each entry.
#pragma once
#include "lint/placed.h"
#include <llvm/Support/Error.h>
#include <span>

namespace crosslane::lint {

struct KnownFinding {
  Rule rule{};
  std::string function;
  uint64_t offset = 0, instruction = 0; // instruction: the hash
};

std::string baseline_of(std::span<const Judged>);
// `name` is for messages.
llvm::Expected<std::vector<KnownFinding>> read_baseline(std::string_view text, const std::string& name);
// Returns how many were taken out.
size_t take_known(std::span<Judged>, std::vector<KnownFinding>);

uint64_t hash_of(const PlacedFinding&); // of its instruction

} // namespace crosslane::lint
