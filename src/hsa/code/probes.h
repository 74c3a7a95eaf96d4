// Owns probes in what programs load (CROSSLANE_INSTRUMENT): code objects instrumented before they are loaded, and the
// records of a dispatch.
#pragma once
#include "hsa/code/executable.h"
#include "profile/options.h"
#include "rewrite/tally.h"
#include <mutex>
#include <span>

namespace crosslane::hsa {

class Probing {
public:
  // The same object is instrumented once, however often it is loaded. One that cannot be has no probes in any kernel,
  // each of which says why.
  std::shared_ptr<const rewrite::Probed> probe(const std::shared_ptr<const codeobject::CodeObject>&,
                                               const profile::Options&);

private:
  std::mutex mutex_; // guards what follows, and instrumenting
  // By Probed::original as it was given, which stays, so that no other object gets its address.
  std::map<std::shared_ptr<const codeobject::CodeObject>, std::shared_ptr<const rewrite::Probed>> known_;
};

// Memory for what the waves of one dispatch record, and that they are told of it. A kernel has one place where it looks
// for that: another dispatch of it waits. Memory stays for later dispatches of the same code, so that small ones are
// quick.
class ProbeRecords {
public:
  ProbeRecords(LoadedCode&, const codeobject::Kernel&, const engine::AqlPacket&);
  ~ProbeRecords();
  ProbeRecords(const ProbeRecords&) = delete;
  ProbeRecords& operator=(const ProbeRecords&) = delete;
  std::span<const uint8_t> bytes() const { return bytes_; } // empty: nothing is recorded

private:
  // Filled with rewrite::no_record; empty: there is no room.
  std::span<uint8_t> take(size_t bytes);
  void give_back(std::span<uint8_t>);

  LoadedCode& code_;
  std::unique_lock<std::mutex> alone_;
  const rewrite::KernelPlan* plan_ = nullptr; // null: the kernel has no probes
  rewrite::Control* control_ = nullptr;       // likewise
  rewrite::Grid grid_;
  std::span<uint8_t> memory_, bytes_; // what was taken, and its first bytes, where records are
};

} // namespace crosslane::hsa
