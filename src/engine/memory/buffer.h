// Owns the buffer resource (V#) and the address calculation of MUBUF and MTBUF, said once for handlers and diagnosis.
// Source: GCN3 and Vega ISA manuals, 8.1.5 "Buffer addressing", 8.1.8 "Buffer resource"; CLRX GcnMemHandling for gfx6
// and gfx7; the units of NUM_RECORDS per generation as Mesa's si_descriptors describe them; docs/isa-errata.md.
#pragma once
#include "isa/instruction.h"
#include <cstdint>

namespace crosslane::engine {

namespace buffer {
// Uop::aux of buffer handlers.
inline constexpr uint32_t offen = 1, idxen = 2, gfx9 = 4, typed = 8, returns = 16, packed_d16 = 32, gfx67 = 64,
                          addr64 = 128;
inline constexpr int format_shift = 8, dword_shift = 16; // DFMT | NFMT << 4 of MTBUF; dwords per lane of atomics

// The flags that addresses depend on. gfx8 keeps each half of a d16 access in a register of its own, but for gfx810.
__attribute__((always_inline)) inline uint32_t flags_of(const isa::Instruction& inst) {
  const isa::Generation g = isa::info(inst.target).generation;
  const bool packed = isa::packed_d16(inst.target);
  return (inst.offen ? offen : 0) | (inst.idxen ? idxen : 0) | (inst.addr64 ? addr64 : 0) | (packed ? packed_d16 : 0) |
         (g >= isa::Generation::gfx9 ? gfx9 : 0) | (g < isa::Generation::gfx8 ? gfx67 : 0);
}

struct Resource {
  uint64_t base;
  uint32_t stride, records, index_stride, element_size;
  bool swizzle, add_tid;
  uint32_t selectors;   // DST_SEL_X.., 3 bits each
  uint8_t data, number; // format
};

__attribute__((always_inline)) inline Resource read_resource(const uint32_t* s, uint32_t aux, bool format) {
  Resource r;
  r.base = uint64_t(s[1] & 0xffff) << 32 | s[0];
  r.stride = s[1] >> 16 & 0x3fff;
  r.swizzle = s[1] >> 31;
  r.records = s[2];
  r.selectors = s[3] & 0xfff;
  r.number = s[3] >> 12 & 7;
  r.data = s[3] >> 15 & 15;
  r.element_size = aux & gfx9 ? 4 : 2u << (s[3] >> 19 & 3);
  r.index_stride = 8u << (s[3] >> 21 & 3);
  r.add_tid = s[3] >> 23 & 1;
  if (r.add_tid && !format && !(aux & gfx67))
    r.stride |= uint32_t(r.data) << 14;
  return r;
}

// The address of one lane's access: index and offset, soffset apart.
struct Place {
  uint32_t index;
  uint64_t offset;
};
__attribute__((always_inline)) inline Place place(const Resource& r, uint32_t aux, const uint32_t* vaddr, uint32_t imm,
                                                  int lane) {
  Place p = {0, imm};
  if (aux & addr64) { // a whole address, to which the resource adds its base
    p.offset += uint64_t(vaddr[64 + lane]) << 32 | vaddr[lane];
    return p;
  }
  if (aux & idxen)
    p.index = vaddr[lane];
  if (aux & offen)
    p.offset += vaddr[(aux & idxen ? 64 : 0) + lane];
  if (r.add_tid)
    p.index += uint32_t(lane);
  return p;
}
// Offset from base + soffset of the byte at p.offset.
__attribute__((always_inline)) inline uint64_t buffer_offset(const Resource& r, Place p, uint32_t aux) {
  if (!r.swizzle || aux & addr64)
    return uint64_t(p.index) * r.stride + p.offset;
  const uint64_t msb = p.index / r.index_stride, lsb = p.index % r.index_stride;
  return (msb * r.stride + p.offset / r.element_size * r.element_size) * r.index_stride + lsb * r.element_size +
         p.offset % r.element_size;
}
// True when `bytes` bytes at p are outside of the buffer.
__attribute__((always_inline)) inline bool out_of_range(const Resource& r, uint32_t aux, Place p, uint32_t soffset,
                                                        uint32_t bytes) {
  if (aux & addr64)
    return false;
  if (r.add_tid && !(aux & idxen))
    return false; // private segment: no check
  if (aux & gfx9) {
    if (!(aux & idxen) || r.stride == 0)
      return p.offset + bytes > r.records;
    return p.index >= r.records;
  }
  if (aux & gfx67 && r.stride != 0)
    return p.index >= r.records || (aux & idxen && p.offset >= r.stride);
  if (r.stride == 0 || !r.swizzle)
    return buffer_offset(r, p, aux) + bytes + soffset > r.records;
  return p.index >= r.records || p.offset >= r.stride;
}

// What launch makes for the private segment: swizzled dwords of 64 lanes, lane number added. Stride and element size as
// they are there; NUM_RECORDS and the base do not matter.
__attribute__((always_inline)) inline bool is_private(const uint32_t* s, bool is_gfx9) {
  const uint32_t fields =
      is_gfx9 ? 0x00e78000 : 0x00ff8000; // add_tid, index stride, stride[17:14], element size on gfx8
  return (((s[1] & 0xffff0000) ^ 0x80000000) | ((s[3] & fields) ^ (is_gfx9 ? 0x00e00000 : 0x00e80000))) == 0;
}

} // namespace buffer
} // namespace crosslane::engine
