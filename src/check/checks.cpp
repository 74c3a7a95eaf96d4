// Who is asked for, one behind the other.
#include "check/checks.h"
#include "check/init.h"
#include "check/memory.h"
#include "check/misaligned.h"
#include "check/numerics.h"
#include "events/several.h"
#include "lint/at_launch.h"
#include <algorithm>
#include <array>

namespace crosslane::check {

namespace {

constexpr std::pair<std::string_view, bool Wanted::*> checks[] = {{"waits", &Wanted::waits},
                                                                  {"memory", &Wanted::memory},
                                                                  {"sync", &Wanted::sync},
                                                                  {"race", &Wanted::race},
                                                                  {"init", &Wanted::init}};

// The checks of one dispatch.
class Dispatch final : public events::Several {
public:
  bool is_one() const { return owned_.size() == 1 && only(); }
  std::unique_ptr<events::Listener> take_one() { return std::move(owned_.front()); }
  void own(std::unique_ptr<events::Listener> check) {
    add(*check);
    owned_.push_back(std::move(check));
  }

private:
  std::vector<std::unique_ptr<events::Listener>> owned_;
};

} // namespace

std::optional<Wanted> wanted_of(std::string_view words) {
  Wanted wanted;
  while (true) {
    const std::string_view word = words.substr(0, words.find(','));
    const auto found = std::ranges::find(checks, word, &std::pair<std::string_view, bool Wanted::*>::first);
    if (found != std::end(checks))
      wanted.*found->second = true;
    else if (word == "init-stores")
      wanted.init = wanted.stores = true;
    else if (word == "numerics")
      wanted.numerics = true;
    else if (word == "leaks")
      wanted.leaks = true;
    else if (word == "all")
      for (const auto& [name, member] : checks)
        wanted.*member = true;
    else
      return std::nullopt;
    if (word.size() == words.size())
      return wanted;
    words.remove_prefix(word.size() + 1);
  }
}

Checks::Checks(const Wanted& wanted, const lint::Subject& subject, const Allocations* allocations)
    : wanted_(wanted), allocations_(allocations), subject_(subject), variables_(subject) {
  if (wanted.init)
    init_ = std::make_unique<InitCode>(subject.generation());
  if (wanted.numerics)
    numerics_ = std::make_unique<NumericsCode>();
  if (wanted.waits)
    waits_.emplace(subject);
  if (wanted.race)
    fences_ = fences_of(subject);
  if (wanted.sync)
    sync_ = sync_code(subject);
}
Checks::~Checks() = default;

std::unique_ptr<events::Listener> Checks::begin(Dispatched d) {
  auto dispatch = std::make_unique<Dispatch>();
  if (waits_)
    dispatch->add(*waits_);
  if (wanted_.memory)
    dispatch->own(std::make_unique<Memory>(allocations_, variables_, d.lds_bytes,
                                           d.scratch && has_aligned_scratch(subject_.generation()), told_));
  if (wanted_.sync)
    dispatch->own(std::make_unique<Sync>(sync_, told_));
  if (fences_) {
    auto race = std::make_unique<Race>(*fences_, subject_.generation(), allocations_, told_);
    if (d.others)
      race->is_one_of(std::move(d.others), codeobject::demangle(d.kernel.name), d.launch, std::move(d.operation));
    dispatch->own(std::move(race));
  }
  if (init_)
    dispatch->own(std::make_unique<Init>(*init_,
                                         Init::Launched{.registers = lint::at_launch(d.kernel, init_->generation),
                                                        .scratch = d.scratch,
                                                        .stores = wanted_.stores,
                                                        .memory = std::move(d.memory)},
                                         told_));
  if (numerics_)
    dispatch->own(std::make_unique<Numerics>(*numerics_, d.scratch, told_));
  if (dispatch->is_one())
    return dispatch->take_one();
  return dispatch;
}

lint::Report Checks::report(const lint::Options& options) const {
  lint::Report all = waits_ ? waits_->report(options) : lint::Report();
  for (lint::Finding& f : told_.report().findings)
    if (lint::asked_for(options, f.rule, f.severity, f.said))
      all.findings.push_back(std::move(f));
  lint::bring_into_order(all);
  return all;
}

} // namespace crosslane::check
