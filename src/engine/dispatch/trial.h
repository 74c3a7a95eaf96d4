// Owns Trial: a workgroup that is run twice, compiled and by the interpreter, from the same memory
// (CROSSLANE_JIT=verify). What it wrote, its LDS, the instructions executed and its fault must be the same. The
// interpreter's memory stays.
#pragma once
#include "engine/compiled.h"
#include "engine/dispatch/written_pages.h"
#include "machine/fault.h"
#include "machine/gds.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::engine {

struct TrialResult {
  std::optional<machine::Fault> fault;
  uint64_t instructions = 0;
  std::vector<uint8_t> lds, pages; // these in the order of WrittenPages
  std::unique_ptr<machine::Gds::Content> gds;
};

// What a thread has counted.
struct TrialCounts {
  uint64_t instructions, waves, groups, entered;
  int64_t untold;
};

struct Trial {
  // Twice each where they differ. Two runs of one kind may differ too: of a kernel that reads a clock, or waits in
  // memory for another process.
  enum class Stage { compiled, interpreted, compiled_again, interpreted_again };
  Stage stage = Stage::compiled;
  uint64_t number;    // of the workgroup,
  uint64_t claim_end; // and where what the thread has claimed ends
  const CompiledCode* compiled;
  TrialCounts counts;
  std::vector<uint8_t> slot;                  // LDS and waves, as they were
  std::unique_ptr<machine::Gds::Content> gds; // and this
  std::optional<machine::Fault> fault;
  bool unfit = false;                         // it waits for others, or needs the host
  static constexpr int most_preemptions = 64; // or it takes too long, or waits for others
  int preemptions = 0;
  TrialResult as_compiled, as_interpreted;
  WrittenPages pages;
};

// How the results of two runs differ, in words; empty: they do not. `name_of`: what an address belongs to.
std::string difference(const TrialResult& compiled, const TrialResult& interpreted, const WrittenPages&,
                       std::string (*name_of)(uint64_t address, const void*), const void* names);

// For Options::interrupt, while dispatches are verified: what a wave of a trial sends does not reach the host.
using Notify = void (*)();
Notify outside_of_trials(Notify);

} // namespace crosslane::engine
