// MIMG without samplers, lane by lane: loads, stores, the addresses of atomics, and the size of an image. Not per
// level.
#include "engine/memory/image.h"
#include "engine/raise.h"
#include "engine/reach.h"
#include "isa/access.h"
#include "isa/image.h"
#include "isa/memory_registers.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <xmmintrin.h>

namespace crosslane::engine {
namespace {

using image::Image;
using image::Where;
using isa::Access;

constexpr unsigned default_mode = 0x1f80; // of conversions: nearest even, denormals kept
constexpr uint32_t staged_mask = machine::scalar_tmp;

template <class T> T* at(Wave* w, uint32_t offset) { return reinterpret_cast<T*>(reinterpret_cast<char*>(w) + offset); }
uint32_t registers_from(uint32_t offset) {
  return machine::max_vgprs - (offset - machine::vgpr_offset(0)) / machine::vgpr_bytes;
}
Image resource_of(const Uop* op, Wave* w) { return image::read_resource(at<const uint32_t>(w, op->b), op->aux); }

void touching(const Uop* op, Wave* w) {
  w->fault_op = op;
  asm volatile("" ::: "memory");
}

// The texel of a lane. False: a fault was raised.
bool texel_of(const Uop* op, Wave* w, const Image& i, int lane, image::Texel& texel) {
  texel = image::locate(i, op->aux, at<const uint32_t>(w, op->a), registers_from(op->a), lane);
  if (texel.where == Where::no_register)
    return raise(w, op, machine::FaultKind::illegal_instruction, lane), false;
  if (const auto address = reinterpret_cast<uint64_t>(texel.address);
      texel.where == Where::inside && !reaches(w, address, uint32_t(i.format.bytes())))
    return out_of_reach(op, w, lane, address);
  if (texel.where == Where::other_level)
    return refuse(w, op, "levels of an image beyond the first are not executed", lane), false;
  return true;
}
const char* refusal(const Image& i, bool converts, bool stores) {
  if (const char* why = image::refusal(i))
    return why;
  if (i.unbound || !converts || (stores ? i.format.can_store() : i.format.can_load()))
    return nullptr;
  return stores ? "stores to this format of images are not executed"
                : "loads of this format of images are not executed";
}

uint32_t raw_dword(const Image& i, const uint8_t* texel, int k, bool sign) {
  const int bytes = i.format.bytes();
  uint32_t value = 0;
  for (int b = 4 * k; b < std::min(bytes, 4 * k + 4); ++b)
    value |= uint32_t(texel[b]) << b % 4 * 8;
  return sign && bytes < 4 ? uint32_t(int32_t(value << (32 - 8 * bytes)) >> (32 - 8 * bytes)) : value;
}

// The enabled components, in order.
template <class F> void for_components(uint32_t dmask, F f) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < 4; ++c)
    if (dmask >> c & 1)
      f(c, n++);
}

void load_lane(const Uop* op, Wave* w, const Image& i, const image::Texel& texel, int lane) {
  const bool inside = texel.where == Where::inside, converts = !(op->aux & image::raw);
  uint8_t bytes[16] = {};
  if (inside)
    std::memcpy(bytes, texel.address, size_t(i.format.bytes()));
  uint32_t components[4] = {}, values[4];
  if (inside && converts)
    unpack_texel(i.format, bytes, components);
  for (int c = 0; c < 4; ++c) {
    if (i.unbound)
      values[c] = 0;
    else if (converts)
      values[c] = image::selected(components, i.selectors >> 3 * c & 7, i.format.is_integer());
    else
      values[c] = raw_dword(i, bytes, c, op->aux & image::sign_extends);
  }
  image::write_components(at<uint32_t>(w, op->dst) + lane, op->aux, i.format.is_integer(), values);
}
CROSSLANE_CC void load(const Uop* op, Wave* w) {
  touching(op, w);
  const Image i = resource_of(op, w);
  if (const char* why = refusal(i, !(op->aux & image::raw), false))
    return refuse(w, op, why);
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(default_mode);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    image::Texel texel;
    if (!texel_of(op, w, i, lane, texel))
      return;
    load_lane(op, w, i, texel, lane);
  }
  _mm_setcsr(mode);
  CROSSLANE_NEXT(op, w);
}

// Only whole texels are written: components without data become 0.
void store_lane(const Uop* op, Wave* w, const Image& i, uint8_t* texel, int lane) {
  const uint32_t* data = at<const uint32_t>(w, op->c) + lane;
  uint32_t given[4] = {}, values[4];
  if (op->aux & image::d16) { // DMASK only counts them
    for (uint32_t n = 0; n < uint32_t(std::popcount(op->aux & 15)); ++n) {
      const uint32_t half = op->aux & image::packed_d16 ? data[n / 2 * 64] >> n % 2 * 16 : data[n * 64];
      given[n] = widen_component(i.format, uint16_t(half));
    }
  } else {
    for_components(op->aux & 15, [&](uint32_t c, uint32_t n) { given[c] = data[n * 64]; });
  }
  uint8_t bytes[16] = {};
  if (op->aux & image::raw) {
    std::memcpy(bytes, given, 16);
  } else {
    std::copy(given, given + 4, values);
    for (uint32_t c = 0; c < 4; ++c) // DST_SEL maps register to texel component
      if (const uint32_t s = i.selectors >> 3 * c & 7; s >= 4)
        values[s - 4] = given[c];
    pack_texel(i.format, values, bytes);
  }
  std::memcpy(texel, bytes, size_t(i.format.bytes()));
}
CROSSLANE_CC void store(const Uop* op, Wave* w) {
  touching(op, w);
  const Image i = resource_of(op, w);
  if (const char* why = refusal(i, !(op->aux & image::raw), true))
    return refuse(w, op, why);
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(default_mode);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    image::Texel texel;
    if (!texel_of(op, w, i, lane, texel))
      return;
    if (texel.where == Where::inside)
      store_lane(op, w, i, texel.address, lane);
  }
  _mm_setcsr(mode);
  CROSSLANE_NEXT(op, w);
}

// The addresses go to Wave::tmp 0 and 1, the lanes inside to a scalar temporary. Others do nothing and get 0.
CROSSLANE_CC void stage_addresses(const Uop* op, Wave* w) {
  touching(op, w);
  const Image i = resource_of(op, w);
  const uint32_t dwords = op->aux >> image::dword_shift & 3;
  const char* why = refusal(i, false, true);
  if (!why && !i.unbound && uint32_t(i.format.bytes()) != 4 * dwords)
    why = "the texels of the image are not as wide as the atomic's data";
  if (why)
    return refuse(w, op, why);
  uint64_t inside = 0;
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    image::Texel texel;
    if (!texel_of(op, w, i, lane, texel))
      return;
    if (texel.where == Where::inside) {
      const auto address = reinterpret_cast<uint64_t>(texel.address);
      w->tmp[0][lane] = uint32_t(address), w->tmp[1][lane] = uint32_t(address >> 32);
      inside |= uint64_t(1) << lane;
    } else if (op->aux & image::returns) {
      for (uint32_t k = 0; k < dwords; ++k)
        at<uint32_t>(w, op->dst)[k * 64 + uint32_t(lane)] = 0;
    }
  }
  w->set_pair(staged_mask, inside);
  CROSSLANE_NEXT(op, w);
}

// {num_mip_levels, depth, height, width} of the level that the address names; of arrays the number of slices.
CROSSLANE_CC void size(const Uop* op, Wave* w) {
  const Image i = resource_of(op, w);
  const uint32_t* levels = at<const uint32_t>(w, op->a);
  const uint32_t slices = i.last_slice - std::min(i.first_slice, i.last_slice) + 1;
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint32_t mip = op->aux & image::a16 ? levels[lane] & 0xffff : levels[lane];
    const uint32_t count = i.last_level - std::min(i.base_level, i.last_level) + 1,
                   level = std::min(mip, 15u) + i.base_level;
    const auto shrunk = [&](uint32_t n) { return std::max(1u, n >> level); };
    uint32_t values[4] = {shrunk(i.width), shrunk(i.height),
                          i.type == image::three_d ? shrunk(i.depth)
                          : i.is_array()           ? slices
                                                   : 1,
                          count};
    if (i.type == image::one_d || i.type == image::one_d_array)
      values[1] = i.type == image::one_d ? 1 : slices;
    if (i.type == image::one_d_array)
      values[2] = 1;
    if (mip >= count)
      values[0] = values[1] = values[2] = 0;
    if (i.unbound)
      std::fill(values, values + 4, 0);
    for_components(op->aux & 15,
                   [&](uint32_t c, uint32_t n) { at<uint32_t>(w, op->dst)[n * 64 + uint32_t(lane)] = values[c]; });
  }
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void refused(const Uop* op, Wave* w) { refuse(w, op, reinterpret_cast<const char*>(op->k0)); }

} // namespace

namespace image {

void write_components(uint32_t* dst, uint32_t aux, bool integer, const uint32_t values[4]) {
  for_components(aux & 15, [&](uint32_t c, uint32_t n) {
    if (!(aux & d16)) {
      dst[n * 64] = values[c];
      return;
    }
    const uint32_t half = narrow_component(integer, values[c]);
    if (!(aux & packed_d16))
      dst[n * 64] = half;
    else if (n % 2 == 0)
      dst[n / 2 * 64] = half;
    else
      dst[n / 2 * 64] |= half << 16;
  });
}

} // namespace image

bool lower_image(Lowering& l, Handler (*pick_atomic)(isa::Access, isa::Type),
                 void (*clear_status)(Lowering&, uint32_t)) {
  const isa::Instruction& inst = l.inst;
  if (l.row.src[1] != isa::Type::None)
    return lower_image_sample(l, clear_status);
  if (!isa::is_scalar_register(inst.srsrc) || !isa::is_vgpr(inst.addr))
    return false;
  const auto say = [&l](const char* why) {
    l.emit(UopKind::fault, refused).k0 = reinterpret_cast<uint64_t>(why);
    return true;
  };
  if (inst.lwe)
    return say("the level warning (lwe) of images is not executed");
  const auto trait = [&](isa::ImageTrait t, uint32_t flag) { return has(isa::image_traits(inst.op), t) ? flag : 0; };
  const uint32_t aux = image::flags_of(inst) | trait(isa::ImageTrait::mip, image::mip) |
                       trait(isa::ImageTrait::raw, image::raw) |
                       trait(isa::ImageTrait::sign_extends, image::sign_extends) | (inst.glc ? image::returns : 0);
  const uint16_t data = inst.data != isa::code::none ? inst.data : inst.dst;
  const auto count = uint32_t(std::popcount(uint32_t(inst.dmask & 15)));
  const auto registers = uint32_t(isa::image_component_registers(inst));
  if (!isa::is_vgpr(data) || data - isa::code::vgpr0 + registers + (inst.tfe ? 1 : 0) > machine::max_vgprs)
    return false;
  const auto set_operands = [&](Uop& op) {
    op.a = vgpr(inst.addr), op.b = machine::sgpr_offset(inst.srsrc), op.c = op.dst = vgpr(data);
    op.aux = aux;
  };

  if (inst.op == isa::Op::image_get_resinfo || l.row.access == Access::load) {
    set_operands(l.emit(UopKind::image, l.row.access == Access::load ? load : size));
    if (inst.tfe)
      clear_status(l, vgpr(data) + registers * machine::vgpr_bytes); // all memory is resident
    return true;
  }
  if (l.row.access == Access::store) {
    set_operands(l.emit(UopKind::image, store));
    return true;
  }
  // DMASK of an atomic: one dword or two, twice as much with a value to compare with.
  const bool compares = isa::is_compare_and_swap(l.row.access);
  const bool is_float = isa::is_float_atomic(l.row.access);
  const uint32_t dwords = compares ? count / 2 : count;
  if ((dwords != 1 && dwords != 2) || inst.dmask != (1u << count) - 1 || (compares && count % 2))
    return say("DMASK of an image atomic is not 1, 3 or 15 as the operation needs it");
  const isa::Type type = is_float      ? (dwords == 1 ? isa::Type::F32 : isa::Type::F64)
                         : dwords == 1 ? isa::Type::B32
                                       : isa::Type::B64;
  const Handler atomic = pick_atomic(l.row.access, type);
  if (!atomic)
    return false;
  Uop& stage = l.emit(UopKind::address, stage_addresses);
  set_operands(stage);
  stage.aux |= dwords << image::dword_shift;
  Uop& op = l.emit(UopKind::atomic, atomic);
  set_operands(op);
  op.a = machine::tmp_offset(0);
  op.k1 = machine::sgpr_offset(staged_mask);
  op.imm = no_aperture;
  op.aux = atomic_wide_address | (inst.glc ? atomic_returns : 0);
  return true;
}

} // namespace crosslane::engine
