// A kernel that traps in every wave, for --trap-handler.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.amdhsa_code_object_version 5
.text
.globl traps
.p2align 8
.type traps,@function
traps:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_trap 7
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v0, s4
  v_mov_b32 v1, s5
  v_mov_b32 v2, s20
  flat_store_dword v[0:1], v2
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel traps
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
