// Leaves the trap's number in s20.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl trap_handler
.p2align 8
trap_handler:
  s_bfe_u32 s20, ttmp1, 0x80010
  s_add_u32 ttmp0, ttmp0, 4
  s_addc_u32 ttmp1, ttmp1, 0
  s_rfe_b64 ttmp[0:1]
