// Code as a compiler reads it: decoded as a Program decodes it, kept with its kinds.
#include "engine/unit.h"
#include "engine/decode/backend.h"
#include "engine/decode/waiting_loops.h"
#include "engine/scalar/flow.h"
#include "isa/classify.h"
#include "isa/decode.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace crosslane::engine {

namespace {

struct Recorder final : UopSink {
  std::vector<UnitUop>& uops;
  explicit Recorder(std::vector<UnitUop>& u) : uops(u) {}
  Uop& append(UopKind kind) override { return uops.emplace_back(UnitUop{kind, {}}).op; }
  Uop& last() override { return uops.back().op; }
};

// Whatever these do to the wave ends what a compiler knows of it.
bool is_for_interpreter(UopKind kind) {
  using enum UopKind;
  switch (kind) {
  case gds_enter:
  case gds_leave:
  case gds_wait:
  case set_hwreg:
  case gpr_index:
  case vskip:
  case mode_lookup:
  case discarded:
  case halt:
  case message:
  case icache_inv:
  case jump:
  case call:
  case fork:
  case join:
  case trap:
  case trap_return:
  case sleep:
  case truncate:
  case truncate_end:
  case fault: return true;
  default: return false;
  }
}

class UnitDecoder {
public:
  UnitDecoder(Unit& unit, uint64_t base, uint64_t size, RegisterLimits limits, const Ways& ways)
      : unit_(unit), base_(base), end_(uint32_t(size / 4)), limits_(limits), ways_(ways) {}

  void decode(size_t most) {
    std::vector<uint32_t> pending{unit_.entry};
    leaders_.insert(unit_.entry);
    while (!pending.empty()) {
      uint32_t pc = pending.back();
      pending.pop_back();
      while (!found_.contains(pc)) {
        if (found_.size() >= most) {
          unit_.too_long = true;
          return;
        }
        const Found& f = found_.emplace(pc, read(pc)).first->second;
        if (f.branches) {
          leaders_.insert(f.target);
          pending.push_back(f.target);
          if (f.goes_on)
            leaders_.insert(f.next);
        }
        for (const uint32_t way : f.ways)
          leaders_.insert(way), pending.push_back(way);
        if (f.comes_back)
          leaders_.insert(f.next), pending.push_back(f.next);
        if (!f.goes_on)
          break;
        if (isa::writes_exec(f.instruction.inst) || (!f.uops.empty() && f.uops.back().kind == UopKind::barrier))
          leaders_.insert(f.next);
        pc = f.next;
      }
    }
    arrange();
  }

private:
  struct Found {
    UnitInstruction instruction;
    std::vector<UnitUop> uops;
    std::vector<uint32_t> words;
    uint32_t next = 0, target = 0;
    bool goes_on = false, branches = false, comes_back = false;
    std::vector<uint32_t> ways;
  };

  Found read(uint32_t pc) const {
    Found f;
    f.instruction.pc = pc;
    f.instruction.way = Way::leaves;
    isa::Instruction& inst = f.instruction.inst;
    if (pc >= end_)
      return f;
    const auto* bytes = reinterpret_cast<const uint8_t*>(base_) + uint64_t(pc) * 4;
    const int size = isa::decode(unit_.target, std::span(bytes, (size_t(end_) - pc) * 4), inst);
    const auto* words = reinterpret_cast<const uint32_t*>(bytes);
    f.words.assign(words, words + std::max(size / 4, 1));
    if (!size || inst.reserved || !beyond_registers(inst, limits_).empty())
      return f;
    const isa::Row& row = isa::row(inst.op);
    isa::Instruction tried = inst;
    uint16_t old;
    if (!unit_.mode.has(DecodeMode::privileged))
      discard_privileged_write(tried, row, old);
    if (tried.dst != inst.dst || tried.sdst != inst.sdst)
      return f;
    Recorder sink(f.uops);
    Lowering l{inst, row, sink, base_ + uint64_t(pc) * 4, pc, 0, false, unit_.mode};
    const bool issued = !unit_.mode.has(DecodeMode::vskip) || !isa::is_vector(row.encoding);
    const bool lowered = !issued || lower(l, backend());
    const UopKind kind = f.uops.size() == 1 ? f.uops[0].kind : UopKind::fault;
    if (const auto known = ways_.find(pc);
        lowered && known != ways_.end() && (kind == UopKind::jump || kind == UopKind::call)) {
      f.ways = known->second, f.next = pc + uint32_t(size) / 4;
      f.comes_back = f.ways.empty() && isa::flow(inst).falls_through;
      if (f.ways.empty())
        f.uops.clear();
      else
        f.instruction.way = Way::jumps;
      return f;
    }
    if (!lowered || may_change_mode(l) || l.mode.bits != unit_.mode.bits ||
        std::any_of(f.uops.begin(), f.uops.end(), [](const UnitUop& u) { return is_for_interpreter(u.kind); })) {
      f.uops.clear();
      return f;
    }
    const Flow flow = flow_of(inst, pc);
    f.instruction.way = Way::lowered;
    f.branches = flow.branches && flow.target < end_;
    if (flow.branches && !f.branches) { // out of the code
      f.uops.clear();
      f.instruction.way = Way::leaves;
      return f;
    }
    f.target = flow.target, f.goes_on = flow.falls_through, f.next = pc + uint32_t(size) / 4;
    return f;
  }

  void arrange() {
    std::map<uint32_t, uint32_t> block_at;
    WaitingLoops waiting;
    for (auto at = found_.begin(); at != found_.end(); ++at) {
      auto& [pc, f] = *at;
      waiting.pass(f.instruction.inst, pc);
      if (f.branches)
        f.uops.back().op.aux = waiting.cost(pc, f.target);
      const bool continues = !unit_.blocks.empty() && !leaders_.contains(pc) && follows_;
      if (!continues) {
        block_at[pc] = uint32_t(unit_.blocks.size());
        unit_.blocks.push_back({uint32_t(unit_.instructions.size()), 0});
        last_.push_back(pc);
      }
      UnitInstruction instruction = f.instruction;
      instruction.first = uint32_t(unit_.uops.size()), instruction.count = uint32_t(f.uops.size());
      unit_.uops.insert(unit_.uops.end(), f.uops.begin(), f.uops.end());
      if (continues)
        unit_.bytes.runs.back().words.insert(unit_.bytes.runs.back().words.end(), f.words.begin(), f.words.end());
      else
        unit_.bytes.runs.push_back({pc, f.words});
      unit_.instructions.push_back(instruction);
      ++unit_.blocks.back().count;
      last_.back() = pc;
      const auto next = std::next(at);
      follows_ = f.goes_on && !f.branches && next != found_.end() && next->first == f.next;
    }
    for (size_t b = 0; b < unit_.blocks.size(); ++b) {
      const Found& f = found_.at(last_[b]);
      if (f.goes_on || f.comes_back)
        unit_.blocks[b].next = block_at.at(f.next);
      if (f.branches)
        unit_.blocks[b].target = block_at.at(f.target);
      for (const uint32_t way : f.ways)
        unit_.blocks[b].ways.push_back(block_at.at(way));
      if (f.comes_back)
        unit_.blocks[block_at.at(f.next)].comes_back = true;
    }
    unit_.entry_block = block_at.at(unit_.entry);
  }

  Unit& unit_;
  const uint64_t base_;
  const uint32_t end_;
  const RegisterLimits limits_;
  const Ways& ways_;
  std::map<uint32_t, Found> found_;
  std::set<uint32_t> leaders_;
  std::vector<uint32_t> last_; // pc of each block's last instruction
  bool follows_ = false;
};

} // namespace

bool CodeBytes::are_in(uint64_t base) const {
  return std::all_of(runs.begin(), runs.end(), [base](const Run& r) {
    return !std::memcmp(reinterpret_cast<const uint32_t*>(base) + r.pc, r.words.data(), r.words.size() * 4);
  });
}

Unit unit_from(isa::Target target, uint64_t base, uint64_t size, uint32_t entry, DecodeMode mode, RegisterLimits limits,
               size_t most, const Ways& ways) {
  Unit unit;
  unit.target = target, unit.mode = mode, unit.base = base, unit.entry = entry;
  UnitDecoder(unit, base, size, limits, ways).decode(most);
  return unit;
}

} // namespace crosslane::engine
