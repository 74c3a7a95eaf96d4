// Owns what `crosslane run --stats` and `--profile` tell: per kernel, summed over the process, at its end.
#pragma once
#include "check/allocations.h"
#include "check/between.h"
#include "engine/dispatch.h"
#include "events/several.h"
#include "hsa/code/probes.h"
#include "hsa/settings.h"
#include "model/timed.h"
#include "profile/collector.h"
#include <memory>
#include <optional>
#include <span>

namespace crosslane::hsa {

struct Box;    // memory/copy.h
class Heap;    // memory/memory.h
struct Signal; // queue/signal.h
struct Queue;  // queue/queue.h

class Statistics {
public:
  // `heap`: of whose memory profile and checks tell; it must live on until the last print().
  Statistics(const Settings&, Heap& heap);
  ~Statistics();
  bool wanted() const;

  // One dispatch, from before it starts to after its end.
  class Launch {
  public:
    // Puts who listens and watches into the options; nobody, if nothing is wanted.
    Launch(Statistics&, const std::shared_ptr<LoadedCode>&, const codeobject::Kernel&, const engine::AqlPacket&,
           const ProbeRecords&, const Queue&, engine::Options&);
    ~Launch(); // without end(): it did not run
    void end(const engine::Outcome&);
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

  private:
    Statistics& statistics_;
    const std::shared_ptr<LoadedCode>& code_;
    const codeobject::Kernel& kernel_;
    const ProbeRecords& records_;
    const engine::AqlPacket packet_; // the ring's may be another one at the end
    std::unique_ptr<profile::Dispatch> profiled_;
    std::optional<check::Operation> operation_; // if races are checked
    const Queue& queue_;
    std::unique_ptr<events::Listener> checking_; // null: nothing is checked
    events::Several listeners_;
    engine::Progress* progress_ = nullptr;
    std::unique_ptr<model::Timed> timed_; // null: nobody asked
    uint64_t number_ = 0;                 // of its files; 0: it leaves none
  };

  // The client has called hsa_init, in this thread.
  void initialised();
  // A client has got memory of a device, in which nothing is yet.
  void allocated(check::Extent);
  // Something else than a kernel or a copy writes there, now or later.
  void written(check::Extent);
  // Bytes have been copied, by anybody but a kernel.
  void moved(const Box&);
  // A copy that `asked` (of HSA) is asked for, in the client's thread, and the signals that it waits for and completes.
  // What is to be told of it once it is done, before its signal changes; null: nothing.
  using Copying = std::shared_ptr<const check::AskedCopy>;
  Copying copy(check::Extent to, check::Extent from, const char* asked, std::span<Signal* const> dependencies,
               const Signal* completion);
  void copied(const Copying&);
  // Why not all is told; the first reason counts.
  void interrupt(const std::string& why);
  // Writes the tables and reports to where the settings say, unless nothing has happened since they were written.
  // `ended`: the client is done with its memory.
  void print(bool ended = false);
  // That the settings ask for because of what print() has told; 0: none.
  int exit_status() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::hsa
