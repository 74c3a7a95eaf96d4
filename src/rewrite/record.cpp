// In assembly.
#include "rewrite/record.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace crosslane::rewrite {

namespace {

constexpr uint32_t id_x = 1u << 7, id_y = 1u << 8, id_z = 1u << 9, items_shift = 11, items_mask = 3u << items_shift;

// Where the hardware puts the wave's own values behind the user's SGPRs.
struct Places {
  uint32_t x = 0, y = 0, z = 0, info = 0, scratch = 0; // 0: nowhere
};
Places places(const codeobject::KernelDescriptor& d, uint32_t rsrc2) {
  Places p;
  uint32_t at = d.user_sgpr_count();
  if (rsrc2 & id_x)
    p.x = at++;
  if (rsrc2 & id_y)
    p.y = at++;
  if (rsrc2 & id_z)
    p.z = at++;
  if (d.enable_sgpr_workgroup_info())
    p.info = at++;
  if (d.enable_private_segment())
    p.scratch = at++;
  return p;
}

class Text {
public:
  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

private:
  std::string text_;
};

} // namespace

uint32_t record_shift(uint32_t counters) { return uint32_t(std::bit_width(std::max(counters * 4, 4u) - 1)); }

EntryRegisters entry_registers(const codeobject::Kernel& kernel, const WaveShape& shape) {
  uint32_t rsrc2 = kernel.descriptor.compute_pgm_rsrc2 | id_x | id_y | id_z;
  const uint32_t ids = std::max(kernel.descriptor.enable_vgpr_workitem_id(), shape.item_ids);
  rsrc2 = (rsrc2 & ~items_mask) | std::min(ids, 2u) << items_shift;
  return {rsrc2};
}

namespace {

isa::Generation generation_of(const RecordInput& in) { return isa::info(in.subject.target()).generation; }

bool begins_with_one(const RecordInput& in, uint32_t counter) { return std::ranges::binary_search(in.powers, counter); }

// Those that have not come with Control.
void zero_counters(Text& t, const RecordInput& in, uint32_t have) {
  const ProbeRegisters& r = in.registers;
  for (uint32_t c = have; c < r.in_sgprs;) {
    const uint32_t s = r.counters + c;
    if (s % 2 == 0 && c + 1 < r.in_sgprs && !begins_with_one(in, c) && !begins_with_one(in, c + 1)) {
      t.line("s_mov_b64 s[{}:{}], 0", s, s + 1);
      c += 2;
    } else {
      t.line("s_mov_b32 s{}, {}", s, begins_with_one(in, c) ? 1 : 0);
      ++c;
    }
  }
  if (in.counters <= r.in_sgprs)
    return;
  // Counters in lanes: EXEC may lack some where a workgroup ends.
  t.line("s_mov_b64 s[{}:{}], exec\ns_mov_b64 exec, -1", r.scratch + 2, r.scratch + 3);
  for (uint32_t c = r.in_sgprs; c < in.counters; c += 64)
    t.line("v_mov_b32 v{}, 0", r.lanes + (c - r.in_sgprs) / 64);
  t.line("s_mov_b64 exec, s[{}:{}]", r.scratch + 2, r.scratch + 3);
  for (uint32_t c = r.in_sgprs; c < in.counters; ++c)
    if (begins_with_one(in, c))
      t.line("v_writelane_b32 v{}, 1, {}", r.lanes + (c - r.in_sgprs) / 64, (c - r.in_sgprs) % 64);
}

// The workgroup's numbers, and everything to where the program looks for it.
void keep_group(Text& t, const RecordInput& in, const codeobject::Kernel& kernel) {
  const ProbeRegisters& r = in.registers;
  const auto& d = kernel.descriptor;
  const Places now = places(d, entry_registers(kernel, in.shape).rsrc2), before = places(d, d.compute_pgm_rsrc2);
  const uint32_t from[] = {now.x, now.y, now.z};
  for (uint32_t i = 0; i < 3;) {
    const bool two = i < 2 && from[i] % 2 == 0 && (r.group + i) % 2 == 0;
    if (two)
      t.line("s_mov_b64 s[{}:{}], s[{}:{}]", r.group + i, r.group + i + 1, from[i], from[i] + 1);
    else
      t.line("s_mov_b32 s{}, s{}", r.group + i, from[i]);
    i += two ? 2 : 1;
  }
  if (before.y && before.y != now.y)
    t.line("s_mov_b32 s{}, s{}", before.y, r.group + 1);
  if (before.z && before.z != now.z)
    t.line("s_mov_b32 s{}, s{}", before.z, r.group + 2);
  if (before.info && before.info != now.info)
    t.line("s_mov_b32 s{}, s{}", before.info, now.info);
  if (before.scratch && before.scratch != now.scratch)
    t.line("s_mov_b32 s{}, s{}", before.scratch, now.scratch);
}

void keep_items(Text& t, const RecordInput& in, const codeobject::Kernel& kernel) {
  const ProbeRegisters& r = in.registers;
  const uint32_t old = kernel.descriptor.enable_vgpr_workitem_id();
  if (generation_of(in) != isa::Generation::gfx90a) {
    for (uint32_t d = 0; d < 3; ++d)
      if (in.shape.items[d])
        t.line("v_readfirstlane_b32 s{}, v{}", r.item + in.shape.item_sgpr(generation_of(in), d), d);
    return;
  }
  if (in.shape.item_sgprs(generation_of(in)))
    t.line("v_readfirstlane_b32 s{}, v0", r.item);
  if (old < in.shape.item_ids) // the program looks at all of v0
    t.line("v_and_b32 v0, {}, v0", old == 0 ? 0x3ff : 0xfffff);
}

} // namespace

std::vector<Item> begin_record(const RecordInput& in, const codeobject::Kernel& kernel, uint64_t control,
                               bool may_come_late) {
  const ProbeRegisters& r = in.registers;
  const uint32_t base = (r.group + 1u) / 2 * 2;
  uint32_t zeros = 0; // counters that are loaded with it
  if (may_come_late && r.with_zeros) {
    zeros = std::min(r.in_sgprs, 8u);
    for (uint32_t c = 0; c < zeros; ++c)
      if (begins_with_one(in, c))
        zeros = 0;
  }
  Text load;
  std::vector<Item> items;
  if (!r.late_control)
    load.line("s_load_dwordx{0} s[{1}:{2}], s[{3}:{4}], 0x0", zeros ? 16 : 8, r.control, r.control + (zeros ? 15 : 7),
              base, base + 1);
  if (!r.late_control)
    append_load(items, in.subject.target(), uint16_t(base), control, load.text());
  Text t;
  keep_group(t, in, kernel);
  keep_items(t, in, kernel);
  zero_counters(t, in, zeros);
  append(items, in.subject.target(), t.text());
  return items;
}

std::vector<Item> restore_entry(const RecordInput& in, const codeobject::Kernel& kernel) {
  Text t;
  keep_group(t, in, kernel);
  keep_items(t, in, kernel);
  std::vector<Item> items;
  append(items, in.subject.target(), t.text());
  return items;
}

namespace {

// SGPR `to` = the id of the first work-item in a dimension, less its lowest bits. gfx90a has all ids in one.
void shift_item(Text& text, const RecordInput& in, uint32_t to, uint32_t d, uint32_t right) {
  const uint32_t s = in.registers.item + in.shape.item_sgpr(generation_of(in), d);
  if (generation_of(in) == isa::Generation::gfx90a)
    text.line("s_bfe_u32 s{}, s{}, {:#x}", to, s, (10 - right) << 16 | (10 * d + right));
  else
    text.line("s_lshr_b32 s{}, s{}, {}", to, s, right);
}

// SGPR `to` += the id in a dimension times what is before it; `first`: =.
void add_item(Text& text, const RecordInput& in, uint32_t to, uint32_t d, bool first, uint32_t t) {
  const auto& size = in.shape.size;
  uint32_t id = in.registers.item + in.shape.item_sgpr(generation_of(in), d);
  const uint32_t product = first ? to : t;
  if (generation_of(in) == isa::Generation::gfx90a)
    shift_item(text, in, product, d, 0), id = product;
  if (d && size[0])
    text.line("s_mul_i32 s{}, s{}, {}", product, id, d == 1 ? size[0] : size[0] * size[1]);
  else if (d)
    text.line("s_mul_i32 s{}, s{}, s{}", product, id, in.registers.control + 6u + d - 1);
  else if (first && id != product)
    text.line("s_mov_b32 s{}, s{}", product, id);
  if (!first)
    text.line("s_add_u32 s{0}, s{0}, s{1}", to, d ? product : id);
}

// Of its workgroup.
void number_wave(Text& text, const RecordInput& in, std::span<const uint32_t> needed, uint32_t wave, uint32_t t) {
  if (needed.size() == 1) { // what is before it divides 64, or is nothing
    const uint32_t d = needed[0], before = d == 0 ? 1 : d == 1 ? in.shape.size[0] : in.shape.size[0] * in.shape.size[1];
    if (before && 64 % before == 0)
      return shift_item(text, in, wave, d, 6 - uint32_t(std::countr_zero(before)));
  }
  for (const uint32_t d : needed)
    add_item(text, in, wave, d, d == needed[0], t);
  text.line("s_lshr_b32 s{0}, s{0}, 6", wave);
}

// offset += value << by.
void add_shifted(Text& text, const RecordInput& in, uint32_t offset, uint32_t value, int by, uint32_t t) {
  if (by >= 1 && by <= 4 && generation_of(in) >= isa::Generation::gfx9)
    return text.line("s_lshl{0}_add_u32 s{1}, s{2}, s{1}", by, offset, value);
  if (by > 0)
    text.line("s_lshl_b32 s{}, s{}, {}", t, value, by);
  else if (by < 0)
    text.line("s_lshr_b32 s{}, s{}, {}", t, value, -by);
  text.line("s_add_u32 s{0}, s{0}, s{1}", offset, by ? t : value);
}

// `wave`: none is wanted. `dimensions`: all beyond are known to be 1, of grids and of workgroups.
void find(Text& text, const RecordInput& in, uint32_t offset, std::optional<uint32_t> wave, uint32_t dimensions) {
  const ProbeRegisters& r = in.registers;
  const uint32_t groups = r.control + 3u, t = r.scratch + 3u;
  text.line("s_mul_i32 s{}, s{}, s{}", offset, r.group, groups);
  for (uint32_t d = 1; d < dimensions; ++d) {
    text.line("s_mul_i32 s{}, s{}, s{}", t, r.group + d, groups + d);
    text.line("s_add_u32 s{0}, s{0}, s{1}", offset, t);
  }
  if (in.shape.one_wave)
    return;
  std::vector<uint32_t> needed;
  for (uint32_t d = 0; d < (in.shape.size[0] ? 3 : dimensions); ++d)
    if (in.shape.items[d])
      needed.push_back(d);
  // In a row of work-items waves begin with multiples of 64.
  if (!wave && needed.size() == 1 && needed[0] == 0 && generation_of(in) != isa::Generation::gfx90a)
    return add_shifted(text, in, offset, r.item, int(in.record_shift) - 6, t);
  const uint32_t number = wave.value_or(r.scratch + 2u);
  number_wave(text, in, needed, number, t);
  add_shifted(text, in, offset, number, int(in.record_shift), t);
}

void make_buffer(Text& text, const RecordInput& in) { text.line("s_mov_b32 s{}, 0x27000", in.registers.control + 3); }

} // namespace

std::string find_record(const RecordInput& in, uint32_t offset, uint32_t wave) {
  Text text;
  text.line("s_waitcnt lgkmcnt(0)");
  find(text, in, offset, wave, 3);
  make_buffer(text, in);
  return text.text();
}

namespace {

// Up to 4 SGPRs at a time, through the scalar cache. It is meant also where no lane is left: lint's exec-zero.
void store_sgprs(Text& t, const RecordInput& in, uint32_t offset) {
  const ProbeRegisters& r = in.registers;
  t.line("s_mov_b64 exec, -1");
  const bool both = generation_of(in) >= isa::Generation::gfx9; // an SGPR and a constant
  for (uint32_t c = 0; c < r.in_sgprs;) {
    const uint32_t left = r.in_sgprs - c, n = left >= 4 ? 4 : left >= 2 ? 2 : 1, s = r.counters + c;
    const std::string data = n == 1 ? fmt::format("s{}", s) : fmt::format("s[{}:{}]", s, s + n - 1);
    const std::string_view kind = n == 4 ? "x4" : n == 2 ? "x2" : "";
    const uint32_t at = c * 4;
    if (both && at) {
      t.line("s_buffer_store_dword{} {}, s[{}:{}], s{} offset:{:#x}", kind, data, r.control, r.control + 3, offset, at);
    } else {
      t.line("s_buffer_store_dword{} {}, s[{}:{}], s{}", kind, data, r.control, r.control + 3, offset);
      if (!both && left > n)
        t.line("s_add_u32 s{0}, s{0}, {1}", offset, n * 4);
    }
    c += n;
  }
  t.line("s_dcache_wb");
}

// Lanes of VGPRs as they are; SGPRs, 64 at a time, by a VGPR.
void store_vgprs(Text& t, const RecordInput& in, uint32_t offset, bool sgprs_too) {
  const ProbeRegisters& r = in.registers;
  if (in.subject.graph.indexes_vgprs)
    t.line("s_set_gpr_idx_off");
  t.line("s_mov_b64 exec, -1");
  const uint32_t value = r.end_vgpr, place = r.end_vgpr + 1u, at = r.scratch + 2u;
  const bool vop2 = generation_of(in) < isa::Generation::gfx8;
  t.line("v_mbcnt_lo_u32_b32{} v{}, -1, 0", vop2 ? "_e64" : "", place);
  t.line("v_mbcnt_hi_u32_b32 v{0}, -1, v{0}", place);
  t.line("v_lshlrev_b32 v{0}, 2, v{0}", place);
  const auto store = [&](uint32_t vgpr, uint32_t first, uint32_t n) {
    if (n < 64)
      t.line("s_bfm_b64 exec, {}, 0", n);
    else
      t.line("s_mov_b64 exec, -1");
    if (first)
      t.line("s_add_u32 s{}, s{}, {:#x}", at, offset, first * 4);
    t.line("buffer_store_dword v{}, v{}, s[{}:{}], s{} offen", vgpr, place, r.control, r.control + 3,
           first ? at : offset);
  };
  for (uint32_t c = r.in_sgprs; c < in.counters; c += 64)
    store(r.lanes + (c - r.in_sgprs) / 64, c, std::min(64u, in.counters - c));
  for (uint32_t c = 0; sgprs_too && c < r.in_sgprs; c += 64) {
    const uint32_t n = std::min(64u, r.in_sgprs - c);
    for (uint32_t i = 0; i < n; ++i)
      t.line("v_writelane_b32 v{}, s{}, {}", value, r.counters + c + i, i);
    store(value, c, n);
  }
}

} // namespace

RecordEnd end_record(const RecordInput& in, bool may_branch) {
  const ProbeRegisters& r = in.registers;
  const bool scalar_stores = generation_of(in) >= isa::Generation::gfx8;
  const bool vectors = in.counters > r.in_sgprs || !scalar_stores;
  const uint32_t offset = r.scratch, dimensions = in.shape.dimensions;
  RecordEnd end;
  if (!in.counters)
    return end;
  const auto store = [&](Text& t) {
    // Vectors first: the scalar stores may count their offset up.
    if (vectors)
      make_buffer(t, in), store_vgprs(t, in, offset, !scalar_stores);
    if (scalar_stores && r.in_sgprs)
      store_sgprs(t, in, offset);
  };
  const auto put = [&](std::vector<Item>& to, const Text& t) { append(to, in.subject.target(), t.text()); };
  Text t;
  if (in.record_sgpr) {
    t.line("s_mov_b32 s{}, s{}", offset, *in.record_sgpr);
    store(t);
    put(end.usual, t);
    return end;
  }
  const bool branches = may_branch && dimensions < 3;
  if (r.late_control)
    append_load(end.usual, in.subject.target(), 8, in.late_control, "s_load_dwordx8 s[0:7], s[8:9], 0x0");
  t.line("s_waitcnt lgkmcnt(0)");
  if (branches) {
    t.line("s_cmp_lg_u32 s{}, 0", r.control + 3 + dimensions);
    put(end.usual, t);
    end.usual.push_back(branch_to(in.subject.target(), no_label, "s_cbranch_scc1"));
    Text seldom;
    find(seldom, in, offset, {}, 3);
    store(seldom);
    put(end.seldom, seldom);
    t = {};
  }
  find(t, in, offset, {}, branches ? dimensions : 3);
  store(t);
  put(end.usual, t);
  return end;
}

} // namespace crosslane::rewrite
