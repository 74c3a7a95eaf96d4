// Owns memory whose last byte is followed, and whose first byte is preceded, by a page that faults when touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

namespace crosslane::lanes {

class Guarded {
public:
  explicit Guarded(size_t capacity) : inner((capacity + page - 1) / page * page) {
    base = static_cast<uint8_t*>(mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED || mprotect(base + page, inner, PROT_READ | PROT_WRITE))
      abort();
  }
  ~Guarded() { munmap(base, inner + 2 * page); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  uint8_t* front() const { return base + page; }                          // the byte before faults
  uint8_t* back(size_t size) const { return base + page + inner - size; } // the byte after `size` faults

private:
  static constexpr size_t page = 4096;
  size_t inner;
  uint8_t* base;
};

} // namespace crosslane::lanes
