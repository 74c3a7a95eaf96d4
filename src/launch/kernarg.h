// Owns the kernarg segment: explicit arguments at their offsets, and the hidden ones (code object v4 and v5) as the
// metadata lists them. Pure. Source: LLVM AMDGPUUsage, "Code Object V3 Kernel Argument Metadata Map" (value_kind) and
// V5 additions.
#pragma once
#include "codeobject/code_object.h"
#include "launch/arguments.h"

namespace crosslane::launch {

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};  // work-items
  uint32_t block[3] = {1, 1, 1}; // work-items of a whole workgroup
  uint64_t offset[3] = {0, 0, 0};
  uint16_t dims = 1;
  uint32_t extra_lds = 0; // bytes of dynamic LDS beside local pointers
};

// Where guest addresses of the launch come from.
struct Places {
  std::span<const uint64_t> buffers; // address of each of Arguments::buffers
  uint32_t shared_hi = 0, private_hi = 0;
  uint64_t queue = 0, printf_buffer = 0;
};

struct KernargLayout {
  std::vector<uint8_t> bytes;
  uint32_t lds_bytes = 0; // static, local pointers and extra_lds
};

// The error names a hidden argument that crosslane does not know, or one that does not fit.
llvm::Expected<KernargLayout> make_kernarg(const codeobject::Kernel&, const Arguments&, const LaunchShape&,
                                           const Places&);

} // namespace crosslane::launch
