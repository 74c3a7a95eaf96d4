// Formatted buffers: buffer_load/store_format_* (format from the resource) and MTBUF (format from the instruction).
// Lane by lane: compute code hardly uses them. A format that is not implemented is a fault. Compiled once per level.
#include "engine/buffer_format.h"
#include "engine/memory/access.h"
#include "engine/memory/buffer.h"
#include "engine/memory/lds.h"
#include "engine/raise.h"
#include "engine/reach.h"
#include <xmmintrin.h>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;
using isa::Access;

enum class Width : uint8_t { dword, d16, d16_high };

// DST_SEL: 0 zero, 1 one, 4..7 component.
uint32_t selected(const uint32_t texel[4], uint32_t selector, bool integer) {
  if (selector >= 4)
    return texel[selector - 4];
  return selector == 1 ? (integer ? 1 : 0x3f800000) : 0;
}

// What is the same for all lanes of an access.
struct View {
  buffer::Resource r;
  uint32_t soffset, aux;
  bool typed;
  TexelFormat format;
};
View view_of(const Uop* op, Wave* w) {
  const uint32_t aux = op->aux;
  View v = {buffer::read_resource(at<const uint32_t>(w, op->b), aux, true),
            *at<uint32_t>(w, uint32_t(op->k1)) | uint32_t(op->k1 >> 32),
            aux,
            (aux & buffer::typed) != 0,
            {}};
  if (v.typed)
    v.format = {uint8_t(aux >> buffer::format_shift & 15), uint8_t(aux >> (buffer::format_shift + 4) & 7)};
  else
    v.format = {v.r.data, v.r.number};
  return v;
}
uint8_t* byte_at(const View& v, buffer::Place p, uint32_t b) {
  return reinterpret_cast<uint8_t*>(v.r.base + v.soffset + buffer::buffer_offset(v.r, {p.index, p.offset + b}, v.aux));
}
// An unbound resource: loads 0, stores nothing.
bool unbound(const View& v) { return v.r.data == 0 && !v.typed; }

// False: a byte of the texel is not within reach; a fault was raised.
bool reached(const Uop* op, Wave* w, const View& v, buffer::Place p, int lane) {
  const auto bytes = uint32_t(v.format.bytes());
  if (unbound(v) || buffer::out_of_range(v.r, v.aux, p, v.soffset, bytes))
    return true;
  for (uint32_t b = 0; b < bytes; ++b)
    if (const auto address = reinterpret_cast<uint64_t>(byte_at(v, p, b)); !reaches(w, address, 1))
      return out_of_reach(op, w, lane, address);
  return true;
}

// The components of a texel as DST_SEL orders them. Out of range they are 0, but for what DST_SEL makes 1.
CROSSLANE_NOINLINE void load_texel(const View& v, buffer::Place p, uint32_t values[4]) {
  const auto bytes = uint32_t(v.format.bytes());
  uint32_t raw[4] = {};
  if (!unbound(v) && !buffer::out_of_range(v.r, v.aux, p, v.soffset, bytes)) {
    uint8_t texel[16];
    for (uint32_t b = 0; b < bytes; ++b)
      texel[b] = *byte_at(v, p, b);
    unpack_texel(v.format, texel, raw);
  }
  for (int c = 0; c < 4; ++c)
    values[c] = v.typed ? raw[c] : unbound(v) ? 0 : selected(raw, v.r.selectors >> 3 * c & 7, v.format.is_integer());
}
CROSSLANE_NOINLINE void store_texel(const View& v, buffer::Place p, const uint32_t given[4], int components) {
  const auto bytes = uint32_t(v.format.bytes());
  if (unbound(v) || buffer::out_of_range(v.r, v.aux, p, v.soffset, bytes))
    return;
  uint32_t values[4];
  for (int c = 0; c < 4; ++c)
    values[c] = given[c];
  if (!v.typed) // DST_SEL maps register to texel component
    for (int c = 0; c < components; ++c)
      if (const uint32_t s = v.r.selectors >> 3 * c & 7; s >= 4)
        values[s - 4] = given[c];
  uint8_t texel[16];
  pack_texel(v.format, values, texel);
  for (uint32_t b = 0; b < bytes; ++b)
    *byte_at(v, p, b) = texel[b];
}

// Conversions round to nearest even and keep denormals, whatever MODE says.
constexpr unsigned default_mode = 0x1f80;

template <int Components, bool Store, Width W> CROSSLANE_CC void formatted(const Uop* op, Wave* w) {
  touching(op, w);
  const View v = view_of(op, w);
  const bool packed = v.aux & buffer::packed_d16;
  if (!unbound(v) && !(Store ? v.format.can_store() : v.format.can_load())) {
    raise(w, op, machine::FaultKind::unimplemented);
    return;
  }
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(default_mode);
  uint32_t* registers = at<uint32_t>(w, Store ? op->c : op->dst);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const buffer::Place p = buffer::place(v.r, v.aux, at<uint32_t>(w, op->a), uint32_t(op->imm), lane);
    if (!reached(op, w, v, p, lane))
      return;
    uint32_t values[4] = {};
    if constexpr (Store) {
      for (int c = 0; c < Components; ++c) {
        if constexpr (W == Width::dword)
          values[c] = registers[c * 64 + lane];
        else if (W == Width::d16_high)
          values[c] = widen_component(v.format, uint16_t(registers[lane] >> 16));
        else if (packed)
          values[c] = widen_component(v.format, uint16_t(registers[c / 2 * 64 + lane] >> c % 2 * 16));
        else
          values[c] = widen_component(v.format, uint16_t(registers[c * 64 + lane]));
      }
      store_texel(v, p, values, Components);
    } else {
      load_texel(v, p, values);
      for (int c = 0; c < Components; ++c) {
        if constexpr (W == Width::dword) {
          registers[c * 64 + lane] = values[c];
        } else {
          const uint32_t half = narrow_component(v.format.is_integer(), values[c]);
          uint32_t& to = registers[(W == Width::d16_high ? 0 : packed ? c / 2 : c) * 64 + lane];
          if (W == Width::d16_high || (packed && c % 2))
            to = (to & 0xffff) | half << 16;
          else if (packed && c + 1 == Components)
            to = Components == 1 ? (to & 0xffff0000) | half : half;
          else if (packed)
            to = (to & 0xffff0000) | half;
          else
            to = half;
        }
      }
    }
  }
  _mm_setcsr(mode);
  CROSSLANE_NEXT(op, w);
}

// buffer_load_format_x lds: lane i's component to LDS at M0[15:0] + offset + 4 * i. Lanes without LDS do nothing.
CROSSLANE_CC void formatted_to_lds(const Uop* op, Wave* w) {
  touching(op, w);
  const View v = view_of(op, w);
  const machine::Workgroup& group = *w->workgroup;
  if (!unbound(v) && !v.format.can_load()) {
    raise(w, op, machine::FaultKind::unimplemented);
    return;
  }
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(default_mode);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const uint64_t to = uint64_t(w->s[isa::code::m0] & 0xffff) + uint32_t(op->imm) + 4 * uint32_t(lane);
    if (to + 4 > group.lds_bytes) {
      if (lds_fault(op, w, lane, uint32_t(to), 4))
        return;
      continue;
    }
    const buffer::Place p = buffer::place(v.r, v.aux, at<uint32_t>(w, op->a), uint32_t(op->imm), lane);
    if (!reached(op, w, v, p, lane))
      return;
    uint32_t values[4];
    load_texel(v, p, values);
    std::memcpy(group.lds + to, values, 4);
  }
  _mm_setcsr(mode);
  CROSSLANE_NEXT(op, w);
}

template <bool Store, Width W> Handler pick_components(isa::Type memory) {
  switch (bytes_of(memory)) {
  case 4: return formatted<1, Store, W>;
  case 8: return formatted<2, Store, W>;
  case 12: return formatted<3, Store, W>;
  case 16: return formatted<4, Store, W>;
  default: return nullptr;
  }
}

} // namespace

Handler pick_buffer_format_to_lds(const isa::Row& row) {
  return row.memory == isa::Type::B32 ? formatted_to_lds : nullptr;
}

Handler pick_buffer_format(const isa::Row& row) {
  switch (row.access) {
  case Access::load_format: return pick_components<false, Width::dword>(row.memory);
  case Access::store_format: return pick_components<true, Width::dword>(row.memory);
  case Access::load_format_d16: return pick_components<false, Width::d16>(row.memory);
  case Access::store_format_d16: return pick_components<true, Width::d16>(row.memory);
  case Access::load_format_d16_hi: return formatted<1, false, Width::d16_high>;
  case Access::store_format_d16_hi: return formatted<1, true, Width::d16_high>;
  default: return nullptr;
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
