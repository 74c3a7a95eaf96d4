// Writes first, range by range, then reads against all of them.
#include "launch/ranges.h"
#include "files/error.h"
#include <algorithm>
#include <cstring>

namespace crosslane::launch {

namespace {

const uint8_t* memory_at(uint64_t address) { return reinterpret_cast<const uint8_t*>(address); }

bool has(const std::vector<Interval>& intervals, uint64_t address) {
  const auto above = std::ranges::upper_bound(intervals, address, {}, &Interval::begin);
  return above != intervals.begin() && address < std::prev(above)->end;
}

class Joined {
public:
  Joined(const capture::Dispatch& dispatch, std::span<const Range> ranges, ByteSet written, ByteSet again)
      : dispatch_(dispatch), ranges_(ranges), written_(std::move(written)), again_(std::move(again)) {}

  llvm::Error run() {
    for (size_t r = 0; r < ranges_.size(); ++r)
      if (auto error = write(r))
        return error;
    for (size_t r = 0; r < ranges_.size(); ++r)
      if (auto error = judge_reads(r))
        return error;
    return llvm::Error::success();
  }

private:
  // What earlier ranges wrote has to be the same.
  llvm::Error write(size_t r) {
    const Footprint& f = ranges_[r].footprint;
    const auto* bytes = reinterpret_cast<const uint8_t*>(f.written.data());
    for (const Interval& i : f.writes) {
      for (auto twice = written_.first(i.begin, i.end); twice; twice = written_.first(twice->end, i.end)) {
        const auto differs =
            std::mismatch(memory_at(twice->begin), memory_at(twice->end), bytes + (twice->begin - i.begin));
        const uint64_t address = twice->begin + uint64_t(differs.first - memory_at(twice->begin));
        if (address < twice->end)
          return depends(r, writer_but(r, address), address, "leave different values in");
        again_.add(twice->begin, twice->end);
      }
      std::memcpy(reinterpret_cast<void*>(i.begin), bytes, i.end - i.begin);
      written_.add(i.begin, i.end);
      bytes += i.end - i.begin;
    }
    return llvm::Error::success();
  }

  // Nobody else may have written it, not even the same: a range would have to know when.
  llvm::Error judge_reads(size_t r) {
    const Footprint& f = ranges_[r].footprint;
    auto mine = f.writes.begin();
    for (const Interval& i : f.reads)
      for (auto hit = written_.first(i.begin, i.end); hit; hit = written_.first(hit->end, i.end)) {
        if (const auto others = again_.first(hit->begin, hit->end))
          return reads(r, others->begin);
        for (uint64_t at = hit->begin; at < hit->end; at = mine->end) {
          while (mine != f.writes.end() && mine->end <= at)
            ++mine;
          if (mine == f.writes.end() || mine->begin > at)
            return reads(r, at);
        }
      }
    return llvm::Error::success();
  }
  llvm::Error reads(size_t reader, uint64_t address) {
    return depends(reader, writer_but(reader, address), address, nullptr);
  }

  size_t writer_but(size_t r, uint64_t address) const {
    for (size_t other = 0; other < ranges_.size(); ++other)
      if (other != r && has(ranges_[other].footprint.writes, address))
        return other;
    return r;
  }
  // `both`: what they do there; null: the first one reads what the second one writes.
  llvm::Error depends(size_t one, size_t other, uint64_t address, const char* both) const {
    const auto name = [&](size_t r) {
      const capture::Workgroups& w = ranges_[r].workgroups;
      return w.count == 1 ? fmt::format("{}", w.first) : fmt::format("{}..{}", w.first, w.first + w.count - 1);
    };
    if (has(ranges_[one].footprint.atomics, address) || has(ranges_[other].footprint.atomics, address))
      both = "use atomics on", address = address / 4 * 4;
    const std::string place = capture::place_of(dispatch_, address);
    const std::string what =
        both ? fmt::format("{} and {} {} {}", name(std::min(one, other)), name(std::max(one, other)), both, place)
             : fmt::format("{} read {}, which {} write", name(one), place, name(other));
    return fail("ranges of workgroups depend on each other: workgroups {}; without --ranges the dispatch runs whole",
                what);
  }

  const capture::Dispatch& dispatch_;
  const std::span<const Range> ranges_;
  ByteSet written_, again_; // by any range; by more than one
};

} // namespace

std::vector<capture::Workgroups> cut(capture::Workgroups all, uint64_t ranges) {
  const uint64_t parts = std::min(ranges, all.count), least = all.count / parts, more = all.count % parts;
  std::vector<capture::Workgroups> cuts;
  for (uint64_t at = all.first, n = 0; n < parts; ++n) {
    cuts.push_back({at, least + (n < more)});
    at += cuts.back().count;
  }
  return cuts;
}

llvm::Error join(const capture::Dispatch& dispatch, std::span<const Range> ranges) {
  auto written = ByteSet::create(dispatch.memory), again = ByteSet::create(dispatch.memory);
  if (auto errors = llvm::joinErrors(written.takeError(), again.takeError()))
    return errors;
  return Joined(dispatch, ranges, std::move(*written), std::move(*again)).run();
}

} // namespace crosslane::launch
