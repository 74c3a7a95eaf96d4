// The table's columns: what an access does, and how wide it is.
#include "timing/lds_cycles.h"
#include "isa/access.h"
#include "isa/op.h"

namespace crosslane::timing {

namespace {

using events::AccessKind;
using isa::Access;

// What the banks take for 64 lanes.
uint32_t of_banks(uint32_t bytes) { return bytes <= 4 ? 2 : bytes <= 8 ? 4 : 8; }

uint32_t of_store(uint32_t bytes) { return bytes <= 4 ? 4 : bytes <= 8 ? 8 : 10; }

// Addresses and data are all that counts: of a ds_*_src2_* no register holds data, ds_append and ds_consume have
// neither.
bool has_data(const isa::Row& row) { return row.encoding != isa::Encoding::DS || row.src[0] != isa::Type::None; }

// `bytes` of each address where there are two.
uint32_t unit_cycles(const isa::Row& row, AccessKind kind, uint32_t bytes, bool transfer) {
  const bool wide = bytes > 4;
  switch (row.access) {
  case Access::load2:
  case Access::load2_st64: return wide ? 8 : 4;
  case Access::store2:
  case Access::store2_st64: return wide ? 10 : 6;
  case Access::swap2:
  case Access::swap2_st64: return wide ? 12 : 6;
  case Access::atomic_cmpswap:
  case Access::atomic_fcmpswap:
  case Access::atomic_mskor:
  case Access::wrap: return wide ? 10 : 6;
  default: break;
  }
  if (kind == AccessKind::load || transfer || !has_data(row))
    return of_banks(bytes);
  return kind == AccessKind::store ? of_store(bytes) : wide ? 6 : 4;
}

// Of a wave that is alone.
uint32_t wave_cycles(const isa::Row& row, uint32_t bytes) {
  const bool wide = bytes > 4, operand_in_lds = has_data(row) == false && row.dst == isa::Type::None;
  switch (row.access) {
  case Access::load:
  case Access::load_d16:
  case Access::load_d16_hi:
  case Access::lds_add_tid_load: return bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
  case Access::load2:
  case Access::load2_st64: return wide ? 16 : 8;
  case Access::store:
  case Access::store_d16_hi:
  case Access::lds_add_tid_store:
    if (operand_in_lds) // ds_write_src2_*
      return wide ? 20 : 12;
    return bytes <= 4 ? 8 : bytes <= 8 ? 12 : bytes <= 12 ? 16 : 20;
  case Access::store2:
  case Access::store2_st64:
  case Access::swap2:
  case Access::swap2_st64:
  case Access::atomic_cmpswap:
  case Access::atomic_fcmpswap:
  case Access::atomic_mskor:
  case Access::wrap: return wide ? 20 : 12;
  default: break;
  }
  if (isa::is_atomic(row.access) && row.access != Access::append && row.access != Access::consume)
    return operand_in_lds ? wide ? 8 : 4 : wide ? 12 : 8;
  return 4; // swizzles, ds_nop, ds_append, ds_consume
}

} // namespace

uint32_t lds_cycles(const events::Access& access) {
  const isa::Instruction& i = *access.site.instruction;
  // buffer_load_dword ... lds: no register is in between
  return unit_cycles(isa::row(i.op), access.kind, access.bytes, i.lds);
}

LdsCycles lds_cycles(const isa::Instruction& i) {
  const isa::Row& row = isa::row(i.op);
  const uint32_t bytes = uint32_t(isa::dwords(row.memory)) * 4;
  const AccessKind kind = isa::is_atomic(row.access)  ? AccessKind::atomic
                          : isa::is_store(row.access) ? AccessKind::store
                                                      : AccessKind::load;
  const bool loads_too = row.encoding == isa::Encoding::DS && !has_data(row) && row.dst == isa::Type::None &&
                         row.memory != isa::Type::None; // ds_*_src2_*
  const uint32_t unit = unit_cycles(row, kind, bytes, false);
  return {wave_cycles(row, bytes), loads_too ? 2 * of_banks(bytes) : unit};
}

} // namespace crosslane::timing
