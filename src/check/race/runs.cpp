// Rows that are full are looked at as vectors, the others lane by lane.
#include "check/race/runs.h"
#include "lanes/vec.h"
#include <bit>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace crosslane::check::race {
CROSSLANE_LEVEL_BEGIN

namespace {

using Row = lanes::Vec<uint64_t, 16>;

class Collector {
public:
  Collector(bool once, Runs& out) : once_(once), out_(out) { out.count = 0; }
  void add(uint64_t a, uint64_t size, uint64_t lanes) {
    if (out_.count) {
      Run& last = out_.runs[out_.count - 1];
      if (a == last.end) {
        last.end += size;
        return;
      }
      if (once_ && a >= last.begin && a + size <= last.end)
        return;
    }
    out_.runs[out_.count++] = {a, a + size, lanes};
  }

private:
  const bool once_;
  Runs& out_;
};

void find(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, Runs& out) {
  const Row numbers = Row::of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), steps = numbers * Row(bytes);
  Collector collector(once, out);
  for (int row = 0; row < 64; row += 16) {
    uint64_t left = lanes >> row & 0xffff;
    if (left == 0xffff) {
      const Row apart = lanes::load<uint64_t, 16>(address + row) - Row(address[row]);
      const uint64_t from = lanes & ~uint64_t(0) << row;
      if ((apart == steps).bits == 0xffff) {
        collector.add(address[row], 16 * bytes, from);
        continue;
      }
      if (once && (apart == Row(0)).bits == 0xffff) {
        collector.add(address[row], bytes, from);
        continue;
      }
    }
    for (; left; left &= left - 1) {
      const int lane = row + std::countr_zero(left);
      collector.add(address[lane], bytes, lanes & ~uint64_t(0) << lane);
    }
  }
#ifdef __AVX__
  _mm256_zeroupper(); // who asks is compiled for any x86-64
#endif
}

} // namespace

CROSSLANE_LEVEL_END

#define CROSSLANE_CAT_(a, b) a##b
#define CROSSLANE_CAT(a, b) CROSSLANE_CAT_(a, b)
extern const FindRuns CROSSLANE_CAT(find_runs_, CROSSLANE_LEVEL);
const FindRuns CROSSLANE_CAT(find_runs_, CROSSLANE_LEVEL) = find;

} // namespace crosslane::check::race
