// What the JIT has done, in words.
#include "jit/jit.h"
#include <fmt/format.h>

namespace crosslane::jit {

std::string text(const Stats& s) {
  std::string made, text;
  if (s.units)
    made = fmt::format("{} kernel(s) in {:.1f} ms of processor time", s.units, s.seconds * 1e3);
  if (s.only_loops)
    made += fmt::format(", of {} only the loops", s.only_loops);
  if (s.loaded)
    made += fmt::format("{}{} found in the cache in {:.2f} ms", s.units ? ", " : "", s.loaded, s.loading * 1e3);
  if (!made.empty())
    text = fmt::format("compiled: {}; of {} waves that entered, {} left for the interpreter at a guard\n", made,
                       s.entered, s.left);
  if (s.refused == 1)
    text += fmt::format("not compiled: {}\n", s.why);
  else if (s.refused)
    text += fmt::format("not compiled: {} kernels, the last because {}\n", s.refused, s.why);
  if (s.same || s.not_compared)
    text += fmt::format("verified: {} workgroup(s) came out the same both ways, {} could not be compared\n", s.same,
                        s.not_compared);
  if (s.verified || s.differing)
    text +=
        fmt::format("compiled again: {} kernel(s) are as the cache has them, {} are not\n", s.verified, s.differing);
  if (s.kept)
    text += fmt::format("kept for other runs: {} kernel(s), in {}\n", s.kept, s.cache_folder);
  if (!s.cache_trouble.empty())
    text += fmt::format("compiled code is not kept: {}\n", s.cache_trouble);
  return text;
}

} // namespace crosslane::jit
