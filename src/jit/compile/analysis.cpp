// What is known before any code is emitted: which registers live, and of which class their values are.
#include "engine/coverage.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/operands.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::UopKind;
using engine::Way;

// Registers that the unit names, in turn; then the temporaries of staging.
void Emitter::number_registers() {
  lane_of_.assign(machine::max_vgprs + machine::max_accvgprs, ~0u);
  const auto name = [&](uint32_t n) {
    if (n < lane_of_.size() && lane_of_[n] == ~0u) {
      lane_of_[n] = uint32_t(register_of_.size());
      register_of_.push_back(uint16_t(n));
    }
  };
  for (const LaunchLane& l : request_.launch)
    name(l.vgpr);
  for (const auto& u : unit_.instructions) {
    if (u.way == Way::leaves)
      continue;
    for (const isa::Operand& o : isa::operands(u.inst))
      if (o.file == isa::RegisterFile::vgpr || o.file == isa::RegisterFile::agpr)
        for (uint32_t n = o.first; n < uint32_t(o.first) + o.dwords; ++n)
          name(n + (o.file == isa::RegisterFile::agpr ? machine::max_vgprs : 0));
  }
  first_tmp_ = uint32_t(register_of_.size());
  wave_rows_.assign(first_tmp_ + tmp_count, Rows{});
}

// What lives in lanes that EXEC has, and in others, depends on each other: from nothing, until nothing is added.
void Emitter::find_live() {
  const llvm::BitVector none(live_lane(first_tmp_));
  in_exec_.assign(unit_.instructions.size(), none);
  in_exec_in_.assign(unit_.blocks.size(), none);
  beyond_.assign(unit_.instructions.size(), llvm::BitVector(first_tmp_));
  beyond_in_.assign(unit_.blocks.size(), llvm::BitVector(first_tmp_));
  full_exec_.resize(unit_.instructions.size());
  do
    find_in_exec();
  while (find_beyond());
  live_ = in_exec_, live_in_ = in_exec_in_;
  const auto add = [&](llvm::BitVector& live, const llvm::BitVector& vgprs) {
    for (const unsigned v : vgprs.set_bits())
      live.set(live_lane(v));
  };
  for (size_t n = 0; n < unit_.blocks.size(); ++n) {
    const auto& block = unit_.blocks[n];
    add(live_in_[n], beyond_in_[n]);
    for (uint32_t k = 0; k < block.count; ++k)
      add(live_[block.first + k], k ? beyond_[block.first + k - 1] : beyond_in_[n]);
  }
}

// Backwards, to a fixpoint. Of VGPRs the lanes that EXEC has count, which a masked write is a write of.
void Emitter::find_in_exec() {
  const uint32_t slots = live_lane(first_tmp_);
  const size_t blocks = unit_.blocks.size();
  const auto step = [&](uint32_t i, llvm::BitVector& live) {
    const auto& u = unit_.instructions[i];
    if (u.way == Way::leaves) {
      live.set();
      return;
    }
    if (isa::writes_exec(u.inst)) // it had other lanes before
      for (const unsigned v : beyond_[i].set_bits())
        live.set(live_lane(v));
    const isa::Operands all = isa::operands(u.inst);
    const auto each = [&](const isa::Operand& o, auto f) {
      for (uint32_t n = o.first; n < uint32_t(o.first) + o.dwords; ++n) {
        if (o.file == isa::RegisterFile::scalar && n < scalar_count)
          f(scalar_slot(n));
        else if (o.file == isa::RegisterFile::vgpr)
          f(live_lane(lane_of_[n]));
        else if (o.file == isa::RegisterFile::agpr)
          f(live_lane(lane_of_[machine::max_vgprs + n]));
        else if (o.file == isa::RegisterFile::special && n == isa::special::scc)
          f(live_scc());
        else if (o.file == isa::RegisterFile::special && n == isa::special::vccz)
          f(scalar_slot(106)), f(scalar_slot(107));
      }
    };
    for (const isa::Operand& o : all)
      if (o.written && !o.partial && o.extent == isa::Extent::exact && o.bits == ~0u)
        each(o, [&](uint32_t slot) {
          if (!o.masked || slot > live_scc() || full_exec_[i])
            live.reset(slot);
        });
    for (const isa::Operand& o : all)
      if (o.read || (o.written && (o.partial || o.bits != ~0u)))
        each(o, [&](uint32_t slot) { live.set(slot); });
    live.set(scalar_slot(126)), live.set(scalar_slot(127));
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = blocks; n-- > 0;) {
      const auto& block = unit_.blocks[n];
      llvm::BitVector live(slots);
      block.each_successor([&](uint32_t next) { live |= in_exec_in_[next]; });
      for (uint32_t i = block.count; i-- > 0;) {
        step(block.first + i, live);
        in_exec_[block.first + i] = live;
      }
      if (live != in_exec_in_[n])
        in_exec_in_[n] = live, changed = true;
    }
  }
}

namespace {

// VGPRs that are read later in lanes that EXEC does not have now, by the pair of scalar registers whose lanes they are;
// by any_lanes: whatever they are.
using Beyond = std::map<uint32_t, llvm::BitVector>;
constexpr uint32_t any_lanes = ~0u;

void add(Beyond& b, uint32_t pair, const llvm::BitVector& vgprs) {
  if (const auto [at, is_new] = b.try_emplace(pair, vgprs); !is_new)
    at->second |= vgprs;
}

// Pairs so that all lanes of the mask that an instruction of the scalar unit makes are in EXEC or one of them; none:
// that is not known.
std::optional<std::vector<uint32_t>> lanes_of_result(const isa::Instruction& i) {
  using isa::Op;
  std::vector<uint32_t> pairs;
  bool known = true;
  const auto source = [&](uint16_t c) {
    if (c == isa::code::exec || c == isa::code::inline_int0)
      return;
    if (c % 2 || c >= 2 * pair_count)
      known = false;
    pairs.push_back(c / 2u);
  };
  switch (i.op) {
  case Op::s_mov_b64:
  case Op::s_andn2_b64: source(i.src[0]); break;
  case Op::s_or_b64:
  case Op::s_xor_b64:
  case Op::s_cselect_b64: source(i.src[0]), source(i.src[1]); break;
  case Op::s_and_b64:
    if (i.src[0] != isa::code::exec && i.src[1] != isa::code::exec)
      source(i.src[0] < 2 * pair_count ? i.src[0] : i.src[1]);
    break;
  default: {
    using enum isa::MaskOp;
    const isa::MaskOp op = isa::exec_mask_op(i.op);
    if (op == or_ || op == xor_ || op == andn2)
      source(i.src[0]);
    else if (op != and_ && op != andn1)
      return std::nullopt;
  }
  }
  return known ? std::optional(pairs) : std::nullopt;
}

// What a pair's new value is made of takes the place of the pair.
void define_masks(Beyond& b, const isa::Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  const bool of_lanes = row.dst == isa::Type::Mask || row.sdst == isa::Type::Mask;
  std::map<uint32_t, bool> written; // by pair: wholly
  for (const isa::Operand& o : isa::operands(inst))
    if (o.written && o.file == isa::RegisterFile::scalar)
      for (uint32_t n = o.first; n < uint32_t(o.first) + o.dwords; ++n)
        if (b.count(n / 2))
          written[n / 2] = o.dwords == 2 && o.first % 2 == 0 && !o.partial;
  for (const auto& [pair, wholly] : written) {
    const llvm::BitVector vgprs = b.at(pair);
    b.erase(pair);
    if (wholly && (of_lanes || isa::saves_exec(inst))) // no others than EXEC has
      continue;
    const auto sources = wholly ? lanes_of_result(inst) : std::nullopt;
    if (!sources)
      add(b, any_lanes, vgprs);
    else
      for (const uint32_t source : *sources)
        add(b, source, vgprs);
  }
}

} // namespace

// True: there are more than it had found before. Behind each instruction: VGPRs of which lanes that EXEC does not have
// may be read later. Where there are none, a write under EXEC is as good as a write of all lanes: no merging, and what
// is affine stays so. Lanes come back by masks that were saved, and where they were saved, EXEC had them.
bool Emitter::find_beyond() {
  const size_t blocks = unit_.blocks.size();
  const uint32_t lanes = first_tmp_;
  bool more = false;
  std::vector<Beyond> at_begin(blocks);
  const auto lanes_of = [&](const llvm::BitVector& live) {
    llvm::BitVector out(lanes);
    for (uint32_t i = 0; i < lanes; ++i)
      if (live.test(live_lane(i)))
        out.set(i);
    return out;
  };
  const auto step = [&](uint32_t i, Beyond& b, const llvm::BitVector& live) {
    const auto& u = unit_.instructions[i];
    if (u.way == Way::leaves)
      return add(b, any_lanes, llvm::BitVector(lanes, true));
    if (full_exec_[i])
      return b.clear(); // there are no other lanes
    define_masks(b, u.inst);
    if (isa::writes_exec(u.inst) && !isa::narrows_exec(u.inst)) { // lanes come back
      const auto sources = lanes_of_result(u.inst);
      for (const uint32_t pair : sources.value_or(std::vector{any_lanes}))
        add(b, pair, lanes_of(live));
    }
    llvm::BitVector read(lanes); // in whatever lanes
    for (const isa::Operand& o : isa::operands(u.inst))
      if (o.read && !o.masked && (o.file == isa::RegisterFile::vgpr || o.file == isa::RegisterFile::agpr))
        for (uint32_t r = o.first; r < uint32_t(o.first) + o.dwords; ++r)
          read.set(lane_of_[r + (o.file == isa::RegisterFile::agpr ? machine::max_vgprs : 0)]);
    if (read.any())
      add(b, any_lanes, read);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = blocks; n-- > 0;) {
      const auto& block = unit_.blocks[n];
      Beyond b;
      llvm::BitVector live(live_lane(lanes));
      block.each_successor([&](uint32_t next) {
        for (const auto& [pair, vgprs] : at_begin[next])
          add(b, pair, vgprs);
        live |= in_exec_in_[next];
      });
      const auto keep = [&](llvm::BitVector& known) {
        for (const auto& [pair, vgprs] : b)
          more = more || vgprs.test(known), known |= vgprs;
      };
      for (uint32_t k = block.count; k-- > 0;) {
        const uint32_t i = block.first + k;
        keep(beyond_[i]);
        step(i, b, live);
        live = in_exec_[i];
      }
      keep(beyond_in_[n]);
      if (b != at_begin[n])
        at_begin[n] = std::move(b), changed = true;
    }
  }
  return more;
}

void Emitter::forget_dead(State& s, const llvm::BitVector& live) const {
  for (uint32_t i = 0; i < s.v.size(); ++i) {
    if (i >= first_tmp_ || !live.test(live_lane(i)))
      s.v[i] = Lane{};
    s.v[i].offsets = nullptr;
  }
  for (uint32_t p = 0; p < pair_count; ++p) {
    s.m[p].all = s.m[p].no = s.m[p].in_exec = nullptr, s.m[p].wide = nullptr;
    if (s.m[p].kind != Mask::none && !live.test(2 * p) && !live.test(2 * p + 1))
      s.m[p] = {};
    for (uint32_t i = 2 * p; i < 2 * p + 2; ++i)
      if (!live.test(i))
        s.s[i] = {};
  }
  for (uint32_t i = 2 * pair_count; i < scalar_count; ++i)
    s.s[i] = {};
  if (!live.test(live_scc()))
    s.scc = {};
}

bool Emitter::is_unread(uint32_t slot) const {
  if (at_ + 1 < block_->first + block_->count)
    return !live_[at_ + 1].test(slot);
  bool unread = true;
  block_->each_successor([&](uint32_t next) { unread = unread && !live_in_[next].test(slot); });
  return unread;
}

// `full`: the wave was launched with all lanes. Else what others have in the registers of ids, in the Wave, is not what
// their class says: where it may be read, nothing is known of them.
State Emitter::initial(bool full) const {
  State s;
  s.masks_are_bits = st_.masks_are_bits;
  s.v.resize(first_tmp_ + tmp_count);
  s.m[exec_pair].kind = full ? Mask::full : Mask::rows;
  s.count = dry_ ? nullptr : llvm::ConstantInt::get(int64_, 0);
  s.lanes = request_.counts ? llvm::ConstantInt::get(int64_, machine::lanes_per_wave) : nullptr;
  for (const LaunchLane& l : request_.launch) {
    if (!full && beyond_in_[unit_.entry_block].test(lane_of_[l.vgpr]))
      continue;
    Lane& lane = s.v[lane_of_[l.vgpr]];
    lane.kind = Lane::affine, lane.no_wrap = true;
    lane.may = l.may, lane.zeros = l.zeros, lane.column = l.column, lane.fixed = {l.half, l.odd, l.last};
    lane.base = llvm::PoisonValue::get(int32_);
  }
  if (request_.ranges)
    for (const int n : request_.group_id)
      if (n >= 0)
        s.s[size_t(n)] = {Scalar::value, false, llvm::PoisonValue::get(int32_)};
  return s;
}

// Whether no wave has come there, so that it becomes no code.
bool Emitter::is_cold(uint32_t target) const {
  using engine::Coverage;
  const uint8_t cold = unit_.blocks[block_of(target)].cold;
  if (is_meeting(target))
    return cold == (Coverage::with_all_lanes | Coverage::with_fewer);
  return cold & (target == version(block_of(target), true) ? Coverage::with_all_lanes : Coverage::with_fewer);
}

// Forwards, optimistically: what a version of a block can assume is what all that reach it agree on.
void Emitter::find_classes() {
  const size_t count = 3 * unit_.blocks.size();
  targets_.clear();
  targets_.resize(count);
  ranges_ = request_.ranges && !calls_matrix() && !request_.only_loops && shared_.none(), waits_ = false;
  if (request_.partial_waves) // the Wave has other ids than most waves of a range
    for (const LaunchLane& l : request_.launch)
      ranges_ = ranges_ && !beyond_in_[unit_.entry_block].test(lane_of_[l.vgpr]);
  dry_ = true;
  llvm::BasicBlock* scratch = llvm::BasicBlock::Create(c_, "", function_);
  std::vector<uint32_t> pending;
  llvm::BitVector left_out(unsigned(unit_.blocks.size())); // blocks to which the interpreter may come,
  const auto arrive = [&](Edge& e) {
    Target& t = targets_[e.to];
    if (is_cold(e.to)) {
      left_out.set(block_of(e.to));
      return;
    }
    if (is_shared(e.to)) {
      if (t.classified)
        return;
      t.entered = t.loops = true;
      e.state = state_in_wave(e.to);
    }
    forget_dead(e.state, live_in_[block_of(e.to)]);
    if (!t.classified) {
      t.classified = true, t.state = std::move(e.state);
      pending.push_back(e.to);
    } else if (t.state.meet(e.state)) {
      pending.push_back(e.to);
    }
  };
  const auto edges_of = [&](uint32_t target) {
    b_.SetInsertPoint(scratch);
    std::vector<Edge> edges;
    emit_block(target, edges);
    return edges;
  };
  std::vector<uint32_t> starts;
  for (const bool full : {true, false})
    if (full ? request_.full_waves : request_.partial_waves) {
      Edge start{version(unit_.entry_block, full), false, initial(full)};
      starts.push_back(start.to);
      arrive(start);
    }
  for (uint32_t b = 0; b < unit_.blocks.size(); ++b)
    for (const bool full : {true, false})
      if (unit_.blocks[b].comes_back && (full ? request_.full_waves : !request_.leaves_ragged)) {
        Edge start{version(b, full), false, {}};
        if (!is_cold(start.to))
          starts.push_back(start.to), arrive(start);
      }
  while (!pending.empty()) {
    const uint32_t target = pending.back();
    pending.pop_back();
    for (Edge& e : edges_of(target))
      arrive(e);
  }
  // How many edges lead where, now that classes stand.
  full_exec_.assign(unit_.instructions.size(), true);
  // ... and in those that follow EXEC may be anything.
  std::vector<uint32_t> open;
  llvm::BitVector seen(unsigned(unit_.blocks.size()));
  const auto reach = [&](uint32_t b) {
    if (!seen.test(b))
      seen.set(b), open.push_back(b);
  };
  for (const unsigned b : left_out.set_bits())
    reach(b);
  while (!open.empty()) {
    const engine::UnitBlock& block = unit_.blocks[open.back()];
    open.pop_back();
    std::fill_n(full_exec_.begin() + block.first, block.count, false);
    block.each_successor(reach);
  }
  std::vector<std::vector<uint32_t>> next(count);
  for (uint32_t t = 0; t < count; ++t) {
    if (!targets_[t].classified)
      continue;
    for (const Edge& e : edges_of(t)) {
      polls_ = polls_ || e.waiting_cost;
      if (is_cold(e.to))
        continue;
      next[t].push_back(e.to);
      if (e.by_memory)
        targets_[e.to].entered = targets_[e.to].resumed = waits_ = true;
      else
        ++targets_[e.to].predecessors;
    }
  }
  scratch->eraseFromParent();
  for (const uint32_t start : starts)
    targets_[start].predecessors += ranges_ ? 2 : 1;
  find_loops(starts, next);
}

} // namespace crosslane::jit
