// Owns the description of a launch in words, as the command line and TOML files give it.
//
//   file = "vadd.cl"              # relative to the TOML file, as are all files in it
//   target = "gfx900"
//   kernel = "vadd"
//   grid = [1000]                 # work-items; or groups = [4]
//   block = [256]
//   print = ["c:8"]
//   [args]                        # by name; or args = ["f32[1000]:iota", 5] by position
//   a = "f32[1000]:iota"
//   n = 1000
//   [out]
//   c = "c.npy"
//   [expect]
//   c = "reference.npy"           # or a buffer such as "f32[1000]:iota:0:3"
#pragma once
#include "check/telling.h"
#include "launch/captured.h"
#include "launch/wording.h"
#include "machine/fault.h"
#include "profile/options.h"
#include "toolchain/compile.h"
#include <array>
#include <cstdint>
#include <llvm/Support/Error.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::launch {

using Size3 = std::array<uint32_t, 3>;

struct Sizes {
  Size3 value = {1, 1, 1};
  uint16_t dims = 0; // how many were given; 0: none
};

struct Job {
  std::string file, kernel, folder;   // folder: where relative files of the job are; empty: current
  std::string description;            // the TOML file that the job is from; empty: none
  Wording wording = Wording::command; // of messages
  toolchain::CompileOptions compile;
  Sizes grid, groups, block;
  std::array<uint64_t, 3> offset = {0, 0, 0};
  std::vector<std::string> arguments;          // "name=value" or "value"
  std::vector<std::string> out, print, expect; // "name=file", "name[:count]", "name=file or buffer"
  double rtol = 0, atol = 0;
  uint32_t lds = 0, stack = 0; // bytes
  double timeout = 0;          // seconds of a run; 0: no limit
  unsigned threads = 0, runs = 1;
  bool stats = false, fidelity = false, sandbox = false;
  std::string check;        // words of check/checks.h; empty: nothing
  check::Telling checked;   // what is done with what it finds
  bool colour = false;      // in the text of it
  bool time = false;        // on a card, by the cycle model (model/timed.h)
  double time_error = -1;   // percent, of large grids that are sampled for it; 0: none are; below: model/timed.h
  std::string gpu;          // that card, or a TOML file of one (gpu/machine.h); empty: the first card of the target
  std::string time_files;   // folder for what the model saw, in the forms of other tools; empty: none
  std::string counters;     // file for what probes count (launch/counters.h); empty: nothing
  bool late = false;        // what is loaded arrives at the last moment that the counters allow (check/late.h)
  uint32_t poison = 0;      // what nothing has written begins with a pattern made of this number; 0: it does not
  bool host_memory = false; // kernels reach all of this process's
  std::string bounds;       // exact, or card; empty: exact
  profile::Texts profile;   // .kernels stays empty: a launch has one kernel
  bool overhead = false;
  std::string trap_handler; // file with the code that s_trap enters

  // A captured dispatch instead of file, arguments and sizes.
  std::string capture;              // folder; empty: none
  std::optional<uint64_t> dispatch; // its number; not set: the first
  std::string workgroups;           // "12..40": those alone; empty: all that were captured
  bool expect_captured = false;     // compare what the run leaves with what the dispatch left
  bool footprint = false;           // what its workgroups read and write (launch/footprint.h)
  // The workgroups are a range of those, and `time` is for what of it join_timing() wants (model/timed.h).
  std::optional<capture::Workgroups> range_of;
  std::vector<Zeroed> zeroed; // of its memory
  // What a test of it expects instead of a normal end, and of `check`: lines of check/suppressions.h. A launch does not
  // look at them.
  std::optional<machine::FaultKind> expect_fault;
  std::vector<std::string> expect_findings;

  struct Position {
    uint32_t line = 0, column = 0; // from 1
  };
  std::map<std::string, Position> positions; // of keys in the description: "check", "expect.c"
};

// "64,64" -> {64, 64, 1}, 2 dimensions. `what` is named in messages.
llvm::Expected<Sizes> parse_sizes(std::string_view text, std::string_view what);
llvm::Expected<std::array<uint64_t, 3>> parse_offset(std::string_view text);
// "name[:count]" -> name, count (all, if not given).
llvm::Expected<std::pair<std::string, uint64_t>> parse_print(std::string_view text, Wording = Wording::command);
// "name=value"; the error says which option.
llvm::Expected<std::pair<std::string, std::string>> parse_pair(std::string_view text, std::string_view what);

llvm::Expected<Job> parse_job(std::string_view toml, const std::string& path);
// The keys that a text has are laid over a job; lists are joined. `name` is what messages call the text.
llvm::Error lay_over(Job&, std::string_view toml, const std::string& name);

} // namespace crosslane::launch
