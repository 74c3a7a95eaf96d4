// Fields of the hardware registers, read and written bit by bit; MODE reaches the host's MXCSR.
#include "engine/scalar/hwreg.h"
#include "engine/decode/decode_mode.h"
#include "machine/memory.h"
#include <xmmintrin.h>

namespace crosslane::engine {

namespace {

enum Id : uint32_t {
  mode = hwreg_mode,
  status = 2,
  trapsts = 3,
  hw_id = 4,
  gpr_alloc = 5,
  lds_alloc = 6,
  ib_sts = 7,
  pc_lo = 8,
  pc_hi = 9,
  inst_dw0 = 10,
  inst_dw1 = 11,
  flush_ib = 14,
  mem_bases = 15,
  tba_lo = 16,
  tba_hi = 17,
  tma_lo = 18,
  tma_hi = 19
};

// What a trap handler may write of STATUS: not what follows from the wave itself, nor PRIV, which only s_rfe clears.
constexpr uint32_t status_writable = ~(status_bit::priv | status_bit::trap_en | status_bit::execz | status_bit::vccz |
                                       status_bit::in_tg | status_bit::valid);
constexpr uint32_t ib_sts_writable = 0x1f8000; // RCNT and FIRST_REPLAY: of XNACK replays, which never happen here

// MXCSR for a round mode (0 nearest, 1 +inf, 2 -inf, 3 zero) and a denormal mode (bit 0: inputs kept, bit 1: outputs
// kept).
uint32_t mxcsr(uint32_t round, uint32_t denorm) {
  static constexpr uint32_t rounding[4] = {0x0000, 0x4000, 0x2000, 0x6000};
  uint32_t value = 0x1f80 | rounding[round]; // all exceptions masked
  if (!(denorm & 1))
    value |= 0x0040; // DAZ
  if (!(denorm & 2))
    value |= 0x8000; // FTZ
  return value;
}

uint32_t whole(const machine::Wave& w, uint32_t id, uint64_t pc) {
  switch (id) {
  case mode: return w.mode;
  case status: {
    uint32_t s = w.status | w.scc | status_bit::valid;
    if (w.exec() == 0)
      s |= status_bit::execz;
    if (w.vcc() == 0)
      s |= status_bit::vccz;
    if (w.workgroup->wave_count > 1)
      s |= status_bit::in_tg;
    return s;
  }
  case trapsts: return w.trapsts;
  case hw_id: return w.hw_id;
  case gpr_alloc: return w.gpr_alloc;
  case lds_alloc: return w.lds_alloc;
  case ib_sts: return w.ib_sts;        // no counter is ever outstanding
  case pc_lo: return uint32_t(pc + 4); // PC is at the next instruction, as for s_getpc_b64
  case pc_hi: return uint32_t((pc + 4) >> 32);
  case inst_dw0: return *reinterpret_cast<const uint32_t*>(pc);
  case mem_bases:
    return uint32_t(machine::apertures().private_base >> 48) | uint32_t(machine::apertures().shared_base >> 48) << 16;
  case tba_lo: return uint32_t(w.tba >> 8); // in units of 256 bytes
  case tba_hi: return uint32_t(w.tba >> 40);
  case tma_lo: return uint32_t(w.tma >> 8);
  case tma_hi: return uint32_t(w.tma >> 40);
  default: return 0; // INST_DW1: s_getreg has no second dword; FLUSH_IB has no value
  }
}

uint32_t field_mask(uint32_t hwreg) {
  const uint32_t size = (hwreg >> 11 & 31) + 1;
  return size == 32 ? ~0u : (1u << size) - 1;
}

} // namespace

bool hwreg_readable(uint32_t id, isa::Target target) {
  const bool gfx9 = isa::info(target).generation >= isa::Generation::gfx9;
  return (id >= mode && id <= inst_dw1) || id == flush_ib || (gfx9 && id >= mem_bases && id <= tma_hi);
}
bool hwreg_writable(uint32_t id) { return (id >= mode && id <= trapsts) || id == ib_sts || id == flush_ib; }

uint32_t read_hwreg(const machine::Wave& w, uint32_t hwreg, uint64_t pc) {
  return whole(w, hwreg & 0x3f, pc) >> (hwreg >> 6 & 31) & field_mask(hwreg);
}

void write_hwreg(machine::Wave& w, uint32_t hwreg, uint32_t value) {
  const uint32_t shift = hwreg >> 6 & 31, mask = field_mask(hwreg) << shift;
  const auto merge = [&](uint32_t old, uint32_t writable) {
    return (old & ~(mask & writable)) | (value << shift & mask & writable);
  };
  const bool privileged = (w.status & status_bit::priv) != 0;
  switch (hwreg & 0x3f) {
  case mode:
    w.mode = merge(w.mode, ~0u);
    apply_mode(w);
    _mm_setcsr(w.mxcsr32);
    break;
  case trapsts: w.trapsts = merge(w.trapsts, ~0u); break;
  case status: // read-only outside of trap handlers
    if (!privileged)
      break;
    w.status = merge(w.status | w.scc, status_writable);
    w.scc = w.status & status_bit::scc;
    w.status &= ~status_bit::scc;
    break;
  case ib_sts:
    if (privileged)
      w.ib_sts = merge(w.ib_sts, ib_sts_writable);
    break;
  default: break; // FLUSH_IB: the instruction buffer holds nothing that memory does not
  }
}

FloatModes float_modes(uint32_t mode) { return {mxcsr(mode & 3, mode >> 4 & 3), mxcsr(mode >> 2 & 3, mode >> 6 & 3)}; }
void apply_mode(machine::Wave& w) {
  const FloatModes modes = float_modes(w.mode);
  w.mxcsr32 = modes.mxcsr32, w.mxcsr64 = modes.mxcsr64, w.fp_split = modes.split();
}

} // namespace crosslane::engine
