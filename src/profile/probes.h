// Owns what the collector keeps of a kernel that counts by itself: instead of listeners, the records that its probes
// left. Not for users of the layer.
#pragma once
#include "profile/traced_events.h"
#include "report/view.h"
#include "rewrite/tally.h"

namespace crosslane::profile {

class ProbeHearing final : public report::Hearing {
public:
  // `plan`: null if the kernel has no probes; must outlive it, as `image` must: the code as it was.
  ProbeHearing(const rewrite::KernelPlan* plan, const views::Image& image, bool per_wave);
  // Whoever hears of accesses, if they are traced; must outlive it.
  void pass_accesses_to(events::Listener& listener) { listeners_.push_back(&listener); }
  // Behind a dispatch.
  void add(const rewrite::Grid&, std::span<const uint8_t> records);

  events::Listener& listener() override { return nobody_; }
  void list(report::Listing&) override;
  void fill_in(report::Listing&) override;

private:
  class Nobody final : public events::Listener {
  } nobody_;
  // f(pc, instruction, executions) of each instruction in the planned blocks.
  template <class F> void each_counted(const views::Image&, F) const;
  void fill_in_branches(report::Listing&) const;

  std::optional<rewrite::Tally> tally_;
  std::optional<TracedEvents> traced_;
  std::vector<events::Listener*> listeners_;
  uint64_t accesses_ = 0;
};

} // namespace crosslane::profile
