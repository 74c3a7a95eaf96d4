// isa::operands() of each instruction, packed.
#include "analysis/part_code.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include <algorithm>

namespace crosslane::analysis {

using isa::Op;
using isa::RegisterFile;
namespace code = isa::code;

namespace {

// EXEC does not confine which lanes are read: others' values come in.
bool crosses_lanes(const isa::Instruction& in) {
  return in.form == isa::Form::dpp || isa::crosses_lanes(isa::row(in.op).access);
}

class Packer {
public:
  Packer(PartCode& out, bool vskip) : out_(out), vskip_(vskip) {}

  void add(uint32_t index, const isa::Instruction& in, bool indexed) {
    out_.first_touch.push_back(uint32_t(out_.touches.size()));
    const isa::Operands operands = isa::operands(in, indexed ? isa::Indexing{true, true, true, true} : isa::Indexing{});
    const bool crosses = crosses_lanes(in), skippable = vskip_ && isa::is_vector(in.encoding);
    bool mask_written = false;
    for (const auto& o : operands) {
      Touch touch;
      touch.flags = uint8_t((o.read ? Touch::read : 0) | (o.written ? Touch::written : 0));
      if (o.written && !o.partial && o.extent == isa::Extent::exact && !skippable)
        touch.flags |= Touch::kills;
      unsigned first = o.first, count = o.dwords;
      switch (o.file) {
      case RegisterFile::scalar: first += slot::scalar; break;
      case RegisterFile::vgpr: first += slot::vgpr; break;
      case RegisterFile::agpr: first += slot::accvgpr; break;
      case RegisterFile::special:
        if (o.first != isa::special::scc)
          continue;
        first = slot::scc;
      }
      if (first >= slot::vgpr) {
        if (!o.masked || (crosses && o.read))
          touch.flags |= Touch::all_lanes;
        out_.vector_slots = std::max(out_.vector_slots, first + count - slot::vgpr);
      } else if (o.written) {
        mask_written = true;
      }
      touch.first = uint16_t(first);
      for (; count > 0; count -= std::min(count, 256u), touch.first = uint16_t(touch.first + 256)) {
        touch.count = uint8_t(std::min(count, 256u) - 1);
        out_.touches.push_back(touch);
      }
    }
    if (in.op == Op::s_trap) // its handler may look at anything
      out_.touches.push_back({0, 0, Touch::everything});
    if (mask_written)
      add_steps(index, in, operands);
  }

private:
  PartCode& out_;
  bool vskip_;

  static uint8_t mask(uint16_t c, const isa::Instruction& in) {
    if (c < 127)
      return uint8_t(c);
    const auto value = isa::constant_source(in, c, isa::Type::B64);
    return value == 0 ? mask_empty : value == ~uint64_t(0) ? mask_all : mask_other;
  }

  static bool half_of_exec(uint16_t c) { return c == code::exec || c == code::exec + 1; }

  void add_steps(uint32_t index, const isa::Instruction& in, const isa::Operands& operands) {
    const isa::Row& row = isa::row(in.op);
    MaskStep step;
    step.instruction = index;
    const bool to_exec = in.dst == code::exec;
    const auto push = [&](MaskStep::Kind kind, uint8_t d, uint8_t a, uint8_t b) {
      step.kind = kind, step.d = d, step.a = a, step.b = b;
      out_.steps.push_back(step);
    };
    const uint8_t a = mask(in.src[0], in), b = mask(in.src[1], in);
    const auto d = uint8_t(in.dst < 127 ? in.dst : 0);
    const bool from_exec = half_of_exec(in.src[0]) && in.src[0] == in.dst;
    if (const isa::MaskOp op = isa::exec_mask_op(in.op); op != isa::MaskOp::none) {
      step.saves = isa::saves_exec(in), step.puts = !step.saves;
      switch (op) {
      case isa::MaskOp::and_: return push(MaskStep::and_, d, a, slot::exec);
      case isa::MaskOp::andn1: return push(MaskStep::andn2, d, slot::exec, a);
      case isa::MaskOp::andn2: return push(MaskStep::andn2, d, a, slot::exec);
      case isa::MaskOp::or_: return push(MaskStep::or_, d, a, slot::exec);
      case isa::MaskOp::xor_: return push(MaskStep::xor_, d, a, slot::exec);
      default: return push(MaskStep::other, d, 0, 0);
      }
    }
    switch (in.op) {
    case Op::s_mov_b64: return push(MaskStep::copy, d, a, 0);
    case Op::s_and_b64: return push(MaskStep::and_, d, a, b);
    case Op::s_andn2_b64: return push(MaskStep::andn2, d, a, b);
    case Op::s_or_b64: return push(MaskStep::or_, d, a, b);
    case Op::s_xor_b64: return push(MaskStep::xor_, d, a, b);
    case Op::s_cselect_b64: return push(MaskStep::either, d, a, b);
    case Op::s_cmov_b64: return push(MaskStep::either, d, a, d);
    case Op::s_and_b32: // of a half of EXEC
    case Op::s_andn2_b32:
      if (from_exec)
        return push(MaskStep::part, slot::exec, 0, 0);
      break;
    default: break;
    }
    if (isa::has(row.implicit, isa::Implicit::exec_w) && row.encoding == isa::Encoding::VOPC) { // v_cmpx
      for (const auto& o : operands)
        if (o.written && o.file == RegisterFile::scalar && o.first != code::exec)
          push(MaskStep::clobber, uint8_t(o.first), uint8_t(o.first), uint8_t(o.dwords - 1));
      return push(MaskStep::part, slot::exec, 0, 0);
    }
    if (row.encoding == isa::Encoding::VOPC && row.dst == isa::Type::Mask && in.dst < 127 && !to_exec && !vskip_)
      return push(MaskStep::part, d, 0, 0);
    for (const auto& o : operands)
      if (o.written && o.file == RegisterFile::scalar)
        push(MaskStep::clobber, uint8_t(o.first), uint8_t(o.first), uint8_t(o.dwords - 1));
  }
};

} // namespace

void follow_indexing(const isa::Instruction& in, bool& on) {
  if (in.op == Op::s_set_gpr_idx_on || writes_mode_bit(in, gpr_index_bit))
    on = true;
  else if (in.op == Op::s_set_gpr_idx_off)
    on = false;
}

std::vector<bool> indexed_blocks(const Code& code, const Graph& graph) {
  if (!graph.indexes_vgprs)
    return {};
  std::vector<bool> indexed(graph.blocks.size());
  // What a block makes of it: indexing off and on at its beginning.
  std::vector<bool> of_off(graph.blocks.size()), of_on(graph.blocks.size());
  std::vector<BlockId> work;
  for (BlockId b = 0; b < graph.blocks.size(); ++b) {
    bool off = false, on = true;
    each_instruction(code, graph.blocks[b],
                     [&](uint64_t, const isa::Instruction& in) { follow_indexing(in, off), follow_indexing(in, on); });
    of_off[b] = off, of_on[b] = on;
    if (off)
      work.push_back(b);
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    if (!(indexed[b] ? of_on[b] : of_off[b]))
      continue;
    const auto reach = [&](BlockId to) {
      if (!indexed[to])
        indexed[to] = true, work.push_back(to);
    };
    for (const Edge& e : graph.successors(b))
      reach(e.to);
    if (const Call* call = graph.call_of(b))
      for (const uint32_t f : graph.callees_of(*call))
        reach(graph.functions[f].block);
  }
  return indexed;
}

void decode_part(const Code& code, const Graph& graph, const Part& part, const std::vector<bool>& indexed,
                 PartCode& out) {
  out.first_instruction.clear(), out.first_step.clear(), out.first_touch.clear();
  out.touches.clear(), out.steps.clear();
  out.vector_slots = 0;
  Packer packer(out, graph.skips_vectors);
  for (const BlockId b : graph.blocks_of(part)) {
    out.first_instruction.push_back(uint32_t(out.first_touch.size()));
    out.first_step.push_back(uint32_t(out.steps.size()));
    uint32_t index = 0;
    bool on = !indexed.empty() && indexed[b];
    each_instruction(code, graph.blocks[b], [&](uint64_t, const isa::Instruction& in) {
      packer.add(index++, in, on);
      if (graph.indexes_vgprs)
        follow_indexing(in, on);
    });
  }
  out.first_instruction.push_back(uint32_t(out.first_touch.size()));
  out.first_step.push_back(uint32_t(out.steps.size()));
  out.first_touch.push_back(uint32_t(out.touches.size()));
}

} // namespace crosslane::analysis
