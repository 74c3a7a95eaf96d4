// Owns what listeners hear of a kernel that has written down its addresses by itself (rewrite/trace_reader.h): the same
// events as from the engine, when a dispatch is over. Not for users of the layer.
#pragma once
#include "events/listener.h"
#include "rewrite/trace_reader.h"
#include "views/locate.h"

namespace crosslane::profile {

class TracedEvents {
public:
  // `image`: the code as it was, which events are about. The plan has a MemoryPlan; all must outlive it.
  TracedEvents(rewrite::TraceReader, const rewrite::MemoryPlan&, const views::Image& image);

  // What one wave has traced. `number`: of its workgroup. Of lanes that reach scratch by flat addresses nothing is
  // told: where their dwords really lie, these do not say.
  void tell(const rewrite::Tally::TracedWave&, uint64_t number, std::span<events::Listener* const>);
  uint64_t told() const { return told_; } // entries

private:
  rewrite::TraceReader reader_;
  std::vector<uint64_t> pcs_; // of MemoryPlan::places, in loaded code
  machine::Workgroup group_;
  std::unique_ptr<machine::Wave> wave_;
  uint64_t told_ = 0;
};

} // namespace crosslane::profile
