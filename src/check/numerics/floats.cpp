// Most results are finite, and most registers have no marks: a look at the exponents of all lanes is all that there is
// to do then.
#include "check/numerics/floats.h"
#include "isa/classify.h"
#include "isa/matrix.h"
#include <bit>

namespace crosslane::check::numerics {

namespace {

constexpr uint32_t exponent_mask(Format f) {
  switch (f) {
  case Format::f32: return 0x7f800000;
  case Format::f64: return 0x7ff00000; // of the high dword
  default: return 0x7c00;
  }
}

// Lanes whose bits under the mask are all 1.
uint64_t full_lanes(const uint32_t* v, uint32_t mask) {
  uint32_t any = 0;
  for (int n = 0; n < machine::lanes_per_wave; ++n)
    any |= uint32_t((v[n] & mask) == mask);
  if (!any)
    return 0;
  uint64_t lanes = 0;
  for (int n = 0; n < machine::lanes_per_wave; ++n)
    lanes |= uint64_t((v[n] & mask) == mask) << n;
  return lanes;
}

// An item of the destination.
struct Place {
  Format format = Format::none;
  unsigned slot = slot::end; // of the dword with the exponent
  bool high = false;         // half of it
  uint32_t mask() const { return exponent_mask(format) << (high ? 16 : 0); }
  uint64_t bits(const machine::Wave& w, int lane) const {
    const uint32_t v = dword_of(w, slot, lane);
    return format == Format::f64   ? uint64_t(v) << 32 | dword_of(w, slot - 1, lane)
           : format == Format::f16 ? v >> (high ? 16 : 0) & 0xffff
                                   : v;
  }
};

const isa::Operand* destination(const Instruction& i) {
  for (const isa::Operand& o : i.operands)
    if (o.role == isa::Role::dst && o.written)
      return &o;
  return nullptr;
}

Place place_of(const isa::Instruction& in, const isa::Operand& d, unsigned result) {
  const isa::Type type = isa::row(in.op).dst;
  Place p{format_of(type), slot_of(d), false};
  if (type == isa::Type::F64)
    p.slot += 1;
  else if (type == isa::Type::PkF32)
    p.slot += result;
  else if (type == isa::Type::PkF16)
    p.high = result == 1;
  else if (type == isa::Type::F16)
    p.high = d.bits == 0xffff0000u || (in.form == isa::Form::sdwa && in.dst_sel == isa::SdwaSel::word1);
  return p;
}

// v_div_fixup takes its quotient only where numerator and denominator say nothing by themselves.
bool ignores_quotient(isa::Op op) {
  using enum isa::Op;
  return op == v_div_fixup_f32 || op == v_div_fixup_f64 || op == v_div_fixup_f16 || op == v_div_fixup_legacy_f16;
}

class Judge {
public:
  explicit Judge(const Result& r)
      : r_(r), row_(isa::row(r.i.in->op)), d_(destination(r.i)), written_(written_lanes(*r.i.in, r.exec)) {}

  void judge() {
    if (!d_ || !written_)
      return;
    if (isa::is_matrix(r_.i.in->op))
      return judge_matrix();
    const unsigned count = result_items(row_.dst);
    uint64_t special[2] = {};
    for (unsigned n = 0; n < count; ++n) {
      const Place p = place_of(*r_.i.in, *d_, n);
      special[n] = full_lanes(lanes_of(r_.wave, p.slot), p.mask()) & written_;
    }
    const bool flushes = r_.i.exact != Exact::none && (r_.i.flushes || (~r_.wave.mode & 0xf0) != 0);
    const bool marked = !r_.marks.clean();
    if (!(special[0] | special[1]) && !flushes && !marked)
      return;
    sources();
    if (flushes)
      for (unsigned n = 0; n < count; ++n)
        judge_flushes(place_of(*r_.i.in, *d_, n), n);
    Mark marks[2][machine::lanes_per_wave] = {};
    for (unsigned n = 0; n < count; ++n)
      for (uint64_t left = special[n]; left; left &= left - 1)
        marks[n][std::countr_zero(left)] = mark_of(n, std::countr_zero(left));
    write(count, special, marks);
  }

private:
  void sources() {
    for (int n = ignores_quotient(r_.i.in->op) ? 1 : 0; n < 3; ++n)
      sources_[n] = Source(r_.wave, r_.i, n, &r_.kept);
    sources_[3] = Source::accumulator(r_.wave, r_.i, &r_.kept);
  }
  template <class F> void each_item(unsigned result, int lane, F f) const {
    for (const auto& s : sources_)
      if (s && s->exists())
        for (const Item& item : s->items(result, lane))
          if (item.format != Format::none)
            f(item);
  }

  // Of a special result: what a source brings along, or one of its own.
  Mark mark_of(unsigned result, int lane) {
    Mark brought;
    bool special = false;
    Example example;
    each_item(result, lane, [&](const Item& item) {
      example.add(item);
      if (!item.is_special())
        return;
      special = true;
      if (const Mark m = r_.marks.at(item.slot, item.lane); !brought && is_float(m.made))
        brought = m;
    });
    if (special)
      return brought;
    const Place p = place_of(*r_.i.in, *d_, result);
    const Made made = is_nan(p.format, p.bits(r_.wave, lane)) ? Made::nan : Made::infinity;
    r_.made(made, lane, example);
    return {r_.i.pc, made};
  }

  void write(unsigned count, const uint64_t (&special)[2], const Mark (&marks)[2][machine::lanes_per_wave]) {
    const unsigned first = slot_of(*d_);
    const bool keeps_half = d_->bits != ~0u; // the other half, and what is known of it
    for (unsigned k = 0; k < d_->dwords && !keeps_half; ++k)
      r_.marks.clear(first + k, written_);
    for (unsigned n = 0; n < count; ++n)
      for (uint64_t left = special[n]; left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        if (marks[n][lane])
          r_.marks.set(place_of(*r_.i.in, *d_, n).slot, lane, marks[n][lane]);
      }
  }

  // All of A, B and C for all of the result.
  void judge_matrix() {
    const isa::Matrix m = isa::matrix(r_.i.in->op);
    const bool wide = m.item == isa::MatrixItem::f64;
    const unsigned first = slot_of(*d_), step = wide ? 2 : 1;
    const uint32_t mask = exponent_mask(wide ? Format::f64 : Format::f32);
    bool any = false;
    for (unsigned k = step - 1; k < d_->dwords; k += step)
      any |= full_lanes(lanes_of(r_.wave, first + k), mask) != 0;
    for (unsigned k = 0; k < d_->dwords && !r_.marks.clean() && !any; ++k)
      r_.marks.clear(first + k, ~uint64_t(0));
    if (!any)
      return;
    Mark mark;
    const bool brought = matrix_sources_special(m, mark);
    for (unsigned k = 0; k < d_->dwords; ++k)
      r_.marks.clear(first + k, ~uint64_t(0));
    for (unsigned k = step - 1; k < d_->dwords; k += step)
      for (uint64_t left = full_lanes(lanes_of(r_.wave, first + k), mask); left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const Format format = wide ? Format::f64 : Format::f32;
        const Place p{format, first + k, false};
        const Made made = is_nan(format, p.bits(r_.wave, lane)) ? Made::nan : Made::infinity;
        if (!brought)
          r_.made(made, lane, {});
        r_.marks.set(first + k, lane, brought ? mark : Mark{r_.i.pc, made});
      }
  }
  bool matrix_sources_special(const isa::Matrix& m, Mark& mark) {
    bool special = false;
    for (int n = 0; n < 3; ++n) {
      const Source s(r_.wave, r_.i, n, &r_.kept);
      const Format format = m.item == isa::MatrixItem::f64             ? Format::f64
                            : n == 2 || m.item == isa::MatrixItem::f32 ? Format::f32
                            : m.item == isa::MatrixItem::bf16          ? Format::bf16
                                                                       : Format::f16;
      for (unsigned k = 0; k < s.dwords() && s.is_vector(); ++k)
        for (int lane = 0; lane < machine::lanes_per_wave; ++lane) {
          const uint32_t v = s.dword(k, lane);
          const bool here = format == Format::f64   ? k % 2 && (v & 0x7ff00000) == 0x7ff00000
                            : format == Format::f32 ? is_special(format, v)
                                                    : is_special(format, v & 0xffff) || is_special(format, v >> 16);
          special |= here;
          if (const Mark found = r_.marks.at(s.slot() + k, lane); here && !mark && is_float(found.made))
            mark = found;
        }
    }
    return special;
  }

  bool flushes_source(Format f) const {
    return (f == Format::f32 && r_.i.flushes) || !(r_.wave.mode >> (f == Format::f32 ? 4 : 6) & 1);
  }
  bool flushes_result(Format f) const {
    return (f == Format::f32 && r_.i.flushes) || !(r_.wave.mode >> (f == Format::f32 ? 5 : 7) & 1);
  }

  void judge_flushes(const Place& p, unsigned result) {
    uint64_t in = 0, out = 0;
    for (uint64_t left = written_; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      bool flushed = false;
      each_item(result, lane,
                [&](const Item& i) { flushed |= flushes_source(i.format) && is_denormal(i.format, i.bits); });
      if (flushed)
        in |= left & -left;
      else if (flushes_result(p.format) && is_zero(p.format, p.bits(r_.wave, lane)) && !r_.i.in->omod &&
               !r_.i.in->clamp && is_lost(p.format, exact(result, lane)))
        out |= left & -left;
    }
    if (in)
      r_.flushed(false, in);
    if (out)
      r_.flushed(true, out);
  }
  // Would have been rounded to a number that is not 0.
  static bool is_lost(Format f, long double exact) {
    return std::fabs(exact) > std::ldexp(1.0L, least_exponent(f) - 1);
  }
  long double value(int n, unsigned result, int lane) const {
    const auto& s = sources_[n];
    const isa::Instruction& in = *r_.i.in;
    if (!s || !s->exists())
      return 0;
    const Item item = s->items(result, lane)[0];
    if (item.format == Format::none || item.is_special())
      return 0;
    long double v = value_of(item.format, item.bits);
    if (n == 3)
      return v;
    const bool packed = row_.encoding == isa::Encoding::VOP3P && !isa::is_mixed(row_);
    if (!packed && (isa::is_mixed(row_) ? in.neg_hi : in.abs) >> n & 1)
      v = std::fabs(v);
    return (packed && result ? in.neg_hi : in.neg) >> n & 1 ? -v : v;
  }
  long double exact(unsigned result, int lane) const {
    const auto v = [&](int n) { return value(n, result, lane); };
    switch (r_.i.exact) {
    case Exact::none: return 0;
    case Exact::add: return v(0) + v(1);
    case Exact::sub: return v(0) - v(1);
    case Exact::subrev: return v(1) - v(0);
    case Exact::mul: return v(0) * v(1);
    case Exact::fma: return v(0) * v(1) + v(2);
    case Exact::mac: return v(0) * v(1) + v(3);
    case Exact::convert: return v(0);
    }
    return 0;
  }

  const Result& r_;
  const isa::Row& row_;
  const isa::Operand* d_;
  const uint64_t written_;
  std::optional<Source> sources_[4]; // the last one: what is in the destination
};

} // namespace

void Example::add(const Item& item) {
  if (count < items.size())
    items[count++] = item;
}

void judge_floats(const Result& r) { Judge(r).judge(); }

} // namespace crosslane::check::numerics
