// Owns many replays as items of work (fleet/): the dispatches of a capture, each on each card that is asked for, or in
// ranges of its workgroups. What an item gives is the same whoever runs it, and where: no time of the host's is in it.
#pragma once
#include "launch/job.h"
#include "launch/launch.h"
#include <llvm/Support/Error.h>
#include <span>
#include <string>
#include <vector>

namespace crosslane::launch {

class Replays {
public:
  // All dispatches of Job::capture, or Job::dispatch alone; with Job::time, on the cards of Job::gpu: a list with
  // commas, or "all" that there are of each dispatch's target. The error names options that a single replay has alone.
  // `ranges`: of each dispatch; 0: it is one item.
  static llvm::Expected<Replays> create(const Job&, uint64_t ranges = 0);

  uint64_t count() const { return items_.size(); }
  // Everything that decides what the results are.
  const std::string& name() const { return name_; }
  // An object of JSON in a line, whatever happens; behind it, of a range, what it has read and written.
  std::string run(uint64_t item);
  // Of the results of all items: one for each dispatch and card, as it is without ranges.
  std::vector<std::string> join(std::vector<std::string> results);

  struct Summary {
    std::string text;     // a table: a line for each item
    std::string document; // {"replays": [...]}
    uint64_t failed = 0;  // could not be run
    uint64_t faults = 0, different = 0, findings = 0, timeouts = 0;
  };
  // Of what join() gives.
  static llvm::Expected<Summary> summary(std::span<const std::string> results);

private:
  struct Item {
    uint64_t dispatch;
    std::string card;                         // empty: whatever the job says
    std::optional<capture::Workgroups> range; // not set: all that the job says
    capture::Workgroups all = {};             // of which it is one
  };
  llvm::Error add(const capture::Dispatch&, const std::vector<std::string>& cards, uint64_t ranges);
  llvm::Error place(uint64_t dispatch);
  std::string join_ranges(size_t first, std::span<const std::string> results) const;
  Job job_;
  std::vector<Item> items_;
  std::string name_;
  std::optional<PlacedDispatch> placed_; // of the last range
};

} // namespace crosslane::launch
