// Record by record, in the order of workgroups.
#include "launch/counters.h"
#include "codeobject/write.h"
#include "files/error.h"
#include "files/read.h"
#include "findings/branches.h"
#include "findings/text.h"
#include "profile/collector.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace crosslane::launch {

llvm::Expected<std::unique_ptr<Counters>> Counters::create(const codeobject::CodeObject& object,
                                                           const codeobject::Kernel& kernel, Session& session,
                                                           Wording wording) {
  const std::string called = option(wording, "counters");
  const auto note = codeobject::rewrite_note(object);
  if (note.empty())
    return fail("{}: {} has no probes; 'crosslane instrument {} -o OUT.co' puts some in", called, object.name(),
                object.name());
  auto plan = rewrite::from_note(note, object.name());
  if (!plan)
    return plan.takeError();
  const rewrite::KernelPlan* found = plan->find(kernel.name);
  if (!found)
    return fail("{}: kernel '{}' of {} was not instrumented", called, codeobject::demangle(kernel.name), object.name());
  std::unique_ptr<Counters> counters(new Counters(object, kernel, session));
  counters->plan_ = *found;
  if (auto error = session.place_records(*found))
    return std::move(error);
  counters->tally_ = std::make_unique<rewrite::Tally>(counters->plan_, /*per_wave=*/true);
  for (const rewrite::PlannedSite& planned : found->sites)
    counters->sites_.push_back({.pc = planned.address, .per_lane = planned.per_lane});
  counters->locate(counters->sites_);
  if (found->time)
    for (const rewrite::TimedLoop& loop : found->time->loops)
      counters->loops_.push_back({.pc = loop.address});
  counters->locate(counters->loops_);
  if (found->user)
    for (const rewrite::PlannedPlace& place : found->user->places)
      counters->places_.push_back({.pc = place.address});
  counters->locate(counters->places_);
  if (found->memory) {
    auto accesses = TracedAccesses::create(object, counters->plan_);
    if (!accesses)
      return accesses.takeError();
    counters->traced_ = std::move(*accesses);
    for (const rewrite::TracedAccess& place : found->memory->places)
      counters->accesses_.push_back({.pc = place.address});
    counters->locate(counters->accesses_);
  }
  return counters;
}

// From addresses of the code object to those of the loaded code, with what is there.
void Counters::locate(std::vector<views::BranchSite>& sites) const {
  const views::Image& image = session_.image();
  for (views::BranchSite& site : sites)
    site.pc = image.base + (site.pc - object_.image_begin());
  views::locate(sites, image);
  for (views::BranchSite& site : sites) {
    if (const std::string_view old = ".original"; site.function.ends_with(old)) // a probed copy took the name
      site.function.resize(site.function.size() - old.size());
    site.source = files::from_here(site.source);
  }
}

void Counters::take() {
  tally_->add(profile::grid_of(session_.packet()), session_.records());
  const std::vector<views::BranchCounts> counts = tally_->sites();
  for (size_t s = 0; s < sites_.size(); ++s)
    sites_[s].counts = counts[s];
}

std::string Counters::text() const {
  std::string text = fmt::format("counted by probes, in {} of {} waves\n", tally_->recorded(), tally_->expected());
  if (plan_.calls_to_old)
    text += fmt::format("{} calls and jumps through pointers: what they lead to is not counted, but for returns\n",
                        plan_.calls_to_old);
  if (plan_.only_saveexec)
    text += sites_.empty() ? "it has no s_*_saveexec_b64, and no other branches were counted\n"
                           : "of branches only s_*_saveexec_b64 and those behind were counted\n";
  if (plan_.branches && !(plan_.only_saveexec && sites_.empty()))
    text += findings::table({kernel_.name, object_.processor(), sites_, {}, /*lanes=*/false});
  if (plan_.blocks) {
    const std::vector<uint64_t> blocks = tally_->blocks();
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
  if (plan_.time)
    text += time_text();
  if (plan_.user)
    text += user_text();
  if (plan_.memory)
    text += traced_->text(*tally_, accesses_);
  return findings::plain_lines(text); // the note's names are the file's
}

std::string Counters::user_text() const {
  const rewrite::UserPlan& user = *plan_.user;
  const std::vector<uint64_t> sums = tally_->user();
  std::string text = fmt::format("{} at {} places, sums over all waves:\n", user.name, places_.size());
  for (size_t p = 0; p < places_.size(); ++p) {
    const auto values = std::span(sums).subspan(p * user.counters, user.counters);
    if (std::ranges::all_of(values, [](uint64_t v) { return v == 0; }))
      continue;
    text += fmt::format("  {:<6} {}+{:#x}", user.places[p].kind, places_[p].function, places_[p].offset);
    if (user.places[p].target)
      text += fmt::format(" -> +{:#x}", user.places[p].target - user.places[p].address + places_[p].offset);
    text += fmt::format("{}{}: {}\n", places_[p].source.empty() ? "" : " ", places_[p].source, fmt::join(values, ", "));
  }
  return text;
}

nlohmann::ordered_json Counters::user_json() const {
  const rewrite::UserPlan& user = *plan_.user;
  const std::vector<uint64_t> sums = tally_->user();
  nlohmann::ordered_json out{{"name", user.name}};
  auto& list = out["places"] = nlohmann::ordered_json::array();
  for (size_t p = 0; p < places_.size(); ++p) {
    const auto values = std::span(sums).subspan(p * user.counters, user.counters);
    list.push_back({{"at", user.places[p].kind},
                    {"address", fmt::format("{:#x}", user.places[p].address)},
                    {"function", places_[p].function},
                    {"offset", places_[p].offset},
                    {"source", places_[p].source},
                    {"values", std::vector<uint64_t>(values.begin(), values.end())}});
    if (user.places[p].target)
      list.back()["target"] = fmt::format("{:#x}", user.places[p].target);
  }
  return out;
}

std::string Counters::time_text() const {
  const auto& waves = tally_->timed();
  if (waves.empty())
    return "no wave told its time\n";
  uint64_t all = 0, least = UINT64_MAX, most = 0, first = UINT64_MAX, last = 0;
  for (const auto& w : waves) {
    const uint64_t cycles = w.time.end - w.time.begin;
    all += cycles, least = std::min(least, cycles), most = std::max(most, cycles);
    first = std::min(first, w.time.begin), last = std::max(last, w.time.end);
  }
  std::string text =
      fmt::format("by s_memtime, {} waves ran for {} to {} cycles, {} on average; {} from the first's begin to the "
                  "last's end\n",
                  waves.size(), least, most, all / waves.size(), last - first);
  const auto& loops = tally_->loops();
  if (loops_.empty())
    return text + "it has no loop\n";
  text += "of the waves' cycles, inner loops and calls included:\n";
  for (size_t l = 0; l < loops.size(); ++l) {
    const uint64_t entries = loops[l].entries;
    text += fmt::format("  {:>5.1f} % in the loop at {}+{:#x}{}{}, entered {} times, {} cycles each\n",
                        all ? 100.0 * double(loops[l].cycles) / double(all) : 0.0, loops_[l].function, loops_[l].offset,
                        loops_[l].source.empty() ? "" : " ", loops_[l].source, entries,
                        entries ? loops[l].cycles / entries : 0);
  }
  return text;
}

nlohmann::ordered_json Counters::time_json() const {
  nlohmann::ordered_json time{{"unit", "cycles of s_memtime"}};
  auto& loops = time["loops"] = nlohmann::ordered_json::array();
  for (size_t l = 0; l < loops_.size(); ++l)
    loops.push_back({{"address", fmt::format("{:#x}", plan_.time->loops[l].address)},
                     {"function", loops_[l].function},
                     {"offset", loops_[l].offset},
                     {"source", loops_[l].source},
                     {"depth", plan_.time->loops[l].depth},
                     {"entries", tally_->loops()[l].entries},
                     {"cycles", tally_->loops()[l].cycles}});
  auto& waves = time["waves"] = nlohmann::ordered_json::array();
  for (const auto& w : tally_->timed()) {
    const uint32_t id = w.time.hw_id;
    waves.push_back({{"workgroup", {w.workgroup[0], w.workgroup[1], w.workgroup[2]}},
                     {"wave", w.wave},
                     {"begin", w.time.begin},
                     {"end", w.time.end},
                     {"shader_engine", id >> 13 & 3},
                     {"shader_array", id >> 12 & 1},
                     {"compute_unit", id >> 8 & 15},
                     {"simd", id >> 4 & 3}});
    auto& in_loops = waves.back()["loop_cycles"] = nlohmann::ordered_json::array();
    for (const auto& l : w.time.loops)
      in_loops.push_back(l.cycles);
  }
  return time;
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
  if (plan_.calls_to_old)
    document["calls_to_uninstrumented"] = plan_.calls_to_old;
  document["waves_in_all"] = tally_->expected();
  if (plan_.blocks) {
    const std::vector<uint64_t> blocks = tally_->blocks();
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
  if (plan_.time)
    document["time"] = time_json();
  if (plan_.user)
    document["user"] = user_json();
  if (plan_.memory)
    document["memory"] = traced_->json(*tally_, accesses_);
  return document;
}

} // namespace crosslane::launch
