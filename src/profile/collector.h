// Owns a profile while it is made: for each kernel the listeners that were asked for, and at the end all that they
// heard as a findings::Profile.
#pragma once
#include "engine/dispatch.h"
#include "findings/buffers.h"
#include "profile/options.h"
#include "profile/sources.h"
#include "rewrite/tally.h"
#include "views/locate.h"
#include <memory>

namespace crosslane::profile {

// A kernel in loaded code, which stays loaded until the profile is made.
struct LoadedKernel {
  std::shared_ptr<const void> code; // holds what the pointers point to; may be null if they outlive the collector
  const views::Image* image = nullptr;
  const codeobject::Kernel* kernel = nullptr;
  std::string card; // may be empty
  // Options::probes: what they count; null: the kernel has none, and why. It stays as the code does.
  const rewrite::KernelPlan* plan = nullptr;
  std::string no_probes;
};

// Workgroups in each dimension, and all of them; 0 for an empty launch.
std::array<uint32_t, 3> workgroups_of(const engine::AqlPacket&);
uint64_t workgroup_count(const engine::AqlPacket&);
rewrite::Grid grid_of(const engine::AqlPacket&);

// One dispatch that is profiled, from before it starts to after it has ended.
class Dispatch {
public:
  virtual ~Dispatch() = default;
  virtual events::Listener& listener() = 0;
};

// Every function may be called from several threads.
class Collector {
public:
  // `folder`: where relative paths of sources begin, and those below it are named from.
  Collector(const Options& options, std::string command, std::string folder);
  ~Collector();

  // Null if this launch of the kernel is not asked for: then nothing may listen. A Dispatch must end.
  std::unique_ptr<Dispatch> begin(const LoadedKernel&, const engine::AqlPacket&);
  // `records`: that probes left, as large as rewrite::bytes_of_records() says; empty: none were kept.
  void end(std::unique_ptr<Dispatch>, const engine::AqlPacket&, const engine::Stats&,
           std::span<const uint8_t> records = {});

  // Asked for the buffers of a kernel when its first launch ends, and for all that is not known yet when a profile is
  // made.
  void set_buffers(findings::FindBuffer find);

  // Sources that are no files.
  void set_source_texts(SourceTexts);

  // The profile is not complete, and why; the first reason counts.
  void interrupt(const std::string& why);
  void set_overhead(const findings::Overhead&);

  // What was heard so far. Dispatches that have not ended are waited for, a second at most; kernels of those that still
  // run then are left out, and the profile says that it is not complete.
  findings::Profile profile() const;
  // The same as soon as anything was collected since profile() was called last.
  bool changed() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::profile
