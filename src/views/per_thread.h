// Owns PerThread: a table per thread that a listener writes without locks, and that is read when nothing runs.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace crosslane::views {

template <class Table> class PerThread {
public:
  Table& mine() {
    thread_local uint64_t owner = 0;
    thread_local Table* table = nullptr;
    if (!table || owner != identity_) [[unlikely]] {
      table = find();
      owner = identity_;
    }
    return *table;
  }
  template <class F> void for_each(F f) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [thread, table] : tables_)
      f(*table);
  }

private:
  // Out of the way of events: what is inlined here would make them all save registers.
  [[gnu::noinline]] Table* find() {
    const std::lock_guard lock(mutex_);
    auto& slot = tables_[std::this_thread::get_id()];
    if (!slot)
      slot = std::make_unique<Table>();
    return slot.get();
  }
  static inline std::atomic<uint64_t> next_ = 1;
  // Never used twice, so that what a thread remembers of a dead view is not taken for this one's.
  uint64_t identity_ = next_++;
  mutable std::mutex mutex_;
  std::unordered_map<std::thread::id, std::unique_ptr<Table>> tables_;
};

} // namespace crosslane::views
