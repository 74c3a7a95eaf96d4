// MIMG and EXP.
#include "isa/access.h"
#include "isa/memory_registers.h"
#include "isa/parse/match.h"
#include <charconv>

namespace crosslane::isa::detail {
namespace {

// LLVM has no tuples between that of five to seven registers that is needed and eight.
bool image_address_fits(Op op, int n) {
  const RegisterRange fits = image_address_registers(op);
  return n >= fits.least && (n <= fits.most || (n == 8 && fits.most > 4));
}

} // namespace

bool match_mimg(Match& m) {
  const Row& r = m.row_;
  m.begin(Form::base, 8);
  const bool stores = is_store(r.access) || is_atomic(r.access);
  uint16_t data = code::none;
  const Item* i = m.item();
  const int data_dwords = i && i->kind == ItemKind::reg ? i->dwords : 1;
  if (!m.data(data_dwords, data, "the data"))
    return false;
  (stores ? m.out.data : m.out.dst) = data;
  i = m.item();
  const int address = i && i->kind == ItemKind::reg ? i->dwords : 1;
  if (!image_address_fits(m.out.op, address))
    return m.fail("this is not the number of registers that an address of " + full_name(m) + " has");
  if (!m.vgpr(address, m.out.addr, "the address") || !m.sgpr(8, m.out.srsrc, "the resource") ||
      (r.src[1] != Type::None && !m.sgpr(4, m.out.saddr, "the sampler")))
    return false;
  m.out.dmask = static_cast<uint8_t>(m.take(Name::dmask).value_or(0));
  m.out.unorm = m.flag(Name::unorm);
  struct Policy {
    Name name;
    bool* field;
  };
  const Policy policies[] = {{Name::glc, &m.out.glc}, {Name::slc, &m.out.slc}, {Name::scc, &m.out.scc}};
  unsigned seen = 0;
  for (bool more = true; more;) {
    more = false;
    for (unsigned k = 0; k < 3; ++k)
      if (m.has(policies[k].name)) {
        if (seen >> k & 1)
          return m.fail(quoted(m.item()->text) + " is given twice");
        seen |= 1u << k;
        more = true;
        *policies[k].field = m.flag(policies[k].name);
      }
  }
  if (m.context.gfx9())
    m.out.a16 = m.flag(Name::a16);
  else
    m.out.r128 = m.flag(Name::r128);
  if (!m.context.gfx90a())
    m.out.tfe = m.flag(Name::tfe);
  m.out.lwe = m.flag(Name::lwe);
  m.out.da = m.flag(Name::da);
  if (m.shape_.image_d16)
    m.out.d16 = m.flag(Name::d16);
  if (!m.end())
    return false;
  if (m.out.d16 && m.context.generation() < Generation::gfx8)
    return m.reject(0, std::string(info(m.context.target).name) + " has no d16");
  // LLVM has no atomics of one register that compare, and none of four that do not.
  const bool no_such_tuple = is_atomic(r.access) && data_dwords == (is_compare_and_swap(r.access) ? 1 : 4);
  if (no_such_tuple || data_dwords != image_data_registers(m.out))
    return m.reject(0, "the data of " + full_name(m) + " has as many registers as dmask, d16 and tfe ask for: " +
                           std::to_string(image_data_registers(m.out)));
  const bool gather = image_base_registers(m.out.op) == 4;
  if (gather && std::popcount(m.out.dmask) != 1)
    return m.reject(0, full_name(m) + " gathers one component: dmask has one bit");
  if (is_atomic(r.access) && m.out.dmask != 1 && m.out.dmask != 3 && m.out.dmask != 15)
    return m.reject(0, "the dmask of an atomic is 1 or 3 (cmpswap: 3 or 15)");
  return m.even_vgprs();
}

namespace {

// mrt0..7, mrtz, null, pos0..3, param0..31.
bool export_target(Match& m) {
  const Item* i = m.item();
  const auto numbered = [&](std::string_view name, int base, unsigned count) {
    const std::string_view digits = std::string_view(i->text).substr(name.size());
    unsigned n = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (error != std::errc() || end != digits.data() + digits.size() || n >= count ||
        (digits.size() > 1 && digits[0] == '0'))
      return false;
    m.out.imm = base + int(n);
    return true;
  };
  bool ok = i && (i->kind == ItemKind::word || i->kind == ItemKind::reg);
  if (ok) {
    const std::string_view t = i->text;
    if (t == "mrtz")
      m.out.imm = 8;
    else if (t == "null")
      m.out.imm = 9;
    else
      ok = (t.starts_with("mrt") && numbered("mrt", 0, 8)) || (t.starts_with("pos") && numbered("pos", 12, 4)) ||
           (t.starts_with("param") && numbered("param", 32, 32));
  }
  if (!ok)
    return m.fail("expected an export target: mrt0 to mrt7, mrtz, null, pos0 to pos3, or param0 to param31");
  m.skip();
  return true;
}

} // namespace

bool match_exp(Match& m) {
  m.begin(Form::base, 8);
  if (!export_target(m))
    return false;
  uint16_t sources[4];
  for (uint16_t& s : sources)
    if (!m.off(s) && !m.vgpr(1, s, "what is exported"))
      return false;
  m.out.done = m.flag(Name::done);
  m.out.compr = m.flag(Name::compr);
  m.out.vm = m.flag(Name::vm);
  if (!m.end())
    return false;
  const auto place = [&](int k, uint16_t s, int bits) {
    uint16_t& field = k < 3 ? m.out.src[k] : m.out.data;
    field = s;
    if (s != code::off)
      m.out.dmask |= static_cast<uint8_t>(bits);
  };
  if (m.out.compr) { // the first and the third, two halves each
    place(0, sources[0], 3);
    place(1, sources[2], 12);
    m.out.src[2] = m.out.data = code::off;
  } else {
    for (int k = 0; k < 4; ++k)
      place(k, sources[k], 1 << k);
  }
  return true;
}

} // namespace crosslane::isa::detail
