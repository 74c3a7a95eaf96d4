// Owns Dispatch: one dispatch of a kernel as a capture keeps it, as plain data. Memory stands here by the hashes of its
// contents; a Pack has these. docs/capture-format.md has the same as files.
#pragma once
#include "capture/pack.h"
#include "engine/dispatch.h"
#include "machine/memory.h"
#include <optional>
#include <string>
#include <vector>

namespace crosslane::capture {

// Memory that was mapped in the window: whole pages, at a place of their own.
struct Range {
  uint64_t address = 0, size = 0; // bytes
  bool writable = true;           // by kernels
  Content before;                 // the dispatch
  std::optional<Content> after;   // not set: as before, or nobody knows (Outcome::memory)
  uint64_t end() const { return address + size; }
};

// What the memory has that the runtime's clients asked for, or the runtime for itself.
struct Allocation : machine::Allocation {
  bool runtimes = false; // what hosts write to it while kernels run is nobody's result
};

struct LoadedObject {
  std::string name;
  Content bytes;               // of the file
  uint64_t base = 0, size = 0; // of its image
};

struct Outcome {
  std::optional<machine::Fault> fault; // without its texts, but for the detail
  uint64_t instructions = 0, waves = 0, workgroups = 0;
  bool memory = false; // Range::after was kept
};

// The resources of the global wave sync that are not as they begin, and the global data share.
struct SharedState {
  struct Resource {
    uint32_t number = 0;
    int64_t counter = 0;
    uint64_t generation = 0, head = 0, tail = 0;
  };
  Content data; // machine::gds_bytes
  std::vector<Resource> resources;
  std::vector<std::pair<uint64_t, uint64_t>> turns; // machine::Turn
};

struct Workgroups {
  uint64_t first = 0, count = 0; // in the order of launch
  bool operator==(const Workgroups&) const = default;
};

struct Dispatch {
  uint64_t number = 0;      // of this capture, which its file is named by
  uint64_t launch = 0;      // of those of this kernel in its process, from 0
  std::string kernel;       // its name in the code object
  std::string target, card; // "gfx906", "vega20"
  std::string crosslane;    // the version that captured it
  std::string command;      // of the process
  engine::AqlPacket packet;
  uint64_t packet_address = 0, queue_address = 0, dispatch_id = 0;
  LoadedObject code;
  std::vector<Allocation> allocations; // by address
  std::vector<Range> memory;           // by address, disjoint
  std::optional<SharedState> shared;   // not set: as it begins
  engine::Units units;
  bool lds_faults = false; // engine::Options
  uint64_t poison = 0;
  std::optional<Workgroups> workgroups; // not set: all of the grid
  std::optional<Outcome> outcome;       // not set: it was never seen to end

  uint64_t workgroup_count() const; // of the grid
  uint64_t bytes() const;           // of all memory
};

// As it is written, and read: whatever the text, it is a Dispatch whose parts fit together, or an error that says what
// is wrong with `name`.
std::string text_of(const Dispatch&);
llvm::Expected<Dispatch> parse_dispatch(std::string_view text, const std::string& name);

std::string producer(); // "crosslane 0.1.0", this one

// "device memory 3 [0x1040]"; "between allocations, 0x680000001000".
std::string place_of(const Dispatch&, uint64_t address);

} // namespace crosslane::capture
