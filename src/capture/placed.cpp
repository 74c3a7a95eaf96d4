// Mappings at fixed addresses, filled piece by piece; pieces of zeros are pages that nobody has touched.
#include "capture/placed.h"
#include "capture/live_memory.h"
#include "files/error.h"
#include "files/read.h"
#include "machine/window.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <llvm/Support/BLAKE3.h>
#include <sys/mman.h>

namespace crosslane::capture {

namespace {

constexpr size_t most_shown = 4; // differences of an allocation

uint8_t* at(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }

bool holds(std::span<const uint8_t> bytes, const Hash& hash) {
  if (hash == all_zeros)
    return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
  return llvm::BLAKE3::hash(llvm::ArrayRef(bytes.data(), bytes.size())) == hash;
}

// Finds allocations by address; those asked for come in order.
class Names {
public:
  explicit Names(const std::vector<Allocation>& all) {
    for (const Allocation& a : all)
      by_begin_.push_back(&a);
    std::ranges::sort(by_begin_, {}, [](const Allocation* a) { return a->address; });
  }
  const Allocation* find(uint64_t address) const {
    const auto above = std::ranges::upper_bound(by_begin_, address, {}, [](const Allocation* a) { return a->address; });
    if (above == by_begin_.begin())
      return nullptr;
    const Allocation* below = *std::prev(above);
    return address - below->address < below->size ? below : nullptr;
  }

private:
  std::vector<const Allocation*> by_begin_;
};

class Comparison {
public:
  explicit Comparison(const Dispatch& dispatch) : names_(dispatch.allocations) {}

  void add(uint64_t address, std::span<const uint8_t> is, std::span<const uint8_t> was) {
    for (size_t i = 0; i + 4 <= is.size(); i += 4) {
      uint32_t a, b;
      std::memcpy(&a, &is[i], 4), std::memcpy(&b, &was[i], 4);
      if (a == b)
        continue;
      const Allocation* of = names_.find(address + i);
      if (of && of->runtimes)
        continue;
      Counted& counted = counted_of(of);
      for (int byte = 0; byte < 4; ++byte)
        counted.bytes += is[i + size_t(byte)] != was[i + size_t(byte)];
      if (counted.shown++ < most_shown)
        result_.first.push_back({address + i, a, b});
    }
  }

  Differences take(uint64_t compared) {
    for (const Counted& c : counted_)
      result_.of.push_back({c.of ? c.of->name : "memory between allocations", c.bytes});
    result_.compared = compared;
    return std::move(result_);
  }

private:
  struct Counted {
    const Allocation* of;
    uint64_t bytes = 0;
    size_t shown = 0;
  };
  Counted& counted_of(const Allocation* of) {
    const auto found = std::ranges::find(counted_, of, &Counted::of);
    return found == counted_.end() ? counted_.emplace_back(Counted{of}) : *found;
  }
  const Names names_;
  std::vector<Counted> counted_;
  Differences result_;
};

} // namespace

llvm::Expected<std::unique_ptr<Placed>> Placed::create(const Dispatch& dispatch, const PackReader& pack) {
  if (machine::device_reach() != machine::window)
    return fail("a capture needs the addresses that its memory had, and this system lets no process choose any");
  std::unique_ptr<Placed> placed(new Placed(dispatch, pack));
  uint64_t held = 0;
  for (const Range& range : dispatch.memory) {
    auto pieces = pack.pieces(range.before);
    if (!pieces)
      return pieces.takeError();
    held += piece_bytes * uint64_t(std::ranges::count_if(*pieces, [](const Hash& h) { return h != all_zeros; }));
    if (held > files::host_memory())
      return fail("the memory of the dispatch has more than {} bytes that are not zero, and this machine has {}", held,
                  files::host_memory());
    placed->pieces_.push_back(std::move(*pieces));
  }
  for (const Range& range : dispatch.memory)
    if (auto error = placed->place(range))
      return std::move(error);
  for (size_t i = 0; i < dispatch.memory.size(); ++i)
    if (auto error = placed->fill(i))
      return std::move(error);
  return placed;
}

Placed::~Placed() {
  if (end_ > begin_)
    munmap(at(begin_), end_ - begin_);
}

// What lies between a range and the one before stays inaccessible, and nobody else's.
llvm::Error Placed::place(const Range& range) {
  const uint64_t from = end_ ? end_ : range.address, bytes = range.end() - from;
  void* const got =
      mmap(at(from), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == at(from)) {
    begin_ = end_ ? begin_ : from, end_ = range.end();
    if (mprotect(at(range.address), range.size, PROT_READ | PROT_WRITE) == 0)
      return llvm::Error::success();
  }
  const int why = got == MAP_FAILED || got == at(from) ? errno : EEXIST;
  if (got != MAP_FAILED && got != at(from))
    munmap(got, bytes);
  const auto of = std::ranges::find_if(dispatch_.allocations, [&](const Allocation& a) {
    return a.address >= range.address && a.address < range.end();
  });
  return fail("the captured memory cannot be put back at {:#x} ({}, {} bytes): {}", range.address,
              of == dispatch_.allocations.end() ? "without a name" : of->name, range.size,
              why == EEXIST ? "this process has something else there" : std::strerror(why));
}

llvm::Error Placed::fill(size_t i) {
  const Range& range = dispatch_.memory[i];
  for (size_t n = 0; n < pieces_[i].size(); ++n)
    if (pieces_[i][n] != all_zeros)
      if (auto error = fill_piece(i, n))
        return error;
  if (!range.writable)
    mprotect(at(range.address), range.size, PROT_READ);
  return llvm::Error::success();
}

llvm::Error Placed::fill_piece(size_t i, size_t n) {
  const Range& range = dispatch_.memory[i];
  auto bytes = pack_.piece(pieces_[i][n], size_of_piece(range.size, n));
  if (!bytes)
    return bytes.takeError();
  std::memcpy(at(range.address + n * piece_bytes), bytes->data(), bytes->size());
  return llvm::Error::success();
}

llvm::Expected<uint64_t> Placed::reset_piece(uint64_t address) {
  const auto& memory = dispatch_.memory;
  const auto above = std::ranges::upper_bound(memory, address, {}, &Range::address);
  if (above == memory.begin() || address >= std::prev(above)->end())
    return address + 1;
  const auto i = size_t(std::prev(above) - memory.begin());
  const size_t n = (address - memory[i].address) / piece_bytes;
  const uint64_t begin = memory[i].address + n * piece_bytes, size = size_of_piece(memory[i].size, n);
  if (!memory[i].writable)
    return begin + size;
  if (!pieces_[i].empty() && pieces_[i][n] != all_zeros) {
    if (auto error = fill_piece(i, n))
      return std::move(error);
  } else if (madvise(at(begin), size, MADV_DONTNEED) != 0) { // as if nobody had touched it
    return fail("memory at {:#x}: {}", begin, std::strerror(errno));
  }
  return begin + size;
}

llvm::Error Placed::reset() {
  for (size_t i = 0; i < dispatch_.memory.size(); ++i) {
    const Range& range = dispatch_.memory[i];
    if (!range.writable)
      continue;
    if (madvise(at(range.address), range.size, MADV_DONTNEED) != 0)
      return fail("memory at {:#x}: {}", range.address, std::strerror(errno));
    if (auto error = fill(i))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<Differences> Placed::compare() const {
  const LiveMemory live;
  Comparison comparison(dispatch_);
  uint64_t compared = 0;
  static constexpr uint8_t zeros[piece_bytes] = {};
  for (const Range& range : dispatch_.memory) {
    const Content& content = range.after ? *range.after : range.before;
    auto pieces = pack_.pieces(content);
    if (!pieces)
      return pieces.takeError();
    const LiveMemory::Range touched(live, {range.address, range.size, range.writable, false});
    for (uint64_t offset = 0, n = 0; offset < range.size; offset += piece_bytes, ++n) {
      const uint64_t size = size_of_piece(range.size, n);
      const Hash& hash = pieces->empty() ? all_zeros : (*pieces)[n];
      const std::span<const uint8_t> is(at(range.address + offset), size);
      compared += size;
      if ((hash == all_zeros && touched.untouched(offset, size)) || holds(is, hash))
        continue;
      if (hash == all_zeros) {
        comparison.add(range.address + offset, is, {zeros, size});
        continue;
      }
      auto was = pack_.piece(hash, size);
      if (!was)
        return was.takeError();
      comparison.add(range.address + offset, is, *was);
    }
  }
  return comparison.take(compared);
}

} // namespace crosslane::capture
