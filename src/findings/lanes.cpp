// Lanes that idle: because they diverged, told of at the branch that took them away, or because their wave is partial.
#include "findings/guards.h"
#include "findings/parts.h"
#include "findings/text.h"
#include "isa/classify.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace crosslane::findings::parts {

namespace {

// What a guard's region loses.
struct Region {
  double lost = 0;                  // lane-cycles that this guard, and none around it, takes away
  double executions = 0, lanes = 0; // of the vector instructions in it
  size_t instructions = 0;
  int hottest = -1; // of them
  double most = 0;
};

double mean_lanes(const ProfiledInstruction& i) {
  return i.active ? mean(real(i.active->lanes()), real(i.active->executions())) : 0;
}

class Attribution {
public:
  explicit Attribution(const Findings& findings) : f_(findings), guards_(findings.kernel.instructions) {}

  std::map<int, Region> run() {
    for (size_t i = 0; i < f_.kernel.instructions.size(); ++i) {
      const auto& instruction = f_.kernel.instructions[i];
      if (instruction.active && instruction.lost_lane_cycles > 0)
        attribute(static_cast<int>(i), *instruction.active);
    }
    return std::move(regions_);
  }

  // The begin of the loop that lanes leave at this guard; -1: they go round a body of code.
  int loop_of(int guard) {
    if (isa::saves_exec(f_.at(guard).instruction))
      return -1;
    const auto [entry, added] = loops_.emplace(guard, -1);
    if (added)
      entry->second = find_loop(guard);
    return entry->second;
  }

private:
  const Findings& f_;
  Guards guards_;
  std::map<int, Region> regions_;
  std::map<int, int> loops_; // what loop_of() found

  // The innermost loop around it that is gone round without the lanes it took away.
  int find_loop(int guard) const {
    const auto& instructions = f_.kernel.instructions;
    int begin = -1;
    for (size_t j = static_cast<size_t>(guard); j < instructions.size(); ++j) {
      const int target = instructions[j].target;
      if (target > guard || target <= begin)
        continue;
      guards_.outwards(static_cast<int>(j), [&](int in_force) {
        if (in_force == guard)
          begin = target;
      });
    }
    return begin;
  }

  // Lanes that arrived before this guard took some away.
  double before(int guard, double launched) {
    if (const int loop = loop_of(guard); loop >= 0)
      return loop > 0 && f_.at(loop - 1).executions ? mean_lanes(f_.at(loop - 1)) : launched;
    return mean_lanes(f_.at(guard));
  }

  // From the nearest guard outwards: each answers for the lanes that arrived there and are not here.
  void attribute(int instruction, const views::ActiveLanes& lanes) {
    const auto& i = f_.at(instruction);
    const double executions = real(lanes.executions());
    const double active = mean_lanes(i), launched = active + mean(real(lanes.diverged), executions);
    double here = active;
    int last = -1;
    guards_.outwards(instruction, [&](int guard) {
      const auto& site = f_.at(guard).branch;
      if (site && !site->counts.divergences() && loop_of(guard) < 0)
        return; // the lanes agreed
      last = guard;
      const double arrived = std::min(before(guard, launched), launched);
      if (arrived > here + 0.01) {
        add(guard, instruction, lanes, i.lost_lane_cycles * (arrived - here) / (launched - active));
        here = arrived;
      }
    });
    // What no guard explains is the outermost one's, or that of whoever called.
    if (launched > here + 0.01)
      add(last, instruction, lanes, i.lost_lane_cycles * (launched - here) / (launched - active));
  }

  void add(int guard, int instruction, const views::ActiveLanes& lanes, double lost) {
    Region& region = regions_[guard];
    region.lost += lost;
    region.executions += real(lanes.executions());
    region.lanes += real(lanes.lanes());
    ++region.instructions;
    if (lost > region.most)
      region.most = lost, region.hottest = instruction;
  }
};

std::string losses(const Findings& f, const Region& region, const char* where = "behind it") {
  return fmt::format("The {} vector instruction{} {} lose{} {} lane-cycles, {} of the kernel's.", region.instructions,
                     region.instructions == 1 ? "" : "s", where, region.instructions == 1 ? "s" : "",
                     thousands(static_cast<uint64_t>(std::llround(region.lost))),
                     share_text(region.lost, f.total.lane_cycles));
}

void loop_finding(Findings& f, int guard, const Region& region) {
  const auto& site = f.at(guard).branch;
  const std::string rounds =
      site ? fmt::format(", some of them in {} of {} rounds", thousands(site->counts.divergences()),
                         thousands(site->counts.executions))
           : "";
  f.add(
      FindingKind::divergence, guard, region.lost, "lane-cycles", f.total.lane_cycles,
      fmt::format("Lanes leave this loop at different times: {} of 64 work in it on average",
                  per_each(region.lanes, region.executions)),
      fmt::format("{} lets lanes go one by one{}, and the wavefront goes round until the last one is done. {}",
                  quoted(f.at(guard)), rounds, losses(f, region, "of the loop")),
      "Give the lanes of a wavefront work of similar length: sort the items by it, split long ones among lanes, or let "
      "each lane fetch its next item as soon as it is done.");
}

std::string how_often(uint64_t count) { return count == 1 ? "once" : thousands(count) + " times"; }

void branch_finding(Findings& f, int guard, const Region& region) {
  const auto& instruction = f.at(guard);
  const Words words = f.words(instruction.source);
  std::string text = quoted(instruction);
  double part = 1; // of the arriving lanes that go on where they disagree
  if (instruction.branch && instruction.branch->counts.executions && instruction.branch->lanes_counted) {
    const auto& c = instruction.branch->counts;
    const double arriving = mean(real(c.arriving_lanes), real(c.executions));
    part = mean(real(c.condition_lanes) - arriving * real(c.all), arriving * real(c.divergences()));
    text += fmt::format(
        " ran {} and divided the lanes {} ({}); {} of {} arriving lanes go on. ", how_often(c.executions),
        how_often(c.divergences()), share_text(real(c.divergences()), real(c.executions)),
        per_each(real(c.condition_lanes), real(c.executions)), per_each(real(c.arriving_lanes), real(c.executions)));
  } else {
    text += " takes lanes away. ";
  }
  std::string advice = fmt::format(
      "Arrange the items so that 64 neighbouring work-items decide alike: sort them by the condition, or let it "
      "depend on {} / 64. A short body is better computed by all lanes and selected from.",
      words.item);
  if (region.lanes < 1.5 * region.executions)
    advice =
        fmt::format("One lane works for its wavefront. Let all lanes take a part (sums: {}), or keep this code short: "
                    "what is the same for all lanes, the scalar unit can compute.",
                    words.wave_add);
  else if (part < 0.25)
    advice = fmt::format("Few lanes go on where they disagree, so bring them together: collect the items that need "
                         "this code (a ballot and a count of "
                         "the bits before each lane's own, or a queue in {}) and work on 64 of them at a time.",
                         words.lds);
  f.add(FindingKind::divergence, guard, region.lost, "lane-cycles", f.total.lane_cycles,
        fmt::format("Lanes disagree at this branch: {} of 64 work behind it on average",
                    per_each(region.lanes, region.executions)),
        text + losses(f, region), advice);
}

// The next width of a block of that many rows that fills its wavefronts.
uint32_t full_width(uint32_t width, uint32_t rows) {
  while (width * rows % 64)
    ++width;
  return width;
}

std::string block_text(uint32_t x, const uint32_t (&block)[3]) {
  const uint32_t shape[3] = {x, block[1], block[2]};
  return shape_text(shape);
}

} // namespace

void find_divergence(Findings& f) {
  if (f.total.lost_lane_cycles <= 0)
    return;
  Attribution attribution(f);
  for (const auto& [guard, region] : attribution.run()) {
    if (guard < 0)
      f.add(FindingKind::divergence, region.hottest, region.lost, "lane-cycles", f.total.lane_cycles,
            fmt::format("Lanes are missing from the start: {} of 64 work on average",
                        per_each(region.lanes, region.executions)),
            fmt::format("No branch of this function took them away, so whoever called it did, or set EXEC. {}",
                        losses(f, region, "concerned")),
            "Call it where all lanes take part, or inline it, so that the branch around the call is seen.");
    else if (attribution.loop_of(guard) >= 0)
      loop_finding(f, guard, region);
    else
      branch_finding(f, guard, region);
  }
}

void find_partial_waves(Findings& f) {
  const auto& k = f.kernel;
  const double lost = f.total.lost_to_partial_waves;
  const uint32_t rows = k.block[1] * k.block[2], items = k.block[0] * rows, waves = (items + 63) / 64;
  const std::string cost =
      fmt::format("{} lane-cycles, {} of the kernel's, are those of lanes that were never launched.",
                  thousands(static_cast<uint64_t>(std::llround(lost))), share_text(lost, f.total.lane_cycles));
  if (items % 64) {
    const uint32_t more = full_width(k.block[0], rows);
    uint32_t less = k.block[0];
    while (less && less * rows % 64)
      --less;
    std::string advice = fmt::format("A block of {} fills its wavefronts", block_text(more, k.block));
    if (less)
      advice += fmt::format(", and so does one of {}", block_text(less, k.block));
    f.add(FindingKind::partial_waves, -1, lost, "lane-cycles", f.total.lane_cycles,
          fmt::format("Blocks of {} work-items leave {} of the 64 lanes of their last wavefront empty", items,
                      waves * 64 - items),
          fmt::format("A block of {} is {} wavefront{}, which cost as much as {} work-items. {}", shape_text(k.block),
                      waves, waves == 1 ? "" : "s", waves * 64, cost),
          advice + ": sizes should be multiples of 64.");
    return;
  }
  f.add(
      FindingKind::partial_waves, -1, lost, "lane-cycles", f.total.lane_cycles,
      fmt::format("A grid of {} work-items leaves the last blocks of {} partly empty", shape_text(k.grid),
                  shape_text(k.block)),
      cost,
      "Make the grid a multiple of 64 work-items in x, or give each launch more work: the edges are what counts here.");
}

} // namespace crosslane::findings::parts
