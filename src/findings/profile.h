// Owns Profile: everything that a profile says, as plain data. The writers (text, JSON, CSV, HTML) read nothing else.
// docs/profile-format.md explains each member under the same name.
#pragma once
#include "timing/occupancy.h"
#include "views/active_lanes.h"
#include "views/branches.h"
#include "views/lds.h"
#include "views/memory.h"
#include "views/trace.h"
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace crosslane::findings {

inline constexpr int profile_version = 1;

struct Place {
  int file = -1; // index in Profile::sources; -1: unknown
  uint32_t line = 0, column = 0;
  bool known() const { return file >= 0; }
  bool operator==(const Place&) const = default;
};

struct SourceFile {
  std::string path;
  std::string language;            // "hip", "opencl", "assembly", "c", "c++", "fortran"; empty: unknown
  std::optional<std::string> text; // empty: the file was not there
};

enum class InstructionClass : uint8_t { valu, salu, vmem, flat, smem, lds, branch, message, export_ };

// One instruction of a kernel, executed or not. What was not collected is empty.
struct ProfiledInstruction {
  uint64_t address = 0; // offset in the code object
  std::string function;
  uint64_t offset = 0; // from its start
  std::string text;    // disassembly
  isa::Instruction instruction;
  std::array<uint32_t, 2> words{}; // its bytes
  Place source;
  InstructionClass kind{};
  int target = -1; // branches: index of the target
  uint64_t executions = 0;
  std::optional<views::ActiveLanes> active;
  double lost_lane_cycles = 0, lost_to_partial_waves = 0;
  std::optional<views::BranchSite> branch;
  std::vector<views::MemorySite> memory; // one for each space
  std::optional<views::LdsSite> lds;
};

// Sums over the instructions of a source line.
struct ProfiledLine {
  Place source; // column 0
  std::vector<int> instructions;
  uint64_t executions = 0, lanes = 0;
  double lost_lane_cycles = 0;
  uint64_t lines = 0, ideal_lines = 0, excess_lines = 0; // cache lines
  uint64_t lds_cycles = 0, conflict_cycles = 0;
  uint64_t branches = 0, divergences = 0; // executions of branches
};

struct MixEntry {
  InstructionClass kind{};
  uint64_t wave_instructions = 0;
  std::optional<uint64_t> lanes; // sum of active lanes; empty: not collected, or a scalar class
};

// A hardware counter or a metric made of some. No value: not modelled, and why.
struct Counter {
  std::string name;
  std::optional<double> value;
  std::string unit, about, why;
};

enum class FindingKind : uint8_t {
  divergence,
  partial_waves,
  coalescing,
  misaligned,
  atomic_collisions,
  bank_conflicts,
  occupancy,
  scratch
};
struct Finding {
  FindingKind kind{};
  std::string title, text, advice;
  int instruction = -1;
  Place source;
  double cost = 0;
  std::string unit; // "lane-cycles", "cache lines", "LDS cycles", "waves"
  double share = 0; // of the kernel's total of that unit, 0 to 1
};

struct Sampled {
  uint64_t workgroups = 0, of = 0;
  std::optional<double> error; // relative standard error
};

struct WaveBranchCounts {
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;
  int instruction = -1;
  views::BranchCounts counts;
};

// Numbers of a view about single instructions, of which only the view knows what they mean: reports show them as they
// are.
struct Figures {
  std::string view;
  struct Column {
    std::string name, unit, about;
    bool quiet = false; // beside code: shown when it is asked for
  };
  std::vector<Column> columns;
  struct Row {
    int instruction = -1;
    std::vector<double> values; // one for each column
  };
  std::vector<Row> rows;    // by instruction
  bool beside_code = false; // shown beside source and disassembly, rather than as a table
};

struct KernelProfile {
  std::string name; // symbol
  std::string target, card;
  uint64_t launches = 0, workgroups = 0, waves = 0, wave_instructions = 0;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  bool varied = false;
  std::string not_measured;    // why there is nothing but sums; else empty
  uint64_t waves_recorded = 0; // by probes
  uint64_t calls_unprobed = 0; // and jumps through pointers; what they lead to has no probes
  double seconds = 0;
  std::optional<Sampled> sampled;
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, lds_bytes = 0, scratch_bytes = 0;
  timing::Occupancy occupancy;
  std::vector<ProfiledInstruction> instructions; // by address
  std::vector<WaveBranchCounts> waves_branches;
  std::vector<Figures> figures;
  // Derived from the above by derive():
  std::vector<MixEntry> mix;
  std::vector<Counter> counters;
  std::vector<Finding> findings; // most costly first
  std::vector<ProfiledLine> lines;
};

// Which of them were asked for.
struct Views {
#define VIEW(name) bool name = false;
#include "findings/views.inc"
#undef VIEW
  bool any() const { return *this != Views(); }
  bool operator==(const Views&) const = default;
};

struct Selection {
  std::string kernels;  // regular expression; empty: all
  std::string launches; // "0..3"; empty: all
  double fraction = 1;  // of the workgroups
  uint64_t seed = 1;
};

struct Overhead {
  double plain_seconds = 0, profiled_seconds = 0; // of the same launch
};

// Made while the profile was, from a part of the hooks that are called; the views are most of their cost.
struct OverheadEstimate {
  double cpu_seconds = 0,
         hook_seconds = 0; // processor time of profiled launches, and of the hooks in them, which is less
  bool tells() const { return cpu_seconds >= 0.01; } // of less, what a first launch does once is the most
  double share() const { return hook_seconds / cpu_seconds; }
  double ratio() const { return cpu_seconds / (cpu_seconds - hook_seconds); } // with against without
};

struct Trace {
  int kernel = 0;
  uint64_t launch = 0; // of that kernel, counted from 0
  views::WaveTrace wave;
  struct Instruction {
    uint64_t address = 0, offset = 0;
    std::string function, text;
    Place source;
  };
  std::vector<Instruction> instructions; // by views::WaveTrace's index
};

// Memory that kernels reached.
struct Buffer {
  std::string name;               // as the launch or the runtime calls it
  uint64_t address = 0, size = 0; // bytes
  std::string type;               // of an element: "f32"; empty: not known
  uint32_t element = 1;           // bytes of one
};

struct Profile {
  std::string producer, command;
  Views views;
  bool by_probes = false;  // counted by probes in the kernels' code (docs/instrumentation.md), not by listeners
  std::string interrupted; // why it is not complete; empty: it is
  Selection selection;
  double seconds = 0;
  std::optional<Overhead> overhead;                  // if it was measured
  std::optional<OverheadEstimate> overhead_estimate; // if anything ran
  std::vector<std::string> damaged;                  // why source lines are missing, a sentence for each code object
  std::vector<SourceFile> sources;
  std::vector<Buffer> buffers; // that examples and the trace reach, by address
  std::vector<KernelProfile> kernels;
  std::optional<Trace> trace;
  std::string untraced; // why there is none although it was asked for; else empty
};

// Fills in mix, counters, findings and lines of a kernel whose other members are there.
void derive(KernelProfile&, const std::vector<SourceFile>& sources, const Views&, std::span<const Buffer> buffers = {});

// The names that users type and JSON has.
const char* name_of(InstructionClass);
const char* name_of(FindingKind);
InstructionClass class_of(const isa::Instruction&);

} // namespace crosslane::findings
