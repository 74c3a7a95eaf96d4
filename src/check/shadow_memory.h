// Owns the memory that shadows are made of: many small pieces, of all threads, given back all at once. It is taken from
// the system in few large ones, on huge pages where there are any: a fault for each 4096 bytes would cost more than
// what is kept there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace crosslane::check {

class ShadowMemory {
public:
  // As aligned as malloc's, with any contents. Throws std::bad_alloc.
  void* allocate(size_t bytes);
  // What was allocated is gone. Nobody allocates meanwhile.
  void clear();
  size_t bytes() const { return taken_bytes_; } // taken from the system; likewise

private:
  struct Free {
    void operator()(void* piece) const { std::free(piece); }
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<void, Free>> taken_;
  size_t taken_bytes_ = 0;
  uint8_t *at_ = nullptr, *end_ = nullptr; // what is free of the last one
  void take(size_t bytes);
};

} // namespace crosslane::check
