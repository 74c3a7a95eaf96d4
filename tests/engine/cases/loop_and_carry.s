// A scalar loop with a vector accumulator, then a 64-bit add through VCC.
// targets: gfx900 gfx906
// init: v0 = lane, v1 = 0, v2 = 0xfffffff0, v3 = 0
// expect: s0 = 0, v1 = 10*lane, v4[0..15] = lane+0xfffffff0, v4[16..63] = lane-16
// expect: v5[0..15] = 0, v5[16..63] = 1, vcc = 0xffffffffffff0000
// clobbers: v6, scc
  s_mov_b32 s0, 10
loop:
  v_add_u32_e32 v1, v1, v0
  s_sub_u32 s0, s0, 1
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc1 loop
  v_add_co_u32_e32 v4, vcc, v2, v0
  v_addc_co_u32_e32 v5, vcc, 0, v3, vcc
  v_add_co_u32_e32 v6, vcc, v2, v0
  s_endpgm
