// Ways without DPP and without the LDS: v_mov_b32, v_readlane_b32, v_writelane_b32, EXEC.
#include "cross_lane/ways.h"
#include <algorithm>
#include <bit>
#include <map>

namespace crosslane::cross_lane {
namespace {

std::string number(int n) { return std::to_string(n); }
std::string sgpr(int n) { return "s" + number(n); }

uint64_t own_lanes(const Pattern& p) {
  return lanes_where(p, [](int i, int from) { return from == i; });
}

// The value of `lane`, every dword, into SGPRs; returns the first one.
int read_lane(Sequence& s, int lane) {
  int first = -1;
  for (int d = 0; d < s.dwords(); ++d) {
    const int to = s.sgpr_temporary();
    first = first < 0 ? to : first;
    s.scalar(lane == 0 ? "v_readfirstlane_b32 " + sgpr(to) + ", " + vgpr(s.src(d))
                       : "v_readlane_b32 " + sgpr(to) + ", " + vgpr(s.src(d)) + ", " + number(lane));
  }
  return first;
}

// From the most lanes to the fewest: source -> the lanes that read it. Lanes that stay are one source, `own`, unless
// each of them is read by others too.
constexpr int own = lane_count;
std::vector<std::pair<int, uint64_t>> classes(const Pattern& p) {
  const uint64_t stay = own_lanes(p), any = any_lanes(p);
  uint64_t read = 0; // by another lane
  for (int i = 0; i < lane_count; ++i)
    if (const int from = p[size_t(i)]; from >= 0 && from != i)
      read |= lane_bit(from);
  const bool together = (stay & ~read) != 0 && std::popcount(stay) > 1;
  std::map<int, uint64_t> by_source;
  for (int i = 0; i < lane_count; ++i)
    if (!(any >> i & 1))
      by_source[together && stay >> i & 1 ? own : p[size_t(i)]] |= lane_bit(i);
  std::vector<std::pair<int, uint64_t>> sorted(by_source.begin(), by_source.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::pair(-std::popcount(a.second), a.first) < std::pair(-std::popcount(b.second), b.first);
  });
  return sorted;
}

// The destination = one class's value, in the lanes of EXEC.
void move_class(Sequence& s, int source) {
  if (source == own)
    return s.move_all();
  if (source == zero_lane)
    return s.zero_all();
  const int from = read_lane(s, source);
  for (int d = 0; d < s.dwords(); ++d)
    s.vector(s.dst(d), "v_mov_b32 " + vgpr(s.dst(d)) + ", " + sgpr(from + d));
}

void exec_way(const Question& q, Ways& ways) {
  const auto all = classes(q.pattern);
  if (all.size() < 2 || all.size() > 8)
    return;
  Sequence s = q.sequence();
  uint64_t exec = ~uint64_t(0);
  for (const auto& [source, lanes] : all) {
    // v_readfirstlane follows EXEC, v_readlane does not: read before EXEC changes.
    if (exec == ~uint64_t(0) && source == all.front().first) {
      move_class(s, source);
      continue;
    }
    int from = -1;
    if (source >= 0 && source < lane_count) {
      for (int d = 0; d < s.dwords(); ++d) {
        const int to = s.sgpr_temporary();
        from = from < 0 ? to : from;
        s.scalar("v_readlane_b32 " + sgpr(to) + ", " + vgpr(s.src(d)) + ", " + number(source));
      }
    }
    s.set_mask("exec", exec = lanes);
    if (source == own)
      s.move_all();
    else if (source == zero_lane)
      s.zero_all();
    else
      for (int d = 0; d < s.dwords(); ++d)
        s.vector(s.dst(d), "v_mov_b32 " + vgpr(s.dst(d)) + ", " + sgpr(from + d));
  }
  s.set_mask("exec", ~uint64_t(0));
  add_way(ways, Method::exec_masked, s, "v_mov_b32 under EXEC, " + number(int(all.size())) + " groups of lanes");
}

// A first move of all lanes, then one v_writelane for each lane that it left wrong.
void writelane_way(const Question& q, Ways& ways) {
  const auto all = classes(q.pattern);
  if (all.size() < 2)
    return;
  // Best starts: what most lanes read.
  const auto& [start, right] = all.front();
  const uint64_t wrong = ~(right | any_lanes(q.pattern));
  if (std::popcount(wrong) > 24)
    return;
  Sequence s = q.sequence();
  move_class(s, start);
  patch_lanes(s, q.pattern, wrong);
  const bool reads = (wrong & reading_lanes(q.pattern)) != 0;
  add_way(ways, Method::writelane, s,
          std::string(reads ? "v_readlane_b32 and v_writelane_b32, " : "v_writelane_b32, ") + lanes_text(wrong));
}

} // namespace

std::string lanes_text(uint64_t lanes) {
  const int n = std::popcount(lanes);
  return number(n) + (n == 1 ? " lane" : " lanes");
}

void patch_lanes(Sequence& s, const Pattern& pattern, uint64_t wrong) {
  std::map<int, int> read; // source lane -> its SGPR
  for (int i = 0; i < lane_count; ++i) {
    if (!(wrong >> i & 1))
      continue;
    const int from = pattern[size_t(i)];
    if (from >= 0 && !read.contains(from))
      read[from] = read_lane(s, from);
    for (int d = 0; d < s.dwords(); ++d)
      s.vector(s.dst(d),
               "v_writelane_b32 " + vgpr(s.dst(d)) + ", " + (from < 0 ? "0" : sgpr(read[from] + d)) + ", " + number(i));
  }
}

void scalar_ways(const Question& q, Ways& ways) {
  const uint64_t reading = reading_lanes(q.pattern);
  if ((reading & ~own_lanes(q.pattern)) == 0 && !zero_lanes(q.pattern)) {
    Sequence s = q.sequence();
    s.move_all();
    add_way(ways, Method::move, s, "v_mov_b32", "every lane keeps its own value: the source itself will do");
  } else if (!reading) {
    Sequence s = q.sequence();
    s.zero_all();
    add_way(ways, Method::move, s, "v_mov_b32 of 0");
  } else if (const auto all = classes(q.pattern); all.size() == 1 && all.front().first < lane_count) {
    Sequence s = q.sequence();
    move_class(s, all.front().first);
    add_way(ways, Method::broadcast, s,
            all.front().first == 0 ? "v_readfirstlane_b32" : "v_readlane_b32 " + number(all.front().first),
            "a VALU instruction can take the SGPR itself instead of the copy in v0");
  }
  exec_way(q, ways);
  writelane_way(q, ways);
}

} // namespace crosslane::cross_lane
