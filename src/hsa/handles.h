// Owns objects whose handles are numbers: never used again, so that a handle of something that is gone names nothing.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace crosslane::hsa {

// The first of `count`. Of all kinds, so that one kind's is not another's either; goes on from one runtime to the next.
inline uint64_t new_handle(uint64_t count = 1) {
  static std::atomic<uint64_t> next{0x1000};
  return next.fetch_add(count);
}

template <class T> class Handles {
public:
  uint64_t add(std::shared_ptr<T> object) {
    const uint64_t handle = new_handle();
    const std::lock_guard lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  // Null: there is none.
  std::shared_ptr<T> find(uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> remove(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    const auto node = objects_.extract(handle);
    return node ? node.mapped() : nullptr;
  }

private:
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<T>> objects_;
};

} // namespace crosslane::hsa
