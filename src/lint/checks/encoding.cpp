// One function per rule; the fields of the Instruction and its row are all that they look at.
#include "lint/checks/encoding.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/encode.h"
#include "isa/matrix.h"
#include "isa/op.h"
#include "isa/shape.h"
#include "lint/registers.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Encoding;
using isa::Generation;

// Messages of s_sendmsg: who may send them. Source: LLVM 19, SIDefines.h and AMDGPUAsmUtils.cpp; GCN3 and Vega ISA
// manuals, "S_SENDMSG".
struct Message {
  int id;
  std::string_view name;
  Generation from;
  bool graphics; // of shaders that compute pipelines do not have
};
constexpr Message messages[] = {
    {1, "MSG_INTERRUPT", Generation::gfx6, false},      {2, "MSG_GS", Generation::gfx6, true},
    {3, "MSG_GS_DONE", Generation::gfx6, true},         {4, "MSG_SAVEWAVE", Generation::gfx8, false},
    {5, "MSG_STALL_WAVE_GEN", Generation::gfx9, false}, {6, "MSG_HALT_WAVES", Generation::gfx9, false},
    {7, "MSG_ORDERED_PS_DONE", Generation::gfx9, true}, {8, "MSG_EARLY_PRIM_DEALLOC", Generation::gfx9, true},
    {9, "MSG_GS_ALLOC_REQ", Generation::gfx9, true},    {10, "MSG_GET_DOORBELL", Generation::gfx9, false},
    {15, "MSG_SYSMSG", Generation::gfx6, false},
};

bool is_valu(Encoding e) { return e >= Encoding::VOP1 && e <= Encoding::VOP3P; }

// Comes over the constant bus: SGPRs and what is like them, not inline constants.
bool is_on_bus(uint16_t c) {
  return isa::is_scalar_register(c) || (c >= isa::code::shared_base && c <= isa::code::pops_exiting_wave_id) ||
         (c >= isa::code::vccz && c <= isa::code::scc);
}

} // namespace

Finding& EncodingRules::add(Rule rule, Severity severity, Said said, const Step& step, std::string message) {
  report_.findings.push_back(
      {.rule = rule, .severity = severity, .said = said, .pc = step.pc, .message = std::move(message)});
  return report_.findings.back();
}

std::string EncodingRules::name(const Step& step) const {
  return std::string(isa::mnemonic(step.op(), subject_.target()));
}

void EncodingRules::look(const Step& step) {
  const isa::Instruction& in = *step.instruction;
  if (in.reserved)
    add(Rule::reserved, Severity::error, Said::manual | Said::llvm, step,
        fmt::format("{} has an operand or a field that {} does not define", name(step),
                    isa::info(subject_.target()).name));
  if (is_valu(in.encoding)) {
    constant_bus(step);
    if (in.encoding == Encoding::VOP3P)
      matrix(step);
  } else if (in.op == isa::Op::s_nop) {
    nop(step);
  } else if (step.facts.unit == isa::Unit::message) {
    message(step);
  }
  alignment(step);
}

void EncodingRules::nop(const Step& step) {
  const Generation g = subject_.generation();
  const unsigned n = unsigned(step.instruction->imm) & 0xffff, field = g >= Generation::gfx8 ? 15 : 7;
  if (n <= 7 || (n <= field && g >= Generation::gfx9))
    return;
  // Eight at a time, as every target has them.
  const auto as_many = [](unsigned states) {
    std::string text;
    for (; states > 0; states -= std::min(states, 8u))
      text += fmt::format("{}s_nop {}", text.empty() ? "" : "\n", std::min(states, 8u) - 1);
    return text;
  };
  if (n > field) {
    Finding& f = add(Rule::nop_range, Severity::error, Said::manual, step,
                     fmt::format("s_nop {} waits for {} states on {}, as only {} bits of the number count", n,
                                 (n & field) + 1, isa::info(subject_.target()).name, field == 15 ? 4 : 3));
    if (n < 64)
      f.fix = Fix{Fix::Kind::replace, step.pc, as_many(n + 1)};
  } else {
    add(Rule::nop_range, Severity::note, Said::manual, step,
        fmt::format("s_nop {} is {} states by LLVM, and {} by the GCN3 manual, which has three bits for it", n, n + 1,
                    (n & 7) + 1))
        .fix = Fix{Fix::Kind::replace, step.pc, as_many(n + 1)};
  }
}

void EncodingRules::message(const Step& step) {
  const int id = step.instruction->imm & 15;
  const Generation g = subject_.generation();
  for (const Message& m : messages)
    if (m.id == id && g >= m.from) {
      if (m.graphics)
        add(Rule::sendmsg, Severity::warning, Said::manual, step,
            fmt::format("{} of {} in a kernel: only graphics shaders have somebody who takes it", name(step), m.name));
      return;
    }
  add(Rule::sendmsg, Severity::error, Said::manual | Said::llvm, step,
      id == 0
          ? fmt::format("{} without a message: 0 is illegal", name(step))
          : fmt::format("{} of message {}, which {} does not have", name(step), id, isa::info(subject_.target()).name));
}

// The decoder rounds down what is not aligned: encoded again, the bytes are others. (Reserved on gfx6 and gfx7.)
bool EncodingRules::names_unaligned_sgprs(const Step& step) const {
  const isa::Instruction& in = *step.instruction;
  if (in.encoding > Encoding::SMEM || in.encoding == Encoding::SOPP || in.reserved)
    return false;
  if (std::ranges::none_of(step.uses, [](const Use& u) { return u.first < slot::scc && u.count > 1; }))
    return false;
  const auto bytes = analysis::bytes_at(subject_.code(), step.pc);
  const isa::Encoded again = isa::encode(in);
  if (!again || bytes.size() < 4)
    return false;
  uint32_t word;
  std::memcpy(&word, bytes.data(), 4);
  // Of SMEM only the register for data: other bits may mean nothing.
  constexpr uint32_t sdata = 0x7f << 6;
  return ((word ^ again.words[0]) & (in.encoding == Encoding::SMEM ? sdata : ~0u)) != 0;
}

void EncodingRules::alignment(const Step& step) {
  const isa::Instruction& in = *step.instruction;
  const Generation g = subject_.generation();
  if (names_unaligned_sgprs(step))
    add(Rule::tuple_align, Severity::error, Said::manual | Said::llvm, step,
        fmt::format("{} names a tuple of SGPRs at a number that is not aligned: pairs begin at even ones, longer "
                    "tuples at multiples of four",
                    name(step)));
  if (g < Generation::gfx90a || in.encoding <= Encoding::SMEM)
    return;
  const bool gws = isa::row(in.op).access == isa::Access::gws;
  for (const Use& u : step.uses)
    if (u.first >= slot::vgpr && u.first % 2 && u.exact && !u.indexed && (u.count > 1 || (gws && u.read))) {
      // The status of TFE and operands of two addresses are registers of their own.
      add(Rule::tuple_align, Severity::error, Said::llvm, step,
          fmt::format("{} {} {}: on gfx90a tuples of VGPRs begin at even ones", name(step),
                      u.written ? "writes" : "reads", register_name(g, u.first, u.count)));
      return;
    }
}

void EncodingRules::constant_bus(const Step& step) {
  const isa::Instruction& in = *step.instruction;
  const isa::Row& r = isa::row(in.op);
  const isa::Shape& shape = isa::shape(in.op, subject_.generation());
  struct One {
    uint16_t code;
    int width;
  };
  One seen[5];
  unsigned count = 0;
  bool literal = shape.k, same_pair = false;
  const auto take = [&](uint16_t c, int width) {
    for (unsigned n = 0; n < count; ++n) {
      const int begin = std::max<int>(c, seen[n].code), end = std::min(c + width, seen[n].code + seen[n].width);
      if (c == seen[n].code && width == seen[n].width)
        return;
      same_pair |= begin < end;
    }
    seen[count++] = {c, width};
  };
  for (int n = 0; n < 3; ++n) {
    const uint16_t c = in.src[n];
    literal |= c == isa::code::literal;
    // The number of the lane that v_writelane writes comes from M0 by another way.
    const bool lane = in.op == isa::Op::v_writelane_b32 && n == 1 && c == isa::code::m0;
    if (c != isa::code::none && is_on_bus(c) && !lane)
      take(c, n == 2 && shape.mask_source ? 2 : std::max(1, isa::dwords(r.src[n])));
  }
  if (count + literal == 0)
    return;
  if (r.encoding != Encoding::VOP2 && has(r.implicit, isa::Implicit::vcc_r))
    take(slot::vcc, 2);
  if (has(r.implicit, isa::Implicit::m0_r))
    take(slot::m0, 1);
  if (literal && in.form == isa::Form::vop3)
    add(Rule::constant_bus, Severity::error, Said::manual | Said::llvm, step,
        fmt::format("{} has a literal in its VOP3 form, which has none before gfx10", name(step)));
  if (count + literal <= 1)
    return;
  std::string names;
  for (unsigned n = 0; n < count; ++n)
    names += fmt::format("{}{}", n ? ", " : "",
                         seen[n].code < isa::code::inline_int0
                             ? register_name(subject_.generation(), seen[n].code, uint16_t(seen[n].width))
                             : fmt::format("source {}", seen[n].code));
  // A pair and a half of it are one register of 64 bits to the bus, which LLVM still refuses.
  const bool refused_only = same_pair && count == 2 && !literal;
  add(Rule::constant_bus, refused_only ? Severity::pedantic : Severity::error,
      refused_only ? Said::llvm : Said::manual | Said::llvm, step,
      fmt::format("{} takes {}{}{} over the constant bus, which carries one of them", name(step), names,
                  literal && count ? " and " : "", literal ? "a literal" : ""));
}

void EncodingRules::matrix(const Step& step) {
  if (!isa::is_matrix(step.op()))
    return;
  const isa::Instruction& in = *step.instruction;
  const isa::Row& r = isa::row(in.op);
  const int n = isa::dwords(r.dst);
  const uint16_t c = in.src[2];
  // Four registers are read before any is written.
  if (n <= 4 || c < isa::code::vgpr0 || c == in.dst || c >= in.dst + n || in.dst >= c + n)
    return;
  const auto named = [&](uint16_t code) {
    return register_name(subject_.generation(), uint16_t(code), uint16_t(n)); // slots of vector registers are codes
  };
  add(Rule::mfma_overlap, Severity::error, Said::llvm, step,
      fmt::format("{} writes {}, which overlaps its source C {} in part: it must be the same or apart", name(step),
                  named(in.dst), named(c)));
}

} // namespace crosslane::lint
