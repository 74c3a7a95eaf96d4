// AccVGPRs: moves to and from VGPRs, constants and SGPRs, under EXEC; the files do not overlap.
// targets: gfx908 gfx90a
// case: write and read
// init: v0 = 3*lane+7, v1 = 5*lane, v4 = 0x1234, exec = 0xffff0000ffff00ff
// init: a0 = 1, a1 = 2, a2 = 3, a255 = 4, v2 = 9, v3 = 9
// expect: a0[0..7] = {7 10 13 16 19 22 25 28}, a0[8..15] = {1 1 1 1 1 1 1 1}, a0[16..19] = {55 58 61 64}, a0[32..34] = {1 1 1}
// expect: a1[0] = 0x1234, a1[8] = 2, a1[63] = 0x1234, a2[3] = 0x3f800000, a2[40] = 3, a255[0] = 0xffffffff, a255[47] = 4
// expect: v2[0..3] = {7 10 13 16}, v2[8] = 9, v3[0] = 0xffffffff, v3[8] = 9
// clobbers: a0, a1, a2, a255, v2, v3
  v_accvgpr_write_b32 a0, v0
  v_accvgpr_write_b32 a1, v4
  v_accvgpr_write_b32 a2, 1.0
  v_accvgpr_write_b32 a255, -1
  s_nop 4
  v_accvgpr_read_b32 v2, a0
  v_accvgpr_read_b32 v3, a255
  s_endpgm
// case: from one to another
// targets: gfx90a
// init: a7 = 3*lane+7, a8 = 1, a9 = 1, s4 = 0x1234, exec = 0xff
// expect: a8[0..7] = {7 10 13 16 19 22 25 28}, a8[8..15] = {1 1 1 1 1 1 1 1}, a9[7] = 0x1234, a9[8] = 1
// clobbers: a8, a9
  v_accvgpr_mov_b32 a8, a7
  v_accvgpr_write_b32 a9, s4
  s_endpgm
// case: not at an index
// targets: gfx908
// init: s5 = 2, a7 = 70, a9 = 90, v1 = 11, v3 = 33, v5 = 0
// expect: v3 = 70, a7 = 33
// clobbers: m0, v5, v6
  s_set_gpr_idx_on s5, gpr_idx(SRC0)
  v_accvgpr_read_b32 v5, a7
  v_mov_b32 v6, v1
  s_set_gpr_idx_off
  v_accvgpr_write_b32 a7, v6
  v_mov_b32 v3, v5
  s_endpgm
