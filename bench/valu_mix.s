// A loop of vector arithmetic for measuring instructions per second: 16 VALU instructions of the kinds that kernels are made of (float
// and integer, VOP1/2/3/C, register, scalar and inline operands) and three scalar ones to go round. For gfx900 and gfx906.
// Arguments: uint* out, uint times. out[i] = what the loop leaves in v4 ^ v10 ^ v12.
.amdhsa_code_object_version 5
.text
.globl valu_mix
.p2align 8
.type valu_mix,@function
valu_mix:                           // s[4:5] arguments, s6 workgroup, v0 work-item; workgroups of 256
  s_load_dwordx2 s[12:13], s[4:5], 0x0
  s_load_dword s11, s[4:5], 0x8
  s_lshl_b32 s6, s6, 8
  v_or_b32 v0, s6, v0
  v_cvt_f32_u32 v1, v0
  v_mov_b32 v4, 0
  v_mov_b32 v8, v0
  v_mov_b32 v10, 0
  v_mov_b32 v12, 0
  s_mov_b32 s8, 0x40490fdb          // 3.1415927
  s_mov_b32 s9, 0x3f000000          // 0.5
  s_mov_b32 s10, 0x00ffffff
  s_waitcnt lgkmcnt(0)
loop:
  v_add_f32 v2, s8, v1
  v_fma_f32 v3, v2, s9, v1
  v_mac_f32 v4, v2, v3
  v_mad_f32 v5, v2, s9, -v4
  v_add_u32 v6, v8, v0
  v_lshlrev_b32 v7, 3, v6
  v_xor_b32 v8, v7, v6
  v_cmp_gt_u32 vcc, s10, v8
  v_cndmask_b32 v9, v6, v7, vcc
  v_mul_f32 v11, 0.5, v5
  v_lshl_add_u32 v10, v9, 2, v10
  v_max_f32 v5, v11, v3
  v_bfe_u32 v13, v9, 5, 12
  v_add_u32 v12, v13, v12
  v_sub_f32 v14, v5, v2
  v_and_b32 v15, s10, v9
  s_sub_u32 s11, s11, 1
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 loop

  v_xor_b32 v4, v4, v10
  v_xor_b32 v4, v4, v12
  v_lshlrev_b32 v0, 2, v0
  global_store_dword v0, v4, s[12:13]
  s_endpgm
.size valu_mix, . - valu_mix

.rodata
.p2align 6
.amdhsa_kernel valu_mix
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 14
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: valu_mix
    .symbol: valu_mix.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 20
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: times, .size: 4, .offset: 8, .value_kind: by_value}
.end_amdgpu_metadata
