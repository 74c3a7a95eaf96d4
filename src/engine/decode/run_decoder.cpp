// One instruction of a run: read, hooked, lowered, aimed.
#include "engine/decode/run_decoder.h"
#include "engine/memory/access_event.h"
#include "isa/classify.h"
#include "isa/decode.h"
#include <algorithm>
#include <span>

namespace crosslane::engine {

namespace {

std::atomic<uint32_t> next_block = 0;

CROSSLANE_CC void skip(const Uop* op, Wave* w) { CROSSLANE_NEXT(op, w); }

} // namespace

uint32_t new_block_id() { return next_block++; }

RunDecoder::RunDecoder(Program& program, Key start, std::vector<Key>& pending)
    : program_(program), pending_(pending), sink_(program.kept_), start_(uint32_t(start)),
      end_(uint32_t(program.size_ / 4)), pc_(uint32_t(start)), mode_{uint8_t(start >> 32)} {}

// Whoever comes to the middle of a run, as what leaves compiled code does, finds the sites there that the run has.
void RunDecoder::find_sites_before() {
  for (const Program::Source& run : program_.sources_) {
    if (run.pc >= start_ || start_ - run.pc >= run.words.size())
      continue;
    isa::SiteFinder sites;
    uint32_t pc = run.pc;
    for (isa::Instruction inst; pc < start_;) {
      const int size = read(pc, inst);
      if (!size || !flow_of(inst, pc).falls_through)
        break;
      sites.next(inst), pc += uint32_t(size) / 4;
    }
    if (pc == start_) {
      sites_of_lanes_ = sites;
      return;
    }
  }
}

void RunDecoder::decode(std::vector<Program::Run>& runs) {
  if (program_.hooks_.branches)
    find_sites_before();
  while (step())
    ++ordinal_;
  close_block();
  keep(runs);
}

bool RunDecoder::step() {
  isa::Instruction inst;
  const int size = read(pc_, inst);
  static const isa::Row nothing{};
  Lowering l{inst,     size ? isa::row(inst.op) : nothing, sink_, program_.base_ + uint64_t(pc_) * 4, pc_,
             ordinal_, program_.hooks_.branches,           mode_};
  if (continued(l))
    return false;
  begin(l, size);
  if (cannot_start(l, size))
    return false;

  const Flow flow = flow_of(inst, pc_);
  // As the code has it, for listeners.
  const isa::Instruction* const written = program_.hooks_.any() ? sink_.keep(inst) : nullptr;
  // VSKIP: vector instructions are not issued. Source: Vega ISA manual, S_SETVSKIP.
  const bool issued = !mode_.has(DecodeMode::vskip) || !isa::is_vector(l.row.encoding);
  const bool executes = lower_hooked(l, inst, written, issued);
  end_block_behind(l, flow, written, executes, issued);
  mode_ = l.mode;
  aim(inst, flow);
  pc_ += uint32_t(size) / 4;
  return flow.falls_through;
}

// The instruction's bytes; 0: there is none.
int RunDecoder::read(uint32_t pc, isa::Instruction& inst) const {
  if (pc >= end_)
    return 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(program_.base_) + uint64_t(pc) * 4;
  const int size = isa::decode(program_.target_, std::span(bytes, program_.size_ - uint64_t(pc) * 4), inst);
  return inst.reserved ? 0 : size; // LLVM prints it, the hardware does not define it
}

// Where another run has been here (a run never meets itself: it only moves forward).
bool RunDecoder::continued(Lowering& l) {
  if (pc_ >= end_ || !program_.find(here()))
    return false;
  run_.patches.push_back({sink_.uops.size(), here()});
  l.emit(UopKind::link, link).ordinal = ordinal_ - 1; // the link itself is no instruction
  return true;
}

void RunDecoder::begin(Lowering& l, int size) {
  const bool issued_hook = program_.hooks_.issued;
  if (issued_hook && hook_ != none)
    return;
  if (pc_ < end_)
    entries_.push_back({here(), {sink_.uops.size(), ordinal_}});
  if (program_.loops_ && std::ranges::any_of(program_.loops_->loops, [&](const auto& l) { return l.pc == pc_; }))
    l.emit(UopKind::event, loop_head).target = reinterpret_cast<const Uop*>(program_.loops_);
  if (program_.coverage_ && pc_ < end_)
    l.emit(UopKind::event, mark_executed).target = reinterpret_cast<const Uop*>(&program_.coverage_->mark(pc_));
  if (issued_hook && size) {
    hook_ = sink_.uops.size();
    l.emit(UopKind::event, event_issued);
  }
}

// A fault in the place of an instruction.
bool RunDecoder::cannot_start(Lowering& l, int size) {
  if (size == 0)
    l.emit(UopKind::fault, pc_ < end_ ? fault_illegal : fault_left_code).k0 = l.address;
  else if (!beyond_registers(l.inst, program_.limits_).empty())
    l.emit(UopKind::fault, fault_registers);
  else
    return false;
  return true;
}

// The instruction's Uops, and around them those that tell listeners. False: it is not executed, which is a named fault.
bool RunDecoder::lower_hooked(Lowering& l, isa::Instruction& inst, const isa::Instruction* written, bool issued) {
  const Hooks& hooks = program_.hooks_;
  const size_t body = sink_.uops.size();
  uint16_t old;
  if (hooks.repeats)
    emit_repeated(l);
  if (!mode_.has(DecodeMode::privileged) && discard_privileged_write(inst, l.row, old))
    emit_discarded(l, old);
  if (issued && hooks.steps)
    emit_step_event(l, written);
  if (issued && (hooks.barriers || hooks.waits))
    emit_wait_event(l, written, hooks.barriers, hooks.waits);
  if (issued && hooks.paced && (isa::depends_on_time(inst) || (hooks.paced_stores && isa::shows_to_others(inst))) &&
      emit_pace(l, written))
    return true;
  if (issued && (hooks.memory || hooks.lds))
    emit_access_event(l, written, hooks.memory, hooks.lds);
  const bool narrows = hooks.branches && sites_of_lanes_.next(*written) == isa::SiteKind::exec && issued;
  if (narrows)
    emit_keep_exec(l);
  if (issued && !lower(l, program_.backend_)) {
    sink_.uops.resize(body);
    l.emit(UopKind::fault, fault_unimplemented);
    return false;
  }
  if (narrows)
    emit_exec_event(l, written);
  if (may_change_mode(l))
    emit_reconsider(l);
  return true;
}

void RunDecoder::end_block_behind(const Lowering& l, const Flow& flow, const isa::Instruction* written, bool executes,
                                  bool issued) {
  if (!program_.hooks_.issued)
    return;
  if (executes && issued)
    sites_.push_back({l.address, written});
  if (!executes || ends_block(l.inst, l.row, flow) || may_change_mode(l))
    close_block();
}

void RunDecoder::close_block() {
  if (hook_ == none)
    return;
  if (sites_.empty()) {
    sink_.uops[hook_].fn = skip; // its first instruction does not execute
  } else {
    const auto& kept = program_.sites_.emplace_back(std::move(sites_));
    const auto& block = program_.blocks_.emplace_back(events::Block{new_block_id(), kept});
    sink_.uops[hook_].target = reinterpret_cast<const Uop*>(&block);
  }
  hook_ = none;
  sites_.clear();
}

// Where a direct branch goes, and what its iterations cost if they wait for another wave.
void RunDecoder::aim(const isa::Instruction& inst, const Flow& flow) {
  waiting_.pass(inst, pc_);
  if (!flow.branches)
    return;
  Uop& branch = sink_.uops.back();
  if (const uint32_t cost = waiting_.cost(pc_, flow.target))
    branch.aux = cost;
  if (flow.target < end_) {
    run_.patches.push_back({sink_.uops.size() - 1, Program::key(flow.target, mode_)});
    pending_.push_back(Program::key(flow.target, mode_));
  } else {
    branch.target = program_.outside(program_.base_ + uint64_t(int64_t(int32_t(flow.target))) * 4);
    branch.imm = int32_t(ordinal_ + 1);
  }
}

// Copies the Uops to where they stay, and remembers the code that they were decoded from.
void RunDecoder::keep(std::vector<Program::Run>& runs) {
  run_.count = sink_.uops.size();
  run_.uops = program_.uops_of(run_.count);
  std::copy(sink_.uops.begin(), sink_.uops.end(), run_.uops);
  const auto* words = reinterpret_cast<const uint32_t*>(program_.base_);
  const uint32_t seen = std::min(pc_ + 2, end_); // with what the decoder looked at where it found no instruction
  if (seen > start_)
    program_.sources_.push_back({start_, std::vector<uint32_t>(words + start_, words + seen)});
  for (const auto& [at, entry] : entries_)
    program_.fresh_[at] = {run_.uops + entry.first, entry.second};
  runs.push_back(std::move(run_));
}

} // namespace crosslane::engine
