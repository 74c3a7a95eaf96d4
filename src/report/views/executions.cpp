// No view, but what counts executions where none does (views/instructions.h).
#include "report/view.h"
#include "views/instructions.h"

namespace crosslane::report {

namespace {

class ExecutionHearing final : public Hearing {
public:
  events::Listener& listener() override { return view_; }
  void list(Listing& listing) override {
    sites_ = view_.sites();
    for (const auto& site : sites_)
      listing.ran(site.pc, site.instruction);
  }
  void fill_in(Listing& listing) override {
    for (const auto& site : sites_)
      listing.at(site.pc)->executions = site.count.waves;
    sites_.clear();
  }

private:
  views::Instructions view_;
  std::vector<views::InstructionSite> sites_; // between list() and fill_in()
};

} // namespace

std::unique_ptr<Hearing> count_executions() { return std::make_unique<ExecutionHearing>(); }

} // namespace crosslane::report
