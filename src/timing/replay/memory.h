// Owns L2 and what lies behind it: channels that each take one request at a time, tags of lines, and memory with a
// share of its bandwidth for each channel.
#pragma once
#include "timing/replay/cache.h"
#include "timing/replay/machine.h"
#include "timing/replay/trace.h"
#include <cstdint>
#include <vector>

namespace crosslane::timing::replay {

// What a compute unit asks L2 for: 64 bytes, or what one load wants of a line of L2's.
struct Request {
  uint64_t time = 0; // cycle at which it leaves the unit
  uint64_t line = 0; // address / 64
  uint8_t lines = 1; // of 64 bytes, next to each other
  Kind kind{};
  bool whole = false;
  uint8_t operations = 0; // atomics
  bool passing = false;   // of a workgroup before a part of the grid that was left out,
  bool stands = false;    // and it stands for one of a workgroup in that part:
  Kind other_kind{};
  uint8_t other_lines = 1;
  uint64_t other_line = 0;
  uint64_t done = 0; // answer: the cycle at which L2 has it, be it loaded, stored or added to
};

struct MemoryFigures {
  uint64_t hits = 0, misses = 0;                       // in L2
  uint64_t read = 0, written = 0;                      // bytes of memory
  uint64_t loads = 0, stores = 0, atomic_requests = 0; // that L2 was asked
  void add(const MemoryFigures&);
};

class L2 {
public:
  explicit L2(const Machine&);
  // Channels know nothing of each other, but for requests that stand for another one: they may be served at a time.
  uint32_t channels() const { return uint32_t(channels_.size()); }
  uint32_t channel(uint64_t line) const;
  // In the order of time, of each channel.
  void serve(Request& request) { serve(channel(request.line), request); }
  void serve(uint32_t channel, Request&);
  // A part of the grid is left out here: passing requests find what L2 holds now, whatever warm() brings.
  void leave_behind();
  // Only what it holds changes: of workgroups that are not replayed.
  void warm(uint64_t line, uint32_t lines, Kind);
  // A load that wants both asks for them at once.
  bool together(uint64_t a, uint64_t b) const { return a >> shift_ == b >> shift_; }
  // Whatever is dirty goes to memory; the cycle at which the last of it has.
  uint64_t flush(uint64_t now);
  MemoryFigures figures() const;
  const MemoryFigures& figures(uint32_t channel) const { return channels_[channel].figures; }

private:
  struct Channel {
    double free = 0;   // cycle
    double memory = 0; // likewise, of its share of memory
    Tags tags;
    Tags behind; // what passing requests find: tags as they were at leave_behind()
    MemoryFigures figures;
  };
  Channel& channel_of(uint64_t line) { return channels_[channel(line)]; }
  // What tags know a line by: a hash, so that lines next to each other do not fill all sets alike.
  uint64_t number(uint64_t line) const;
  // Which parts of its line, of 64 bytes each.
  uint16_t parts(uint64_t line, uint32_t lines) const;
  Tags::Line& take_place(Channel&, Tags&, uint64_t number, uint64_t from, bool writes);
  void write_back(Channel&, Tags::Line&, uint64_t from);
  // The cycle at which so many bytes have come or gone.
  uint64_t transfer(Channel&, uint64_t from, uint32_t bytes);

  const Machine& machine_;
  uint32_t shift_;  // from lines of 64 bytes to those of L2
  uint32_t behind_; // cycles from L2's answer being there to memory's
  double per_byte_; // cycles of a channel's share of memory
  std::vector<Channel> channels_;
};

} // namespace crosslane::timing::replay
