// By name: v_[pk_]OPERATION_TYPE. Comparisons, conversions and moves compute nothing.
#include "timing/flops.h"
#include "isa/matrix.h"
#include <algorithm>
#include <array>
#include <string_view>

namespace crosslane::timing {

namespace {

constexpr std::array twice = {"fma", "fmac", "mac", "mad", "madmk", "madak", "fmaak", "fmamk", "mad_legacy", "fma_mix"};
constexpr std::array once = {"add", "sub", "subrev", "mul", "mul_legacy", "rcp", "rsq", "sqrt",
                             "exp", "log", "sin",    "cos", "rcp_iflag",  "min", "max"};

} // namespace

Flops flops(const isa::Instruction& i) {
  if (const isa::Matrix m = isa::matrix(i.op); m.item != isa::MatrixItem::none)
    return {.wave = m.is_float() ? uint32_t(2 * m.m * m.n * m.k * m.blocks) : 0};
  std::string_view name = isa::mnemonic(i.op, i.target);
  if (!name.starts_with("v_"))
    return {};
  name.remove_prefix(2);
  const bool packed = name.starts_with("pk_");
  if (packed)
    name.remove_prefix(3);
  const size_t type = name.rfind('_');
  if (type == std::string_view::npos)
    return {};
  const std::string_view of = name.substr(type + 1), operation = name.substr(0, type);
  if (of != "f16" && of != "f32" && of != "f64")
    return {};
  const auto is_of = [&](const auto& list) { return std::ranges::find(list, operation) != list.end(); };
  const uint32_t each = is_of(twice) ? 2 : is_of(once) ? 1 : 0;
  return {.each = packed ? 2 * each : each};
}

} // namespace crosslane::timing
