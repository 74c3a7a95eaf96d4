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
#include "profile/options.h"
#include "toolchain/compile.h"
#include <array>
#include <cstdint>
#include <llvm/Support/Error.h>
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
  std::string file, kernel, folder; // folder: where relative files of the job are; empty: current
  std::string description;          // the TOML file that the job is from; empty: none
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
};

// "64,64" -> {64, 64, 1}, 2 dimensions. `what` is named in messages.
llvm::Expected<Sizes> parse_sizes(std::string_view text, std::string_view what);
llvm::Expected<std::array<uint64_t, 3>> parse_offset(std::string_view text);
// "name[:count]" -> name, count (all, if not given).
llvm::Expected<std::pair<std::string, uint64_t>> parse_print(std::string_view text);
// "name=value"; the error says which option.
llvm::Expected<std::pair<std::string, std::string>> parse_pair(std::string_view text, std::string_view what);

llvm::Expected<Job> parse_job(std::string_view toml, const std::string& path);

} // namespace crosslane::launch
