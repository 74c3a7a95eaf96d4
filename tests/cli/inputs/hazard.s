// What lint finds: by hand, with a macro and a label before an instruction.
.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
.macro LOAD to
  buffer_load_dword \to, off, s[0:3], 0
.endm
.text
.globl hazard
.p2align 8
.type hazard,@function
hazard:
  v_readfirstlane_b32 s0, v0
again: buffer_load_dword v2, off, s[0:3], 0
  v_readfirstlane_b32 s1, v0
  LOAD v3
  s_endpgm
.Lend:
.size hazard, .Lend-hazard
.rodata
.p2align 6
.amdhsa_kernel hazard
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
