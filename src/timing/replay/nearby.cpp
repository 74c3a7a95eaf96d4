// Lines in the order in which they are asked for.
#include "timing/replay/nearby.h"
#include <unordered_set>

namespace crosslane::timing::replay {

// The next access that is of L2: f(touch) of each that it asks for.
template <class Do> void Nearby::touches(Wave& wave, const L2& l2, Do f) {
  if (!wave.at.at_access()) {
    wave.at.block();
    return;
  }
  Lines lines;
  const Access access = wave.at.access(lines);
  if (access.scratch)
    lines.first += wave.scratch;
  if (access.space != Space::vector && access.space != Space::scalar)
    return;
  Touch touch{.line = lines.line(0), .kind = access.kind};
  for (uint32_t i = 1; i < lines.count; ++i)
    if (const uint64_t line = lines.line(i);
        access.kind == Kind::load && line == touch.line + touch.lines && l2.together(touch.line, line)) {
      ++touch.lines;
    } else {
      f(touch);
      touch = {.line = line, .kind = access.kind};
    }
  if (lines.count)
    f(touch);
}

// Until it has so many words left.
void Nearby::run(Wave& wave, size_t left, L2& l2) {
  while (wave.at.left().size() > left)
    touches(wave, l2, [&](const Touch& t) { l2.warm(t.line, t.lines, t.kind); });
}

void Nearby::run(Group& group, std::span<const size_t> left, L2& l2) {
  for (size_t w = 0; w < group.size(); ++w)
    run(group[w], w < left.size() ? left[w] : 0, l2);
}

// What they have still to do is long over for those that come next.
void Nearby::leave_behind(std::span<const Cluster::Left> left, L2& l2) {
  end(l2);
  l2.leave_behind();
  left_.clear(), groups_.clear();
  uint64_t last = 0;
  for (const Cluster::Left& l : left) {
    if (left_.empty() || l.group != last)
      left_.emplace_back();
    left_.back().push_back(l.words.left().size());
    last = l.group;
    Wave wave{.words = {}, .at = l.words, .scratch = l.scratch};
    run(wave, 0, l2);
  }
}

// All of them go on by as much as lies between the states of two that follow each other.
void Nearby::warm(GroupTrace& trace, std::span<const uint64_t> scratch, L2& l2) {
  Group& group = groups_.emplace_back();
  for (size_t w = 0; w < trace.waves.size(); ++w) {
    group.push_back({.words = std::move(trace.waves[w]), .at = {}, .scratch = scratch[w]});
    group.back().at = Cursor(group.back().words);
  }
  if (groups_.size() > left_.size()) {
    run(groups_.front(), {}, l2);
    groups_.pop_front();
  }
  const size_t others = left_.size() - groups_.size();
  for (size_t g = 0; g < groups_.size(); ++g)
    run(groups_[g], left_[others + g], l2);
}

// What they have still to do, turn by turn; without what L1 will have.
void Nearby::begin(const L2& l2) {
  std::vector<std::vector<Touch>> rests;
  for (Group& group : groups_) {
    std::unordered_set<uint64_t> loaded;
    for (Wave& wave : group) {
      std::vector<Touch>& rest = rests.emplace_back();
      while (!wave.at.done())
        touches(wave, l2, [&](const Touch& t) {
          if (t.kind != Kind::load || loaded.insert(t.line).second)
            rest.push_back(t);
        });
    }
  }
  groups_.clear();
  for (size_t i = 0, more = 1; more; ++i) {
    more = 0;
    for (const std::vector<Touch>& of : rests)
      if (i < of.size())
        rest(of[i].kind).push_back(of[i]), ++more;
  }
}

void Nearby::go_on(Request& request) {
  std::deque<Touch>& next = rest(request.kind);
  if (next.empty())
    return;
  request.stands = true;
  const Touch& touch = next.front();
  request.other_line = touch.line, request.other_lines = touch.lines, request.other_kind = touch.kind;
  next.pop_front();
}

void Nearby::end(L2& l2) {
  for (std::deque<Touch>* rest : {&loads_, &stores_}) {
    for (const Touch& touch : *rest)
      l2.warm(touch.line, touch.lines, touch.kind);
    rest->clear();
  }
}

} // namespace crosslane::timing::replay
