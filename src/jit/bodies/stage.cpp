// The bodies of staging: "v16.stage.bits". bodies.h has their arguments.
#include "engine/values/stage.h"
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

namespace staging = engine::staging;
using isa::SdwaUnused;

template <int N> struct Stage {
  using V = Vec<uint32_t, N>;
  using Raw = raw_t<uint32_t, N>;
  using Result = Out<V>;
  static V of(Raw raw) { return V::of(raw); }

  static Result bits(Raw v, uint32_t keep, uint32_t flip) { return {staging::bits(of(v), keep, flip)}; }
  template <bool Signed> static Result field(Raw v, uint32_t left, uint32_t right) {
    return {lanes::extract_field<Signed>(of(v), V(left), V(right))};
  }
  static Result halves(Raw v, uint32_t low, uint32_t high) {
    return {lanes::select_halves(of(v), int(low), int(high))};
  }
  static Result half_to_float(Raw v) {
    return {staging::half_to_float(lanes::bitcast<_Float16>(lanes::convert<uint16_t>(of(v))))};
  }
  template <SdwaUnused Unused> static Result put_field(Raw old, Raw v, uint32_t field, uint32_t shift, uint32_t above) {
    return {staging::put_field<Unused>(of(old), of(v), field, shift, above)};
  }
  template <Type T>
  static Out<Vec<element_t<T>, N>> put_float(Bits<element_t<T>, N> v, uint32_t omod, uint32_t clamp, uint32_t mode) {
    const auto f = value<element_t<T>, N>(v);
    if constexpr (T == Type::PkF32) {
      const auto item = [&](V dword) {
        const auto x = staging::put_float<Type::F32, N>(lanes::bitcast<float>(dword), omod, clamp != 0, mode);
        return lanes::convert<uint64_t>(lanes::bitcast<uint32_t>(x));
      };
      return {item(lanes::low(f)) | item(lanes::high(f)) << Vec<uint64_t, N>(uint64_t(32))};
    } else {
      return {staging::put_float<T, N>(f, omod, clamp != 0, mode)};
    }
  }
  static Result put_overflow(Raw v, Raw truncated) { return {staging::put_overflow(of(v), of(truncated))}; }
};

#define STAGE(name, ...)                                                                                               \
  {"v16.stage." name, reinterpret_cast<const void*>(&Stage<16>::__VA_ARGS__)},                                         \
      {"s1.stage." name, reinterpret_cast<const void*>(&Stage<1>::__VA_ARGS__)},
// clang-format off
BODIES_BEGIN
STAGE("bits", bits)
STAGE("field_u", field<false>)
STAGE("field_s", field<true>)
STAGE("halves", halves)
STAGE("half_to_float", half_to_float)
STAGE("put_field.preserve", put_field<SdwaUnused::preserve>)
STAGE("put_field.pad", put_field<SdwaUnused::pad>)
STAGE("put_field.sext", put_field<SdwaUnused::sext>)
STAGE("put_float.f32", put_float<Type::F32>)
STAGE("put_float.f16", put_float<Type::F16>)
STAGE("put_float.f64", put_float<Type::F64>)
STAGE("put_float.pkf16", put_float<Type::PkF16>)
STAGE("put_float.pkf32", put_float<Type::PkF32>)
STAGE("put_overflow", put_overflow)
BODIES_END
// clang-format on

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
