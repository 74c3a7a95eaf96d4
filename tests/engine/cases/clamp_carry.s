// Saturating add and subtract with carry out.
// targets: gfx900 gfx906
// init: v0 = lane, v1 = 0xffffffe0
// expect: s0 = 0x20, v2[0..31] = lane+0xffffffe0, v2[32..63] = 0xffffffff, s[2:3] = 0xffffffff00000000
// expect: v3[0..31] = 0, v3[32..63] = lane-32, s[4:5] = 0x00000000ffffffff
  s_mov_b32 s0, 32
  v_add_co_u32_e64 v2, s[2:3], v1, v0 clamp
  v_sub_co_u32_e64 v3, s[4:5], v0, s0 clamp
  s_endpgm
