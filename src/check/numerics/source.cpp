// Fields of encodings to values; what a source is by its type is in the row (isa/row.h), halves are in OP_SEL and SDWA.
#include "check/numerics/source.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include "isa/shape.h"
#include <algorithm>

namespace crosslane::check::numerics {

namespace {

bool is_packed(isa::Type t) { return t == isa::Type::PkF16 || t == isa::Type::PkF32; }

} // namespace

const uint32_t* lanes_of(const machine::Wave& w, unsigned slot) {
  return const_cast<machine::Wave&>(w).vgpr(slot - slot::vgpr); // AccVGPRs count on
}

uint32_t dword_of(const machine::Wave& w, unsigned slot, int lane) {
  return slot < slot::vgpr ? w.s[slot] : lanes_of(w, slot)[lane];
}

unsigned result_items(isa::Type t) { return is_packed(t) ? 2 : 1; }

uint64_t written_lanes(const isa::Instruction& in, uint64_t exec) {
  if (isa::ignores_exec(in))
    return ~uint64_t(0);
  if (in.form != isa::Form::dpp)
    return exec;
  const cross_lane::Sources from = cross_lane::dpp_sources(in.dpp_ctrl);
  uint64_t written = exec;
  for (int n = 0; n < machine::lanes_per_wave; ++n) {
    const bool there = from[size_t(n)] != cross_lane::no_lane && exec >> from[size_t(n)] & 1;
    if (!(in.row_mask >> n / 16 & 1) || !(in.bank_mask >> n % 16 / 4 & 1) || (!there && !in.bound_ctrl))
      written &= ~(uint64_t(1) << n);
  }
  return written;
}

Source::Source(const machine::Wave& wave, const Instruction& i, int n, const Kept* kept) : Source(wave, kept) {
  in_ = i.in, n_ = n;
  const isa::Row& row = isa::row(in_->op);
  const isa::Shape& shape = isa::shape(in_->op, isa::info(in_->target).generation);
  const uint16_t c = in_->src[n];
  exists_ = c != isa::code::none && !(n == 2 && shape.mask_source);
  if (!exists_)
    return;
  type_ = shape.k ? row.dst : row.src[n];
  dwords_ = unsigned(std::max(1, isa::dwords(type_)));
  if (isa::is_scalar_register(c) || (c >= isa::code::vgpr0 && c < slot::end))
    slot_ = c;
  else if (c == isa::code::scc)
    constant_ = wave.scc;
  else
    constant_ = isa::constant_source(*in_, c, type_).value_or(0);
  if (in_->form == isa::Form::sdwa && n < 2)
    selected_ = n == 0 ? in_->src0_sel : in_->src1_sel;
  moved_ = n == 0 && in_->form == isa::Form::dpp;
  if (moved_)
    from_ = cross_lane::dpp_sources(in_->dpp_ctrl);
}

uint32_t Source::integer(int lane) const {
  const uint32_t v = dword(0, lane);
  if (is_whole())
    return v;
  const bool half = selected_ >= isa::SdwaSel::word0;
  const unsigned first = half ? (selected_ == isa::SdwaSel::word1 ? 16 : 0) : 8 * unsigned(selected_),
                 above = half ? 16 : 24;
  const uint32_t top = v >> first << above;
  return in_->sext >> n_ & 1 ? uint32_t(int32_t(top) >> above) : top >> above;
}

Source Source::accumulator(const machine::Wave& wave, const Instruction& i, const Kept* kept) {
  Source s(wave, kept);
  for (const isa::Operand& o : i.operands)
    if (o.role == isa::Role::dst && o.read && o.written) {
      s.in_ = i.in, s.n_ = 3, s.type_ = isa::row(i.in->op).dst;
      s.exists_ = true, s.slot_ = slot_of(o), s.dwords_ = o.dwords;
    }
  return s;
}

uint32_t Source::dword(unsigned k, int lane) const {
  if (slot_ == slot::end)
    return uint32_t(constant_ >> 32 * k);
  const unsigned slot = slot_ + k;
  if (kept_ && slot >= kept_->first && slot < kept_->first + kept_->count)
    return kept_->values[slot - kept_->first][size_t(lane)];
  return slot < slot::end ? dword_of(*wave_, slot, lane) : 0;
}

Item Source::item(unsigned part, Format format, int lane) const {
  if (format == Format::f64)
    return {dword(0, lane) | uint64_t(dword(1, lane)) << 32, format, slot_ == slot::end ? slot_ : slot_ + 1, lane};
  if (format == Format::f16)
    return {dword(0, lane) >> 16 * part & 0xffff, format, slot_, lane};
  return {dword(part, lane), format, slot_ == slot::end ? slot_ : slot_ + part, lane};
}

std::array<Item, 2> Source::items(unsigned result, int lane) const {
  const int there = exists_ ? from(lane) : -1;
  Format format = format_of(type_);
  if (there < 0 || format == Format::none)
    return {};
  const isa::Row& row = isa::row(in_->op);
  const auto selected = [&](uint8_t bits) { return unsigned(bits >> n_ & 1); };
  if (isa::is_mixed(row) && n_ < 3) {
    if (!selected(in_->op_sel_hi))
      return {item(0, Format::f32, there)};
    return {item(selected(in_->op_sel), Format::f16, there)};
  }
  if (is_packed(type_)) {
    if (!is_packed(row.dst)) // dot products
      return {item(0, format, there), item(1, format, there)};
    if (n_ == 3 || row.encoding != isa::Encoding::VOP3P)
      return {item(result, format, there)};
    const unsigned part = selected(result ? in_->op_sel_hi : in_->op_sel);
    return {item(slot_ == slot::end && type_ == isa::Type::PkF32 ? 0 : part, format, there)};
  }
  if (row.dst == isa::Type::PkF16 && int(result) != n_) // v_cvt_pkrtz_f16_f32: a source for each half
    return {};
  if (format != Format::f16)
    return {item(0, format, there)};
  const bool high = in_->form == isa::Form::sdwa ? selected_ == isa::SdwaSel::word1
                    : in_->form == isa::Form::vop3
                        ? is_vector() && (n_ < 3 ? selected(in_->op_sel) : in_->op_sel >> 3 & 1)
                        : false;
  return {item(high, format, there)};
}

} // namespace crosslane::check::numerics
