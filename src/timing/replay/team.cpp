// A loop is published by its number; whoever takes a turn has read all of it before.
#include "timing/replay/team.h"

namespace crosslane::timing::replay {

Team::Team(uint32_t helpers) : parts_(helpers + 1) {
  for (uint32_t i = 1; i <= helpers; ++i)
    helpers_.emplace_back([this, i] { help(i); });
}

Team::~Team() {
  ends_ = true;
  ++loop_;
  loop_.notify_all();
  for (std::thread& helper : helpers_)
    helper.join();
}

void Team::share(uint32_t count, Call call, void* what) {
  if (count == 0)
    return;
  const uint32_t loop = loop_.load(std::memory_order_relaxed) + 1;
  for (Part& part : parts_) // who is late sees that its loop is over before anything else changes
    part.next = uint64_t(loop) << 32 | ~uint32_t(0);
  call_ = call, what_ = what, count_ = count, left_ = count;
  for (uint32_t p = 0; p < parts_.size(); ++p)
    parts_[p].next = uint64_t(loop) << 32 | begin(p, count);
  loop_ = loop;
  loop_.notify_all();
  work(loop, 0);
  for (uint32_t left = left_; left; left = left_)
    left_.wait(left);
}

void Team::work(uint32_t loop, uint32_t thread) {
  for (size_t p = 0; p < parts_.size(); ++p)
    take(loop, uint32_t((thread + p) % parts_.size()));
}

void Team::take(uint32_t loop, uint32_t part) {
  std::atomic<uint64_t>& next = parts_[part].next;
  for (uint64_t turn = next; turn >> 32 == loop;) {
    const Call call = call_;
    void* const what = what_;
    if (uint32_t(turn) >= begin(part + 1, count_))
      return;
    if (!next.compare_exchange_weak(turn, turn + 1))
      continue;
    call(what, uint32_t(turn));
    if (--left_ == 0)
      left_.notify_one();
    turn = next;
  }
}

void Team::help(uint32_t thread) {
  for (uint32_t known = 0; !ends_;) {
    loop_.wait(known);
    known = loop_;
    work(known, thread);
  }
}

} // namespace crosslane::timing::replay
