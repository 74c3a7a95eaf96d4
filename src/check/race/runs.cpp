// Rows that are full are looked at as vectors, the others lane by lane; of dwords, all lanes at once where that goes.
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

// Who asks is compiled for any x86-64.
void forget_upper_halves() {
#ifdef __AVX__
  _mm256_zeroupper();
#endif
}

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
  forget_upper_halves();
}

// For the compiler to vectorise: lanes that are off do as the first one that is on does.
struct Found {
  uint64_t dwords = 0, differs = 0, low = 0, beyond = 0; // beyond: an item goes on behind the 256 bytes
  bool is_one() const { return !(differs >> 8 | beyond); }
};
template <int Count, bool All> Found look_at(const uint64_t* __restrict address, uint64_t lanes, uint64_t count) {
  const uint64_t first = address[std::countr_zero(lanes)], item = (uint64_t(1) << count) - 1;
  Found f;
  for (int lane = 0; lane < Count; ++lane) {
    const uint64_t at = All || lanes >> lane & 1 ? address[lane] : first, dword = at / 4 % 64;
    f.dwords |= item << dword, f.differs |= at ^ first, f.low |= at;
    f.beyond |= dword + count > 64 ? 1 : 0;
  }
  return f;
}

class DwordCollector {
public:
  DwordCollector(bool once, DwordParts& out) : once_(once), out_(out) { out.count = 0; }
  void add(uint64_t number, uint64_t dwords) {
    if (out_.count)
      if (Dwords256& last = out_.parts[out_.count - 1]; last.number == number && (once_ || !(last.dwords & dwords))) {
        last.dwords |= dwords;
        return;
      }
    out_.parts[out_.count++] = {number, dwords};
  }
  // False: lane by lane.
  bool add(const Found& f, uint64_t first, uint64_t lanes, uint64_t count) {
    if (!f.is_one() || (!once_ && std::popcount(f.dwords) != std::popcount(lanes) * int(count)))
      return false;
    add(first / 256, f.dwords);
    return true;
  }

private:
  const bool once_;
  DwordParts& out_;
};

bool collect_dwords(const uint64_t* address, uint64_t lanes, uint64_t count, DwordCollector& collector) {
  const Found all = ~lanes ? look_at<64, false>(address, lanes, count) : look_at<64, true>(address, lanes, count);
  if (all.low % 4)
    return false;
  if (collector.add(all, address[std::countr_zero(lanes)], lanes, count))
    return true;
  for (int row = 0; row < 64; row += 16) {
    const uint64_t here = lanes >> row & 0xffff;
    if (!here)
      continue;
    const uint64_t* at = address + row;
    if (collector.add(look_at<16, false>(at, here, count), at[std::countr_zero(here)], here, count))
      continue;
    for (uint64_t left = here; left; left &= left - 1) {
      const uint64_t a = at[std::countr_zero(left)], dword = a / 4 % 64, item = (uint64_t(1) << count) - 1;
      collector.add(a / 256, item << dword);
      if (dword + count > 64)
        collector.add(a / 256 + 1, item >> (64 - dword));
    }
  }
  return true;
}

bool find_dwords_of(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, DwordParts& out) {
  out.count = 0;
  if (bytes % 4 || bytes > 16)
    return false;
  if (!lanes)
    return true;
  DwordCollector collector(once, out);
  const bool found = collect_dwords(address, lanes, bytes / 4, collector);
  forget_upper_halves();
  return found;
}

} // namespace

CROSSLANE_LEVEL_END

#define CROSSLANE_CAT_(a, b) a##b
#define CROSSLANE_CAT(a, b) CROSSLANE_CAT_(a, b)
extern const Finders CROSSLANE_CAT(finders_, CROSSLANE_LEVEL);
const Finders CROSSLANE_CAT(finders_, CROSSLANE_LEVEL) = {find, find_dwords_of};

} // namespace crosslane::check::race
