// The table's columns: what an access does, and how wide it is.
#include "views/lds_cycles.h"
#include "isa/op.h"

namespace crosslane::views {

namespace {

// What the banks take for 64 lanes.
uint32_t of_banks(uint32_t bytes) { return bytes <= 4 ? 2 : bytes <= 8 ? 4 : 8; }

uint32_t of_store(uint32_t bytes) { return bytes <= 4 ? 4 : bytes <= 8 ? 8 : 10; }

// Addresses and data are all that counts: of a ds_*_src2_* no register holds data, ds_append and ds_consume have
// neither.
bool has_data(const isa::Row& row) { return row.encoding != isa::Encoding::DS || row.src[0] != isa::Type::None; }

} // namespace

uint32_t lds_cycles(const events::Access& access) {
  const isa::Row& row = isa::row(access.site.instruction->op);
  const bool wide = access.bytes > 4; // of atomics and of each address where there are two
  switch (row.access) {
  case isa::Access::load2:
  case isa::Access::load2_st64: return wide ? 8 : 4;
  case isa::Access::store2:
  case isa::Access::store2_st64: return wide ? 10 : 6;
  case isa::Access::swap2:
  case isa::Access::swap2_st64: return wide ? 12 : 6;
  case isa::Access::atomic_cmpswap:
  case isa::Access::atomic_fcmpswap:
  case isa::Access::atomic_mskor:
  case isa::Access::wrap: return wide ? 10 : 6;
  default: break;
  }
  const bool transfer = access.site.instruction->lds; // buffer_load_dword ... lds: no register is in between
  if (access.kind == events::AccessKind::load || transfer || !has_data(row))
    return of_banks(access.bytes);
  return access.kind == events::AccessKind::store ? of_store(access.bytes) : wide ? 6 : 4;
}

} // namespace crosslane::views
