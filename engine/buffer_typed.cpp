// Formatted buffers: buffer_load/store_format_* (format from the resource) and MTBUF (format from the instruction). Lane by
// lane: compute code hardly uses them. A format that is not implemented is a fault. Compiled once per level.
#include "engine/access.h"
#include "engine/buffer.h"
#include "engine/buffer_format.h"
#include "engine/raise.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;
using isa::Access;

enum class Width : uint8_t { dword, d16, d16_high };

// DST_SEL: 0 zero, 1 one, 4..7 component.
uint32_t selected(const uint32_t texel[4], uint32_t selector, bool integer) {
  if (selector >= 4) return texel[selector - 4];
  return selector == 1 ? (integer ? 1 : 0x3f800000) : 0;
}

template <int Components, bool Store, Width W> CROSSLANE_CC void formatted(const Uop* op, Wave* w) {
  touching(op, w);
  const uint32_t aux = op->aux;
  const buffer::Resource r = buffer::read_resource(at<const uint32_t>(w, op->b), aux & buffer::gfx9, true);
  const uint32_t soffset = *at<uint32_t>(w, uint32_t(op->k1)) | uint32_t(op->k1 >> 32);
  const bool typed = aux & buffer::typed, packed = aux & buffer::packed_d16;
  const TexelFormat format = typed ? TexelFormat{uint8_t(aux >> buffer::format_shift & 15), uint8_t(aux >> (buffer::format_shift + 4) & 7)}
                                   : TexelFormat{r.data, r.number};
  if (r.data == 0 && !typed) {  // an unbound resource: loads 0, stores nothing
    if constexpr (!Store)
      for (uint64_t left = w->exec(); left; left &= left - 1)
        for (int k = 0; k < (W == Width::dword || !packed ? Components : (Components + 1) / 2); ++k)
          at<uint32_t>(w, op->dst)[k * 64 + first_lane(left)] = 0;
    CROSSLANE_NEXT(op, w);
  }
  if (!(Store ? format.can_store() : format.can_load())) {
    raise(w, op, machine::FaultKind::unimplemented);
    return;
  }
  const uint32_t bytes = uint32_t(format.bytes());
  uint32_t* registers = at<uint32_t>(w, Store ? op->c : op->dst);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const buffer::Place p = buffer::place(r, aux, at<uint32_t>(w, op->a), uint32_t(op->imm), lane);
    const bool outside = buffer::out_of_range(r, aux, p, soffset, bytes);
    uint8_t texel[16];
    const auto byte = [&](uint32_t b) {
      return reinterpret_cast<uint8_t*>(r.base + soffset + buffer::buffer_offset(r, {p.index, p.offset + b}));
    };
    uint32_t values[4] = {};
    if constexpr (Store) {
      if (outside) continue;
      uint32_t given[4] = {};
      for (int c = 0; c < Components; ++c) {
        if constexpr (W == Width::dword) given[c] = registers[c * 64 + lane];
        else if (W == Width::d16_high) given[c] = widen_component(format, uint16_t(registers[lane] >> 16));
        else if (packed) given[c] = widen_component(format, uint16_t(registers[c / 2 * 64 + lane] >> c % 2 * 16));
        else given[c] = widen_component(format, uint16_t(registers[c * 64 + lane]));
      }
      for (int c = 0; c < 4; ++c) values[c] = given[c];
      if (!typed)  // DST_SEL maps register to texel component
        for (int c = 0; c < Components; ++c)
          if (const uint32_t s = r.selectors >> 3 * c & 7; s >= 4) values[s - 4] = given[c];
      pack_texel(format, values, texel);
      for (uint32_t b = 0; b < bytes; ++b) *byte(b) = texel[b];
    } else {
      if (!outside) {
        uint32_t raw[4];
        for (uint32_t b = 0; b < bytes; ++b) texel[b] = *byte(b);
        unpack_texel(format, texel, raw);
        for (int c = 0; c < 4; ++c)
          values[c] = typed ? raw[c] : selected(raw, r.selectors >> 3 * c & 7, format.is_integer());
      } else if (!typed) {
        for (int c = 0; c < 4; ++c)
          if ((r.selectors >> 3 * c & 7) == 1) values[c] = format.is_integer() ? 1 : 0x3f800000;
      }
      for (int c = 0; c < Components; ++c) {
        if constexpr (W == Width::dword) {
          registers[c * 64 + lane] = values[c];
        } else {
          const uint32_t half = narrow_component(format.is_integer(), values[c]);
          uint32_t& to = registers[(W == Width::d16_high ? 0 : packed ? c / 2 : c) * 64 + lane];
          if (W == Width::d16_high || (packed && c % 2)) to = (to & 0xffff) | half << 16;
          else if (packed && c + 1 == Components) to = Components == 1 ? (to & 0xffff0000) | half : half;
          else if (packed) to = (to & 0xffff0000) | half;
          else to = half;
        }
      }
    }
  }
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

}  // namespace

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
}  // namespace crosslane::engine
