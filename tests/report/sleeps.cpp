// The view of sleeps: how often waves execute s_sleep, and what for (a made-up example of docs/adding-a-view.md).
#include "report/view.h"
#include "views/per_thread.h"
#include <map>

namespace crosslane::report {

namespace {

class SleepHearing final : public Hearing, events::Listener {
public:
  events::Listener& listener() override { return *this; }
  bool wants_waits() const override { return true; }
  void wait(const events::Wait& event) override {
    if (!event.sleeps)
      return;
    Sum& sum = sums_.mine()[event.site.pc];
    sum.times += 1, sum.clocks += 64.0 * event.site.instruction->imm;
  }
  void fill_in(Listing& listing) override {
    std::map<int, Sum> all; // by instruction
    sums_.for_each([&](const auto& table) {
      for (const auto& [pc, sum] : table) {
        Sum& of = all[listing.index(pc)];
        of.times += sum.times, of.clocks += sum.clocks;
      }
    });
    findings::Figures figures{"sleeps", {{"times", "", "executions"}, {"clocks", "clocks", "asked for, at most"}}, {}};
    for (const auto& [instruction, sum] : all)
      figures.rows.push_back({instruction, {sum.times, sum.clocks}});
    if (!all.empty())
      listing.kernel().figures.push_back(std::move(figures));
  }

private:
  struct Sum {
    double times = 0, clocks = 0;
  };
  views::PerThread<std::map<uint64_t, Sum>> sums_; // by address
};

std::unique_ptr<Hearing> hear(const ViewOptions&) { return std::make_unique<SleepHearing>(); }

} // namespace

extern const ViewParts sleeps_view = {.hear = hear};

} // namespace crosslane::report
