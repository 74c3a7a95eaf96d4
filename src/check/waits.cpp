// Of each wave, what the checks know of it; of each instruction, what it touches.
#include "check/waits.h"
#include "isa/classify.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace crosslane::check {

namespace {

bool asks_lanes(const isa::Instruction& in) { // for the values of others
  return in.form == isa::Form::dpp || in.op == isa::Op::ds_swizzle_b32 || in.op == isa::Op::ds_bpermute_b32;
}

// EXEC decides whether it does anything.
bool needs_lanes(const isa::Instruction& in) { return isa::is_vector(in.encoding) && !isa::ignores_exec(in); }

// With VGPR indexing: M0[15:12] says of which operands (source 0, 1, 2, destination) the register's number moves by
// M0[7:0]. Source: Vega ISA manual, "VGPR Indexing".
std::vector<lint::Use> moved_by_index(std::vector<lint::Use> uses, uint32_t m0) {
  for (lint::Use& u : uses) {
    const bool moves = u.role == isa::Role::src0   ? m0 >> 12 & 1
                       : u.role == isa::Role::src1 ? m0 >> 13 & 1
                       : u.role == isa::Role::src2 ? m0 >> 14 & 1
                       : u.role == isa::Role::dst  ? m0 >> 15 & 1
                                                   : 0;
    if (moves && u.first >= lint::slot::vgpr && u.first < lint::slot::accvgpr)
      u.first = uint16_t(std::min<uint32_t>(u.first + (m0 & 255), lint::slot::accvgpr - u.count));
  }
  return uses;
}

} // namespace

struct Waits::OfWave {
  std::vector<lint::SharedState> states; // one of each follower
  uint64_t launched = 0;                 // lanes
  const Block* indexed = nullptr;        // it is in this one, with VGPR indexing: each step is another one
};

// What is the same each time that it is executed.
struct Waits::Block {
  const events::Block* events = nullptr;
  std::vector<lint::Use> uses;
  std::vector<lint::Step> steps;
  std::vector<uint8_t> judged, judged_without_lanes;
};

struct Waits::Shelf {
  std::mutex mutex;
  std::set<std::pair<lint::Rule, uint64_t>> told;
  lint::Report report;
  std::vector<std::unique_ptr<lint::Follower>> followers;
  std::unordered_map<uint32_t, Block> blocks; // by id
  std::unordered_map<const machine::Wave*, OfWave> waves;

  void follow(OfWave& wave, const lint::Stretch& stretch) {
    const size_t before = report.findings.size();
    for (size_t n = 0; n < followers.size(); ++n)
      wave.states[n] = followers[n]->follow(wave.states[n], stretch);
    keep_new(before);
  }

  // Behind the findings that were there before: of a loop, once.
  void keep_new(size_t before) {
    auto& all = report.findings;
    if (all.size() > before)
      all.erase(std::remove_if(all.begin() + ptrdiff_t(before), all.end(),
                               [&](const lint::Finding& f) { return !told.emplace(f.rule, f.pc).second; }),
                all.end());
  }
};

Waits::Waits(const lint::Subject& subject) : subject_(subject) {
  for (auto& shelf : shelves_) {
    shelf = std::make_unique<Shelf>();
    shelf->followers = lint::followers(subject, shelf->report);
  }
}
Waits::~Waits() = default;

const Waits::Block& Waits::block_of(Shelf& shelf, const events::Block& events) const {
  const auto [found, fresh] = shelf.blocks.try_emplace(events.id);
  Block& b = found->second;
  if (!fresh)
    return b;
  b.events = &events;
  std::vector<size_t> ends;
  for (const events::Site& site : events.sites) {
    lint::append_uses(*site.instruction, false, b.uses);
    ends.push_back(b.uses.size());
  }
  size_t begin = 0;
  for (size_t n = 0; n < ends.size(); ++n) {
    const events::Site& site = events.sites[n];
    const std::span<const lint::Use> uses(b.uses.data() + begin, b.uses.data() + ends[n]);
    begin = ends[n];
    const analysis::BlockId block = subject_.graph.block_around(site.pc);
    if (block == analysis::none) // code that is not judged: a trap handler, or what the analysis does not reach
      continue;
    b.steps.push_back(
        {.pc = site.pc,
         .instruction = site.instruction,
         .uses = uses,
         .block = block,
         .facts = lint::facts_of(*site.instruction, uses)}); // also where indices move them: within their file
    b.judged.push_back(true);
    b.judged_without_lanes.push_back(!needs_lanes(*site.instruction));
  }
  return b;
}

Waits::OfWave& Waits::wave_of(Shelf& shelf, const machine::Wave* w, uint64_t pc) const {
  OfWave& wave = shelf.waves[w];
  if (!wave.states.empty())
    return wave;
  wave.launched = w->launched;
  const uint32_t f = subject_.graph.function_at(pc);
  const analysis::Function entry =
      f == analysis::none ? analysis::Function{.address = pc, .kernel = true} : subject_.graph.functions[f];
  for (const auto& follower : shelf.followers)
    wave.states.push_back(follower->enter(entry));
  return wave;
}

void Waits::issued(const events::Issued& event) {
  Shelf& shelf = this->shelf(event.wave);
  const std::lock_guard lock(shelf.mutex);
  const Block& block = block_of(shelf, *event.block);
  if (block.steps.empty())
    return;
  OfWave& wave = wave_of(shelf, event.wave, block.steps.front().pc);
  const bool indexed = event.wave->mode >> analysis::gpr_index_bit & 1;
  wave.indexed = indexed ? &block : nullptr;
  if (indexed)
    return;
  const uint64_t key = uint64_t(event.block->id) * 2 + (event.exec != 0) + 1;
  shelf.follow(wave, {block.steps, event.exec ? block.judged : block.judged_without_lanes, key});
}

void Waits::step(const events::Step& event) {
  const isa::Instruction& in = *event.site.instruction;
  const machine::Wave& w = *event.wave;
  const bool indexed = w.mode >> analysis::gpr_index_bit & 1, asks = asks_lanes(in) && w.exec() != w.launched;
  if (!indexed && !asks)
    return;
  Shelf& shelf = this->shelf(&w);
  const std::lock_guard lock(shelf.mutex);
  const uint64_t pc = event.site.pc;
  if (subject_.graph.block_around(pc) == analysis::none)
    return;
  OfWave& wave = wave_of(shelf, &w, pc);
  if (asks)
    if (const auto off = off_lane(w, in, wave.launched)) {
      const size_t before = shelf.report.findings.size();
      shelf.report.findings.push_back(told_of(*off, in, pc));
      shelf.keep_new(before);
    }
  if (!indexed || !wave.indexed)
    return;
  const auto of_block = std::ranges::find(wave.indexed->steps, pc, &lint::Step::pc);
  if (of_block == wave.indexed->steps.end())
    return;
  lint::Step step = *of_block;
  const auto moved = moved_by_index({step.uses.begin(), step.uses.end()}, w.s[isa::code::m0]);
  step.uses = moved;
  const uint8_t judged = !needs_lanes(in) || w.exec() != 0;
  shelf.follow(wave, {{&step, 1}, {&judged, 1}});
}

lint::Finding Waits::told_of(const OffLane& off, const isa::Instruction& in, uint64_t pc) const {
  return {.rule = lint::Rule::dpp_inactive,
          .severity = lint::Severity::warning,
          .said = lint::Said::manual,
          .pc = pc,
          .message = fmt::format("{} asks for the value of lane {} in lane {}{}, but that lane is off in EXEC: {}",
                                 isa::mnemonic(in.op, subject_.target()), off.source, off.lane,
                                 off.count > 1 ? fmt::format(" (and {} more like it)", off.count - 1) : "",
                                 in.form == isa::Form::dpp ? "the old value stays" : "0 comes in")};
}

void Waits::wave_ended(const events::WaveEnded& event) {
  Shelf& shelf = this->shelf(event.wave);
  const std::lock_guard lock(shelf.mutex);
  shelf.waves.erase(event.wave);
}

lint::Report Waits::report(const lint::Options& options) const {
  lint::Report all;
  for (const auto& shelf : shelves_)
    std::ranges::copy(shelf->report.findings, std::back_inserter(all.findings));
  std::erase_if(all.findings, [&](const lint::Finding& f) {
    return f.severity > lint::Severity::warning || !lint::asked_for(options, f.rule, f.severity, f.said);
  });
  lint::bring_into_order(all);
  const auto same = [](const lint::Finding& a, const lint::Finding& b) { return a.pc == b.pc && a.rule == b.rule; };
  all.findings.erase(std::unique(all.findings.begin(), all.findings.end(), same), all.findings.end());
  return all;
}

} // namespace crosslane::check
