// Owns what a user asks of a profile: which views, of which kernels, launches and workgroups, and where the reports go.
// The command line and the environment give texts under different names; both come through parse().
#pragma once
#include "findings/profile.h"
#include "report/summary.h"
#include "rewrite/instrument.h"
#include <array>
#include <cstdint>
#include <llvm/Support/Error.h>
#include <llvm/Support/Regex.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crosslane::profile {

// Launches of one kernel, counted from 0.
struct LaunchRange {
  uint64_t first = 0, last = UINT64_MAX;
  bool contains(uint64_t launch) const { return launch >= first && launch <= last; }
  bool all() const { return first == 0 && last == UINT64_MAX; }
  std::string text() const; // "0..3", "2..", "5"
  bool operator==(const LaunchRange&) const = default;
};

struct SampleRate {
  double fraction = 1; // of the workgroups, above 0 to 1
  uint64_t seed = 1;
  bool all() const { return fraction >= 1; }
  bool operator==(const SampleRate&) const = default;
};

using report::By; // what a line of the summary's table stands for

// One wave whose steps are recorded.
struct TracedWave {
  std::optional<uint64_t> number;                // of the workgroup in the order of launch; else
  std::array<uint32_t, 3> workgroup = {0, 0, 0}; // its number in each dimension
  uint32_t wave = 0;
  // The number in each dimension, in a grid of so many workgroups.
  std::array<uint32_t, 3> workgroup_in(const std::array<uint32_t, 3>& groups) const;
  bool operator==(const TracedWave&) const = default;
};

struct Options {
  findings::Views views;
  std::optional<rewrite::Probes> probes; // in the kernels, instead of views that listen
  std::string kernels;                   // regular expression; empty: all
  std::shared_ptr<llvm::Regex> pattern;  // the same; null: all
  LaunchRange launches;
  SampleRate sample;
  By by = By::line;
  std::string json, csv, html; // files; empty: none
  bool per_wave = false;
  std::optional<TracedWave> trace;

  bool any() const { return views.any() || trace || probes; }
  // A kernel is called by its symbol or by its name in the source.
  bool wants_kernel(std::string_view symbol) const;
  findings::Selection selection() const;
};

// What was given for each option, empty where nothing was.
struct Texts {
  std::string views, kernels, launches, sample, by, json, csv, html, trace, instrument, at, trace_bytes;
  bool per_wave = false;
  bool operator==(const Texts&) const = default;
};

// What messages call the options.
struct Names {
  const char *views, *kernels, *launches, *sample, *by, *json, *csv, *html, *per_wave, *trace, *instrument, *at,
      *trace_bytes;
};
inline constexpr Names option_names = {"--profile",    "--kernel", "--launch",     "--sample",   "--by",
                                       "--json",       "--csv",    "--html",       "--per-wave", "--trace-wave",
                                       "--instrument", "--at",     "--trace-bytes"};
// As launch descriptions have them.
inline constexpr Names key_names = {"'profile'",    "'kernel'", "'launch'",     "'sample'",   "'by'",
                                    "'json'",       "'csv'",    "'html'",       "'per_wave'", "'trace_wave'",
                                    "'instrument'", "'at'",     "'trace_bytes'"};
inline constexpr Names variable_names = {"CROSSLANE_PROFILE",
                                         "CROSSLANE_PROFILE_KERNEL",
                                         "CROSSLANE_PROFILE_LAUNCH",
                                         "CROSSLANE_PROFILE_SAMPLE",
                                         "CROSSLANE_PROFILE_BY",
                                         "CROSSLANE_PROFILE_JSON",
                                         "CROSSLANE_PROFILE_CSV",
                                         "CROSSLANE_PROFILE_HTML",
                                         "CROSSLANE_PROFILE_PER_WAVE",
                                         "CROSSLANE_PROFILE_TRACE_WAVE",
                                         "CROSSLANE_INSTRUMENT",
                                         "CROSSLANE_INSTRUMENT_AT",
                                         "CROSSLANE_INSTRUMENT_TRACE_BYTES"};

// Files without views mean all views.
llvm::Expected<Options> parse(const Texts&, const Names& = option_names);

llvm::Expected<findings::Views> parse_views(std::string_view list, const char* name);  // "branches,lds", "all"
llvm::Expected<LaunchRange> parse_launches(std::string_view range, const char* name);  // "3", "0..3", "3..", "..3"
llvm::Expected<SampleRate> parse_sample(std::string_view rate, const char* name);      // "1%", "0.01", "1%:7"
llvm::Expected<TracedWave> parse_traced_wave(std::string_view wave, const char* name); // "12:0", "3,1,0:0"

} // namespace crosslane::profile
