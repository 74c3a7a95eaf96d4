// The planner: asks every kind of instruction, and sorts.
#include "cross_lane/planner.h"
#include "cross_lane/ways.h"
#include <algorithm>
#include <tuple>

namespace crosslane::cross_lane {

std::string_view name(Method method) {
  constexpr std::string_view names[] = {"move",     "dpp",     "masked-dpp", "patched-dpp", "chained-dpp", "swizzle",
                                        "bpermute", "permute", "broadcast",  "writelane",   "exec-masked", "lds"};
  static_assert(std::size(names) == size_t(Method::count));
  return names[size_t(method)];
}

void add_way(Ways& ways, Method method, const Sequence& sequence, std::string name, std::string note,
             std::vector<uint32_t> data) {
  ways.push_back({method, std::move(name), std::move(note), sequence.lines(), std::move(data), sequence.cost()});
}

std::vector<Way> plan(const Pattern& pattern, isa::Target target, const Situation& situation) {
  const Question question{pattern, target, situation};
  std::vector<Way> ways;
  scalar_ways(question, ways);
  dpp_ways(question, ways);
  ds_ways(question, ways);
  const auto key = [](const Way& w) {
    const Cost& c = w.cost;
    return std::tuple(c.cycles, c.bytes + c.data_bytes, c.instructions, c.vgprs, c.lds_bytes, w.method);
  };
  std::sort(ways.begin(), ways.end(), [&](const Way& a, const Way& b) { return key(a) < key(b); });
  return ways;
}

} // namespace crosslane::cross_lane
