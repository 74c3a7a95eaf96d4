// Lanes next to each other are one interval most of the time.
#include "launch/footprint.h"
#include "files/error.h"
#include "files/read.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Compression.h>

namespace crosslane::launch {

namespace {

using events::Access;
using events::AccessKind;

template <class F> void each_run(uint64_t lanes, const uint64_t* address, uint64_t bytes, const F& f) {
  uint64_t begin = 0, end = 0;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const uint64_t at = address[std::countr_zero(left)];
    if (at >= begin && at <= end && end != 0) {
      end = std::max(end, at + bytes);
      continue;
    }
    if (end)
      f(begin, end);
    begin = at, end = at + bytes;
  }
  if (end)
    f(begin, end);
}

// Numbers of seven bits a byte, the low ones first.
void put(std::string& to, uint64_t number) {
  for (; number >= 128; number >>= 7)
    to += char(number | 128);
  to += char(number);
}

void put(std::string& to, const std::vector<Interval>& intervals) {
  put(to, intervals.size());
  uint64_t at = 0;
  for (const Interval& i : intervals) {
    put(to, i.begin - at), put(to, i.end - i.begin);
    at = i.end;
  }
}

class Parser {
public:
  Parser(std::string_view left, std::span<const capture::Range> memory) : left_(left), memory_(memory) {}

  uint64_t number() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = uint8_t(left_.front());
      left_.remove_prefix(1);
      number |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return number;
    }
    right_ = false;
    return 0;
  }
  // Each in a range of the memory.
  std::vector<Interval> intervals(bool writes) {
    std::vector<Interval> all;
    uint64_t at = 0;
    auto range = memory_.begin();
    for (uint64_t count = number(); right_ && count; --count) {
      const uint64_t begin = at + number(), end = begin + number();
      while (range != memory_.end() && range->end() <= begin)
        ++range;
      right_ &= begin >= at && end > begin && range != memory_.end() && range->address <= begin &&
                end <= range->end() && (range->writable || !writes);
      all.push_back({begin, end});
      at = end;
    }
    return all;
  }
  std::string_view rest() const { return left_; }
  bool right() const { return right_; }

private:
  std::string_view left_;
  const std::span<const capture::Range> memory_;
  bool right_ = true;
};

uint64_t bytes_in(const std::vector<Interval>& intervals) {
  uint64_t sum = 0;
  for (const Interval& i : intervals)
    sum += i.end - i.begin;
  return sum;
}

} // namespace

std::string bytes_of(const Footprint& f) {
  std::string plain;
  put(plain, f.reads), put(plain, f.writes), put(plain, f.atomics);
  plain += f.written;
  std::string text;
  put(text, plain.size());
  if (!llvm::compression::zstd::isAvailable())
    return text + plain;
  llvm::SmallVector<uint8_t, 0> smaller;
  llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(plain), smaller, /*Level=*/1);
  return text.append(smaller.begin(), smaller.end());
}

llvm::Expected<Footprint> parse_footprint(std::string_view bytes, std::span<const capture::Range> memory) {
  const auto wrong = [] { return fail("what a range of workgroups has read and written does not fit the capture"); };
  Parser head(bytes, memory);
  uint64_t size = head.number();
  if (!head.right() || size > files::host_memory())
    return wrong();
  llvm::SmallVector<uint8_t, 0> plain;
  std::string_view text = head.rest();
  if (llvm::compression::zstd::isAvailable()) {
    const uint64_t expected = size;
    plain.resize_for_overwrite(size);
    if (auto error = llvm::compression::zstd::decompress(llvm::arrayRefFromStringRef(text), plain.data(), size)) {
      llvm::consumeError(std::move(error));
      return wrong();
    }
    if (size != expected)
      return wrong();
    text = {reinterpret_cast<const char*>(plain.data()), plain.size()};
  }
  Parser parser(text, memory);
  Footprint f;
  f.reads = parser.intervals(false), f.writes = parser.intervals(true), f.atomics = parser.intervals(true);
  if (!parser.right() || parser.rest().size() != bytes_in(f.writes))
    return wrong();
  f.written = parser.rest();
  return f;
}

llvm::Expected<std::unique_ptr<Touched>> Touched::create(std::span<const capture::Range> memory) {
  auto reads = ByteSet::create(memory), writes = ByteSet::create(memory), atomics = ByteSet::create(memory);
  llvm::Error errors = llvm::joinErrors(llvm::joinErrors(reads.takeError(), writes.takeError()), atomics.takeError());
  if (errors)
    return std::move(errors);
  return std::unique_ptr<Touched>(new Touched(memory, std::move(*reads), std::move(*writes), std::move(*atomics)));
}

void Touched::access(const Access& e) {
  if (!wants_space(e.space))
    return;
  const auto add = [&](uint64_t begin, uint64_t end) {
    if (e.kind != AccessKind::store)
      reads_.add(begin, end);
    if (e.kind != AccessKind::load)
      writes_.add(begin, end);
    if (e.kind == AccessKind::atomic)
      atomics_.add(begin, end);
  };
  each_run(e.lanes, e.address, e.bytes, add);
  for (const events::Places& more : e.more)
    each_run(more.lanes, more.address, e.bytes, add);
}

// Without what a fault has kept from happening.
Footprint Touched::footprint() const {
  Footprint f;
  for (const capture::Range& range : memory_) {
    reads_.append(range.address, range.end(), f.reads);
    if (!range.writable)
      continue;
    writes_.append(range.address, range.end(), f.writes);
    atomics_.append(range.address, range.end(), f.atomics);
  }
  f.written.reserve(bytes_in(f.writes));
  for (const Interval& i : f.writes)
    f.written.append(reinterpret_cast<const char*>(i.begin), i.end - i.begin);
  return f;
}

} // namespace crosslane::launch
