// Owns what the environment tells the library. `crosslane run` and `crosslane env` set these variables.
//   CROSSLANE_GPU           cards or gfx names, separated by commas, one GPU each (default: vega10); see gpu/card.h
//   ROCR_VISIBLE_DEVICES    which of them programs see, as for ROCr: indexes and UUIDs; see hsa/info/visible_devices.h
//   CROSSLANE_VRAM          device memory of each GPU in bytes, with K, M or G (default: the card's)
//   CROSSLANE_QUIET         1: no messages about functions that are not supported
//   CROSSLANE_STATS         1: a table of the kernels at the end of the process
//   CROSSLANE_OUTPUT        file to whose end it and the profile's summary go, as JSON if its name ends in .json
//                           (default: standard error)
//   CROSSLANE_PROFILE       what to profile: views (findings/views.inc) with commas, or all; see profile/options.h
//     ..._KERNEL, ..._LAUNCH, ..._SAMPLE   of which kernels (regular expression), launches (2..5), workgroups (1%)
//     ..._BY                  line, instruction or kernel: the table of the summary
//     ..._JSON, _CSV, _HTML   files for the profile; without CROSSLANE_PROFILE: of all views
//     ..._PER_WAVE            1: branches of each wavefront in the JSON
//     ..._TRACE_WAVE          12:0: one wave step by step, of the first launch that has it
//   CROSSLANE_INSTRUMENT    divergence, memory, FILE.s ..., with commas: a profile by probes in the kernels, see
//                           hsa/code/probes.h
//     ..._AT                  entry, block ...: where a probe of the user's goes
//     ..._TRACE_BYTES         64K: of each wave, for memory
//   HSA_FORCE_FINE_GRAIN_PCIE   1, as for ROCr: device memory also in a fine-grained pool, on cards without links
//   HSA_CU_MASK             as for ROCr: the compute units that queues may use
//   HSA_CU_MASK_SKIP_INIT   1: only those that a mask is set for
//   CROSSLANE_HOST_MEMORY   1: kernels reach all memory of the process, as with XNACK, not only what a card would
//   CROSSLANE_TIME          1: how long kernels take on the card, by the cycle model, which its clocks and the times of
//                           signals follow; see hsa/modelled.h
//   CROSSLANE_TIME_ERROR    percent that its times of large kernels may be off by, as workgroups are sampled; 0: none
//   CROSSLANE_TIME_FILES    folder for what it saw of the first dispatches, as other tools read it; see timed_files.h
//   CROSSLANE_LATE          1: what kernels load arrives at the last moment that s_waitcnt allows; see check/late.h
//   CROSSLANE_CHECK         what is checked while kernels run, with commas, or all: check/checks.h; told at the end of
//                           the process
//     ..._KERNEL, ..._LAUNCH  of which kernels (regular expression), launches of each (2..5)
//   CROSSLANE_FINDINGS      file for what is found: .json, .sarif or .xml (JUnit)
//   CROSSLANE_SUPPRESS      file that names what is not to be told: check/suppressions.h
//   CROSSLANE_MAX_FINDINGS  how many the text shows
//   CROSSLANE_ERROR_EXITCODE  the process's exit status if there are findings (default: its own)
//   CROSSLANE_CAPTURE       folder for dispatches as they are before and after they run; see hsa/capturing.h
//     ..._KERNEL, ..._LAUNCH  of which kernels (regular expression), launches (2..5)
//     ..._LIMIT             bytes that it may have, with K, M or G (default: 4G)
//   CROSSLANE_POISON        a number above 0: registers, LDS and scratch begin with a pattern made of it
//   CROSSLANE_BOUNDS        exact or card: whether what a card's pages of 4 KiB let through faults, or goes on and is
//                           told (default: exact, of memory that HIP, OpenMP, OpenACC and OpenCL allocate: see
//                           hsa/info/placement.h)
//   CROSSLANE_THREADS       most threads that one dispatch uses (default: all cores)
//   CROSSLANE_TIMEOUT       seconds that a kernel may take (default: no limit)
#pragma once
#include "check/checks.h"
#include "check/telling.h"
#include "machine/memory.h"
#include "profile/options.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::hsa {

struct Settings {
  std::vector<std::string> gpus;
  std::optional<std::string> visible; // of these, see hsa/info/visible_devices.h; not set: all
  uint64_t vram = 0;                  // bytes; 0: the card's
  bool quiet = false, stats = false;
  bool fine_grain_pcie = false;
  machine::Bounds bounds = machine::Bounds::exact;
  bool exact = false;       // asked for by name: see hsa/info/placement.h
  bool host_memory = false; // kernels reach all of the process's
  bool late = false, time = false;
  check::Wanted checks;
  check::Telling checked;
  profile::Options check_chosen;    // kernels and launches
  uint64_t poison = 0;              // 0: nothing is
  std::optional<double> time_error; // a share
  std::string time_files;           // a folder; empty: none
  struct Capture {
    std::string folder;      // empty: nothing is captured
    profile::Options chosen; // kernels and launches
    uint64_t limit = uint64_t(4) << 30;
  } capture;
  profile::Options profile;
  std::string output;
  std::string cu_mask;            // as it is: see cu_mask.h
  bool cu_mask_skip_init = false; // queues begin with all units
  unsigned threads = 0;           // 0: all cores
  double timeout = 0;             // seconds; 0: no limit
};

// Reads the environment. What makes no sense is said in `error` (what, where, what to do), which is else empty.
Settings read_settings(std::string& error);

// The one function through which the library speaks: "crosslane: ..." on standard error.
void say(const std::string& message);
// The same once per process and `what`, unless CROSSLANE_QUIET is set.
void say_once(const std::string& what, const std::string& message);

} // namespace crosslane::hsa
