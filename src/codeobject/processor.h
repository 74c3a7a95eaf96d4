// Owns the processor numbers of e_flags (EF_AMDGPU_MACH): name and what a target id may say of it.
// Source: LLVM AMDGPUUsage, "AMDGPU Processors" and "ELF Header", table EF_AMDGPU_MACH values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace crosslane::codeobject {

struct Processor {
  uint16_t machine;      // EF_AMDGPU_MACH_AMDGCN_*
  std::string_view name; // "gfx906"
  uint8_t major;         // 6 ... 12
  bool xnack, sramecc;   // whether a target id for it may carry the modifier
  bool unified_vgprs;    // gfx90a and later: VGPRs and AccVGPRs share one file, granules of 8
};

const Processor* find_processor(uint32_t e_flags);
const Processor* find_processor(std::string_view name);
// "gfx906:sramecc+:xnack-". `version` is the code object's: v2 and v3 have on/off, later ones unsupported/any/off/on.
std::string make_target_id(const Processor& processor, uint32_t e_flags, int version);

} // namespace crosslane::codeobject
