// Owns operations of memory that waves have under way, and the counters that count them: when the oldest ones will be
// done is known as soon as L2 has answered.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace crosslane::timing::replay {

// What a counter of a wave counts, oldest first.
template <uint32_t size> struct Counting {
  std::array<uint32_t, size> op;
  uint32_t first = 0, count = 0;
  void push(uint32_t id) { op[(first + count++) % size] = id; }
  uint32_t oldest() const { return op[first]; }
  void pop() { first = (first + 1) % size, --count; }
  uint32_t at(uint32_t i) const { return op[(first + i) % size]; }
};

class Operations {
public:
  static constexpr uint32_t none = ~0u;

  // Done at `done`, for all that is known. `owners`: counters that count it.
  uint32_t make(uint64_t done, uint32_t owners) {
    uint32_t id = free_;
    if (id == none) {
      id = uint32_t(ops_.size());
      ops_.emplace_back();
    } else {
      free_ = ops_[id].next;
    }
    ops_[id] = {.done = done, .owners = owners};
    return id;
  }
  // A counter has no more to do with it.
  void forget(uint32_t id) {
    --ops_[id].owners;
    recycle(id);
  }
  void done_by(uint32_t id, uint64_t time) { ops_[id].done = std::max(ops_[id].done, time); }
  // It is not done before one more request was answered.
  void wait(uint32_t id) { ++ops_[id].waiting; }
  void answer(uint32_t id, uint64_t time) {
    done_by(id, time);
    --ops_[id].waiting;
    recycle(id);
  }

  // Raises `time` to when all but the last `left` are done, and forgets them. False: that is not known yet.
  template <uint32_t size> bool wait(Counting<size>& counter, uint32_t left, uint64_t& time) {
    if (counter.count <= left)
      return true;
    const uint32_t count = counter.count - left;
    for (uint32_t i = 0; i < count; ++i)
      if (ops_[counter.at(i)].waiting)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
      time = std::max(time, ops_[counter.oldest()].done);
      forget(counter.oldest());
      counter.pop();
    }
    return true;
  }
  // Forgets what is over.
  template <uint32_t size> void settle(Counting<size>& counter, uint64_t time) {
    while (counter.count && !ops_[counter.oldest()].waiting && ops_[counter.oldest()].done <= time) {
      forget(counter.oldest());
      counter.pop();
    }
  }
  // A counter that holds no more lets nothing pass until the oldest is done. False: it is not known when.
  template <uint32_t size> bool make_room(Counting<size>& counter, uint32_t most, uint64_t& time) {
    return counter.count < most || wait(counter, most - 1, time);
  }

private:
  struct Op {
    uint64_t done = 0;
    uint32_t waiting = 0; // for so many requests
    uint32_t owners = 0;
    uint32_t next = none; // that is free
  };
  void recycle(uint32_t id) {
    if (ops_[id].owners == 0 && ops_[id].waiting == 0)
      ops_[id].next = free_, free_ = id;
  }
  std::vector<Op> ops_;
  uint32_t free_ = none;
};

} // namespace crosslane::timing::replay
