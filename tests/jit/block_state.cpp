// See block_state.h.
#include "tests/jit/block_state.h"
#include "isa/access.h"
#include "isa/op.h"
#include <map>
#include <string_view>

namespace crosslane::test {

using isa::Instruction;
using isa::Operand;
using isa::RegisterFile;
using isa::Role;
using isa::Type;
namespace code = isa::code;

namespace {

constexpr size_t lanes = BlockState::lanes;

struct Width {
  int bits;
  bool nan(uint64_t v) const {
    return bits == 64   ? (v & 0x7fffffffffffffff) > 0x7ff0000000000000
           : bits == 32 ? (v & 0x7fffffff) > 0x7f800000
                        : (v & 0x7fff) > 0x7c00;
  }
};

int float_bits(Type t) {
  switch (t) {
  case Type::F16:
  case Type::PkF16: return 16;
  case Type::F32:
  case Type::PkF32: return 32;
  case Type::F64: return 64;
  default: return 0;
  }
}

// How many NaNs meet in a lane, of which the result may have the payload of any: sources; and products of infinity and
// 0 that something is added to. Where halves, other lanes or fields are taken, any of them may be the one.
int nan_sources(const Instruction& inst, const BlockState& st, size_t lane) {
  const isa::Row& row = isa::row(inst.op);
  int count = 0;
  bool infinite = false;
  const auto look = [&](Type t, const Operand& o) {
    const int bits = float_bits(t) ? float_bits(t) : float_bits(row.dst);
    const size_t first = inst.form == isa::Form::dpp ? 0 : lane, last = inst.form == isa::Form::dpp ? lanes - 1 : lane;
    const auto word = [&](size_t l, size_t d) -> uint64_t {
      return o.file == RegisterFile::scalar
                 ? st.s[o.first + d]
                 : st.v[(o.first + d + (o.file == RegisterFile::agpr ? 256u : 0u)) * lanes + l];
    };
    bool any = false;
    for (size_t l = first; l <= last; ++l)
      for (size_t d = 0; d < o.dwords; ++d) {
        const uint64_t w = word(l, d);
        infinite |= bits == 64   ? (w & 0x7ff00000) == 0x7ff00000
                    : bits == 32 ? (w & 0x7f800000) == 0x7f800000
                                 : (w & 0x7c00) == 0x7c00 || (w & 0x7c000000) == 0x7c000000;
        if (bits == 64)
          any |= d + 1 < o.dwords && Width{64}.nan(w | word(l, d + 1) << 32);
        else
          any |= (bits == 32 && Width{32}.nan(w)) ||
                 ((bits == 16 || inst.form == isa::Form::sdwa || row.encoding == isa::Encoding::VOP3P) &&
                  (Width{16}.nan(w & 0xffff) || Width{16}.nan(w >> 16)));
      }
    count += any;
  };
  for (const Operand& o : isa::operands(inst))
    if (o.read && o.role >= Role::src0 && o.role <= Role::src2)
      look(row.src[int(o.role) - int(Role::src0)], o);
    else if (o.read && o.role == Role::dst)
      look(row.dst, o);
  for (const uint16_t s : inst.src) {
    const bool negative_integer = s > code::inline_int0 + 64 && s <= code::inline_int0 + 80; // all ones on top
    count += negative_integer ||
             (s == code::literal && (Width{32}.nan(inst.literal) || Width{16}.nan(inst.literal & 0xffff)));
  }
  const std::string_view name = row.mnemonic;
  return count + (infinite && (name.starts_with("v_ma") || name.starts_with("v_pk_ma") || name.starts_with("v_dot")));
}

bool is_float_atomic_of_lds(const Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  return row.encoding == isa::Encoding::DS && isa::is_float_atomic(row.access);
}

uint64_t word_of(const std::vector<uint8_t>& bytes, size_t at, int bits) {
  uint64_t v = 0;
  for (size_t n = 0; n < size_t(bits) / 8 && at + n < bytes.size(); ++n)
    v |= uint64_t(bytes[at + n]) << 8 * n;
  return v;
}

// ds_..._src2: what comes to a place is read from another one, which the offset says.
bool is_of_lds_alone(const Instruction& inst) { return inst.data == code::none; }

size_t lds_place(const Instruction& inst, const BlockState& st, size_t lane, int bits) {
  const uint32_t offset = is_of_lds_alone(inst) ? 0 : uint32_t(inst.imm);
  return (st.v[size_t(inst.addr - code::vgpr0) * lanes + lane] + offset) & ~uint32_t(bits / 8 - 1);
}

// By place: how many NaNs are there and come to it.
std::map<size_t, int> nans_in_lds(const Instruction& inst, const BlockState& st) {
  const int bits = float_bits(isa::row(inst.op).memory);
  std::map<size_t, int> count;
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (!(st.exec() >> lane & 1))
      continue;
    const size_t at = lds_place(inst, st, lane, bits);
    const auto [found, is_new] = count.emplace(at, 0);
    found->second += is_new && Width{bits}.nan(word_of(st.lds, at, bits));
    if (is_of_lds_alone(inst)) { // it may be one, which another lane may have made
      ++found->second;
      continue;
    }
    const auto data = size_t(inst.data - code::vgpr0);
    const uint64_t high = bits == 64 ? st.v[(data + 1) * lanes + lane] : 0;
    found->second += Width{bits}.nan(st.v[data * lanes + lane] | high << 32);
  }
  return count;
}

} // namespace

bool has_free_payload(const Instruction& inst, const BlockState& before, size_t lane) {
  if (is_float_atomic_of_lds(inst))
    return lane == 0 && std::ranges::any_of(nans_in_lds(inst, before), [](const auto& p) { return p.second > 1; });
  return float_bits(isa::row(inst.op).dst) && nan_sources(inst, before, lane) > 1;
}

void excuse_payloads_in_lds(const Instruction& inst, const BlockState& before, const BlockState& a, BlockState& b) {
  if (!is_float_atomic_of_lds(inst))
    return;
  const int bits = float_bits(isa::row(inst.op).memory);
  const auto met = nans_in_lds(inst, before);
  for (const auto& [at, count] : met)
    if (count > 1 && Width{bits}.nan(word_of(a.lds, at, bits)) && Width{bits}.nan(word_of(b.lds, at, bits)))
      std::copy_n(a.lds.begin() + ptrdiff_t(at), std::min(size_t(bits) / 8, a.lds.size() - at),
                  b.lds.begin() + ptrdiff_t(at));
  // What was there before a lane's own, which others may have added to.
  for (const Operand& o : isa::operands(inst))
    for (size_t lane = 0; lane < lanes && o.written && o.file == RegisterFile::vgpr; ++lane) {
      const auto word = [&](const BlockState& st) {
        return st.v[o.first * lanes + lane] | (bits == 64 ? uint64_t(st.v[(o.first + 1u) * lanes + lane]) << 32 : 0);
      };
      const auto found = met.find(lds_place(inst, before, lane, bits));
      if (found != met.end() && found->second > 1 && Width{bits}.nan(word(a)) && Width{bits}.nan(word(b)))
        for (size_t d = 0; d < o.dwords; ++d)
          b.v[(o.first + d) * lanes + lane] = a.v[(o.first + d) * lanes + lane];
    }
}

bool differs_by_payload(const Instruction& inst, const BlockState& before, const BlockState& a, const BlockState& b,
                        size_t reg, size_t lane) {
  const isa::Row& row = isa::row(inst.op);
  const int bits = float_bits(row.dst);
  if (!bits)
    return false;
  for (const Operand& o : isa::operands(inst)) {
    if (!o.written || o.role != Role::dst || (o.file != RegisterFile::vgpr && o.file != RegisterFile::agpr) ||
        reg < o.first + (o.file == RegisterFile::agpr ? 256u : 0u) ||
        reg >= o.first + o.dwords + (o.file == RegisterFile::agpr ? 256u : 0u))
      continue;
    if (nan_sources(inst, before, lane) < 2)
      return false;
    if (inst.form == isa::Form::sdwa && inst.dst_sel != isa::SdwaSel::dword)
      return true; // a part of it
    const uint32_t x = a.v[reg * lanes + lane], y = b.v[reg * lanes + lane];
    if (bits == 16) {
      const auto half = [](uint32_t p, uint32_t q) { return p == q || (Width{16}.nan(p) && Width{16}.nan(q)); };
      return half(x & 0xffff, y & 0xffff) && half(x >> 16, y >> 16);
    }
    if (bits == 32)
      return Width{32}.nan(x) && Width{32}.nan(y);
    const size_t low = reg - (reg - o.first) % 2;
    const auto wide = [&](const BlockState& st) {
      return st.v[low * lanes + lane] | uint64_t(st.v[(low + 1) * lanes + lane]) << 32;
    };
    return Width{64}.nan(wide(a)) && Width{64}.nan(wide(b));
  }
  return false;
}

} // namespace crosslane::test
