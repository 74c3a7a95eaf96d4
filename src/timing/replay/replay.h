// Owns the replay: workgroups come from a source in the order of launch, are dealt to compute units as a card does it,
// and run there against one another and against L2 and memory. Deterministic.
#pragma once
#include "timing/replay/cluster.h"
#include "timing/replay/nearby.h"
#include "timing/replay/sampler.h"
#include "timing/replay/window.h"
#include <functional>
#include <optional>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <unordered_map>

namespace crosslane::timing::replay {

class Replay {
public:
  // `find`: the block of a number.
  Replay(const Machine&, const Needs&, std::function<const events::Block*(uint32_t)> find);
  // Before run(): that many threads, the caller among them; the figures are the same.
  void share(uint32_t threads);
  // Before run(): keeps what recording() gives.
  void record(const Wanted&);
  // Before run(): of a large grid, whose workgroups have `waves` each, a part is replayed.
  void sample(const Sampling&, uint32_t waves);
  // Before run(), instead of that: of a range of a grid, a stretch is measured.
  void watch(const WindowRange&, uint32_t waves);
  // Behind run().
  Recording recording() const;
  // Blocks until the source has no more. Empty text: all is well; else what cannot be replayed.
  std::string run(Source&);

  enum class State : uint8_t {
    over,        // there is nothing more to replay, or it cannot be: trouble()
    wants_group, // the source has none yet, and there may be room
    starves,     // waves of open workgroups need more words
  };
  // As far as it goes.
  State go_on(Source&);
  const std::string& trouble() const { return trouble_; }
  // For each of the waves that can go no further: f(Cluster::Starved).
  template <class F> void for_each_starved(F f) const {
    for (const auto& cluster : clusters_)
      if (cluster->starves())
        f(cluster->starved());
  }
  // More words of a wave of an open workgroup, which may be none.
  void give(uint64_t group, uint32_t wave, std::span<const uint64_t> words);
  Figures figures() const;
  // Behind run(), of a grid of so many wave-instructions and waves: figures() are of all of it.
  void extrapolate(uint64_t instructions, uint64_t waves);
  // Behind run(), of a range that was watched and has so many of them.
  WindowPart part(uint64_t instructions, uint64_t waves) const {
    return window_->part(figures(), program_, instructions, waves);
  }
  const Estimate* estimate() const { return estimate_ ? &*estimate_ : nullptr; } // null: all was replayed
  const Program& program() const { return program_; }

private:
  bool place(GroupTrace& trace, const Needs& needs);
  bool fill(Source&);
  void take(Source&);
  void leave_behind(uint64_t group);
  std::vector<uint64_t> scratch_of(const GroupTrace&) const;
  uint64_t groups_at_a_time(uint32_t waves);
  uint64_t overhang() const;
  Figures so_far() const;
  State fail(std::string why);
  void run_clusters();
  // turn(0) ... turn(count - 1), by all threads.
  template <class Turn> void together(uint32_t count, tbb::affinity_partitioner& who, const Turn& turn);
  void exchange();
  void serve_in_order();
  void sort_out(uint32_t cluster);
  void serve(uint32_t channel);
  void serve_recorded(Request&);
  void bound_recording();

  Machine machine_;
  Needs needs_;
  std::function<const events::Block*(uint32_t)> find_;
  Program program_;
  L2 l2_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  struct Place { // a compute unit
    uint32_t cluster, unit;
  };
  std::vector<std::vector<Place>> engines_; // units of each shader engine
  std::vector<uint32_t> next_unit_;         // of each
  uint32_t next_engine_ = 0, resident_ = 0;
  double dispatcher_ = 0; // cycle from which it is free
  uint64_t now_ = 0;      // until which all has run,
  bool within_ = false;   // or some has not yet
  GroupTrace trace_;      // that has no place yet
  uint64_t expected_ = 0; // number of the next one, if none is left out,
  Fate fate_{};           // and what became of the one before
  Source::Next next_ = Source::Next::later;
  Nearby near_;
  std::string trouble_;
  std::optional<Sampler> sampler_; // one of these, or none
  std::optional<Window> window_;
  Selection* selection_ = nullptr; // that one
  uint32_t capacity_ = 1;          // workgroups of a unit, where they are sampled
  std::optional<Estimate> estimate_;
  std::unordered_map<uint64_t, Place> open_; // workgroups
  struct Asked {
    uint64_t time;
    uint32_t order;
    Request* request;
  };
  static void sort(std::vector<Asked>&);
  std::vector<Asked> asked_;
  struct Copy {
    Request request;
    uint32_t index; // in its cluster's
  };
  std::vector<std::vector<std::vector<Copy>>> sorted_; // of each cluster, by channel
  std::vector<std::vector<Asked>> of_channel_;
  // Threads that share loops; none: one does it all. Of clusters, and of channels, each takes the same ones as ever,
  // which its caches have.
  std::optional<tbb::task_arena> team_;
  tbb::affinity_partitioner of_clusters_, of_channels_;
  uint64_t issued_ = 0, work_ = 0; // instructions: so far, and in the last round
  Wanted wanted_;
  std::vector<Recorder> recorders_; // of the clusters; none: nobody asked
  std::optional<Bins> of_memory_;
};

} // namespace crosslane::timing::replay
