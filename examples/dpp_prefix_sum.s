// The inclusive prefix sum of a wavefront in seven additions that read their neighbours' registers through DPP: each workgroup of
// 64 work-items scans its own 64 floats. Rows of 16 lanes are scanned first (row_shr), then carried on (row_bcast).
// One source for gfx803, gfx900 and gfx906. Arguments: float* in, float* out. The grid is a multiple of 64, and no longer than the
// buffers.
.amdhsa_code_object_version 5
.text

.macro add_address lo, hi, base_lo, base_hi, offset   // v[lo:hi] = s[base] + v[offset]; the carry-out add changed its name in gfx9
  v_mov_b32 v\hi, s\base_hi
.if .amdgcn.gfx_generation_number >= 9
  v_add_co_u32 v\lo, vcc, s\base_lo, v\offset
  v_addc_co_u32 v\hi, vcc, 0, v\hi, vcc
.else
  v_add_u32 v\lo, vcc, s\base_lo, v\offset
  v_addc_u32 v\hi, vcc, 0, v\hi, vcc
.endif
.endm

.globl dpp_prefix_sum
.p2align 8
.type dpp_prefix_sum,@function
dpp_prefix_sum:                     // s[4:5] arguments, s6 workgroup, v0 work-item
  s_load_dwordx4 s[8:11], s[4:5], 0x0
  s_lshl_b32 s6, s6, 8              // workgroup * 64 elements of 4 bytes
  v_lshlrev_b32 v4, 2, v0
  v_or_b32 v4, s6, v4
  s_waitcnt lgkmcnt(0)
  add_address 2, 3, 8, 9, 4
  flat_load_dword v0, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)

  v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0
  v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0
  v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0
  v_nop                             // DPP reads v1 from here on: two wait states after the instruction that wrote it
  v_nop
  v_add_f32 v1, v1, v1 row_shr:4 bank_mask:0xe
  v_nop
  v_nop
  v_add_f32 v1, v1, v1 row_shr:8 bank_mask:0xc
  v_nop
  v_nop
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa
  v_nop
  v_nop
  v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc

  add_address 2, 3, 10, 11, 4
  flat_store_dword v[2:3], v1
  s_endpgm
.size dpp_prefix_sum, . - dpp_prefix_sum

.rodata
.p2align 6
.amdhsa_kernel dpp_prefix_sum
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 5
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: dpp_prefix_sum
    .symbol: dpp_prefix_sum.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
