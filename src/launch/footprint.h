// Owns what some workgroups of a dispatch have done to memory: which bytes they have read and written, and what they
// left there; and the listener that finds out.
#pragma once
#include "events/listener.h"
#include "launch/byte_set.h"
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::launch {

struct Footprint {
  // By address, each within a range of the memory. An atomic reads and writes.
  std::vector<Interval> reads, writes, atomics;
  std::string written; // what the written bytes hold in the end, one behind the other
  bool operator==(const Footprint&) const = default;
};

// As bytes, compressed; and back, whatever the bytes are: an error says that they are no footprint of that memory.
std::string bytes_of(const Footprint&);
llvm::Expected<Footprint> parse_footprint(std::string_view bytes, std::span<const capture::Range> memory);

class Touched final : public events::Listener {
public:
  // Of this memory, which must outlive it. Scratch and LDS are of a workgroup alone.
  static llvm::Expected<std::unique_ptr<Touched>> create(std::span<const capture::Range>);
  bool wants_accesses() const override { return true; }
  bool wants_space(events::Space space) const override {
    return space == events::Space::global || space == events::Space::scalar;
  }
  void access(const events::Access&) override;

  Footprint footprint() const; // while the memory is there, and nobody runs

private:
  Touched(std::span<const capture::Range> memory, ByteSet reads, ByteSet writes, ByteSet atomics)
      : memory_(memory), reads_(std::move(reads)), writes_(std::move(writes)), atomics_(std::move(atomics)) {}
  const std::span<const capture::Range> memory_;
  ByteSet reads_, writes_, atomics_;
};

} // namespace crosslane::launch
