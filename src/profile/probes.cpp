// What a plan says of addresses, as a listing wants it.
#include "profile/probes.h"
#include "isa/decode.h"
#include "profile/probe_figures.h"
#include <algorithm>

namespace crosslane::profile {

ProbeHearing::ProbeHearing(const rewrite::KernelPlan* plan, const views::Image& image, bool per_wave) {
  if (!plan)
    return;
  tally_.emplace(*plan, per_wave);
  if (!plan->memory)
    return;
  auto reader = rewrite::TraceReader::create(*image.object, *plan);
  if (reader)
    traced_.emplace(std::move(*reader), *plan->memory, image);
  else // what made the plan had the same code
    llvm::consumeError(reader.takeError());
}

void ProbeHearing::add(const rewrite::Grid& grid, std::span<const uint8_t> records) {
  if (!tally_ || records.empty())
    return;
  tally_->add(grid, records);
  for (const auto& wave : tally_->take_traced()) {
    accesses_ += wave.accesses;
    const uint64_t row = wave.workgroup[1] + uint64_t(grid.groups(1)) * wave.workgroup[2];
    if (traced_)
      traced_->tell(wave, wave.workgroup[0] + grid.groups(0) * row, listeners_);
  }
}

template <class F> void ProbeHearing::each_counted(const views::Image& image, F f) const {
  if (!tally_)
    return;
  const std::vector<uint64_t> executions = tally_->blocks();
  for (size_t b = 0; b < executions.size(); ++b) {
    const rewrite::PlannedBlock& block = tally_->plan().counted[b];
    uint64_t at = block.begin;
    for (uint32_t n = 0; n < block.instructions; ++n) {
      auto bytes = image.object->bytes_at(at, 8);
      if (bytes.empty()) // the last one
        bytes = image.object->bytes_at(at, 4);
      isa::Instruction instruction;
      const int size = isa::decode(image.target, bytes, instruction);
      if (size <= 0)
        break;
      f(image.base + (at - image.object->image_begin()), instruction, executions[b]);
      at += uint64_t(size);
    }
  }
}

void ProbeHearing::list(report::Listing& listing) {
  each_counted(listing.image(), [&](uint64_t pc, const isa::Instruction& instruction, uint64_t executions) {
    if (executions)
      listing.ran(pc, instruction);
  });
  if (tally_)
    list_places(*tally_, listing);
}

void ProbeHearing::fill_in(report::Listing& listing) {
  each_counted(listing.image(), [&](uint64_t pc, const isa::Instruction&, uint64_t executions) {
    if (auto* entry = listing.at(pc))
      entry->executions += executions;
  });
  if (!tally_)
    return;
  listing.kernel().waves_recorded = tally_->recorded();
  fill_in_figures(*tally_, listing);
  if (traced_)
    add_traced(accesses_, traced_->told(), listing);
  if (tally_->plan().branches)
    fill_in_branches(listing);
}

void ProbeHearing::fill_in_branches(report::Listing& listing) const {
  const views::Image& image = listing.image();
  std::vector<views::BranchSite> sites;
  const std::vector<views::BranchCounts> counts = tally_->sites();
  for (size_t s = 0; s < counts.size(); ++s) {
    const rewrite::PlannedSite& planned = tally_->plan().sites[s];
    views::BranchSite site;
    site.pc = image.base + (planned.address - image.object->image_begin());
    site.per_lane = planned.per_lane;
    site.lanes_counted = false;
    site.counts = counts[s];
    sites.push_back(std::move(site));
  }
  views::locate(sites, image);
  for (const rewrite::Tally::OfWave& wave : tally_->waves()) {
    findings::WaveBranchCounts own;
    std::copy_n(wave.workgroup, 3, own.workgroup);
    own.wave = wave.wave;
    own.instruction = listing.index(sites[wave.site].pc);
    own.counts = wave.counts;
    listing.kernel().waves_branches.push_back(own);
  }
  for (views::BranchSite& site : sites)
    if (auto* entry = listing.at(site.pc); entry && site.counts.executions)
      entry->branch = std::move(site);
}

} // namespace crosslane::profile
