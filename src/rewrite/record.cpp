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

bool one_wave(std::span<const CopiedKernel* const> kernels) {
  return std::ranges::all_of(kernels, [](const CopiedKernel* k) {
    return k->kernel->max_flat_workgroup_size != 0 && k->kernel->max_flat_workgroup_size <= 64;
  });
}

EntryRegisters entry_registers(const codeobject::Kernel& kernel, bool one_wave) {
  uint32_t rsrc2 = kernel.descriptor.compute_pgm_rsrc2 | id_x | id_y | id_z;
  if (!one_wave)
    rsrc2 = (rsrc2 & ~items_mask) | 2u << items_shift;
  return {rsrc2};
}

std::vector<Item> begin_record(const RecordInput& in, const codeobject::Kernel& kernel, uint64_t control) {
  const ProbeRegisters& r = in.registers;
  const auto& d = kernel.descriptor;
  const uint32_t rsrc2 = entry_registers(kernel, in.one_wave).rsrc2;
  const Places now = places(d, rsrc2), before = places(d, d.compute_pgm_rsrc2);
  std::vector<Item> items{address_of(r.scratch, control)};
  Text t;
  t.line("s_load_dwordx8 s[{}:{}], s[{}:{}], 0x0", r.control, r.control + 7, r.scratch, r.scratch + 1);
  t.line("s_mov_b32 s{}, s{}", r.group, now.x);
  t.line("s_mov_b32 s{}, s{}", r.group + 1, now.y);
  t.line("s_mov_b32 s{}, s{}", r.group + 2, now.z);
  // Everything to where the program looks for it.
  if (before.y && before.y != now.y)
    t.line("s_mov_b32 s{}, s{}", before.y, r.group + 1);
  if (before.z && before.z != now.z)
    t.line("s_mov_b32 s{}, s{}", before.z, r.group + 2);
  if (before.info && before.info != now.info)
    t.line("s_mov_b32 s{}, s{}", before.info, now.info);
  if (before.scratch && before.scratch != now.scratch)
    t.line("s_mov_b32 s{}, s{}", before.scratch, now.scratch);
  if (!in.one_wave) {
    const uint32_t old = d.enable_vgpr_workitem_id();
    t.line("v_readfirstlane_b32 s{}, v0", r.item);
    if (isa::info(in.subject.target()).generation == isa::Generation::gfx90a) { // all in v0
      if (old < 2)
        t.line("v_and_b32 v0, {}, v0", old == 0 ? 0x3ff : 0xfffff);
      t.line("s_bfe_u32 s{}, s{}, 0xa000a", r.item + 1, r.item);
      t.line("s_lshr_b32 s{}, s{}, 20", r.item + 2, r.item);
      t.line("s_and_b32 s{0}, s{0}, 0x3ff", r.item);
    } else {
      t.line("v_readfirstlane_b32 s{}, v1", r.item + 1);
      t.line("v_readfirstlane_b32 s{}, v2", r.item + 2);
    }
  }
  const auto first_value = [&](uint32_t counter) { return std::ranges::binary_search(in.powers, counter) ? 1 : 0; };
  for (uint32_t c = 0; c < r.in_sgprs;) {
    const uint32_t s = r.counters + c;
    if (s % 2 == 0 && c + 1 < r.in_sgprs && first_value(c) == 0 && first_value(c + 1) == 0) {
      t.line("s_mov_b64 s[{}:{}], 0", s, s + 1);
      c += 2;
    } else {
      t.line("s_mov_b32 s{}, {}", s, first_value(c));
      ++c;
    }
  }
  // Counters in lanes: EXEC may lack some where a workgroup ends.
  if (in.counters > r.in_sgprs)
    t.line("s_mov_b64 s[{}:{}], exec\ns_mov_b64 exec, -1", r.scratch + 2, r.scratch + 3);
  for (uint32_t c = r.in_sgprs; c < in.counters; c += 64)
    t.line("v_mov_b32 v{}, 0", r.lanes + (c - r.in_sgprs) / 64);
  if (in.counters > r.in_sgprs)
    t.line("s_mov_b64 exec, s[{}:{}]", r.scratch + 2, r.scratch + 3);
  for (uint32_t c = r.in_sgprs; c < in.counters; ++c)
    if (first_value(c))
      t.line("v_writelane_b32 v{}, 1, {}", r.lanes + (c - r.in_sgprs) / 64, (c - r.in_sgprs) % 64);
  append(items, in.subject.target(), t.text());
  return items;
}

std::string find_record(const RecordInput& in, uint32_t offset, uint32_t wave) {
  const ProbeRegisters& r = in.registers;
  const uint32_t groups = r.control + 3u, items = r.control + 6u, t = r.scratch + 3u;
  Text text;
  text.line("s_waitcnt lgkmcnt(0)");
  text.line("s_mul_i32 s{}, s{}, s{}", offset, r.group, groups);
  for (uint32_t d = 1; d < 3; ++d) {
    text.line("s_mul_i32 s{}, s{}, s{}", t, r.group + d, groups + d);
    text.line("s_add_u32 s{0}, s{0}, s{1}", offset, t);
  }
  if (!in.one_wave) {
    text.line("s_mul_i32 s{}, s{}, s{}", wave, r.item + 1, items);
    text.line("s_mul_i32 s{}, s{}, s{}", t, r.item + 2, items + 1);
    text.line("s_add_u32 s{0}, s{0}, s{1}", wave, t);
    text.line("s_add_u32 s{0}, s{0}, s{1}", wave, r.item);
    text.line("s_lshr_b32 s{0}, s{0}, 6", wave);
    text.line("s_lshl_b32 s{}, s{}, {}", t, wave, in.record_shift);
    text.line("s_add_u32 s{0}, s{0}, s{1}", offset, t);
  }
  text.line("s_mov_b32 s{}, 0x27000", r.control + 3);
  return text.text();
}

namespace {

// Up to 4 SGPRs at a time, through the scalar cache. It is meant also where no lane is left: lint's exec-zero.
void store_sgprs(Text& t, const RecordInput& in, uint32_t offset) {
  const ProbeRegisters& r = in.registers;
  t.line("s_mov_b64 exec, -1");
  const bool both = isa::info(in.subject.target()).generation >= isa::Generation::gfx9; // an SGPR and a constant
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
  const bool vop2 = isa::info(in.subject.target()).generation < isa::Generation::gfx8;
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

std::vector<Item> end_record(const RecordInput& in) {
  const ProbeRegisters& r = in.registers;
  const bool scalar_stores = isa::info(in.subject.target()).generation >= isa::Generation::gfx8;
  const uint32_t offset = r.scratch;
  Text t;
  if (in.counters) {
    if (in.record_sgpr)
      t.line("s_mov_b32 s{}, s{}", offset, *in.record_sgpr);
    else
      t.line("{}", find_record(in, offset, r.scratch + 2));
    // Vectors first: the scalar stores may count their offset up.
    if (in.counters > r.in_sgprs || !scalar_stores)
      store_vgprs(t, in, offset, !scalar_stores);
    if (scalar_stores && r.in_sgprs)
      store_sgprs(t, in, offset);
  }
  std::vector<Item> items;
  append(items, in.subject.target(), t.text());
  return items;
}

} // namespace crosslane::rewrite
