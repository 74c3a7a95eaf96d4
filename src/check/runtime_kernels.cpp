// By names, as ROCclr has them (device/blitcl.cpp).
#include "check/runtime_kernels.h"
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace crosslane::check {

namespace {

struct Kernels {
  std::string_view name; // what it begins with
  std::string_view functions;
};
constexpr Kernels all[] = {{"__amd_rocclr_copyBufferToImage", "copies of arrays"},
                           {"__amd_rocclr_fillBuffer", "hipMemset, hipMemset2D and their kin"},
                           {"__amd_rocclr_copyBuffer", "hipMemcpy, hipMemcpy2D and their kin"},
                           {"__amd_rocclr_copyImage", "copies of arrays"},
                           {"__amd_rocclr_fillImage", "fills of arrays"},
                           {"__amd_rocclr_streamOps", "hipStreamWaitValue32, hipStreamWriteValue32 and their kin"}};

} // namespace

void name_runtime_kernels(lint::Judged& judged) {
  for (lint::PlacedFinding& f : judged.findings) {
    const auto of = std::ranges::find_if(all, [&](const Kernels& k) { return f.place.function.starts_with(k.name); });
    if (of != std::end(all))
      f.notes.push_back({f.place, fmt::format("a kernel of HIP's own, for {}", of->functions)});
  }
}

} // namespace crosslane::check
