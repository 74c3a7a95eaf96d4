#include "engine/hwreg.h"
#include "machine/memory.h"
#include <xmmintrin.h>

namespace crosslane::engine {

namespace {

enum Id : uint32_t { mode = 1, status = 2, trapsts = 3, hw_id = 4, gpr_alloc = 5, lds_alloc = 6, ib_sts = 7, mem_bases = 15 };

// MXCSR for a round mode (0 nearest, 1 +inf, 2 -inf, 3 zero) and a denormal mode (bit 0: inputs kept, bit 1: outputs kept).
uint32_t mxcsr(uint32_t round, uint32_t denorm) {
  static constexpr uint32_t rounding[4] = {0x0000, 0x4000, 0x2000, 0x6000};
  uint32_t value = 0x1f80 | rounding[round];  // all exceptions masked
  if (!(denorm & 1)) value |= 0x0040;         // DAZ
  if (!(denorm & 2)) value |= 0x8000;         // FTZ
  return value;
}

uint32_t whole(const machine::Wave& w, uint32_t id) {
  switch (id) {
  case mode: return w.mode;
  case status: {
    uint32_t s = w.status & ~1u;
    s |= w.scc;
    if (w.exec() == 0) s |= 1u << 9;
    if (w.vcc() == 0) s |= 1u << 10;
    if (w.workgroup->wave_count > 1) s |= 1u << 11;  // IN_TG
    return s | 1u << 16;                             // VALID
  }
  case trapsts: return w.trapsts;
  case hw_id: return w.id & 0xf;  // one SIMD, one CU: the wave number is all there is
  case gpr_alloc: return (w.vgpr_count / 4 - 1) << 8;
  case lds_alloc: return ((w.workgroup->lds_bytes + 511) / 512) << 12;
  case mem_bases: return uint32_t(machine::apertures().private_base >> 48) | uint32_t(machine::apertures().shared_base >> 48) << 16;
  default: return 0;  // IB_STS: no counter is ever outstanding
  }
}

uint32_t field_mask(uint32_t hwreg) {
  const uint32_t size = (hwreg >> 11 & 31) + 1;
  return size == 32 ? ~0u : (1u << size) - 1;
}

}  // namespace

bool hwreg_readable(uint32_t id) { return (id >= mode && id <= ib_sts) || id == mem_bases; }
bool hwreg_writable(uint32_t id) { return id == mode || id == status || id == trapsts; }

uint32_t read_hwreg(const machine::Wave& w, uint32_t hwreg) {
  return whole(w, hwreg & 0x3f) >> (hwreg >> 6 & 31) & field_mask(hwreg);
}

void write_hwreg(machine::Wave& w, uint32_t hwreg, uint32_t value) {
  const uint32_t shift = hwreg >> 6 & 31, mask = field_mask(hwreg) << shift;
  const auto merge = [&](uint32_t old) { return (old & ~mask) | (value << shift & mask); };
  switch (hwreg & 0x3f) {
  case mode:
    w.mode = merge(w.mode);
    apply_mode(w);
    _mm_setcsr(w.mxcsr32);
    break;
  case trapsts: w.trapsts = merge(w.trapsts); break;
  default: break;  // STATUS: user code may write only what has no meaning here
  }
}

void apply_mode(machine::Wave& w) {
  w.mxcsr32 = mxcsr(w.mode & 3, w.mode >> 4 & 3);
  w.mxcsr64 = mxcsr(w.mode >> 2 & 3, w.mode >> 6 & 3);
  w.fp_split = w.mxcsr32 != w.mxcsr64;
}

}  // namespace crosslane::engine
