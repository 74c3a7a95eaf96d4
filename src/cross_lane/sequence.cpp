// Lines of assembly and what they cost.
#include "cross_lane/sequence.h"
#include "cross_lane/timing.h"
#include "isa/hazards.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "isa/parse.h"
#include <algorithm>
#include <cassert>
#include <cstdio>

namespace crosslane::cross_lane {
namespace {

// The last register of a file that the instruction names, or -1: of SGPRs, none of the special ones behind them.
int last_register(const isa::Instruction& i, isa::RegisterFile file) {
  int last = -1;
  for (const isa::Operand& o : isa::operands(i))
    if (o.file == file && (file != isa::RegisterFile::scalar || o.first < isa::code::flat_scratch))
      last = std::max(last, o.first + o.dwords - 1);
  return last;
}

} // namespace

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, value > 9 ? "0x%llx" : "%llu", static_cast<unsigned long long>(value));
  return text;
}

std::string vgpr(int n, int count) {
  return count == 1 ? "v" + std::to_string(n) : "v[" + std::to_string(n) + ":" + std::to_string(n + count - 1) + "]";
}

std::string dpp_mask_text(uint32_t mask) { return std::string("0x") + "0123456789abcdef"[mask & 15]; }

std::string dpp_text(uint32_t c) {
  const std::string n = std::to_string(c & 15);
  if (c <= 0xff) {
    std::string text = "quad_perm:[";
    for (int i = 0; i < 4; ++i)
      text += std::to_string(c >> (2 * i) & 3) + (i < 3 ? "," : "]");
    return text;
  }
  switch (c & 0x1f0) {
  case 0x100: return "row_shl:" + n;
  case 0x110: return "row_shr:" + n;
  case 0x120: return "row_ror:" + n;
  case 0x150: return "row_newbcast:" + n;
  }
  switch (c) {
  case 0x130: return "wave_shl:1";
  case 0x134: return "wave_rol:1";
  case 0x138: return "wave_shr:1";
  case 0x13c: return "wave_ror:1";
  case 0x140: return "row_mirror";
  case 0x141: return "row_half_mirror";
  case 0x142: return "row_bcast:15";
  case 0x143: return "row_bcast:31";
  }
  assert(!"no such DPP control");
  return {};
}

void Sequence::put(std::string text, bool once, int states) {
  lines_.push_back({std::move(text), once});
  now_ += states;
}

void Sequence::scalar(std::string text, bool once) { put(std::move(text), once, 1); }

void Sequence::vector(int written, std::string text, bool once) {
  put(std::move(text), once, 1);
  std::erase_if(written_, [&](const auto& w) { return w.first == written; });
  written_.emplace_back(written, now_);
}

void Sequence::dpp(int to, int from, uint32_t ctrl, uint32_t row_mask, uint32_t bank_mask, bool bound_ctrl) {
  const int after_write = isa::hazards::wait_states_of_rule("valu_vgpr_dpp", generation());
  int missing = 0;
  const auto after = [&](int when, int states) { missing = std::max(missing, when + states - now_); };
  for (const auto& [reg, when] : written_)
    if (reg == from)
      after(when, after_write);
  if (situation_.source_just_written && from >= src() && from < src() + dwords())
    after(0, after_write);
  if (situation_.exec_just_written)
    after(0, isa::hazards::wait_states_of_rule("valu_exec_dpp", generation()));
  if (missing > 0)
    put("s_nop " + std::to_string(missing - 1), false, missing);
  vector(to, "v_mov_b32_dpp " + vgpr(to) + ", " + vgpr(from) + " " + dpp_text(ctrl) +
                 " row_mask:" + dpp_mask_text(row_mask) + " bank_mask:" + dpp_mask_text(bank_mask) +
                 (bound_ctrl ? " bound_ctrl:0" : ""));
}

void Sequence::move_all() {
  for (int d = 0; d < dwords(); ++d)
    vector(dst(d), "v_mov_b32 " + vgpr(dst(d)) + ", " + vgpr(src(d)));
}

void Sequence::zero_all() {
  for (int d = 0; d < dwords(); ++d)
    vector(dst(d), "v_mov_b32 " + vgpr(dst(d)) + ", 0");
}

void Sequence::set_mask(const std::string& pair, uint64_t mask, bool once) {
  const uint32_t low = uint32_t(mask), high = uint32_t(mask >> 32);
  // 64-bit SALU takes the inline constants -16..64.
  if (const int64_t value = int64_t(mask); value >= -16 && value <= 64)
    return scalar("s_mov_b64 " + pair + ", " + std::to_string(value), once);
  const auto half = [&](const char* name, uint32_t value, bool copy) {
    const int32_t number = int32_t(value);
    scalar("s_mov_b32 " + pair + name + ", " +
               (copy                            ? pair + "_lo"
                : number >= -16 && number <= 64 ? std::to_string(number)
                                                : hex(value)),
           once);
  };
  half("_lo", low, false);
  half("_hi", high, high == low && (int32_t(high) < -16 || int32_t(high) > 64));
}

void Sequence::clear(uint64_t lanes) {
  if (!lanes)
    return;
  set_mask("vcc", ~lanes, true);
  for (int d = 0; d < dwords(); ++d)
    vector(dst(d), "v_cndmask_b32 " + vgpr(dst(d)) + ", 0, " + vgpr(dst(d)) + ", vcc");
}

Cost Sequence::cost() const {
  using isa::Encoding;
  Cost total;
  int pending = 0; // latency that the next s_waitcnt waits for
  for (const Line& line : lines_) {
    const isa::Parsed parsed = isa::parse(target_, line.text);
    if (!parsed) {
      assert(!"a line of the planner does not assemble");
      continue;
    }
    const isa::Instruction& inst = parsed.instruction;
    const isa::Row& row = isa::row(inst.op);
    int cycles = timing::issue;
    switch (row.encoding) {
    case Encoding::DS:
      pending = std::max(pending, timing::lds_latency);
      cycles = inst.op == isa::Op::ds_write_b32                                            ? timing::ds_write
               : row.access == isa::Access::permute || row.access == isa::Access::bpermute ? timing::ds_permute
                                                                                           : timing::ds_read;
      break;
    case Encoding::FLAT:
    case Encoding::GLOBAL:
      pending = timing::memory_latency;
      cycles = timing::load;
      break;
    case Encoding::SOPP:
      if (inst.op == isa::Op::s_nop) {
        total.wait_states += int(inst.imm) + 1;
        cycles = (int(inst.imm) + 1) * timing::issue;
      } else if (inst.op == isa::Op::s_waitcnt) {
        ++total.waits;
        cycles += pending;
        pending = 0;
      }
      break;
    default: break;
    }
    ++total.instructions;
    total.bytes += inst.size;
    total.cycles += cycles;
    total.repeated += line.once ? 0 : cycles;
    total.vgprs = std::max(total.vgprs, last_register(inst, isa::RegisterFile::vgpr) + 1 - 2 * dwords());
    total.sgprs = std::max(total.sgprs, last_register(inst, isa::RegisterFile::scalar) + 1);
    for (const uint16_t half : {isa::code::vcc, uint16_t(isa::code::vcc + 1)})
      total.vcc |= isa::operands(inst).writes(isa::RegisterFile::scalar, half);
  }
  total.lds_bytes = lds_bytes_;
  total.data_bytes = data_bytes_;
  return total;
}

} // namespace crosslane::cross_lane
