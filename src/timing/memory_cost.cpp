// Addresses of vector memory, banks of LDS, and what the document prints of both.
#include "timing/memory_cost.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "timing/l1_banks.h"
#include "timing/lds_cycles.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace crosslane::timing {

namespace {

using gpu::Parameter;
using isa::Access;

constexpr double pass = 4;

bool is_cmpswap(Access a) { return isa::is_compare_and_swap(a); }

// Document: 16; with GLC one more, with GLC and 64 bits two; compare and swap 32. BUFFER_ATOMIC_AND_X2 is printed
// without GLC.
double atomic_cycles(const isa::Instruction& i, bool wide, Model model) {
  const isa::Row& row = isa::row(i.op);
  if (is_cmpswap(row.access))
    return 32;
  const bool printed_plain = model == Model::document && row.access == Access::atomic_and && wide;
  return 16 + (i.glc && !printed_plain ? wide ? 2 : 1 : 0);
}

// Of the row: dwords that a lane loads or stores.
int width(const isa::Row& row) { return std::clamp(isa::dwords(row.memory), 1, 4); }

// Document: 8, 18, 16, 16 for one to four dwords.
double document_load(int dwords) { return dwords == 1 ? 8 : dwords == 2 ? 18 : 16; }

struct LoadParameters {
  Parameter contiguous, scattered;
};
LoadParameters load_parameters(int dwords) {
  using enum Parameter;
  constexpr LoadParameters all[] = {{load_x1_contiguous, load_x1_scattered},
                                    {load_x2_contiguous, load_x2_scattered},
                                    {load_x3_contiguous, load_x3_scattered},
                                    {load_x4_contiguous, load_x4_scattered}};
  return all[dwords - 1];
}

// Lanes leave something out between each other.
bool apart(const Lanes& lanes, int dwords) {
  return lanes.pattern == Lanes::Pattern::affine && std::abs(lanes.stride) > dwords * 4;
}

bool has_l1_banks(const gpu::Machine& m) { return isa::info(m.target).generation == isa::Generation::gfx90a; }

// Of 64 lanes that are `stride` bytes apart, from the best to the worst place of the first one, aligned, in its line.
Cycles bank_cycles(int dwords, int32_t stride) {
  constexpr uint64_t far = uint64_t(1) << 40;
  Cycles all{64 * 64, 0};
  const uint64_t aligned = dwords == 3 ? 4 : uint64_t(dwords) * 4;
  for (uint64_t first = 0; first < 64; first += aligned) {
    uint32_t clocks = 0;
    for (uint64_t row = 0; row < 64; row += 16) {
      std::array<uint64_t, 16> address;
      for (uint64_t lane = 0; lane < 16; ++lane)
        address[lane] = far + first + uint64_t(int64_t(stride)) * (row + lane);
      clocks += l1_bank_clocks(address.data(), 0xffff, uint32_t(dwords) * 4);
    }
    all.least = std::min<double>(all.least, clocks), all.most = std::max<double>(all.most, clocks);
  }
  return all;
}

Cost load(const gpu::Machine& m, int dwords, const Lanes& lanes) {
  Cost c;
  const auto [contiguous, scattered] = load_parameters(dwords);
  using enum Lanes::Pattern;
  if (lanes.pattern == uniform || (lanes.pattern == affine && !apart(lanes, dwords))) {
    c.unit = m[contiguous], c.used.add(contiguous);
    c.note = lanes.pattern == uniform ? "one address" : "lanes in a row";
  } else {
    const Parameter least = lanes.pattern == affine ? scattered : contiguous;
    c.unit = {m[least], std::max(m[scattered], m[Parameter::load_worst])};
    c.used.add(least), c.used.add(Parameter::load_worst);
    c.note = lanes.pattern == affine ? fmt::format("lanes {} bytes apart", lanes.stride) : "addresses not known";
    if (lanes.pattern == affine && has_l1_banks(m)) {
      const Cycles banks = bank_cycles(dwords, lanes.stride);
      c.unit = {std::max(m[scattered], banks.least), std::max(m[scattered], banks.most)};
      c.note += ", banks of L1";
    }
  }
  return c;
}

// Images do not profit from lanes in a row; texels of more than four bytes, which the code does not tell, take longer.
Cost image(const isa::Instruction& i, const gpu::Machine& m) {
  Cost c;
  const int channels = std::max(1, __builtin_popcount(i.dmask));
  if (isa::row(i.op).src[1] != isa::Type::None) {
    c.unit = {16, 64};
    c.note = "not in CLRX; assumed: 16 to 64, by format and filter";
    return c;
  }
  using enum Parameter;
  const Parameter least = channels == 2 ? load_x2_contiguous : load_x1_scattered;
  const Parameter most = channels == 1 ? least : channels == 2 ? load_texel8_scattered : load_texel16_scattered;
  c.unit = {m[least], m[most]}, c.used.add(least), c.used.add(most);
  c.note = "not in CLRX; perftest: by format and pattern";
  return c;
}

bool is_d16(Access a) {
  using enum Access;
  return a == load_d16 || a == load_d16_hi || a == store_d16_hi || isa::is_d16_format(a) || a == load_format_d16_hi ||
         a == store_format_d16_hi;
}

bool is_vector_buffer(const isa::Row& row) { return row.encoding == isa::Encoding::MUBUF; }

} // namespace

Cost scalar_memory_cost(const isa::Instruction& i) {
  const isa::Row& row = isa::row(i.op);
  Cost c;
  c.resource = Resource::smem;
  const bool in_table = row.access == Access::load || row.access == Access::time || i.op == isa::Op::s_dcache_inv ||
                        i.op == isa::Op::s_dcache_inv_vol;
  const int dwords = row.access == Access::load ? isa::dwords(row.memory) : 1;
  c.wave = c.unit = dwords == 16 ? Cycles(16, 24) : Cycles(dwords == 8 ? 8 : 4);
  c.in_document = in_table && i.op != isa::Op::s_memrealtime && !isa::is_scalar_scratch(i.op);
  if (!c.in_document)
    c.note = "assumed: as the scalar loads that CLRX has";
  return c;
}

Cost vector_memory_cost(const isa::Instruction& i, const gpu::Machine& m, Model model, const Lanes& lanes) {
  const isa::Row& row = isa::row(i.op);
  const isa::MemoryUse use = isa::memory_use(i);
  const int dwords = width(row);
  Cost c;
  if (row.encoding == isa::Encoding::MIMG && !use.atomic && !use.stores) {
    c = image(i, m);
  } else if (row.access == Access::cache || (!use.loads && !use.stores)) {
    c.unit = pass, c.note = "CLRX: ?; assumed: the turn that it takes";
  } else if (use.atomic) {
    c.unit = atomic_cycles(i, isa::dwords(row.memory) > 1, model);
  } else if (use.stores && !use.loads) {
    c.unit = 16;
  } else if (model == Model::document) {
    c.unit = document_load(dwords);
  } else {
    c = load(m, dwords, lanes);
    c.note += fmt::format("; CLRX says {} for all", document_load(dwords));
  }
  c.resource = Resource::vmem;
  // What the document has: untyped buffers, without the d16 forms of gfx8 and later.
  c.in_document = is_vector_buffer(row) && row.access != Access::cache && row.access != Access::store_from_lds &&
                  !is_d16(row.access);
  if (!c.in_document && c.note.empty())
    c.note = "not in CLRX; as a buffer access as wide";
  if (lanes.measured > 0 && model == Model::card && use.loads && !use.atomic) {
    // Profiles count no banks of L1; lanes that take no part are fewer of both.
    const bool banks = has_l1_banks(m) && apart(lanes, dwords);
    c.unit = banks ? c.unit * (std::min(lanes.measured, 16.0) / 16) : lanes.measured;
    c.note = banks ? "addresses of the profile, banks of L1" : "addresses of the profile";
  }
  c.wave = model == Model::document ? c.unit : Cycles(pass);
  if (row.encoding == isa::Encoding::FLAT && model == Model::card)
    c.note += "; LDS is not counted, should its addresses point there";
  return c;
}

uint32_t conflict_cycles(uint32_t bytes, int32_t stride, bool store, uint32_t lanes) {
  // Which of the 64 lanes are served together.
  std::array<uint8_t, 64> group{};
  for (uint32_t lane = 0; lane < 64; ++lane) {
    const uint32_t half = lane / 32, quad = lane % 32 / 4;
    constexpr uint8_t wide_load[8] = {0, 1, 2, 3, 1, 0, 3, 2}; // {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}
    group[lane] = uint8_t(bytes <= 4 ? half : bytes <= 8 ? lane / 16 : store ? lane / 8 : half * 4 + wide_load[quad]);
  }
  uint32_t extra = 0;
  for (uint32_t g = 0; g < 8; ++g) {
    std::array<std::set<uint32_t>, 32> banks;
    for (uint32_t lane = 0; lane < lanes; ++lane)
      if (group[lane] == g)
        for (uint32_t b = 0; b < bytes; b += 4) {
          const uint32_t dword = (uint32_t(stride) * lane + b) >> 2;
          banks[dword % 32].insert(dword);
        }
    size_t fullest = 1;
    for (const auto& dwords : banks)
      fullest = std::max(fullest, dwords.size());
    extra += uint32_t(fullest) - 1;
  }
  return extra;
}

namespace {

// What the document's DS table has with "?" or not at all.
bool is_unknown_ds(const isa::Row& row) {
  using enum Access;
  return row.access == gws || row.access == ordered_count || row.access == condxchg || row.access == wrap ||
         row.access == permute || row.access == bpermute || row.access == lds_add_tid_load ||
         row.access == lds_add_tid_store || row.access == atomic_fadd || row.access == atomic_pk_add_f16 ||
         is_d16(row.access);
}

} // namespace

Cost lds_cost(const isa::Instruction& i, const gpu::Machine& m, Model model, const Lanes& lanes) {
  const isa::Row& row = isa::row(i.op);
  const LdsCycles c = lds_cycles(i);
  Cost out;
  out.resource = Resource::lds;
  out.in_document = !is_unknown_ds(row);
  if (!out.in_document)
    out.note = "not in CLRX, or as ?; as its like";
  out.wave = c.wave, out.unit = c.unit;
  const bool two = isa::has_two_addresses(row.access);
  const uint32_t bytes = uint32_t(std::max(1, isa::dwords(row.memory))) * 4;
  if (!isa::has_lds_address(row.access) || isa::crosses_lanes(row.access) || row.memory == isa::Type::None)
    return out;
  if (model == Model::document) { // "in the worst case, the throughput can be not greater 1/32"
    out.unit.most = std::max(out.unit.least, 32.0);
    return out;
  }
  out.used.add(Parameter::lds_banks), out.used.add(Parameter::lds_bytes_per_clock);
  const uint32_t accesses = two || isa::has_operand_in_lds(row) ? 2 : 1;
  const bool store = isa::is_store(row.access);
  const uint32_t groups = bytes <= 4 ? 2 : bytes <= 8 ? 4 : 8;
  if (lanes.measured > 0) {
    out.unit = lanes.measured, out.note = "bank conflicts of the profile";
  } else if (lanes.pattern == Lanes::Pattern::unknown) {
    out.unit.most = out.unit.least + (64 - groups) * accesses;
    out.note = out.note.empty() ? "addresses not known: bank conflicts may add" : out.note + "; addresses not known";
  } else {
    const int32_t stride = lanes.pattern == Lanes::Pattern::uniform ? 0 : lanes.stride;
    const bool atomic = isa::is_atomic(row.access) && stride == 0; // one after the other
    const uint32_t extra = atomic ? 64 - groups : conflict_cycles(bytes, stride, store);
    out.unit = out.unit.least + extra * accesses;
    if (extra)
      out.note = fmt::format("lanes {} bytes apart: bank conflicts add {}", stride, extra * accesses);
  }
  // A lone wave waits for what conflicts add.
  out.wave = {c.wave + (out.unit.least - c.unit), c.wave + (out.unit.most - c.unit)};
  (void)m;
  return out;
}

} // namespace crosslane::timing
