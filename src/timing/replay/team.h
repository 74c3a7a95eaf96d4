// Owns threads that share a loop's turns with the one that asks for it. Between loops they sleep. Of loops over the
// same things each thread takes the same part, in whose caches they are then, and what is left of others' when it is
// done.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace crosslane::timing::replay {

class Team {
public:
  explicit Team(uint32_t helpers);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // turn(0) ... turn(count - 1), each once, by any thread and in any order; back when all are over.
  template <class Turn> void each(uint32_t count, Turn turn) {
    share(count, [](void* what, uint32_t i) { (*static_cast<Turn*>(what))(i); }, &turn);
  }

private:
  using Call = void (*)(void*, uint32_t);
  void share(uint32_t count, Call, void* what);
  void work(uint32_t loop, uint32_t thread);
  void take(uint32_t loop, uint32_t part);
  void help(uint32_t thread);
  uint32_t begin(uint32_t part, uint32_t count) const { return uint32_t(uint64_t(part) * count / parts_.size()); }

  // A turn is taken by adding one to `next`, whose upper half is the loop's number: who comes late, with the number of
  // a loop that is over, takes none.
  struct alignas(64) Part {
    std::atomic<uint64_t> next{0};
  };
  std::vector<Part> parts_;                            // of each thread, the caller's first
  std::atomic<uint32_t> loop_{0}, count_{0}, left_{0}; // left_: turns that are not over
  std::atomic<Call> call_{nullptr};
  std::atomic<void*> what_{nullptr};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> helpers_;
};

} // namespace crosslane::timing::replay
