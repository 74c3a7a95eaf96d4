// The aperture bases by both ways that compilers use: the source registers and SH_MEM_BASES.
// targets: gfx900 gfx906
// init: v0 = 0
// expect: s[0:1] = 0x1000000000000, s[2:3] = 0x2000000000000, scc = 1, s4 = 0x10000, s5 = 0x20000
  s_mov_b64 s[0:1], src_shared_base
  s_mov_b64 s[2:3], src_private_base
  s_getreg_b32 s4, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
  s_lshl_b32 s4, s4, 16
  s_getreg_b32 s5, hwreg(HW_REG_SH_MEM_BASES, 0, 16)
  s_lshl_b32 s5, s5, 16
  s_endpgm
