// MIMG with a sampler, lane by lane: image_sample* filters texels, image_gather4* returns them. One level of detail.
// Not per level.
#include "engine/memory/image.h"
#include "engine/memory/image_sampler.h"
#include "engine/raise.h"
#include "engine/reach.h"
#include "isa/image.h"
#include "isa/memory_registers.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <xmmintrin.h>

namespace crosslane::engine {
namespace {

using image::Image;
using image::Sampler;
using image::Taps;

constexpr unsigned default_mode = 0x1f80;

// What the operation takes (isa::image_traits), and the instruction's UNRM: "kind", Uop::imm.
constexpr auto with_compare = int32_t(isa::ImageTrait::compare), with_offset = int32_t(isa::ImageTrait::offset),
               with_bias = int32_t(isa::ImageTrait::bias), with_derivatives = int32_t(isa::ImageTrait::derivatives),
               with_lod = int32_t(isa::ImageTrait::lod), level_zero = int32_t(isa::ImageTrait::level_zero),
               with_clamp = int32_t(isa::ImageTrait::clamp), gathers = int32_t(isa::ImageTrait::gather),
               unnormalized = 1 << 16;

template <class T> T* at(Wave* w, uint32_t offset) { return reinterpret_cast<T*>(reinterpret_cast<char*>(w) + offset); }

// The address registers of a lane, in the order of their parts: {offset} {bias} {z-compare} {derivatives} {body}.
class Reader {
public:
  Reader(const Wave& w, uint32_t first, uint32_t aux, int lane)
      : vaddr_(w.v[first] + lane), halves_(aux & image::a16), registers_(machine::max_vgprs - first) {}
  uint32_t dword() {
    if (used_ >= registers_)
      return missing_ = true, 0;
    return vaddr_[used_++ * 64];
  }
  void skip(uint32_t dwords) { used_ += dwords; }
  // Of the body: a16 has two in a dword.
  float number() {
    if (!halves_)
      return std::bit_cast<float>(dword());
    if (has_half_) {
      has_half_ = false;
      return widened(half_);
    }
    const uint32_t both = dword();
    has_half_ = true, half_ = uint16_t(both >> 16);
    return widened(uint16_t(both));
  }
  bool missing() const { return missing_; }

private:
  static float widened(uint16_t bits) { return float(std::bit_cast<_Float16>(bits)); }
  const uint32_t* vaddr_;
  bool halves_, has_half_ = false, missing_ = false;
  uint16_t half_ = 0;
  uint32_t registers_, used_ = 0;
};

struct Address {
  int offset[3];
  float reference, body[3], slice, lod;
};
int signed6(uint32_t bits) { return int32_t(bits << 26) >> 26; }

// `first`: number of the first address VGPR. False: a register that it takes does not exist.
[[gnu::always_inline]] inline bool read_address(const Wave& w, uint32_t first, uint32_t aux, int32_t kind,
                                                const Image& i, int lane, Address& a) {
  Reader r(w, first, aux, lane);
  a = {};
  const int dims = i.type == image::three_d ? 3 : i.type == image::one_d || i.type == image::one_d_array ? 1 : 2;
  if (kind & with_offset) {
    const uint32_t packed = r.dword();
    for (int d = 0; d < dims; ++d)
      a.offset[d] = signed6(packed >> 8 * d);
  }
  if (kind & with_bias)
    r.dword(); // there is one level only
  if (kind & with_compare)
    a.reference = std::bit_cast<float>(r.dword());
  // As LLVM packs halves: those along one screen axis start in a dword of their own.
  if (kind & with_derivatives)
    r.skip(uint32_t(aux & image::a16 ? 2 * ((dims + 1) / 2) : 2 * dims));
  for (int d = 0; d < dims; ++d)
    a.body[d] = r.number();
  if (aux & image::da && i.type != image::three_d)
    a.slice = r.number();
  if (kind & (with_lod | with_clamp))
    a.lod = r.number();
  return !r.missing();
}

const char* refusal(const Image& i, const Sampler& s, int32_t kind) {
  if (const char* why = image::refusal(i))
    return why;
  if (i.unbound)
    return nullptr;
  if (!i.format.can_load())
    return "samples of this format of images are not executed";
  if (const char* why = image::refusal(s))
    return why;
  if (i.type == image::cube)
    return "cubes are not sampled";
  if (i.base_level)
    return "levels of an image beyond the first are not executed";
  if (kind & gathers && i.type != image::two_d && i.type != image::two_d_array)
    return "only two-dimensional images are gathered from";
  const bool knows_lod = kind & (with_lod | level_zero);
  if (i.last_level && s.mip_filter && !knows_lod)
    return "levels of an image beyond the first are not executed";
  if (s.mag_linear != s.min_linear && !knows_lod && !(kind & gathers))
    return "different filters for small and large images need the level of detail, which is not computed";
  return nullptr;
}

// Four components, as floats or integers.
using Words = uint32_t __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

constexpr std::array<float, 256> unorm8 = [] {
  std::array<float, 256> values{};
  for (int i = 0; i < 256; ++i)
    values[size_t(i)] = float(i / 255.0);
  return values;
}();

// Texels in their own components, or the border's colour: what is the same for all lanes, and the lane's reference.
class Fetch {
public:
  Fetch(const Image& i, const Sampler& s, const Uop* op)
      : image_(i), sampler_(s), compares_(op->imm & with_compare), integer_(i.format.is_integer()),
        bytes_(uint32_t(i.format.bytes())) {
    constexpr uint8_t unorm = 0, eight_bits = 1, eight_bits_x4 = 10;
    const bool dwords = i.format.components() * 4 == i.format.bytes();
    how_ = dwords && bytes_ == 4                                        ? one_dword
           : dwords && bytes_ == 16                                     ? four_dwords
           : i.format.number == unorm && i.format.data == eight_bits    ? one_unorm8
           : i.format.number == unorm && i.format.data == eight_bits_x4 ? four_unorm8
                                                                        : by_format;
    clamps_reference_ = i.format.number == unorm;
    const uint32_t one = integer_ ? 1 : 0x3f800000, colour = s.border == image::opaque_white ? one : 0;
    border_ = Words{colour, colour, colour, colour};
    border_[i.border_alpha] = s.border == image::transparent_black ? 0 : one;
    base_ = image::texel_address(i, 0, 0, 0);
    row_ = uint64_t(image::texel_address(i, 0, 1, 0) - base_),
    slice_ = uint64_t(image::texel_address(i, 0, 0, 1) - base_);
  }
  void set_reference(float r) { reference_ = clamps_reference_ ? std::clamp(r, 0.0f, 1.0f) : r; }
  bool is_integer() const { return integer_ && !compares_; }
  bool needs_table() const { return needs_table_; }

  Words operator()(int64_t x, int64_t y, int64_t z) {
    Words texel;
    if (x == Taps::outside || y == Taps::outside || z == Taps::outside) {
      needs_table_ |= sampler_.border == image::from_table;
      texel = border_;
    } else {
      texel = load(base_ + uint64_t(z) * slice_ + uint64_t(y) * row_ + uint64_t(x) * bytes_);
    }
    if (!compares_)
      return texel;
    const float depth = integer_ ? float(texel[0]) : std::bit_cast<float>(uint32_t(texel[0]));
    return Words{image::compares(sampler_.compare, reference_, depth) ? 0x3f800000 : 0u, 0, 0, 0};
  }

private:
  enum How : uint8_t { one_dword, four_dwords, one_unorm8, four_unorm8, by_format };
  Words load(const uint8_t* p) const {
    Words w = {};
    switch (how_) {
    case one_dword: {
      uint32_t dword;
      std::memcpy(&dword, p, 4);
      return Words{dword, 0, 0, 0};
    }
    case four_dwords: std::memcpy(&w, p, 16); return w;
    case one_unorm8: return Words(Floats{unorm8[*p], 0, 0, 0});
    case four_unorm8: return Words(Floats{unorm8[p[0]], unorm8[p[1]], unorm8[p[2]], unorm8[p[3]]});
    case by_format: break;
    }
    uint32_t components[4];
    unpack_texel(image_.format, p, components);
    std::memcpy(&w, components, 16);
    return w;
  }

  const Image& image_;
  const Sampler& sampler_;
  bool compares_, integer_, clamps_reference_, needs_table_ = false;
  How how_;
  uint32_t bytes_;
  float reference_ = 0;
  Words border_;
  uint8_t* base_;
  uint64_t row_, slice_;
};

// Weighs the texels around; what has no weight is not looked at.
Words blend(Fetch& fetch, const Taps axes[3]) {
  Doubles sum = {};
  for (int k = 0; k < 2; ++k) {
    const uint32_t z = k ? axes[2].weight : 256 - axes[2].weight;
    if (!z)
      continue;
    for (int j = 0; j < 2; ++j) {
      const uint32_t y = j ? axes[1].weight : 256 - axes[1].weight;
      if (!y)
        continue;
      for (int i = 0; i < 2; ++i) {
        const uint32_t x = i ? axes[0].weight : 256 - axes[0].weight;
        if (!x)
          continue;
        const double weight = double(x * y * z) / (1 << 24);
        sum += weight *
               __builtin_convertvector(Floats(fetch(axes[0].texel[i], axes[1].texel[j], axes[2].texel[k])), Doubles);
      }
    }
  }
  return Words(__builtin_convertvector(sum, Floats));
}

// The texels around a lane's coordinates, in each direction, or why there are none.
struct Axes {
  Taps taps[3];
  const char* why;
  bool filtered; // by the sampler, whatever the weights
};
[[gnu::always_inline]] inline Axes axes_of(int32_t kind, const Image& i, const Sampler& s, bool integer,
                                           const Address& a) {
  const bool gather = kind & gathers;
  float lod = kind & level_zero ? 0 : a.lod;
  if (kind & (with_lod | level_zero)) {
    lod = std::clamp(std::isnan(lod) ? 0 : lod, std::max(s.min_lod, i.min_lod), std::max(s.max_lod, s.min_lod));
    constexpr uint8_t point = 1;
    const float level = s.mip_filter == point ? std::floor(lod + 0.5f) : lod;
    if (i.last_level && s.mip_filter && level > 0)
      return {{}, "levels of an image beyond the first are not executed", false};
  }
  const bool xy_linear = (s.mag_linear == s.min_linear || lod <= 0 ? s.mag_linear : s.min_linear) && !integer;
  const bool z_linear = s.z_filter ? s.z_filter == 2 && !integer : xy_linear;

  const bool counts_texels = s.unnormalized || kind & unnormalized;
  const uint32_t sizes[3] = {i.width, i.height, i.depth};
  const auto taps = [&](int d, bool linear) {
    const double coordinate = counts_texels ? double(a.body[d]) : double(a.body[d]) * sizes[d];
    return image::taps_of(coordinate, sizes[d], s.clamp[d], linear, s.truncates, a.offset[d]);
  };
  const bool flat = i.type == image::one_d || i.type == image::one_d_array;
  constexpr Taps alone = {{0, Taps::outside}, 0};
  Axes axes = {{taps(0, xy_linear || gather), flat ? alone : taps(1, xy_linear || gather), alone},
               nullptr,
               xy_linear || gather || (i.type == image::three_d && z_linear)};
  if (i.type == image::three_d) {
    axes.taps[2] = taps(2, z_linear);
  } else {
    const uint32_t slices = i.last_slice - std::min(i.first_slice, i.last_slice) + 1;
    const double slice = std::isnan(a.slice) || !i.is_array() ? 0 : std::nearbyint(double(a.slice));
    axes.taps[2].texel[0] = int64_t(std::clamp(slice, 0.0, double(slices - 1))) + i.first_slice;
  }
  return axes;
}

// What a lane gets. Null, or why there is none.
const char* sample_lane(const Uop* op, Wave* w, const Image& i, const Sampler& s, Fetch& fetch, const Address& a,
                        int lane) {
  const bool integer = fetch.is_integer(), gather = op->imm & gathers;
  const Axes found = axes_of(op->imm, i, s, integer, a);
  if (found.why)
    return found.why;
  const Taps* axes = found.taps;
  fetch.set_reference(a.reference);
  uint32_t values[4], texel[4];
  const auto take = [&](const Words& components) { std::memcpy(texel, &components, sizeof texel); };
  if (gather) {
    const auto c = uint32_t(std::countr_zero(op->aux & 15 ? op->aux & 15 : 1u));
    constexpr int x_of[4] = {0, 1, 1, 0}, y_of[4] = {1, 1, 0, 0};
    for (int n = 0; n < 4; ++n) {
      take(fetch(axes[0].texel[x_of[n]], axes[1].texel[y_of[n]], axes[2].texel[0]));
      values[n] = image::selected(texel, i.selectors >> 3 * c & 7, integer);
    }
  } else {
    take(axes[0].weight || axes[1].weight || axes[2].weight
             ? blend(fetch, axes)
             : fetch(axes[0].texel[0], axes[1].texel[0], axes[2].texel[0]));
    for (int c = 0; c < 4; ++c)
      values[c] = image::selected(texel, i.selectors >> 3 * c & 7, integer);
  }
  if (fetch.needs_table())
    return "border colours from a table are not executed";
  image::write_components(at<uint32_t>(w, op->dst) + lane, gather ? op->aux | 15 : op->aux, integer, values);
  return nullptr;
}

// All of its texels are: they lie between the first and the last.
bool within_reach(const Image& i, const Wave* w) {
  const uint32_t slices = std::max(i.depth - 1, i.last_slice);
  const auto last = reinterpret_cast<uint64_t>(image::texel_address(i, i.width - 1, i.height - 1, slices));
  if (last < i.base)
    return false;
  return (w->reach.contains(i.base) && w->reach.contains(last)) ||
         is_shared(w, i.base, last - i.base + uint32_t(i.format.bytes()));
}

CROSSLANE_CC void sample_image(const Uop* op, Wave* w) {
  w->fault_op = op;
  asm volatile("" ::: "memory");
  const Image i = image::read_resource(at<const uint32_t>(w, op->b), op->aux);
  const Sampler s = image::read_sampler(at<const uint32_t>(w, op->c));
  if (const char* why = refusal(i, s, op->imm))
    return refuse(w, op, why);
  if (const uint64_t exec = w->exec(); exec && !i.unbound && !within_reach(i, w))
    return void(out_of_reach(op, w, std::countr_zero(exec), i.base));
  Fetch fetch(i, s, op);
  const uint32_t first = (op->a - machine::vgpr_offset(0)) / machine::vgpr_bytes;
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(default_mode);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Address a;
    if (!read_address(*w, first, op->aux, op->imm, i, lane, a))
      return raise(w, op, machine::FaultKind::illegal_instruction, lane);
    if (i.unbound) {
      constexpr uint32_t zeros[4] = {};
      image::write_components(at<uint32_t>(w, op->dst) + lane, op->imm & gathers ? op->aux | 15 : op->aux, false,
                              zeros);
    } else if (const char* why = sample_lane(op, w, i, s, fetch, a, lane)) {
      return refuse(w, op, why, lane);
    }
  }
  _mm_setcsr(mode);
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void refused(const Uop* op, Wave* w) { refuse(w, op, reinterpret_cast<const char*>(op->k0)); }

} // namespace

namespace image {

void find_samples(const isa::Instruction& inst, const Wave& w, uint64_t lanes, Samples& out) {
  const uint32_t aux = flags_of(inst), first = inst.addr - isa::code::vgpr0;
  const int32_t kind = int32_t(isa::image_traits(inst.op));
  const Image i = read_resource(&w.s[inst.srsrc], aux);
  const Sampler s = read_sampler(&w.s[inst.saddr]);
  out.bytes = uint32_t(i.format.bytes());
  out.filtered = false;
  std::fill_n(out.lanes, most_texels, 0);
  if (i.unbound || engine::refusal(i, s, kind))
    return;
  const bool integer = i.format.is_integer() && !(kind & with_compare);
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(default_mode);
  for (uint64_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Address a;
    if (!read_address(w, first, aux, kind, i, lane, a))
      break;
    const Axes found = axes_of(kind, i, s, integer, a);
    if (found.why)
      break;
    out.filtered |= found.filtered;
    const Taps* axes = found.taps;
    int count = 0;
    for (int n = 0; n < most_texels; ++n) {
      bool counts = true;
      int64_t at[3];
      for (int d = 0; d < 3; ++d) {
        const int k = n >> d & 1;
        at[d] = axes[d].texel[k];
        const bool gathered = kind & gathers && d < 2;
        counts = counts && at[d] != Taps::outside && (gathered || (k ? axes[d].weight : 256 - axes[d].weight));
      }
      if (!counts)
        continue;
      const auto address =
          reinterpret_cast<uint64_t>(texel_address(i, uint64_t(at[0]), uint64_t(at[1]), uint64_t(at[2])));
      bool known = false;
      for (int k = 0; k < count; ++k)
        known = known || out.address[k][lane] == address;
      if (known)
        continue;
      out.lanes[count] |= uint64_t(1) << lane;
      out.address[count++][lane] = address;
    }
  }
  _mm_setcsr(mode);
}

} // namespace image

bool lower_image_sample(Lowering& l, void (*clear_status)(Lowering&, uint32_t)) {
  const isa::Instruction& inst = l.inst;
  // The level of detail itself, and four texels side by side, of which no manual says where they start.
  if (inst.op == isa::Op::image_get_lod || inst.op == isa::Op::image_gather4h)
    return false;
  if (!isa::is_vgpr(inst.addr) || !isa::is_vgpr(inst.dst) || !isa::is_scalar_register(inst.srsrc) ||
      !isa::is_scalar_register(inst.saddr))
    return false;
  if (inst.lwe) {
    l.emit(UopKind::fault, refused).k0 =
        reinterpret_cast<uint64_t>("the level warning (lwe) of images is not executed");
    return true;
  }
  const int32_t kind = int32_t(isa::image_traits(inst.op));
  const uint32_t aux = image::flags_of(inst);
  const auto registers = uint32_t(isa::image_component_registers(inst));
  if (inst.dst - isa::code::vgpr0 + registers + (inst.tfe ? 1 : 0) > machine::max_vgprs)
    return false;
  Uop& op = l.emit(UopKind::sample, sample_image);
  op.a = vgpr(inst.addr), op.b = machine::sgpr_offset(inst.srsrc), op.c = machine::sgpr_offset(inst.saddr),
  op.dst = vgpr(inst.dst);
  op.aux = aux;
  op.imm = kind;
  if (inst.tfe)
    clear_status(l, vgpr(inst.dst) + registers * machine::vgpr_bytes); // all memory is resident
  return true;
}

} // namespace crosslane::engine
