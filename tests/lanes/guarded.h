// A page of memory between two that fault: what reads or writes outside of its elements dies in the test.
#pragma once
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace crosslane::lanes {
class Guarded {
public:
  Guarded() : page_(size_t(sysconf(_SC_PAGESIZE))) {
    base_ = static_cast<uint8_t*>(mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + page_, page_, PROT_READ | PROT_WRITE);
  }
  ~Guarded() { munmap(base_, 3 * page_); }
  Guarded(const Guarded&) = delete;
  // The last n elements before the fault, and the first behind one.
  template <class T> T* last(size_t n) { return reinterpret_cast<T*>(base_ + 2 * page_) - n; }
  template <class T> T* first() { return reinterpret_cast<T*>(base_ + page_); }

private:
  size_t page_;
  uint8_t* base_;
};
} // namespace crosslane::lanes
