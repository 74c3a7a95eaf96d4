// See flow_source.h. Blocks compute in v0 to v27 and s0 to s43. Above are: s[48:49] the buffer, s[50:51] what is left,
// s[52:55] a resource of the buffer; by depth of statements s[64:71] EXEC as saved, s[72:75] counters, s[76:83] lanes
// that have left a loop; by function s[92:97] where it returns; v200 lanes of the workgroup, v201 those of the wave,
// v[204:211] addresses, v212 data, v[220:223] counters, v[224:227] how far they go.
#include "tests/jit/flow_source.h"
#include "isa/op.h"
#include "isa/parse_program.h"
#include "isa/print.h"
#include "tests/jit/block_state.h"
#include <fmt/format.h>

namespace crosslane::test {

using isa::Instruction;
using isa::Operand;
using isa::RegisterFile;
namespace code = isa::code;

namespace {

constexpr uint32_t free_vectors = 28, free_scalars = 48;
constexpr int most_depth = 3;

} // namespace

FlowSource::FlowSource(isa::Target t, std::mt19937_64& random)
    : target_(t), generation_(isa::info(t).generation), source_(t, random) {}

// Not what may differ by the payload of a NaN (docs/decisions/0023-nan-payloads.md), nor what reads registers that
// nothing has written: they have what an earlier wave left.
bool FlowSource::is_usable(const Instruction& i) const {
  const isa::Row& row = isa::row(i.op);
  const std::string_view name = row.mnemonic;
  if (name.find("movrel") != name.npos || name.find("getreg") != name.npos || name.find("setreg") != name.npos)
    return false;
  int floats = 0;
  for (const Operand& o : isa::operands(i)) {
    const unsigned end = o.first + o.dwords;
    if (o.file == RegisterFile::agpr || (o.file == RegisterFile::vgpr && end > free_vectors) ||
        (o.file == RegisterFile::scalar && end > free_scalars && o.first < 106) ||
        (o.file == RegisterFile::scalar && o.first > 107 && o.first < 124))
      return false;
    if (!wild_ && o.written && o.holds(RegisterFile::scalar, 126))
      return false;
    floats += o.read && o.role >= isa::Role::src0 && o.role <= isa::Role::src2 &&
              (is_float(row.src[int(o.role) - int(isa::Role::src0)]) || is_float(row.dst));
    floats += o.read && o.role == isa::Role::dst;
  }
  for (const uint16_t s : i.src) // other NaNs: negative integers and literals
    floats += (s > code::inline_int0 + 64 && s <= code::inline_int0 + 80) || s == code::literal;
  return !is_float(row.dst) || floats < 2;
}

FlowPart FlowSource::straight() {
  FlowPart part;
  std::vector<Item> items;
  for (int n = usual_ ? 4 : 1; n-- > 0;) // of which a fourth is usual
    for (Item& item : source_.block())
      items.push_back(std::move(item));
  for (const Item& item : items) {
    if (item.slot >= 0)
      continue;
    bool all = true;
    for (const Instruction& i : item.instructions)
      all = all && is_usable(i) && (!usual_ || BlockSource::is_usual(i.op)) &&
            isa::parse_program(target_, isa::print(i)).errors.empty();
    for (const Instruction& i : item.instructions)
      if (all)
        part.inside.push_back({isa::print(i) + "\n"});
  }
  if (narrow_) // lanes that came back go: what they count loops by is anything
    part.inside.push_back({"s_and_b64 exec, exec, s[98:99]\n", true});
  return part;
}

std::string FlowSource::add(const std::string& dst, const std::string& a, const std::string& b) const {
  const char* name = generation_ >= isa::Generation::gfx9   ? "v_add_co_u32"
                     : generation_ >= isa::Generation::gfx8 ? "v_add_u32"
                                                            : "v_add_i32";
  return fmt::format("{} {}, vcc, {}, {}\n", name, dst, a, b);
}

std::string FlowSource::vgpr(uint32_t dwords) {
  if (dwords == 1)
    return fmt::format("v{}", number(14));
  const uint32_t first = 2 * number(8);
  return fmt::format("v[{}:{}]", first, first + dwords - 1);
}

std::string FlowSource::compare() {
  static constexpr const char* ops[] = {"lt_u32", "gt_u32", "eq_u32", "ne_u32",
                                        "le_i32", "ge_i32", "lt_f32", "class_f32"};
  const std::string a = chance(60) ? std::to_string(number(65)) : sgpr();
  const std::string b = chance(40) ? "v200" : chance(30) ? "v201" : vgpr();
  return fmt::format("v_cmp_{} vcc, {}, {}\n", one_of(ops), a, b);
}

std::string FlowSource::compare_scalars() {
  static constexpr const char* ops[] = {"lt_u32", "gt_i32", "eq_u32", "lg_i32", "le_u32", "ge_i32"};
  if (chance(20)) {
    static constexpr const char* bits[] = {"s_bitcmp0_b32", "s_bitcmp1_b32"};
    return fmt::format("{} {}, {}\n", one_of(bits), sgpr(), number(32));
  }
  return fmt::format("s_cmp_{} {}, {}\n", one_of(ops), sgpr(), chance(50) ? sgpr() : std::to_string(number(65)));
}

// Into v204: up to `most`, which is a power of two of at least 1024, less the item's bytes; aligned as the item is.
std::string FlowSource::offset(uint32_t most, uint32_t bytes) {
  uint32_t align = 0;
  while (1u << align < bytes)
    ++align;
  switch (number(6)) {
  case 0: // one for all lanes
    return fmt::format("s_and_b32 s84, {}, {}\nv_mov_b32 v204, s84\n", sgpr(), most - (1u << align));
  case 1: // anywhere
    return fmt::format("v_and_b32 v204, {}, {}\n", most - (1u << align), vgpr());
  case 2: { // from somewhere on
    const std::string from = fmt::format("s_and_b32 s84, {}, {}\n", sgpr(), most / 2 - (1u << align));
    return from + fmt::format("v_lshlrev_b32 v204, {}, v201\n", std::min(align, 3u)) + add("v204", "s84", "v204") +
           fmt::format("v_and_b32 v204, {}, v204\n", most - (1u << align));
  }
  case 3: // of the workgroup
    return fmt::format("v_lshlrev_b32 v204, {}, v200\nv_and_b32 v204, {}, v204\n", align, most - (1u << align));
  case 4: // backwards
    return fmt::format("v_sub_{}32 v204, {}63, v201\nv_lshlrev_b32 v204, {}, v204\n",
                       generation_ >= isa::Generation::gfx8 ? "u" : "i",
                       generation_ >= isa::Generation::gfx9 ? "" : "vcc, ", std::min(align, 3u));
  default: return fmt::format("v_lshlrev_b32 v204, {}, v201\n", align);
  }
}

// Loads and stores of the buffer, often of one place, or of one close by.
FlowPart FlowSource::access() {
  struct Width {
    const char *load, *store;
    uint32_t bytes;
  };
  static constexpr Width widths[] = {{"dword", "dword", 4},      {"dword", "dword", 4}, {"dwordx2", "dwordx2", 8},
                                     {"dwordx4", "dwordx4", 16}, {"ubyte", "byte", 1},  {"sshort", "short", 2}};
  const bool gfx6 = generation_ < isa::Generation::gfx7, gfx9 = generation_ >= isa::Generation::gfx9;
  const Width w = one_of(widths);
  const uint32_t dwords = (w.bytes + 3) / 4;
  FlowPart part;
  std::string& t = part.text;
  t = offset(8192, w.bytes);
  const int kind = gfx6 || (!usual_ && chance(8))
                       ? 0
                       : 1 + int(number(gfx9 ? 3 : 1)); // buffer, flat, global of 64 bits, global of a base
  if (kind == 1 || kind == 2) {
    t += "v_mov_b32 v205, s49\n" + add("v206", "s48", "v204");
    t += gfx9 ? "v_addc_co_u32 v207, vcc, 0, v205, vcc\n" : "v_addc_u32 v207, vcc, 0, v205, vcc\n";
  }
  const auto one = [&](bool loads, const std::string& data, uint32_t at) {
    const char* name = loads ? w.load : w.store;
    switch (kind) {
    case 0: {
      const std::string where = fmt::format("v204, s[52:55], 0 offen offset:{}\n", at);
      t += fmt::format("buffer_{}_{} {}, {}", loads ? "load" : "store", name, data, where);
      break;
    }
    case 1:
      t += loads ? fmt::format("flat_load_{} {}, v[206:207]\n", name, data)
                 : fmt::format("flat_store_{} v[206:207], {}\n", name, data);
      break;
    default: {
      const std::string address = kind == 2 ? "v[206:207]" : "v204", base = kind == 2 ? "off" : "s[48:49]";
      t += loads ? fmt::format("global_load_{} {}, {}, {} offset:{}\n", name, data, address, base, at)
                 : fmt::format("global_store_{} {}, {}, {} offset:{}\n", name, address, data, base, at);
    }
    }
    if (loads)
      t += "s_waitcnt vmcnt(0)" + std::string(kind == 1 ? " lgkmcnt(0)\n" : "\n");
  };
  const uint32_t at = number(4) * 16;
  const uint32_t which = number(100);
  if (which < 30) { // what is read is overwritten
    const std::string data = vgpr(dwords);
    one(true, data, at);
    if (chance(70))
      t += add("v12", sgpr(), "v12");
    one(false, chance(50) ? data : vgpr(dwords), chance(60) ? at : at + 16 * number(5));
  } else if (which < 65) {
    one(true, vgpr(dwords), at);
  } else if (which < 95 || gfx6) {
    one(false, vgpr(dwords), at);
    if (chance(30))
      one(true, vgpr(dwords), at);
  } else if (w.bytes == 4 && kind == 1) {
    t += fmt::format("flat_atomic_add {}, v[206:207], {} glc\ns_waitcnt vmcnt(0) lgkmcnt(0)\n", vgpr(), vgpr());
  }
  return part;
}

FlowPart FlowSource::lds_access() {
  FlowPart part;
  std::string& t = part.text;
  t = "s_mov_b32 m0, -1\n" + offset(4096, 8);
  static constexpr const char* more[] = {"", "", " offset:16", " offset:1024"};
  const char* o = one_of(more);
  switch (number(9)) {
  case 0: t += fmt::format("ds_read_b32 {}, v204{}\n", vgpr(), o); break;
  case 1: t += fmt::format("ds_read_b64 {}, v204{}\n", vgpr(2), o); break;
  case 2: t += fmt::format("ds_read2_b32 {}, v204 offset0:{} offset1:{}\n", vgpr(2), number(9), number(9)); break;
  case 3: t += fmt::format("ds_read_u8 {}, v204{}\n", vgpr(), o); break;
  case 4: t += fmt::format("ds_write_b32 v204, {}{}\n", vgpr(), o); break;
  case 5: t += fmt::format("ds_write_b64 v204, {}{}\n", vgpr(2), o); break;
  case 6:
    t += fmt::format("ds_write2_b32 v204, {}, {} offset0:{} offset1:{}\n", vgpr(), vgpr(), number(9), number(9));
    break;
  case 7: t += fmt::format("ds_add_u32 v204, {}{}\n", vgpr(), o); break;
  default: t += fmt::format("ds_{}_rtn_u32 {}, v204, {}{}\n", chance(50) ? "add" : "max", vgpr(), vgpr(), o); break;
  }
  t += "s_waitcnt lgkmcnt(0)\n";
  return part;
}

FlowPart FlowSource::scalar_load() {
  const uint32_t dwords = 1u << number(3), first = number(40 / dwords) * dwords;
  const std::string data = dwords == 1 ? fmt::format("s{}", first) : fmt::format("s[{}:{}]", first, first + dwords - 1);
  std::string at = fmt::format("{:#x}", number(200));
  FlowPart part;
  if (generation_ >= isa::Generation::gfx8)
    at = fmt::format("{:#x}", number(200) * 4);
  if (chance(40))
    part.text = fmt::format("s_and_b32 s85, {}, 0x1ffc\n", sgpr()), at = "s85";
  part.text += fmt::format("s_load_dword{} {}, s[48:49], {}\ns_waitcnt lgkmcnt(0)\n",
                           dwords == 1 ? "" : fmt::format("x{}", dwords), data, at);
  return part;
}

FlowPart FlowSource::if_scalar(const Around& around) {
  const int l = labels_++;
  const Around inside{around.depth + 1, false};
  const bool has_else = chance(50);
  FlowPart part;
  part.inside.push_back({compare_scalars() + fmt::format("s_cbranch_scc{} else{}\n", number(2), l), true});
  for (FlowPart& p : statements(inside, 3))
    part.inside.push_back(std::move(p));
  part.inside.push_back({(has_else ? fmt::format("s_branch end{}\n", l) : "") + fmt::format("else{}:\n", l), true});
  if (has_else) {
    for (FlowPart& p : statements(inside, 2))
      part.inside.push_back(std::move(p));
    part.inside.push_back({fmt::format("end{}:\n", l), true});
  }
  return part;
}

FlowPart FlowSource::if_vcc(const Around& around) {
  const int l = labels_++;
  FlowPart part;
  static constexpr const char* branches[] = {"vccz", "vccnz", "execz", "execnz"};
  part.inside.push_back(
      {compare() + fmt::format("s_cbranch_{} end{}\n", branches[chance(80) ? number(2) : number(4)], l), true});
  for (FlowPart& p : statements({around.depth + 1, false}, 3))
    part.inside.push_back(std::move(p));
  part.inside.push_back({fmt::format("end{}:\n", l), true});
  return part;
}

// As compilers have it, in three ways.
FlowPart FlowSource::if_exec(const Around& around) {
  const int l = labels_++, d = around.depth;
  const std::string saved = fmt::format("s[{}:{}]", 64 + 2 * d, 65 + 2 * d);
  const Around inside{d + 1, false};
  FlowPart part;
  const auto frame = [&](const std::string& text) { part.inside.push_back({text, true}); };
  const auto add_all = [&](uint32_t most) {
    for (FlowPart& p : statements(inside, most))
      part.inside.push_back(std::move(p));
  };
  const bool branches = chance(60);
  switch (number(3)) {
  case 0:
    frame(compare() + fmt::format("s_and_saveexec_b64 {}, vcc\n", saved) +
          (branches ? fmt::format("s_cbranch_execz end{}\n", l) : ""));
    add_all(4);
    frame(fmt::format("end{}:\ns_or_b64 exec, exec, {}\n", l, saved));
    break;
  case 1:
    frame(compare() + fmt::format("s_and_saveexec_b64 {0}, vcc\ns_xor_b64 {0}, exec, {0}\n", saved) +
          (branches ? fmt::format("s_cbranch_execz else{}\n", l) : ""));
    add_all(3);
    frame(fmt::format("else{1}:\ns_or_saveexec_b64 {0}, {0}\ns_xor_b64 exec, exec, {0}\n", saved, l) +
          (branches ? fmt::format("s_cbranch_execz end{}\n", l) : ""));
    add_all(3);
    frame(fmt::format("end{}:\ns_or_b64 exec, exec, {}\n", l, saved));
    break;
  default:
    frame(compare() + fmt::format("s_mov_b64 {0}, exec\ns_and_b64 exec, {0}, vcc\n", saved));
    add_all(3);
    frame(fmt::format("s_andn2_b64 exec, {}, exec\n", saved) +
          (branches ? fmt::format("s_cbranch_execz end{}\n", l) : ""));
    add_all(3);
    frame(fmt::format("end{}:\ns_mov_b64 exec, {}\n", l, saved));
  }
  return part;
}

FlowPart FlowSource::loop(const Around& around) {
  const int l = labels_++, d = around.depth;
  FlowPart part;
  const auto frame = [&](const std::string& text) { part.inside.push_back({text, true}); };
  const bool alike = around.alike && chance(60), breaks = !alike && chance(40);
  const std::string counter = fmt::format("s{}", 72 + d);
  frame(alike ? fmt::format("s_mov_b32 {}, {}\n", counter, 1 + number(4))
              : fmt::format("s_and_b32 {0}, {1}, 3\ns_add_u32 {0}, {0}, 1\n", counter, sgpr()));
  frame(fmt::format("again{}:\n", l));
  for (FlowPart& p : statements({d + 1, alike}, 4))
    part.inside.push_back(std::move(p));
  if (breaks)
    part.inside.push_back({compare() + fmt::format("s_cbranch_vccnz out{}\n", l)});
  frame(fmt::format("s_sub_u32 {0}, {0}, 1\ns_cmp_lg_u32 {0}, 0\ns_cbranch_scc1 again{1}\nout{1}:\n", counter, l));
  return part;
}

FlowPart FlowSource::loop_of_lanes(const Around& around) {
  const int l = labels_++, d = around.depth;
  FlowPart part;
  const auto frame = [&](const std::string& text) { part.inside.push_back({text, true}); };
  const std::string counter = fmt::format("v{}", 220 + d), far = fmt::format("v{}", 224 + d),
                    saved = fmt::format("s[{}:{}]", 64 + 2 * d, 65 + 2 * d),
                    gone = fmt::format("s[{}:{}]", 76 + 2 * d, 77 + 2 * d);
  const std::string from = chance(40) ? "v201" : vgpr();
  frame(fmt::format("v_mov_b32 {}, 0\nv_and_b32 {}, {}, {}\n", counter, far, d > 1 ? 3 : 7, from));
  if (chance(50)) {
    frame(fmt::format("s_mov_b64 {}, exec\nagain{}:\nv_cmp_lt_u32 vcc, {}, {}\ns_and_b64 exec, exec, vcc\n"
                      "s_cbranch_execz out{}\n",
                      saved, l, counter, far, l));
    for (FlowPart& p : statements({d + 1, false}, 3))
      part.inside.push_back(std::move(p));
    frame(add(counter, "1", counter) + fmt::format("s_branch again{0}\nout{0}:\ns_mov_b64 exec, {1}\n", l, saved));
  } else {
    frame(fmt::format("s_mov_b64 {}, 0\nagain{}:\n", gone, l));
    for (FlowPart& p : statements({d + 1, false}, 3))
      part.inside.push_back(std::move(p));
    frame(add(counter, "1", counter) +
          fmt::format("v_cmp_ge_u32 vcc, {0}, {1}\ns_or_b64 {2}, vcc, {2}\ns_andn2_b64 exec, exec, {2}\n"
                      "s_cbranch_execnz again{3}\ns_or_b64 exec, exec, {2}\n",
                      counter, far, gone, l));
  }
  return part;
}

// What waves tell each other through LDS, or nothing.
FlowPart FlowSource::exchange() {
  FlowPart part;
  if (lds_ && chance(80)) {
    part.inside.push_back(lds_access());
    part.inside.push_back({"s_barrier\n", true});
    part.inside.push_back(lds_access());
  }
  part.inside.push_back({"s_barrier\n", true});
  return part;
}

// Of one of the functions, that uses nothing of what is in use around it.
FlowPart FlowSource::call(int function) {
  const int l = labels_++;
  const std::string link = fmt::format("s[{}:{}]", 92 + 2 * function, 93 + 2 * function);
  return {fmt::format("s_getpc_b64 s[84:85]\nhere{0}:\ns_add_u32 s84, s84, function{1}-here{0}\n"
                      "s_addc_u32 s85, s85, 0\ns_swappc_b64 {2}, s[84:85]\n",
                      l, function, link)};
}

FlowPart FlowSource::function(int which) {
  FlowPart part;
  part.frame = true;
  part.text = fmt::format("function{}:\n", which);
  first_function_ = which + 1;
  part.inside = statements({which ? most_depth : most_depth - 1, false}, 4);
  const std::string back = fmt::format("s_setpc_b64 s[{}:{}]\n", 92 + 2 * which, 93 + 2 * which);
  if (chance(20)) { // in two ways
    part.inside.push_back({compare_scalars() + fmt::format("s_cbranch_scc1 early{}\n", which), true});
    for (FlowPart& p : statements({most_depth, false}, 3))
      part.inside.push_back(std::move(p));
    part.inside.push_back({back + fmt::format("early{}:\n", which), true});
  }
  part.inside.push_back({back, true});
  return part;
}

FlowPart FlowSource::mode() {
  return {fmt::format("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {:#x}\n", number(256))};
}

FlowPart FlowSource::statement(const Around& around) {
  if (first_function_ < function_count_ && chance(15)) {
    const int f = first_function_ + int(number(uint32_t(function_count_ - first_function_)));
    if (around.depth <= (f ? most_depth : most_depth - 1))
      return call(f);
  }
  const uint32_t kind = number(100);
  const bool deeper = around.depth < most_depth;
  if (kind < 34 || (!deeper && kind >= 60))
    return straight();
  if (kind < 48)
    return access();
  if (kind < 56)
    return lds_ ? lds_access() : access();
  if (kind < 60)
    return scalar_load();
  if (kind < 66)
    return if_scalar(around);
  if (kind < 71)
    return if_vcc(around);
  if (kind < 83)
    return if_exec(around);
  if (kind < 89)
    return loop(around);
  if (kind < 94)
    return wild_ && around.depth ? loop(around) : loop_of_lanes(around); // or 512 rounds in 512 rounds of 512
  if (kind < 99)
    return around.alike ? exchange() : straight();
  return chance(30) ? mode() : straight();
}

std::vector<FlowPart> FlowSource::statements(const Around& around, uint32_t most) {
  std::vector<FlowPart> all;
  for (uint32_t n = 1 + number(most); n-- > 0;)
    all.push_back(statement(around));
  return all;
}

// Lane numbers, tables; registers as one value for all lanes, as strides from it, or from memory.
std::string FlowSource::begin(FlowKernel& k) {
  const bool gfx6 = generation_ < isa::Generation::gfx7, gfx8 = generation_ >= isa::Generation::gfx8,
             gfx9 = generation_ >= isa::Generation::gfx9, packed = generation_ == isa::Generation::gfx90a;
  const uint32_t waves = k.waves();
  std::string t = k.partial ? "s_mov_b64 s[98:99], exec\n" : "";
  if (k.partial && !k.narrow)
    t += "s_mov_b64 exec, -1\n"; // no register is as some wave left it
  t += packed ? "v_and_b32 v202, 0x3ff, v0\nv_bfe_u32 v203, v0, 10, 10\n" : "v_mov_b32 v202, v0\nv_mov_b32 v203, v1\n";
  if (k.group[1] > 1)
    t += fmt::format("v_mul_u32_u24 v200, {}, v203\n", k.group[0]) + add("v200", "v202", "v200");
  else
    t += "v_mov_b32 v200, v202\n";
  // Where a line of work-items is shorter than others, ids come again in lanes that have none.
  t += k.partial ? "v_mbcnt_lo_u32_b32 v201, -1, 0\nv_mbcnt_hi_u32_b32 v201, -1, v201\n" : "v_and_b32 v201, 63, v200\n";
  t += "v_readfirstlane_b32 s5, v200\ns_lshr_b32 s5, s5, 6\n";
  t += fmt::format("s_mul_i32 s4, s2, {}\ns_add_u32 s4, s4, s5\ns_mul_i32 s4, s4, {}\n", waves, flow_table::bytes);
  const auto at = [&](uint32_t bytes) { return fmt::format("{:#x}", gfx8 ? bytes : bytes / 4); };
  t += fmt::format(
      "s_load_dwordx2 s[86:87], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s86, s86, s4\ns_addc_u32 s87, s87, 0\n"
      "s_load_dwordx4 s[48:51], s[86:87], {}\ns_load_dwordx4 s[52:55], s[86:87], {}\n",
      at(0), at(16));
  for (uint32_t n = 0; n < 48; n += 16)
    t += fmt::format("s_load_dwordx16 s[{}:{}], s[86:87], {}\n", n, n + 15, at(flow_table::scalars + 4 * n));
  t += "s_waitcnt lgkmcnt(0)\n";
  // A resource of the table, for what comes from memory.
  t += "s_mov_b32 s88, s86\ns_mov_b32 s89, s87\ns_mov_b32 s90, -1\ns_mov_b32 s91, s55\ns_and_b32 s89, s89, 0xffff\n"
       "v_lshlrev_b32 v204, 2, v201\n";
  if (!gfx6)
    t += add("v206", "s86", "v204") + "v_mov_b32 v205, s87\n" +
         (gfx9 ? "v_addc_co_u32 v207, vcc, 0, v205, vcc\n" : "v_addc_u32 v207, vcc, 0, v205, vcc\n");
  for (int d = 0; d <= most_depth; ++d)
    t += fmt::format("v_mov_b32 v{}, 0\nv_mov_b32 v{}, 0\ns_mov_b64 s[{}:{}], 0\ns_mov_b64 s[{}:{}], exec\n", 220 + d,
                     224 + d, 76 + 2 * d, 77 + 2 * d, 64 + 2 * d, 65 + 2 * d);
  uint32_t from_memory = 0;
  for (uint32_t n = 0; n < free_vectors; ++n) {
    const uint32_t kind = number(10);
    if (n < (packed ? 1 : 2) && kind < 3)
      continue; // as launched
    if (kind < 5) {
      t += fmt::format("v_mov_b32 v{}, {}\n", n, chance(60) ? sgpr() : std::to_string(int(number(65)) - 16));
    } else if (kind < 8 || from_memory == flow_table::vector_count) {
      t += fmt::format("v_lshlrev_b32 v{}, {}, {}\n", n, number(5), chance(50) ? "v200" : "v201");
      if (chance(60))
        t += add(fmt::format("v{}", n), sgpr(), fmt::format("v{}", n));
    } else {
      const uint32_t where = flow_table::vectors + 256 * from_memory++;
      if (gfx9)
        t += fmt::format("global_load_dword v{}, v[206:207], off offset:{}\n", n, where);
      else if (gfx6)
        t += fmt::format("buffer_load_dword v{}, v204, s[88:91], 0 offen offset:{}\n", n, where);
      else
        t += add("v210", fmt::format("{:#x}", where), "v206") + "v_addc_u32 v211, vcc, 0, v207, vcc\n" +
             fmt::format("flat_load_dword v{}, v[210:211]\n", n);
    }
  }
  t += "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
  if (k.lds) {
    t += "s_mov_b32 m0, -1\nv_mul_u32_u24 v212, 37, v204\ns_mov_b32 s72, 32\nclear:\nds_write_b32 v204, v212\n" +
         add("v204", "0x100", "v204") +
         "s_sub_u32 s72, s72, 1\ns_cmp_lg_u32 s72, 0\ns_cbranch_scc1 clear\n"
         "s_waitcnt lgkmcnt(0)\n";
    if (waves > 1)
      t += "s_barrier\n";
  }
  if (k.partial && !k.narrow)
    t += "s_mov_b64 exec, s[98:99]\n";
  return t;
}

// What is left is what somebody asks for: other registers are dead.
std::string FlowSource::end(const FlowKernel& k) {
  const bool gfx6 = generation_ < isa::Generation::gfx7, gfx9 = generation_ >= isa::Generation::gfx9;
  std::string t;
  uint32_t row = 0;
  const auto store = [&](const std::string& v) {
    const uint32_t at = 256 * row++;
    if (gfx6)
      t += add("v204", fmt::format("{:#x}", at), "v208") +
           fmt::format("buffer_store_dword {}, v204, s[88:91], 0 offen\n", v);
    else
      t += add("v206", fmt::format("{:#x}", at), "v208") +
           (gfx9 ? "v_addc_co_u32 v207, vcc, 0, v209, vcc\n" : "v_addc_u32 v207, vcc, 0, v209, vcc\n") +
           fmt::format("flat_store_dword v[206:207], {}\n", v);
  };
  const bool flags = chance(40);
  if (flags)
    t += "s_cselect_b32 s84, 1, 2\ns_mov_b64 s[94:95], vcc\ns_mov_b64 s[92:93], exec\n";
  const auto addresses = [&] {
    t += "v_lshlrev_b32 v208, 2, v201\n";
    if (gfx6)
      t += "s_mov_b32 s88, s50\ns_and_b32 s89, s51, 0xffff\n";
    else
      t += add("v208", "s50", "v208") + "v_mov_b32 v205, s51\n" +
           (gfx9 ? "v_addc_co_u32 v209, vcc, 0, v205, vcc\n" : "v_addc_u32 v209, vcc, 0, v205, vcc\n");
  };
  addresses();
  for (uint32_t n = number(4); n-- > 0;)
    store(vgpr());
  t += k.narrow ? "s_mov_b64 exec, s[98:99]\n" : "s_mov_b64 exec, -1\n";
  addresses();
  for (uint32_t n = 1 + number(5); n-- > 0;)
    store(vgpr());
  if (k.partial && chance(30))
    store("v200"); // as the launch has it in lanes without a work-item
  for (uint32_t n = number(3); n-- > 0;)
    t += fmt::format("v_mov_b32 v212, s{}\n", number(48)), store("v212");
  for (const char* s : {"s84", "s92", "s93", "s94", "s95"})
    if (flags)
      t += fmt::format("v_mov_b32 v212, {}\n", s), store("v212");
  if (k.lds)
    t += "s_mov_b32 m0, -1\nv_lshlrev_b32 v204, 4, v201\nds_read_b32 v212, v204\ns_waitcnt lgkmcnt(0)\n", store("v212");
  return t + "s_endpgm\n";
}

FlowKernel FlowSource::kernel() {
  static constexpr uint32_t shapes[][2] = {{64, 1},  {64, 1}, {128, 1}, {256, 1}, {16, 4},  {32, 4},
                                           {16, 16}, {8, 8},  {64, 2},  {32, 1},  {100, 1}, {130, 1},
                                           {16, 2},  {16, 9}, {32, 5},  {12, 7},  {8, 4},   {8, 24}};
  FlowKernel k;
  const auto& shape = one_of(shapes);
  k.group[0] = shape[0], k.group[1] = shape[1];
  k.several_waves = shape[0] * shape[1] > 64;
  k.partial = chance(25) || shape[0] * shape[1] % 64;
  k.narrow = narrow_ = k.partial && chance(50);
  k.lds = lds_ = chance(50);
  usual_ = chance(50), wild_ = chance(30), labels_ = 0;
  first_function_ = 0, function_count_ = chance(40) ? 1 + int(number(3)) : 0;
  k.parts.push_back({begin(k), true});
  for (FlowPart& p : statements({}, 9))
    k.parts.push_back(std::move(p));
  k.parts.push_back({end(k), true});
  for (int f = 0; f < function_count_; ++f)
    k.parts.push_back(function(f));
  return k;
}

} // namespace crosslane::test
