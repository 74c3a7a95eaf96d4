// DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF.
#include "isa/access.h"
#include "isa/memory_registers.h"
#include "isa/parse/match.h"

namespace crosslane::isa::detail {
namespace {

bool ranged_offset(Match& m, int64_t low, int64_t high) {
  if (!m.has(Name::offset))
    return true;
  const int64_t v = m.item()->value;
  if (v < low || v > high)
    return m.fail("the offset of " + full_name(m) + " is a number from " + std::to_string(low) + " to " +
                  std::to_string(high));
  m.out.imm = static_cast<int32_t>(v);
  m.skip();
  return true;
}

// glc, slc and scc come together, in any order.
bool cache_policy(Match& m) {
  bool* const fields[] = {&m.out.glc, &m.out.slc, &m.out.scc};
  constexpr Name names[] = {Name::glc, Name::slc, Name::scc};
  bool seen[3] = {};
  for (bool more = true; more;) {
    more = false;
    for (int k = 0; k < 3; ++k)
      if (m.has(names[k])) {
        if (seen[k])
          return m.fail(quoted(m.item()->text) + " is given twice");
        seen[k] = more = true;
        *fields[k] = m.flag(names[k]);
      }
  }
  return true;
}

bool same_file(Match& m, uint16_t a, uint16_t b) {
  return a == code::none || b == code::none || (a >= code::agpr0) == (b >= code::agpr0) ||
         m.reject(0, "the data registers of " + full_name(m) + " are all VGPRs or all accumulation registers");
}

// An atomic returns the old value only with glc, and only then has a register for it.
bool glc_as_asked(Match& m, bool returns) {
  if (returns == m.out.glc)
    return true;
  return m.reject(0, returns ? full_name(m) + " with a destination returns the old value: add glc"
                             : full_name(m) + " without a destination returns nothing: leave out glc");
}

} // namespace

bool match_ds(Match& m) {
  const Row& r = m.row_;
  m.begin(Form::base, 8);
  const bool two = has_two_addresses(r.access), gws = r.access == Access::gws, address = has_lds_address(r.access);
  if ((r.dst != Type::None && !m.data(dwords(r.dst), m.out.dst, "the destination")) ||
      (address && !m.vgpr(1, m.out.addr, "the address")) ||
      (r.src[0] != Type::None && !m.data(dwords(r.src[0]), m.out.data, "the data")) ||
      (r.src[1] != Type::None && !m.data(dwords(r.src[1]), m.out.data1, "the second data")))
    return false;
  if (r.access == Access::nop)
    return m.end();
  if (two) {
    m.out.imm = static_cast<int32_t>(m.take(Name::offset0).value_or(0));
    m.out.offset1 = static_cast<uint8_t>(m.take(Name::offset1).value_or(0));
  } else if (!ranged_offset(m, 0, 0xffff)) {
    return false;
  }
  const bool needs_gds = gws || r.access == Access::ordered_count;
  if (needs_gds && !m.has(Name::gds))
    return m.fail(full_name(m) + " needs gds");
  const bool no_gds = r.access == Access::permute || r.access == Access::bpermute;
  if (m.context.gfx90a() && !needs_gds && m.has(Name::gds) && m.item()->value != 0)
    return m.fail(std::string(info(m.context.target).name) + " has no gds here");
  if (!no_gds)
    m.out.gds = m.flag(Name::gds);
  if (!m.end() || !same_file(m, m.out.dst, m.out.data) || !same_file(m, m.out.data, m.out.data1))
    return false;
  if (gws && m.context.gfx90a() && m.out.data != code::none && m.out.data % 2 != 0)
    return m.reject(0, full_name(m) + " needs an even register here");
  return m.even_vgprs();
}

bool match_flat(Match& m) {
  const Row& r = m.row_;
  m.begin(Form::base, 8);
  const bool atomic = is_atomic(r.access), global = r.encoding == Encoding::GLOBAL,
             scratch = r.encoding == Encoding::SCRATCH;
  // lds leaves out the destination; an atomic may have one or not.
  const bool to_lds = (global || scratch) && r.access == Access::load && dwords(r.dst) == 1 && m.ends_with(Name::lds);
  const bool returns =
      !to_lds && r.dst != Type::None && (!atomic || m.operand_count() > (r.encoding == Encoding::FLAT ? 2 : 3));
  if (returns && !m.data(dwords(r.dst), m.out.dst, "the destination"))
    return false;
  if (scratch) {
    if (!m.off(m.out.addr) && !m.vgpr(1, m.out.addr, "the address"))
      return false;
  } else {
    // A global address with a base in SGPRs is an offset of one register.
    const Item* i = m.item();
    const bool narrow = global && i && i->kind == ItemKind::reg && i->dwords == 1;
    if (!m.vgpr(narrow ? 1 : 2, m.out.addr, "the address"))
      return false;
  }
  if (r.src[0] != Type::None && !m.data(dwords(r.src[0]), m.out.data, "the data"))
    return false;
  if (r.encoding != Encoding::FLAT && !m.off(m.out.saddr)) {
    if (scratch && m.item() && m.item()->kind == ItemKind::reg && m.item()->code == code::exec + 1)
      return m.fail("exec_hi cannot be the base of " + full_name(m));
    if (!m.sgpr(global ? 2 : 1, m.out.saddr, "the base"))
      return false;
  }
  if (r.encoding != Encoding::FLAT) {
    const bool base = m.out.saddr != code::off;
    if (scratch && (m.out.addr == code::off) != base)
      return m.reject(1, base ? "a scratch address is a VGPR or an SGPR, not both: write off for the other"
                              : "a scratch address is a VGPR or an SGPR");
    if (global && base == (m.item_dwords(returns ? 1 : 0) == 2))
      return m.reject(returns ? 1 : 0, base ? "with a base in SGPRs the address is one VGPR"
                                            : "without a base the address is a pair of VGPRs");
  }
  const bool gfx8 = !m.context.gfx9();
  if (r.encoding == Encoding::FLAT ? !ranged_offset(m, 0, gfx8 ? 0 : 4095) : !ranged_offset(m, -4096, 4095))
    return false;
  if (!cache_policy(m))
    return false;
  if (to_lds)
    m.out.lds = m.flag(Name::lds);
  if (!m.end())
    return false;
  if (atomic && !glc_as_asked(m, returns))
    return false;
  if (m.out.scc && is_float_atomic(r.access))
    return m.reject(0, full_name(m) + " takes no scc");
  if (m.context.generation() == Generation::gfx908 && m.shape_.no_return_gfx908 && m.out.glc)
    return m.reject(0, full_name(m) + " returns nothing on gfx908: leave out glc");
  return same_file(m, m.out.dst, m.out.data) && m.even_vgprs();
}

namespace {

// dfmt and nfmt stand in front of soffset, format behind it.
bool buffer_format(Match& m, bool behind) {
  if (!m.has(Name::format) || m.item()->text.starts_with("format") != behind)
    return false;
  const auto v = static_cast<unsigned>(m.take(Name::format).value_or(0));
  m.out.dfmt = v & 15;
  m.out.nfmt = static_cast<uint8_t>(v >> 4);
  return true;
}

} // namespace

bool match_buffer(Match& m) {
  const Row& r = m.row_;
  m.begin(Form::base, 8);
  if (r.access == Access::cache)
    return m.end();
  const bool typed = r.encoding == Encoding::MTBUF, atomic = is_atomic(r.access);
  const bool from_lds = r.access == Access::store_from_lds;
  const bool to_lds = !typed && (r.access == Access::load || r.access == Access::load_format) && dwords(r.dst) == 1 &&
                      m.ends_with(Name::lds);
  const bool stores = r.src[0] != Type::None;
  const bool tfe = m.flag_is_given(Name::tfe);
  if (!from_lds && !to_lds) {
    uint16_t data = code::none;
    if (!m.data(buffer_data_registers(r, m.context.target, tfe), data, "the data"))
      return false;
    if (stores)
      m.out.data = data;
    if (!stores || (atomic && m.flag_is_given(Name::glc)))
      m.out.dst = data;
  }
  m.out.addr = code::off;
  int address = 0;
  if (!from_lds && !m.off(m.out.addr)) {
    const Item* i = m.item();
    address = i && i->kind == ItemKind::reg && i->dwords == 2 ? 2 : 1;
    if (!m.vgpr(address, m.out.addr, "the address"))
      return false;
  }
  if (!m.sgpr(4, m.out.srsrc, "the resource"))
    return false;
  m.out.dfmt = typed ? 1 : 0;
  const bool formatted = typed && buffer_format(m, false);
  if (!m.scalar_source(m.out.saddr, Type::B32, plain))
    return false;
  if (typed && !formatted)
    buffer_format(m, true);
  m.out.idxen = m.flag(Name::idxen);
  if (m.context.generation() < Generation::gfx8 && !m.out.idxen)
    m.out.addr64 = m.flag(Name::addr64);
  if (!m.out.addr64)
    m.out.offen = m.flag(Name::offen);
  const int needed = buffer_address_registers(m.out);
  if (address != needed)
    return m.fail(address == 0  ? "idxen and offen need an address in VGPRs"
                  : needed == 0 ? "an address in VGPRs needs idxen or offen"
                                : "the address has one VGPR for each of idxen and offen");
  if (!ranged_offset(m, 0, 4095))
    return false;
  if (from_lds) {
    if (!m.has(Name::lds))
      return m.fail(full_name(m) + " needs lds");
    m.out.lds = m.flag(Name::lds);
  }
  if (!cache_policy(m))
    return false;
  if (!from_lds && !atomic && !(typed && m.context.gfx90a()))
    m.out.tfe = m.flag(Name::tfe);
  if (to_lds)
    m.out.lds = m.flag(Name::lds);
  if (!m.end())
    return false;
  if (m.out.tfe && (stores || m.context.gfx90a() || to_lds))
    return m.reject(0, full_name(m) + " takes no tfe here");
  if (m.out.scc && is_float_atomic(r.access))
    return m.reject(0, full_name(m) + " takes no scc");
  if (m.context.generation() == Generation::gfx908 && m.shape_.no_return_gfx908 && m.out.glc)
    return m.reject(0, full_name(m) + " returns nothing on gfx908: leave out glc");
  return m.even_vgprs();
}

} // namespace crosslane::isa::detail
