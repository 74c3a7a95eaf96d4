// Words of 64 bytes' bits.
#include "launch/byte_set.h"
#include "files/error.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace crosslane::launch {

namespace {

constexpr uint64_t chunk_bytes = 4096 * 8; // of memory, whose bits are a page

} // namespace

uint64_t ByteSet::chunks() const { return (end_ - begin_ + chunk_bytes - 1) / chunk_bytes; }

llvm::Expected<ByteSet> ByteSet::create(std::span<const capture::Range> memory) {
  ByteSet set;
  if (memory.empty())
    return set;
  set.begin_ = memory.front().address, set.end_ = memory.back().end();
  void* const got = mmap(nullptr, set.words() * 8 + set.chunks(), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return fail("a bit for each of {} bytes: {}", set.end_ - set.begin_, std::strerror(errno));
  set.bits_ = static_cast<uint64_t*>(got);
  set.chunks_ = static_cast<uint8_t*>(got) + set.words() * 8;
  return set;
}

ByteSet::ByteSet(ByteSet&& other) noexcept
    : begin_(std::exchange(other.begin_, 0)), end_(std::exchange(other.end_, 0)),
      bits_(std::exchange(other.bits_, nullptr)), chunks_(std::exchange(other.chunks_, nullptr)) {}

ByteSet::~ByteSet() {
  if (bits_)
    munmap(bits_, words() * 8 + chunks());
}

void ByteSet::add(uint64_t begin, uint64_t end) {
  begin = std::max(begin, begin_), end = std::min(end, end_);
  if (begin >= end)
    return;
  for (uint64_t bit = begin - begin_, last = end - begin_; bit < last;) {
    const uint64_t in = bit % 64, count = std::min(64 - in, last - bit);
    const uint64_t mask = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << in;
    const std::atomic_ref word(bits_[bit / 64]);
    if ((word.load(std::memory_order_relaxed) & mask) != mask) {
      word.fetch_or(mask, std::memory_order_relaxed);
      const std::atomic_ref chunk(chunks_[bit / chunk_bytes]);
      if (!chunk.load(std::memory_order_relaxed))
        chunk.store(1, std::memory_order_relaxed);
    }
    bit += count;
  }
}

// The first bit from here on that is set, or is not; `end` if there is none before.
uint64_t ByteSet::find(uint64_t bit, uint64_t end, bool set) const {
  while (bit < end) {
    if (set && !chunks_[bit / chunk_bytes]) {
      bit = (bit / chunk_bytes + 1) * chunk_bytes;
      continue;
    }
    const uint64_t word = (set ? bits_[bit / 64] : ~bits_[bit / 64]) >> bit % 64;
    if (word)
      return std::min(end, bit + uint64_t(std::countr_zero(word)));
    bit = (bit / 64 + 1) * 64;
  }
  return end;
}

std::optional<Interval> ByteSet::first(uint64_t begin, uint64_t end) const {
  begin = std::max(begin, begin_), end = std::min(end, end_);
  if (begin >= end)
    return {};
  const uint64_t from = find(begin - begin_, end - begin_, true);
  if (from == end - begin_)
    return {};
  return Interval{begin_ + from, begin_ + find(from, end - begin_, false)};
}

void ByteSet::append(uint64_t begin, uint64_t end, std::vector<Interval>& to) const {
  for (auto next = first(begin, end); next; next = first(next->end, end))
    to.push_back(*next);
}

} // namespace crosslane::launch
