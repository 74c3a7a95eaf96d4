// Record by record, in the order of workgroups.
#include "launch/counters.h"
#include "codeobject/write.h"
#include "files/error.h"
#include "files/read.h"
#include "findings/branches.h"
#include <algorithm>
#include <cstring>
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
  counters->blocks_.assign(found->counted.size(), 0);
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

namespace {

// A workgroup at the end of the grid may have fewer work-items, and then fewer waves.
struct Shape {
  uint32_t groups[3], size[3]; // size: of a full one
  uint32_t grid[3];
  explicit Shape(const engine::AqlPacket& p) {
    for (int d = 0; d < 3; ++d) {
      grid[d] = p.grid_size[d], size[d] = p.workgroup_size[d];
      groups[d] = (grid[d] + size[d] - 1) / size[d];
    }
  }
  uint32_t waves() const { return (size[0] * size[1] * size[2] + 63) / 64; }
};

// f(wave, record in its workgroup) of each wave that a workgroup has. A wave finds its record by the ids of its first
// work-item as if the workgroup were full: a number that no other one has.
template <class F> void each_wave(const Shape& shape, const uint32_t (&group)[3], F f) {
  uint32_t part[3];
  for (int d = 0; d < 3; ++d)
    part[d] = std::min(shape.size[d], shape.grid[d] - group[d] * shape.size[d]);
  const uint32_t items = part[0] * part[1] * part[2];
  for (uint32_t w = 0; w * 64 < items; ++w) {
    const uint32_t x = w * 64 % part[0], y = w * 64 / part[0] % part[1], z = w * 64 / part[0] / part[1];
    f(w, (x + shape.size[0] * (y + shape.size[1] * z)) / 64);
  }
}

} // namespace

void Counters::take() {
  const auto bytes = session_.records();
  const Shape shape(session_.packet());
  std::vector<uint32_t> record(plan_.record_bytes / 4);
  const auto take_wave = [&](const uint32_t(&group)[3], uint32_t wave, size_t number) {
    ++of_;
    std::memcpy(record.data(), bytes.data() + number * plan_.record_bytes, plan_.record_bytes);
    // As the memory was: this wave did not come to its end.
    if (plan_.counters &&
        std::all_of(record.begin(), record.begin() + plan_.counters, [](uint32_t c) { return c == ~0u; }))
      return;
    ++recorded_;
    const rewrite::WaveCounts counts = rewrite::counts_of(plan_, record);
    for (size_t b = 0; b < counts.blocks.size(); ++b)
      blocks_[b] += counts.blocks[b];
    for (size_t s = 0; s < counts.sites.size(); ++s) {
      sites_[s].counts += counts.sites[s];
      if (counts.sites[s].executions)
        waves_.push_back({{group[0], group[1], group[2]}, wave, sites_[s].pc, counts.sites[s]});
    }
  };
  for (uint32_t z = 0; z < shape.groups[2]; ++z)
    for (uint32_t y = 0; y < shape.groups[1]; ++y)
      for (uint32_t x = 0; x < shape.groups[0]; ++x) {
        const uint32_t group[3] = {x, y, z};
        const size_t number = (size_t(z) * shape.groups[1] + y) * shape.groups[0] + x;
        each_wave(shape, group,
                  [&](uint32_t wave, uint32_t record) { take_wave(group, wave, number * shape.waves() + record); });
      }
}

std::string Counters::text() const {
  std::string text = fmt::format("counted by probes, in {} of {} waves\n", recorded_, of_);
  if (plan_.branches)
    text += findings::table({kernel_.name, object_.processor(), sites_, {}, /*lanes=*/false});
  if (plan_.blocks) {
    uint64_t instructions = 0;
    for (size_t b = 0; b < blocks_.size(); ++b)
      instructions += blocks_[b] * plan_.counted[b].instructions;
    text += fmt::format("{} wave-instructions in {} blocks\n", instructions, blocks_.size());
    for (size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b])
        text += fmt::format("  {:>10} times  {:#x}: {} instructions\n", blocks_[b], plan_.counted[b].begin,
                            plan_.counted[b].instructions);
  }
  return text;
}

nlohmann::ordered_json Counters::json() const {
  auto document = nlohmann::ordered_json::parse(
      findings::json({kernel_.name, object_.processor(), sites_, waves_, /*lanes=*/false}));
  document["measured_by"] = "probes";
  document["waves_recorded"] = recorded_;
  document["waves_in_all"] = of_;
  if (plan_.blocks) {
    auto& list = document["blocks"] = nlohmann::ordered_json::array();
    for (size_t b = 0; b < blocks_.size(); ++b)
      list.push_back({{"address", fmt::format("{:#x}", plan_.counted[b].begin)},
                      {"instructions", plan_.counted[b].instructions},
                      {"executions", blocks_[b]}});
  }
  return document;
}

} // namespace crosslane::launch
