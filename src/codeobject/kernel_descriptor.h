// Owns KernelDescriptor: the 64 bytes that tell the hardware how to start a kernel. No dependencies, so that the engine
// can read it from loaded memory. Source: LLVM AMDGPUUsage, "Kernel Descriptor".
#pragma once
#include <cstdint>
#include <cstring>

namespace crosslane::codeobject {

// amdhsa kernel descriptor, 64 bytes, decoded field by field.
struct KernelDescriptor {
  uint32_t group_segment_fixed_size = 0;   // bytes of static LDS
  uint32_t private_segment_fixed_size = 0; // bytes of scratch per work-item
  uint32_t kernarg_size = 0;               // bytes, 0 = not given
  int64_t kernel_code_entry_byte_offset = 0;
  uint32_t compute_pgm_rsrc1 = 0, compute_pgm_rsrc2 = 0, compute_pgm_rsrc3 = 0;
  uint16_t kernel_code_properties = 0;
  uint16_t kernarg_preload = 0;

  // From the 64 bytes as they lie in the code object.
  static KernelDescriptor at(const void* bytes) {
    const auto* p = static_cast<const uint8_t*>(bytes);
    KernelDescriptor k;
    std::memcpy(&k.group_segment_fixed_size, p + 0, 4);
    std::memcpy(&k.private_segment_fixed_size, p + 4, 4);
    std::memcpy(&k.kernarg_size, p + 8, 4);
    std::memcpy(&k.kernel_code_entry_byte_offset, p + 16, 8);
    std::memcpy(&k.compute_pgm_rsrc3, p + 44, 4);
    std::memcpy(&k.compute_pgm_rsrc1, p + 48, 4);
    std::memcpy(&k.compute_pgm_rsrc2, p + 52, 4);
    std::memcpy(&k.kernel_code_properties, p + 56, 2);
    std::memcpy(&k.kernarg_preload, p + 58, 2);
    return k;
  }

  // The same out of the 256 bytes of an amd_kernel_code_t, which kernels of code objects of version 2 have instead.
  static KernelDescriptor at_version2(const void* bytes) {
    const auto* p = static_cast<const uint8_t*>(bytes);
    KernelDescriptor k;
    uint32_t properties;
    uint64_t kernarg;
    std::memcpy(&k.kernel_code_entry_byte_offset, p + 16, 8);
    std::memcpy(&k.compute_pgm_rsrc1, p + 48, 4);
    std::memcpy(&k.compute_pgm_rsrc2, p + 52, 4);
    std::memcpy(&properties, p + 56, 4);
    std::memcpy(&k.private_segment_fixed_size, p + 60, 4);
    std::memcpy(&k.group_segment_fixed_size, p + 64, 4);
    std::memcpy(&kernarg, p + 72, 8);
    constexpr uint32_t user_sgprs = 0x7f, dynamic_callstack = 1u << 20;
    k.kernel_code_properties = uint16_t((properties & user_sgprs) | (properties & dynamic_callstack ? 1u << 11 : 0));
    k.kernarg_size = kernarg > UINT32_MAX ? UINT32_MAX : uint32_t(kernarg);
    return k;
  }

  // COMPUTE_PGM_RSRC1
  uint32_t granulated_workitem_vgpr_count() const { return compute_pgm_rsrc1 & 0x3f; }
  uint32_t granulated_wavefront_sgpr_count() const { return compute_pgm_rsrc1 >> 6 & 0xf; }
  uint32_t priority() const { return compute_pgm_rsrc1 >> 10 & 3; }
  uint32_t float_round_mode_32() const { return compute_pgm_rsrc1 >> 12 & 3; }
  uint32_t float_round_mode_16_64() const { return compute_pgm_rsrc1 >> 14 & 3; }
  uint32_t float_denorm_mode_32() const { return compute_pgm_rsrc1 >> 16 & 3; }
  uint32_t float_denorm_mode_16_64() const { return compute_pgm_rsrc1 >> 18 & 3; }
  bool priv() const { return compute_pgm_rsrc1 >> 20 & 1; }
  bool enable_dx10_clamp() const { return compute_pgm_rsrc1 >> 21 & 1; }
  bool debug_mode() const { return compute_pgm_rsrc1 >> 22 & 1; }
  bool enable_ieee_mode() const { return compute_pgm_rsrc1 >> 23 & 1; }
  bool bulky() const { return compute_pgm_rsrc1 >> 24 & 1; }
  bool fp16_ovfl() const { return compute_pgm_rsrc1 >> 26 & 1; }
  // COMPUTE_PGM_RSRC2
  bool enable_private_segment() const { return compute_pgm_rsrc2 & 1; } // wave offset SGPR
  uint32_t user_sgpr_count() const { return compute_pgm_rsrc2 >> 1 & 0x1f; }
  bool enable_trap_handler() const { return compute_pgm_rsrc2 >> 6 & 1; }
  bool enable_sgpr_workgroup_id_x() const { return compute_pgm_rsrc2 >> 7 & 1; }
  bool enable_sgpr_workgroup_id_y() const { return compute_pgm_rsrc2 >> 8 & 1; }
  bool enable_sgpr_workgroup_id_z() const { return compute_pgm_rsrc2 >> 9 & 1; }
  bool enable_sgpr_workgroup_info() const { return compute_pgm_rsrc2 >> 10 & 1; }
  uint32_t enable_vgpr_workitem_id() const { return compute_pgm_rsrc2 >> 11 & 3; } // 0 = x, 1 = xy, 2 = xyz
  uint32_t granulated_lds_size() const { return compute_pgm_rsrc2 >> 15 & 0x1ff; }
  // KERNEL_CODE_PROPERTIES, in SGPR order
  bool enable_sgpr_private_segment_buffer() const { return kernel_code_properties & 1; }
  bool enable_sgpr_dispatch_ptr() const { return kernel_code_properties >> 1 & 1; }
  bool enable_sgpr_queue_ptr() const { return kernel_code_properties >> 2 & 1; }
  bool enable_sgpr_kernarg_segment_ptr() const { return kernel_code_properties >> 3 & 1; }
  bool enable_sgpr_dispatch_id() const { return kernel_code_properties >> 4 & 1; }
  bool enable_sgpr_flat_scratch_init() const { return kernel_code_properties >> 5 & 1; }
  bool enable_sgpr_private_segment_size() const { return kernel_code_properties >> 6 & 1; }
  bool uses_dynamic_stack() const { return kernel_code_properties >> 11 & 1; }
  bool enable_wavefront_size32() const { return kernel_code_properties >> 10 & 1; } // gfx10 and later
  // KERNARG_PRELOAD (gfx90a, gfx940): both in dwords
  uint32_t kernarg_preload_length() const { return kernarg_preload & 0x7f; }
  uint32_t kernarg_preload_offset() const { return kernarg_preload >> 7; }
  // The rest of the three resource words
  bool cdbg_user() const { return compute_pgm_rsrc1 >> 25 & 1; }
  bool wgp_mode() const { return compute_pgm_rsrc1 >> 29 & 1; }         // gfx10 and later
  bool mem_ordered() const { return compute_pgm_rsrc1 >> 30 & 1; }      // gfx10 and later
  bool forward_progress() const { return compute_pgm_rsrc1 >> 31 & 1; } // gfx10 and later
  bool enable_exception_address_watch() const { return compute_pgm_rsrc2 >> 13 & 1; }
  bool enable_exception_memory() const { return compute_pgm_rsrc2 >> 14 & 1; }
  bool exception_fp_ieee_invalid_op() const { return compute_pgm_rsrc2 >> 24 & 1; }
  bool exception_fp_denorm_src() const { return compute_pgm_rsrc2 >> 25 & 1; }
  bool exception_fp_ieee_div_zero() const { return compute_pgm_rsrc2 >> 26 & 1; }
  bool exception_fp_ieee_overflow() const { return compute_pgm_rsrc2 >> 27 & 1; }
  bool exception_fp_ieee_underflow() const { return compute_pgm_rsrc2 >> 28 & 1; }
  bool exception_fp_ieee_inexact() const { return compute_pgm_rsrc2 >> 29 & 1; }
  bool exception_int_div_zero() const { return compute_pgm_rsrc2 >> 30 & 1; }
  uint32_t accum_offset() const { return ((compute_pgm_rsrc3 & 0x3f) + 1) * 4; } // gfx90a, gfx940: first AccVGPR
  bool tg_split() const { return compute_pgm_rsrc3 >> 16 & 1; }                  // gfx90a, gfx940
};

} // namespace crosslane::codeobject
