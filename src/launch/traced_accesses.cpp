// Sums, and what is told of them.
#include "launch/traced_accesses.h"
#include "isa/classify.h"
#include "isa/print.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::launch {

llvm::Expected<TracedAccesses> TracedAccesses::create(const codeobject::CodeObject& object,
                                                      const rewrite::KernelPlan& plan) {
  auto reader = rewrite::TraceReader::create(object, plan);
  if (!reader)
    return reader.takeError();
  return TracedAccesses(plan, std::move(*reader));
}

namespace {

// 64-byte lines that the lanes touch.
uint64_t lines_of(const rewrite::LaneAddresses& at) {
  std::vector<uint64_t> lines;
  for (uint32_t lane = 0; lane < 64; ++lane)
    if (at.lanes >> lane & 1)
      for (uint64_t line = at.address[lane] / 64; line <= (at.address[lane] + at.bytes - 1) / 64; ++line)
        lines.push_back(line);
  std::ranges::sort(lines);
  return uint64_t(std::ranges::unique(lines).begin() - lines.begin());
}

} // namespace

TracedAccesses::Sums TracedAccesses::sums(const rewrite::Tally& tally) const {
  Sums sums{std::vector<Sum>(reader_.instructions().size())};
  for (const auto& wave : tally.traced()) {
    sums.accesses += wave.accesses;
    reader_.each(wave, [&](uint32_t place, const rewrite::LaneAddresses& at) {
      Sum& sum = sums.places[place];
      ++sums.traced;
      sum.requests += at.lanes != 0, sum.lanes += uint64_t(std::popcount(at.lanes));
      sum.lines += at.space == "lds" ? 0 : lines_of(at);
    });
  }
  return sums;
}

std::string TracedAccesses::text(const rewrite::Tally& tally, std::span<const views::BranchSite> at) const {
  const Sums sums = this->sums(tally);
  std::string text = fmt::format("{} accesses of memory and LDS traced", sums.traced);
  if (sums.traced < sums.accesses)
    text += fmt::format(" of {}: the rest of a wave's had no room in {} bytes, 'crosslane instrument --trace-bytes' "
                        "gives more",
                        sums.accesses, plan_->record_bytes);
  text += "\n    requests       lanes  64-byte lines\n";
  for (size_t p = 0; p < sums.places.size(); ++p) {
    const Sum& sum = sums.places[p];
    const bool in_lds = isa::unit(reader_.instructions()[p]) == isa::Unit::lds;
    if (sum.requests)
      text += fmt::format("  {:>10}  {:>10}  {:>13}  {}+{:#x} {}{}{}\n", sum.requests, sum.lanes,
                          in_lds ? "-" : fmt::format("{}", sum.lines), at[p].function, at[p].offset,
                          isa::print(reader_.instructions()[p]), at[p].source.empty() ? "" : "  ", at[p].source);
  }
  if (const size_t n = plan_->memory->untraced.size())
    text += fmt::format("not traced: {} instructions, of images, formats, GDS or scratch\n", n);
  return text;
}

nlohmann::ordered_json TracedAccesses::json(const rewrite::Tally& tally, std::span<const views::BranchSite> at) const {
  const Sums sums = this->sums(tally);
  nlohmann::ordered_json out{
      {"accesses", sums.accesses}, {"traced", sums.traced}, {"record_bytes", plan_->record_bytes}};
  auto& list = out["instructions"] = nlohmann::ordered_json::array();
  for (size_t p = 0; p < sums.places.size(); ++p)
    list.push_back({{"address", fmt::format("{:#x}", plan_->memory->places[p].address)},
                    {"function", at[p].function},
                    {"offset", at[p].offset},
                    {"source", at[p].source},
                    {"text", isa::print(reader_.instructions()[p])},
                    {"requests", sums.places[p].requests},
                    {"lanes", sums.places[p].lanes},
                    {"lines", sums.places[p].lines}});
  auto& untraced = out["untraced"] = nlohmann::ordered_json::array();
  for (const uint64_t address : plan_->memory->untraced)
    untraced.push_back(fmt::format("{:#x}", address));
  auto& waves = out["waves"] = nlohmann::ordered_json::array();
  for (const auto& w : tally.traced()) {
    waves.push_back(
        {{"workgroup", {w.workgroup[0], w.workgroup[1], w.workgroup[2]}}, {"wave", w.wave}, {"accesses", w.accesses}});
    auto& trace = waves.back()["trace"] = nlohmann::ordered_json::array();
    reader_.each(w, [&](uint32_t place, const rewrite::LaneAddresses& lanes) {
      std::vector<uint64_t> first, second;
      for (uint32_t lane = 0; lane < 64; ++lane)
        if (lanes.lanes >> lane & 1)
          first.push_back(lanes.address[lane]), second.push_back(lanes.second[lane]);
      trace.push_back({{"instruction", place},
                       {"space", lanes.space},
                       {"bytes", lanes.bytes},
                       {"lanes", fmt::format("{:#x}", lanes.lanes)},
                       {"addresses", std::move(first)}});
      if (lanes.two)
        trace.back()["second"] = std::move(second);
    });
  }
  return out;
}

} // namespace crosslane::launch
