// Owns `crosslane run --capture`: dispatches of this process as they are before and after they run, in a folder of its
// own (capture/writer.h). What cannot be kept is told, and the program goes on.
#pragma once
#include "capture/writer.h"
#include "hsa/code/executable.h"
#include "hsa/settings.h"
#include <map>
#include <mutex>
#include <set>

namespace crosslane::hsa {

class Runtime;

class Capturing {
public:
  explicit Capturing(Runtime&);

  // One dispatch, from before it starts to after its end; kept if the settings choose it. While it lives no other one
  // runs: what those of other queues write would be taken for this one's.
  class Dispatch {
  public:
    Dispatch(Capturing&, const LoadedCode&, const codeobject::Kernel&, const engine::AqlPacket&,
             const engine::Options&);
    void end(const engine::Outcome&);

  private:
    Capturing& capturing_;
    capture::Dispatch kept_;
    bool is_kept_ = false;
    std::unique_lock<std::timed_mutex> alone_;
  };

  // How much there is.
  void tell();

private:
  bool open(); // false: there is no place for it, which has been told
  llvm::Error keep_before(capture::Dispatch&, const codeobject::CodeObject&);
  llvm::Error keep_after(capture::Dispatch&);
  void name_allocations(capture::Dispatch&) const;
  void skip(const capture::Dispatch&, llvm::Error why);

  Runtime& runtime_;
  std::timed_mutex running_; // a dispatch
  const Settings::Capture& settings_;
  std::mutex mutex_; // guards what follows
  std::map<std::string, uint64_t> launches_;
  std::set<uint64_t> kernargs_;                           // addresses
  uint64_t seen_ = 0, kept_ = 0, skipped_ = 0, told_ = 0; // dispatches
  bool failed_ = false;                                   // nothing more is kept
  std::unique_ptr<capture::Writer> writer_;               // once there is something
};

} // namespace crosslane::hsa
