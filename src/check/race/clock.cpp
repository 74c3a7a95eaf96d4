// A tree of 16 branches, whose nodes never change: a join makes those on the way to what differs, and takes the others
// over from where it found them.
#include "check/race/clock.h"

namespace crosslane::check::race {

struct Clock::Node {
  std::array<Pointer, 16> below;
};

bool Clock::covers(const Record& r) const {
  const uint32_t group = group_of(r.wave);
  if (!root_ || uint64_t(group) >> (4 * height_))
    return false;
  const void* at = root_.get();
  for (uint32_t h = height_; h && at; --h)
    at = static_cast<const Node*>(at)->below[group >> (4 * (h - 1)) & 15].get();
  const auto* found = static_cast<const Group*>(at);
  return found && (r.interval < found->interval || r.count <= found->count[r.wave % waves_per_group]);
}

void Clock::grow(uint32_t height) {
  if (!root_)
    height_ = std::max(height_, height);
  for (; height_ < height; ++height_) {
    auto above = std::make_shared<Node>();
    above->below[0] = std::move(root_);
    root_ = std::move(above);
  }
}

Clock::Pointer Clock::joined(const Pointer& a, const Pointer& b, uint32_t height) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  if (!height) {
    const auto &ga = *static_cast<const Group*>(a.get()), &gb = *static_cast<const Group*>(b.get());
    Group g{std::max(ga.interval, gb.interval), {}};
    for (size_t n = 0; n < g.count.size(); ++n)
      g.count[n] = std::max(ga.count[n], gb.count[n]);
    return g == ga ? a : g == gb ? b : std::make_shared<Group>(g);
  }
  const auto &na = *static_cast<const Node*>(a.get()), &nb = *static_cast<const Node*>(b.get());
  Node n;
  for (size_t i = 0; i < n.below.size(); ++i)
    n.below[i] = joined(na.below[i], nb.below[i], height - 1);
  return n.below == na.below ? a : n.below == nb.below ? b : std::make_shared<Node>(std::move(n));
}

void Clock::join(const Clock& other) {
  if (!other.root_ || other.root_ == root_)
    return;
  Clock that = other;
  grow(that.height_), that.grow(height_);
  root_ = joined(root_, that.root_, height_);
}

void Clock::join(uint32_t group, const Group& g) {
  uint32_t height = 0;
  while (uint64_t(group) >> (4 * height))
    ++height;
  Clock one;
  one.root_ = std::make_shared<Group>(g);
  for (uint32_t h = 0; h < std::max(height, height_); ++h) {
    auto above = std::make_shared<Node>();
    above->below[group >> (4 * h) & 15] = std::move(one.root_);
    one.root_ = std::move(above);
  }
  one.height_ = std::max(height, height_);
  join(one);
}

} // namespace crosslane::check::race
