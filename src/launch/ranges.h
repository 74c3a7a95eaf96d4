// Owns putting a dispatch together again that was run in ranges of workgroups, each from the memory before it: what all
// of them leave, if no range depends on another one.
#pragma once
#include "launch/captured.h"
#include "launch/footprint.h"

namespace crosslane::launch {

struct Range {
  capture::Workgroups workgroups;
  Footprint footprint;
};

// That many of about the same size, or as many as there are workgroups.
std::vector<capture::Workgroups> cut(capture::Workgroups, uint64_t ranges);

// What they wrote is put into memory, which is as before the dispatch. The error says which two of them depend on each
// other, and where: one reads what the other one writes, or they leave different values in one byte. Then memory is
// half changed.
llvm::Error join(const capture::Dispatch&, std::span<const Range>);

} // namespace crosslane::launch
