// Workgroup w goes round (w & 7) + 1 times, so that workgroups differ in what they execute. Before that, the lower half of each
// wavefront writes to LDS (v1 = 1), all lanes four bytes apart.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.amdhsa_code_object_version 5
.text
.globl uneven
.p2align 8
.type uneven,@function
uneven:                                // s0 workgroup, v0 work-item
  v_and_b32 v2, 63, v0
  v_cmp_gt_u32 vcc, 32, v2
  s_and_saveexec_b64 s[2:3], vcc
  s_cbranch_execz join
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v1
join:
  s_or_b64 exec, exec, s[2:3]
  s_and_b32 s4, s0, 7
loop:
  v_add_u32 v3, 1, v3
  s_sub_u32 s4, s4, 1
  s_cbranch_scc0 loop                  // no borrow: s4 was not 0
  s_endpgm
  v_nop                                // never reached
.size uneven, . - uneven
.rodata
.p2align 6
.amdhsa_kernel uneven
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
