// Jumps to one of several places, and returns that nobody can follow. out[i] = what its workgroup's case makes of i.
//   crosslane launch jumps.s --kernel by_offsets --groups 6 --block 64 out=u32[384]
//   crosslane launch jumps.s --kernel by_branches --groups 6 --block 64 out=u32[384]
//   crosslane launch jumps.s --kernel spilled_return --groups 3 --block 64 out=u32[192] stack=u32[192]
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.amdhsa_code_object_version 5
.text

.macro begin name
.globl \name
.p2align 8
.type \name,@function
\name:                              // s[0:1] arguments, s2 workgroup, v0 work-item
  s_load_dwordx4 s[12:15], s[0:1], 0x0
  s_lshl_b32 s3, s2, 6
  v_add_u32 v1, s3, v0              // i
.endm

.macro finish name                  // out[i] = v2
  v_lshlrev_b32 v1, 2, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[12:13]
  s_endpgm
.size \name, . - \name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.text
.endm

// Addresses by offsets in memory. SCC lives across the jump.
begin by_offsets
  s_min_u32 s8, s2, 3
  s_lshl_b32 s8, s8, 2
  s_getpc_b64 s[4:5]
offsets_base:
  s_add_u32 s6, s4, offsets-offsets_base
  s_addc_u32 s7, s5, 0
  s_load_dword s9, s[6:7], s8
  s_waitcnt lgkmcnt(0)
  s_add_u32 s4, s4, s9
  s_addc_u32 s5, s5, 0
  s_cmp_eq_u32 s2, 2                // the third workgroup adds 1000
  s_setpc_b64 s[4:5]
offsets:
  .long offsets_0-offsets_base
  .long offsets_1-offsets_base
  .long offsets_2-offsets_base
  .long offsets_1-offsets_base      // one of them twice
offsets_0:
  v_mov_b32 v2, 17
  s_branch offsets_end
offsets_1:
  s_cselect_b32 s10, 1000, 1
  v_mul_lo_u32 v2, v1, s10
  s_cbranch_scc0 offsets_end
  v_mov_b32 v2, 0
  s_branch offsets_end
offsets_2:
  s_cselect_b32 s10, 1000, 0
  v_add_u32 v2, s10, v1
  v_cmp_lt_u32 vcc, 31, v0
  s_and_saveexec_b64 s[16:17], vcc
  v_add_u32 v2, 5, v2
  s_mov_b64 exec, s[16:17]
offsets_end:
finish by_offsets

// Branches side by side, of which an index picks one; the jump is by VCC.
begin by_branches
  v_mov_b32 v2, 0
  s_and_b32 s8, s2, 3
  s_lshl_b32 s8, s8, 2
  s_getpc_b64 s[4:5]
branches_base:
  s_add_u32 s4, s4, s8
  s_addc_u32 s5, s5, 0
  s_add_u32 s4, s4, branches-branches_base
  s_addc_u32 s5, s5, 0
  s_mov_b64 vcc, s[4:5]
  s_setpc_b64 vcc
branches:
  s_branch branches_0
  s_branch branches_1
  s_branch branches_end
  s_branch branches_0
branches_0:
  v_mov_b32 v2, 17
branches_1:
  v_add_u32 v2, 3, v1
branches_end:
finish by_branches

// A function that keeps its return address in memory, as GCC's do: s[18:19] through lanes of a VGPR.
.p2align 2
.type twice_and_one,@function
twice_and_one:                      // v2 = 2 * v1 + 1, if v1 is odd; s[14:15] stack
  v_lshlrev_b32 v3, 2, v1
  s_mov_b64 s[20:21], exec
  s_mov_b64 exec, -1
  v_mbcnt_lo_u32_b32 v5, -1, 0
  v_mbcnt_hi_u32_b32 v5, -1, v5
  v_lshl_add_u32 v5, s2, 6, v5
  v_lshlrev_b32 v5, 2, v5
  v_writelane_b32 v6, s18, 0
  v_writelane_b32 v6, s19, 1
  global_store_dword v5, v6, s[14:15]
  s_mov_b64 s[18:19], 0
  s_waitcnt vmcnt(0)
  global_load_dword v7, v5, s[14:15]
  s_mov_b64 exec, s[20:21]
  v_and_b32 v4, 1, v1
  v_cmp_eq_u32 vcc, 1, v4
  s_and_saveexec_b64 s[22:23], vcc
  s_cbranch_execz even
  v_lshl_add_u32 v2, v1, 1, 1
even:
  s_mov_b64 exec, s[22:23]
  s_waitcnt vmcnt(0)
  v_readlane_b32 s18, v7, 0
  v_readlane_b32 s19, v7, 1
  s_setpc_b64 s[18:19]
.size twice_and_one, . - twice_and_one

begin spilled_return
  v_mov_b32 v2, 0
  s_waitcnt lgkmcnt(0)
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, twice_and_one@rel32@lo+4
  s_addc_u32 s5, s5, twice_and_one@rel32@hi+12
  s_swappc_b64 s[18:19], s[4:5]
  v_add_u32 v2, 7, v2
  v_mov_b32 v6, 0                   // what was kept is an address of code, which differs
  v_mbcnt_lo_u32_b32 v5, -1, 0
  v_mbcnt_hi_u32_b32 v5, -1, v5
  v_lshl_add_u32 v5, s2, 6, v5
  v_lshlrev_b32 v5, 2, v5
  global_store_dword v5, v6, s[14:15]
finish spilled_return

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: by_offsets
    .symbol: by_offsets.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
  - .name: by_branches
    .symbol: by_branches.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
  - .name: spilled_return
    .symbol: spilled_return.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: stack, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
