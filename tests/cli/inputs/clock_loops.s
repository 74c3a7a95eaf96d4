// Reads the clock before and behind two loops, one in the other, and around the inner one the last time: for each wave
// how many cycles passed.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl clock_loops
.p2align 8
.type clock_loops,@function
clock_loops: // s[4:5]: arguments; s6: workgroup; v0: work-item
  s_load_dwordx2 s[8:9], s[4:5], 0x0
  v_readfirstlane_b32 s7, v0
  s_lshr_b32 s7, s7, 6
  s_lshl_b32 s6, s6, 1
  s_add_u32 s6, s6, s7
  s_waitcnt lgkmcnt(0)
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s16, 5
outer:
  s_memtime s[12:13]
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s17, 40
inner:
  v_exp_f32 v1, v0
  v_exp_f32 v1, v1
  v_exp_f32 v1, v1
  v_exp_f32 v1, v1
  s_sub_u32 s17, s17, 1
  s_cmp_lg_u32 s17, 0
  s_cbranch_scc1 inner
  s_memtime s[14:15]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s16, s16, 1
  s_cmp_lg_u32 s16, 0
  s_cbranch_scc1 outer
  s_memtime s[18:19]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s18, s18, s10
  s_sub_u32 s19, s14, s12
  s_lshl_b32 s6, s6, 3
  v_mov_b32 v2, s6
  v_mov_b32 v4, s18
  v_mov_b32 v5, s19
  s_mov_b64 exec, 1
  global_store_dwordx2 v2, v[4:5], s[8:9]
  s_endpgm
.globl ends_in_call
.p2align 8
.type ends_in_call,@function
ends_in_call: // the loop calls a function that ends the wave the third time
  s_mov_b32 s16, 0
again:
  s_getpc_b64 s[18:19]
  s_add_u32 s18, s18, third_ends@rel32@lo+4
  s_addc_u32 s19, s19, third_ends@rel32@hi+12
  s_swappc_b64 s[14:15], s[18:19]
  s_cmp_lt_u32 s16, 10
  s_cbranch_scc1 again
  s_endpgm
.type third_ends,@function
third_ends:
  s_sleep 10
  s_add_u32 s16, s16, 1
  s_cmp_eq_u32 s16, 3
  s_cbranch_scc0 back
  s_endpgm
back:
  s_setpc_b64 s[14:15]
.rodata
.p2align 6
.amdhsa_kernel clock_loops
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 20
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel ends_in_call
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 20
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 0]
amdhsa.kernels:
  - .name: clock_loops
    .symbol: clock_loops.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 20
    .vgpr_count: 6
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
  - .name: ends_in_call
    .symbol: ends_in_call.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 20
    .vgpr_count: 6
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
