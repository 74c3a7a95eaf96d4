// Owns Window: one stretch of a large grid, replayed apart from all others, by whoever runs that range of workgroups;
// and what follows for the grid from one of each range.
//
// A range is run from an empty card, which several times as many workgroups as it holds go through before anything is
// measured: those that begin together are out of step only then. L2 gets the lines of workgroups in front of them. In
// the range that begins the grid the card is empty anyway, so all up to the end of what is measured is as in the whole
// grid; of the one that ends it, all from there on is.
#pragma once
#include "timing/replay/extrapolation.h"
#include "timing/replay/program.h"
#include "timing/replay/selection.h"
#include <string>

namespace crosslane::timing::replay {

struct WindowRange { // of workgroups, by their numbers in the grid
  uint64_t first = 0, count = 0;
  bool begins = false, ends = false; // the workgroups that are run, of which it is a range
};

struct Line { // an instruction
  uint64_t address = 0;
  std::string text;
  bool operator==(const Line&) const = default;
};
// Figures whose rows are instructions by their addresses, in place of rows of blocks, of which several may have one.
std::vector<Line> by_address(const Program&, Figures&);

// What of a range is known.
struct WindowPart {
  uint64_t instructions = 0, waves = 0, groups = 0; // of all of it
  uint64_t replayed = 0;                            // workgroups
  uint64_t before = 0, behind = 0;                  // of the measured ones, and not in `known`
  Figures known, measured;                          // with rows of `lines`
  std::vector<Line> lines;
};

class Window final : public Selection {
public:
  // `capacity`: workgroups that the card holds at a time.
  Window(const WindowRange&, uint64_t capacity);
  // Empty: it can be measured; else why not.
  std::string trouble() const;
  void begin(Source&) override;
  void reached(const Figures& figures, Source&) override;
  // Behind the replay, whose figures these are.
  WindowPart part(const Figures& replayed, const Program&, uint64_t instructions, uint64_t waves) const;

private:
  const WindowRange range_;
  const uint64_t capacity_;
  uint64_t begin_ = 0, end_ = 0; // of what is measured
  Figures before_, behind_;
  bool measuring_ = false;
};

// One of each range, in their order, two at least. `lines`: the rows of the figures.
struct Joined {
  Estimate estimate;
  std::vector<Line> lines;
};
Joined join(std::span<const WindowPart>);

} // namespace crosslane::timing::replay
