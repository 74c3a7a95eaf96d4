// By LLVM's edit distance.
#include "isa/suggest.h"
#include <llvm/ADT/StringRef.h>

namespace crosslane::isa {

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  auto least = static_cast<unsigned>((name.size() + 2) / 3 + 1);
  for (const std::string_view candidate : candidates)
    if (const unsigned distance =
            llvm::StringRef(candidate).edit_distance_insensitive(name, /*AllowReplacements=*/true, least);
        distance < least)
      least = distance, best = candidate;
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates,
                         std::string_view otherwise) {
  const std::string best(nearest(name, candidates));
  return best.empty() ? std::string(otherwise) : "; did you mean " + best + "?";
}

} // namespace crosslane::isa
