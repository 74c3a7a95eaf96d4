// Record by record, in the order of workgroups.
#include "launch/counters.h"
#include "codeobject/write.h"
#include "files/error.h"
#include "files/read.h"
#include "findings/branches.h"
#include "profile/collector.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace crosslane::launch {

llvm::Expected<std::unique_ptr<Counters>> Counters::create(const codeobject::CodeObject& object,
                                                           const codeobject::Kernel& kernel, Session& session) {
  const auto note = codeobject::rewrite_note(object);
  if (note.empty())
    return fail("--counters: {} has no probes; 'crosslane instrument {} -o OUT.co' puts some in", object.name(),
                object.name());
  auto plan = rewrite::from_note(note, object.name());
  if (!plan)
    return plan.takeError();
  const rewrite::KernelPlan* found = plan->find(kernel.name);
  if (!found)
    return fail("--counters: kernel '{}' of {} was not instrumented", codeobject::demangle(kernel.name), object.name());
  std::unique_ptr<Counters> counters(new Counters(object, kernel, session));
  counters->plan_ = *found;
  if (auto error = session.place_records(*found))
    return std::move(error);
  counters->tally_ = std::make_unique<rewrite::Tally>(counters->plan_, /*per_wave=*/true);
  const views::Image& image = session.image();
  for (const rewrite::PlannedSite& planned : found->sites) {
    views::BranchSite site;
    site.pc = image.base + (planned.address - object.image_begin());
    site.per_lane = planned.per_lane;
    counters->sites_.push_back(std::move(site));
  }
  views::locate(counters->sites_, image);
  for (views::BranchSite& site : counters->sites_) // code that a probed copy took the name of
    if (const std::string_view old = ".original"; site.function.ends_with(old))
      site.function.resize(site.function.size() - old.size());
  for (views::BranchSite& site : counters->sites_)
    site.source = files::from_here(site.source);
  return counters;
}

void Counters::take() {
  tally_->add(profile::grid_of(session_.packet()), session_.records());
  for (size_t s = 0; s < sites_.size(); ++s)
    sites_[s].counts = tally_->sites()[s];
}

std::string Counters::text() const {
  std::string text = fmt::format("counted by probes, in {} of {} waves\n", tally_->recorded(), tally_->expected());
  if (plan_.only_saveexec)
    text += sites_.empty() ? "it has no s_*_saveexec_b64, and no other branches were counted\n"
                           : "of branches only s_*_saveexec_b64 and those behind were counted\n";
  if (plan_.branches && !(plan_.only_saveexec && sites_.empty()))
    text += findings::table({kernel_.name, object_.processor(), sites_, {}, /*lanes=*/false});
  if (plan_.blocks) {
    const std::vector<uint64_t>& blocks = tally_->blocks();
    uint64_t instructions = 0;
    for (size_t b = 0; b < blocks.size(); ++b)
      instructions += blocks[b] * plan_.counted[b].instructions;
    text += fmt::format("{} wave-instructions in {} blocks\n", instructions, blocks.size());
    for (size_t b = 0; b < blocks.size(); ++b)
      if (blocks[b])
        text += fmt::format("  {:>10} times  {:#x}: {} instructions\n", blocks[b], plan_.counted[b].begin,
                            plan_.counted[b].instructions);
  }
  if (plan_.lanes) {
    const auto& runs = plan_.lanes->runs;
    const std::vector<uint64_t>& lanes = tally_->lanes();
    uint64_t items = 0;
    for (size_t r = 0; r < runs.size(); ++r)
      items += lanes[r] * runs[r].instructions;
    text += fmt::format("{} lane-instructions in {} runs under one EXEC\n", items, runs.size());
    for (size_t r = 0; r < runs.size(); ++r)
      if (lanes[r] && runs[r].instructions)
        text += fmt::format("  {:>10} lanes  {:#x}: {} instructions\n", lanes[r], runs[r].begin, runs[r].instructions);
  }
  return text;
}

nlohmann::ordered_json Counters::json() const {
  std::vector<views::WaveBranch> waves;
  for (const auto& w : tally_->waves())
    waves.push_back({{w.workgroup[0], w.workgroup[1], w.workgroup[2]}, w.wave, sites_[w.site].pc, w.counts});
  auto document = nlohmann::ordered_json::parse(
      findings::json({kernel_.name, object_.processor(), sites_, waves, /*lanes=*/false}));
  document["measured_by"] = "probes";
  if (plan_.only_saveexec)
    document["branches_counted"] = "saveexec";
  document["waves_recorded"] = tally_->recorded();
  document["waves_in_all"] = tally_->expected();
  if (plan_.blocks) {
    const std::vector<uint64_t>& blocks = tally_->blocks();
    auto& list = document["blocks"] = nlohmann::ordered_json::array();
    for (size_t b = 0; b < blocks.size(); ++b)
      list.push_back({{"address", fmt::format("{:#x}", plan_.counted[b].begin)},
                      {"instructions", plan_.counted[b].instructions},
                      {"executions", blocks[b]}});
  }
  if (plan_.lanes) {
    const std::vector<uint64_t>& lanes = tally_->lanes();
    auto& list = document["lanes"] = nlohmann::ordered_json::array();
    for (size_t r = 0; r < lanes.size(); ++r)
      list.push_back({{"address", fmt::format("{:#x}", plan_.lanes->runs[r].begin)},
                      {"instructions", plan_.lanes->runs[r].instructions},
                      {"lanes", lanes[r]}});
  }
  return document;
}

} // namespace crosslane::launch
