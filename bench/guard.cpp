// What the patterns around allocations cost, which are looked at in every run: allocating a page, writing to it and
// freeing it, where both margins have a pattern and where there is none. build/release/bin/crosslane_guard_bench
#include "machine/memory.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace {

using crosslane::machine::Memory;

constexpr int allocations = 200, rounds = 50;

double nanoseconds(Memory& memory, uint64_t size) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < allocations; ++i) {
    void* const data = memory.allocate(size, "data");
    std::memset(data, 1, size);
    memory.free(data);
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / allocations;
}

} // namespace

int main() {
  // 3329 bytes take 3584 of a page: 255 behind them have a pattern, and 256 before them. 4096 take all of it.
  Memory memory;
  double marked = 1e9, unmarked = 1e9;
  for (int i = 0; i < rounds; ++i) {
    marked = std::min(marked, nanoseconds(memory, 3329));
    unmarked = std::min(unmarked, nanoseconds(memory, 4096));
  }
  std::printf("allocating, writing and freeing a page: %.0f ns, with margins to guard %.0f ns: %.2f\n", unmarked,
              marked, marked / unmarked);
}
