// Code in which all SGPRs hold something from beginning to end. out[i] = what comes of in[i], and of all SGPRs.
//   crosslane launch full_sgprs.s --kernel all_live --grid 300 --block 128 in=u32[300]:iota out=u32[384]
//   crosslane launch full_sgprs.s --kernel all_live --grid 16,4,6 --block 16,2,3 in=u32[384]:iota out=u32[384]
//   crosslane launch full_sgprs.s --kernel jumps --grid 384 --block 128 in=u32[384]:iota out=u32[384]
//   crosslane launch full_sgprs.s --kernel calls --grid 384 --block 64 in=u32[384]:iota out=u32[384]
//   crosslane launch full_sgprs.s --kernel calls_too --grid 384 --block 128 in=u32[384]:iota out=u32[384]
.amdhsa_code_object_version 5
.text
.set gfx9, .amdgcn.gfx_generation_number >= 9
.if .amdgcn.gfx_generation_number >= 8
.set sgprs, 102
.else
.set sgprs, 100                     // VCC and FLAT_SCRATCH are counted with them
.endif

.macro add to, a, b                 // the carry-out add changed its name in gfx9
.if gfx9
  v_add_u32 v\to, \a, v\b
.elseif .amdgcn.gfx_generation_number == 8
  v_add_u32 v\to, vcc, \a, v\b
.else
  v_add_i32 v\to, vcc, \a, v\b
.endif
.endm

.macro element to, low, high        // v[to:to+1] = s[low:high] + v1
.if gfx9
  v_add_co_u32 v\to, vcc, s\low, v1
.elseif .amdgcn.gfx_generation_number == 8
  v_add_u32 v\to, vcc, s\low, v1
.else
  v_add_i32 v\to, vcc, s\low, v1
.endif
  v_mov_b32 v0, s\high
.if gfx9
  v_addc_co_u32 v[\to+1], vcc, 0, v0, vcc
.else
  v_addc_u32 v[\to+1], vcc, 0, v0, vcc
.endif
.endm

// v[4:5] address in out, v6 = in[i], v7 = 0; an SGPR each has a number of its own. i follows from the workgroup in x and the
// work-item in x alone.
.macro begin name
.globl \name
.p2align 8
.type \name,@function
\name:                              // s[0:1] arguments, s2 workgroup, v0 work-item
  s_load_dwordx4 s[4:7], s[0:1], 0x0
.if .amdgcn.gfx_generation_number >= 8
  s_load_dword s8, s[0:1], 0x10
.else
  s_load_dword s8, s[0:1], 0x4
.endif
  s_waitcnt lgkmcnt(0)
  s_and_b32 s8, s8, 0xffff
  s_mul_i32 s3, s2, s8
  add 1, s3, 0
  v_lshlrev_b32 v1, 2, v1
  element 2, 4, 5
  element 4, 6, 7
  flat_load_dword v6, v[2:3]
  v_mov_b32 v7, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
.set n, 0
.rept sgprs
  s_mov_b32 s[n], n*0x01030507+11
.set n, n+1
.endr
.endm

.macro finish name
.set n, 0
.rept sgprs
  v_xor_b32 v7, s[n], v7
  v_mul_u32_u24 v7, 5, v7
.set n, n+1
.endr
  add 7, v6, 7
  flat_store_dword v[4:5], v7
  s_endpgm
.size \name, . - \name
.rodata
.p2align 6
.if .amdgcn.gfx_generation_number == 9 && .amdgcn.gfx_generation_stepping == 10
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr sgprs
  .amdhsa_accum_offset 8
.end_amdhsa_kernel
.else
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr sgprs
.end_amdhsa_kernel
.endif
.text
.endm

.macro use s                        // what is written next has been wanted until here
  v_xor_b32 v7, s[\s], v7
  v_xor_b32 v7, s[\s+1], v7
.endm

// Lanes part, with a mask in a pair and without one; SCC lives across branches, and a load is under way.
begin all_live
  s_mov_b32 s98, 5                  // rounds
all_live_round:
  v_and_b32 v0, 3, v6
  v_cmp_lt_u32 vcc, 1, v0
  use 96
  s_and_saveexec_b64 s[96:97], vcc
  s_xor_b64 s[96:97], exec, s[96:97]
  use 62
  s_getpc_b64 s[62:63]
  use 60
  s_load_dwordx2 s[60:61], s[62:63], 0x0
  s_cbranch_execz all_live_else
  v_lshrrev_b32 v6, 1, v6
  s_add_u32 s20, s20, s21
  s_addc_u32 s22, s22, s23
  s_cbranch_scc1 all_live_carry     // SCC of an addition
  s_add_u32 s24, s24, 3
all_live_carry:
  s_cselect_b32 s25, s25, s26
all_live_else:
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[62:63], 33            // not an address of code, which differs
  use 94
  s_or_saveexec_b64 s[94:95], s[96:97]
  s_xor_b64 exec, exec, s[94:95]
  add 6, v7, 6
  s_or_b64 exec, exec, s[94:95]
  use 92
  s_mov_b64 s[92:93], exec
  v_cmpx_lt_u32 vcc, v6, v0
  add 6, s30, 6
  s_mov_b64 exec, s[92:93]
  s_sub_u32 s98, s98, 1
  s_cmp_lg_u32 s98, 0
  s_cbranch_scc1 all_live_round
finish all_live

// One of several goals, with SCC across the jump.
begin jumps
  use 40
  v_readfirstlane_b32 s40, v6
  s_and_b32 s40, s40, 3
  s_lshl_b32 s40, s40, 2
  use 42
  s_getpc_b64 s[42:43]
jumps_base:
  s_add_u32 s42, s42, s40
  s_addc_u32 s43, s43, 0
  s_add_u32 s42, s42, jumps_table-jumps_base
  s_addc_u32 s43, s43, 0
  s_cmp_eq_u32 s44, 0
  s_setpc_b64 s[42:43]
jumps_table:
  s_branch jumps_0
  s_branch jumps_1
  s_branch jumps_end
  s_branch jumps_1
jumps_0:
  add 6, s45, 6
jumps_1:
  s_cselect_b32 s46, s46, s47
jumps_end:
  s_cselect_b32 s48, s48, s49
  s_mov_b64 s[42:43], 0
finish jumps

// Within a function.
.p2align 2
.type halve,@function
halve:
  v_and_b32 v0, 1, v6
  v_cmp_eq_u32 vcc, 0, v0
  s_and_saveexec_b64 s[54:55], vcc
  s_cbranch_execz halve_end
  v_lshrrev_b32 v6, 1, v6
halve_end:
  s_mov_b64 exec, s[54:55]
  s_setpc_b64 s[52:53]
.size halve, . - halve

.macro call_halve
  use 50
  s_getpc_b64 s[50:51]
  s_add_u32 s50, s50, halve@rel32@lo+4
  s_addc_u32 s51, s51, halve@rel32@hi+12
  use 52
  use 54
  s_swappc_b64 s[52:53], s[50:51]
  s_mov_b64 s[50:51], 1             // not addresses of code
  s_mov_b64 s[52:53], 2
  v_mov_b32 v7, 0
.endm

begin calls
  call_halve
  call_halve
finish calls

begin calls_too                     // shares the function, and so its probes
  call_halve
finish calls_too

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: all_live
    .symbol: all_live.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 104
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.size: 2, .offset: 16, .value_kind: hidden_group_size_x}
  - .name: jumps
    .symbol: jumps.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 104
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.size: 2, .offset: 16, .value_kind: hidden_group_size_x}
  - .name: calls
    .symbol: calls.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 104
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.size: 2, .offset: 16, .value_kind: hidden_group_size_x}
  - .name: calls_too
    .symbol: calls_too.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 104
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.size: 2, .offset: 16, .value_kind: hidden_group_size_x}
.end_amdgpu_metadata
