// Asked only where a wave has marks at all.
#include "check/numerics/moves.h"
#include "isa/classify.h"
#include <bit>

namespace crosslane::check::numerics {

namespace {

class Mover {
public:
  Mover(const machine::Wave& wave, Marks& marks, const Instruction& i, uint64_t exec)
      : wave_(wave), marks_(marks), i_(i), in_(*i.in), exec_(exec),
        scalar_(isa::row(in_.op).encoding <= isa::Encoding::SOPP) {}

  void move() {
    switch (i_.kind) {
    case Kind::read_lane: return read_lane();
    case Kind::write_lane: return write_lane();
    case Kind::swap: return swap();
    case Kind::lds_lanes: return lds_lanes();
    default: return lanes();
    }
  }

private:
  Source source(int n) const { return Source(wave_, i_, n, nullptr); }

  // Each lane by itself.
  void lanes() {
    const Source s[3] = {source(0), source(1), source(2)};
    const uint64_t mask = i_.kind != Kind::choose ? 0 : scalar_ ? wave_.scc - 1ull : wave_.pair(in_.src[2]);
    const uint64_t written = scalar_ ? 1 : written_lanes(in_, exec_);
    for (const isa::Operand& o : i_.operands)
      if (o.written && o.role == isa::Role::dst)
        for (unsigned k = 0; k < o.dwords; ++k) {
          std::array<Mark, machine::lanes_per_wave> marks;
          for (uint64_t left = written; left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            marks[size_t(lane)] = of_lane(s, k, lane, mask >> lane & 1);
          }
          put(slot_of(o) + k, written, marks);
        }
  }
  Mark of(const Source& s, unsigned k, int lane) const {
    if (!s.exists() || s.slot() == slot::end || s.from(lane) < 0)
      return {};
    if (!s.is_whole()) // a field: of floating-point numbers, a half
      return is_float(marks_.at(s.slot(), s.from(lane)).made) ? marks_.at(s.slot(), s.from(lane)) : Mark();
    return marks_.at(s.slot() + (k < s.dwords() ? k : 0), s.from(lane));
  }
  Mark of_lane(const Source (&s)[3], unsigned k, int lane, bool second) const {
    if (in_.op == isa::Op::v_pk_mov_b32)
      return of(s[k], in_.op_sel >> k & 1, lane);
    if (i_.kind == Kind::choose)
      return of(s[second], k, lane);
    if (i_.kind == Kind::copy)
      return of(s[0], k, lane);
    // Integers: an or of parts is a sum of them, and what a mask leaves is a field.
    const bool sums = in_.op == isa::Op::v_or_b32 || in_.op == isa::Op::v_or3_b32 || in_.op == isa::Op::s_or_b32;
    for (const Source& each : s)
      if (const Mark m = of(each, k, lane); is_float(m.made) || (m && sums))
        return m;
    return {};
  }
  void put(unsigned slot, uint64_t lanes, const std::array<Mark, machine::lanes_per_wave>& marks) {
    for (uint64_t left = lanes; left; left &= left - 1)
      marks_.set(slot, std::countr_zero(left), marks[size_t(std::countr_zero(left))]);
  }

  void read_lane() {
    const Source s = source(0), by = source(1);
    const int lane =
        in_.op == isa::Op::v_readfirstlane_b32 ? (exec_ ? std::countr_zero(exec_) : 0) : int(by.dword(0, 0) & 63);
    if (isa::is_scalar_register(in_.dst))
      marks_.set(in_.dst, 0, marks_.at(s.slot(), lane));
  }
  void write_lane() {
    const Source s = source(0), by = source(1);
    marks_.set(in_.dst, int(by.dword(0, 0) & 63), marks_.at(s.slot(), 0));
  }
  void swap() {
    const unsigned a = in_.dst, b = in_.src[0];
    for (uint64_t left = exec_; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const Mark was = marks_.at(a, lane);
      marks_.set(a, lane, marks_.at(b, lane)), marks_.set(b, lane, was);
    }
  }
  void lds_lanes() {
    const isa::Access access = isa::row(in_.op).access;
    const bool swizzle = access == isa::Access::swizzle;
    const unsigned from = swizzle ? in_.addr : in_.data;
    if (in_.dst < isa::code::vgpr0 || from < isa::code::vgpr0 || from >= slot::end)
      return;
    const cross_lane::Sources pattern =
        swizzle ? cross_lane::swizzle_sources(uint32_t(in_.imm), isa::info(in_.target).generation)
                : cross_lane::Sources();
    std::array<Mark, machine::lanes_per_wave> marks{};
    for (uint64_t left = exec_; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const int other =
          swizzle ? pattern[size_t(lane)] : int((dword_of(wave_, in_.addr, lane) + uint32_t(in_.imm)) >> 2 & 63);
      if (access == isa::Access::permute)
        marks[size_t(other)] = marks_.at(from, lane);
      else if (other != cross_lane::no_lane && exec_ >> other & 1)
        marks[size_t(lane)] = marks_.at(from, other);
    }
    put(in_.dst, exec_, marks);
  }

  const machine::Wave& wave_;
  Marks& marks_;
  const Instruction& i_;
  const isa::Instruction& in_;
  const uint64_t exec_;
  const bool scalar_;
};

} // namespace

void move_marks(const machine::Wave& wave, Marks& marks, const Instruction& i, uint64_t exec) {
  Mover(wave, marks, i, exec).move();
}

} // namespace crosslane::check::numerics
