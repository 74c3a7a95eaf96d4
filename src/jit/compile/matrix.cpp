// Matrix operations: one handler of the interpreter's does what hundreds of others do, with more registers than the
// host has. What they sum up stays in the Wave, also around loops. Those of a block that nothing comes between are done
// together (engine/matrix.h), where something wants to know what they have summed up, and at the latest at the block's
// end: their operands are stored as each of them comes, and a wave that goes back to a checkpoint has done none of
// them.
#include "engine/matrix.h"
#include "isa/classify.h"
#include "isa/matrix.h"
#include "isa/operands.h"
#include "jit/compile/emitter.h"
#include <algorithm>

namespace crosslane::jit {

using engine::UopKind;
using machine::Wave;

bool Emitter::calls_matrix() const {
  return std::ranges::any_of(unit_.uops, [](const engine::UnitUop& u) { return u.kind == UopKind::matrix; });
}

namespace {

// Registers in a row, as offsets from the Wave.
bool overlap(uint32_t x, uint32_t x_count, uint32_t y, uint32_t y_count) {
  return x < y + y_count * machine::vgpr_bytes && y < x + x_count * machine::vgpr_bytes;
}
template <class F> void each_vgprs(const isa::Instruction& inst, F f) {
  for (const isa::Operand& o : isa::operands(inst)) {
    const bool acc = o.file == isa::RegisterFile::agpr;
    if (acc || o.file == isa::RegisterFile::vgpr)
      f(o, machine::vgpr_offset(o.first + (acc ? machine::max_vgprs : 0)), uint32_t(o.dwords));
  }
}
uint32_t registers_of_sums(const isa::Matrix& m) {
  return uint32_t(m.results()) * (m.item == isa::MatrixItem::f64 ? 2 : 1);
}

} // namespace

// Whether these are among what operations that wait sum up.
bool Emitter::are_waiting_sums(uint32_t first, uint32_t count) const {
  return std::ranges::any_of(together_, [&](const Together& t) {
    const isa::Op op = unit_.instructions[t.instruction].inst.op;
    return overlap(t.sums, registers_of_sums(isa::matrix(op)), first, count);
  });
}

// Before an instruction: what waits is done, if that must be. Checkpoints, calls and ways out see to it on their own.
void Emitter::settle_before(const engine::UnitInstruction& u) {
  if (together_.empty())
    return;
  if (u.count == 1 && unit_.uops[u.first].kind == UopKind::matrix)
    return; // it asks itself
  using enum isa::Access;
  const isa::Access access = isa::row(u.inst.op).access;
  bool settles = access != none && access != load && access != store && access != load2 && access != load2_st64 &&
                 access != store2 && access != store2_st64;
  each_vgprs(u.inst, [&](const isa::Operand& o, uint32_t first, uint32_t count) {
    settles = settles || are_waiting_sums(first, count);
    if (o.written)
      std::erase_if(operands_, [&](const StoredOperand& s) { return overlap(s.first, s.count, first, count); });
  });
  if (settles)
    settle_matrix();
}

// The Wave is complete, and then has what they sum up as well.
void Emitter::settle_matrix(uint32_t pc, const llvm::BitVector& live) {
  if (together_.empty())
    return;
  std::vector<Together> all = std::exchange(together_, {});
  operands_.clear(), operand_bytes_ = 0;
  checkpoint_apart(pc, live);
  forget_read();
  if (dry_)
    return;
  b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  const auto index = uint32_t(out_.calls.size());
  std::ranges::sort(all, {}, [](const Together& t) { return std::pair(t.sums, t.instruction); });
  for (auto left = uint32_t(all.size()); const Together& t : all)
    out_.calls.push_back({t.instruction, left--, t.a, t.b});
  b_.CreateAlignedStore(matrix_room(), wave(offsetof(Wave, operands)), llvm::Align(8));
  call_handler(index);
  b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}
void Emitter::settle_matrix() { settle_matrix(unit_.instructions[at_].pc, live_[at_]); }

// Memory of the function's own.
Value* Emitter::matrix_room() {
  if (!matrix_room_)
    at_entry([&]() -> Value* {
      auto* room = b_.CreateAlloca(llvm::ArrayType::get(words_, uint64_t(engine::matrix_operands) * rows));
      room->setAlignment(llvm::Align(64));
      return matrix_room_ = room;
    });
  return matrix_room_;
}

// Stores an operand where the handler finds it, unless it is there.
uint32_t Emitter::matrix_operand(uint32_t first, uint32_t count) {
  for (const StoredOperand& s : operands_)
    if (s.first == first && s.count == count)
      return s.at;
  const uint32_t at = operand_bytes_;
  operands_.push_back({first, count, at});
  operand_bytes_ += count * machine::vgpr_bytes;
  for (uint32_t d = 0; d < count && !dry_; ++d) {
    const Rows values = rows_at(first + d * machine::vgpr_bytes);
    for (uint32_t r = 0; r < rows; ++r)
      b_.CreateAlignedStore(
          values[r],
          b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), matrix_room(), at + d * machine::vgpr_bytes + r * 64),
          llvm::Align(64));
  }
  return at;
}

// False: it is called on its own.
bool Emitter::matrix(const Uop& op) {
  if (!engine::may_be_together(op))
    return false;
  const engine::UnitInstruction& u = unit_.instructions[at_];
  const isa::Matrix shape = isa::matrix(u.inst.op);
  const auto dwords = uint32_t(shape.dwords()), sums = registers_of_sums(shape);
  merge_all();
  const auto fits = [&](const Together& t) {
    return unit_.instructions[t.instruction].inst.op == u.inst.op &&
           (t.sums == op.dst || !overlap(t.sums, sums, op.dst, sums));
  };
  if (!std::ranges::all_of(together_, fits) || together_.size() == engine::matrix_steps ||
      operand_bytes_ + 2 * dwords * machine::vgpr_bytes > engine::matrix_operands * machine::vgpr_bytes ||
      are_waiting_sums(op.a, dwords) || are_waiting_sums(op.b, dwords))
    settle_matrix();
  bool dirty = false; // then what a wave that goes back begins with must not be lost
  for (uint32_t n = 0; n < sums; ++n)
    dirty = dirty || st_.v[lane_index(op.dst + n * machine::vgpr_bytes)].dirty;
  if (dirty && !together_.empty())
    settle_matrix();
  else if (dirty)
    checkpoint_apart(u.pc, live_[at_]), forget_read();
  const uint32_t a = matrix_operand(op.a, dwords), b = matrix_operand(op.b, dwords);
  for (uint32_t n = 0; n < sums; ++n)
    st_.v[lane_index(op.dst + n * machine::vgpr_bytes)] = {.kind = Lane::stored};
  together_.push_back({at_, op.dst, a, b});
  note_how(ReportStep::How::called);
  return true;
}

} // namespace crosslane::jit
