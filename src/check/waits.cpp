// Of each wave, what the checks know of it; of each instruction, what it touches.
#include "check/waits.h"
#include "isa/classify.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace crosslane::check {

namespace {

// What is the same each time that it is executed.
struct Known {
  isa::Instruction instruction;
  std::vector<lint::Use> uses;
  lint::Facts facts;
  analysis::BlockId block = analysis::none;
  bool needs_lanes = false; // EXEC decides whether it does anything
  bool asks_lanes = false;  // for the values of others
};

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
  std::vector<std::unique_ptr<lint::WaveState>> states;
  uint64_t launched = 0; // lanes
};

struct Waits::Shelf {
  std::mutex mutex;
  std::set<std::pair<lint::Rule, uint64_t>> told;
  lint::Report report;
  std::vector<std::unique_ptr<lint::Follower>> followers;
  std::unordered_map<uint64_t, Known> code; // by address
  std::vector<lint::Use> moved;
  std::unordered_map<const machine::Wave*, OfWave> waves;

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

void Waits::step(const events::Step& event) {
  Shelf& shelf = this->shelf(event.wave);
  const std::lock_guard lock(shelf.mutex);
  const uint64_t pc = event.site.pc;
  const auto [found, fresh] = shelf.code.try_emplace(pc);
  Known& known = found->second;
  if (fresh) {
    known.instruction = *event.site.instruction;
    known.block = subject_.graph.block_around(pc);
    lint::append_uses(known.instruction, false, known.uses);
    known.facts = lint::facts_of(known.instruction, known.uses); // also where indices move them: within their file
    known.asks_lanes = known.instruction.form == isa::Form::dpp || known.instruction.op == isa::Op::ds_swizzle_b32 ||
                       known.instruction.op == isa::Op::ds_bpermute_b32;
    known.needs_lanes = isa::is_vector(known.instruction.encoding) && !isa::ignores_exec(known.instruction);
  }
  if (known.block == analysis::none)
    return;
  OfWave& wave = shelf.waves[event.wave];
  auto& states = wave.states;
  if (states.empty()) {
    wave.launched = event.wave->exec();
    const uint32_t f = subject_.graph.function_at(pc);
    const analysis::Function entry =
        f == analysis::none ? analysis::Function{.address = pc, .kernel = true} : subject_.graph.functions[f];
    for (const auto& follower : shelf.followers)
      states.push_back(follower->enter(entry));
  }
  const bool indexed = event.wave->mode >> analysis::gpr_index_bit & 1;
  if (indexed)
    shelf.moved = moved_by_index(known.uses, event.wave->s[isa::code::m0]);
  const lint::Step step{.pc = pc,
                        .instruction = &known.instruction,
                        .uses = indexed ? shelf.moved : known.uses,
                        .block = known.block,
                        .facts = known.facts};
  const bool judged = !known.needs_lanes || event.wave->exec() != 0;
  const size_t before = shelf.report.findings.size();
  for (size_t n = 0; n < shelf.followers.size(); ++n)
    shelf.followers[n]->step(*states[n], step, judged);
  if (known.asks_lanes)
    if (const auto off = off_lane(*event.wave, known.instruction, wave.launched))
      shelf.report.findings.push_back(told_of(*off, known.instruction, pc));
  shelf.keep_new(before);
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
