// s_cbranch_i_fork, s_cbranch_g_fork and s_cbranch_join as the pseudo-code of the Vega ISA manual ("Arbitrary Divergent Control
// Flow") has them; the trace in s40 says which side ran first.
// case: the side with fewer lanes runs first, here the one that fails
// targets: gfx600 gfx701 gfx803 gfx900 gfx906
// init: exec = 0xff, s[20:21] = 0x3f, s30 = 0, s40 = 0, mode = 0x1f0, v1 = 0
// expect: v1[0..5] = 1, v1[6..7] = 2, s40 = 12, exec = 0x3f, s[0:1] = 0x3f, s60 = 0, s61 = 1, mode = 0x1f0
// clobbers: s2, s3, s50, s51, scc
  s_getpc_b64 s[50:51]
one_here:
  s_cbranch_i_fork s[20:21], one_pass
  v_mov_b32 v1, 2
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 1
  s_getreg_b32 s61, hwreg(HW_REG_MODE, 29, 3)
  s_sub_u32 s60, s2, s50
  s_sub_u32 s60, s60, one_pass-one_here
  s_branch one_join
one_pass:
  v_mov_b32 v1, 1
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 2
one_join:
  s_cbranch_join s30
  s_endpgm
// case: of equal sides the one that passes runs first
// targets: gfx600 gfx701 gfx803 gfx900
// init: exec = 0xff, s[20:21] = 0xaa, s30 = 0, s40 = 0, v1 = 0
// expect: v1[0..7] = {2 1 2 1 2 1 2 1}, s40 = 21, exec = 0x55, s[0:1] = 0x55
// clobbers: s2, s3, scc
  s_cbranch_i_fork s[20:21], two_pass
  v_mov_b32 v1, 2
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 1
  s_branch two_join
two_pass:
  v_mov_b32 v1, 1
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 2
two_join:
  s_cbranch_join s30
  s_endpgm
// case: without divergence nothing is pushed
// targets: gfx600 gfx701 gfx803 gfx900
// init: exec = 0xff, s[20:21] = 0xff, s[22:23] = 0xff00, s30 = 0, s40 = 0
// expect: s40 = 5
// clobbers: scc
  s_cbranch_i_fork s[20:21], three_pass
  s_addk_i32 s40, 100
three_pass:
  s_addk_i32 s40, 2
  s_cbranch_join s30
  s_cbranch_i_fork s[22:23], three_skip
  s_addk_i32 s40, 3
  s_branch three_end
three_skip:
  s_addk_i32 s40, 100
three_end:
  s_cbranch_join s30
  s_endpgm
// case: forks nest, and the stack is four SGPRs an entry
// targets: gfx600 gfx701 gfx803 gfx900
// init: exec = 0xff, s[20:21] = 0xf, s[22:23] = 0x3, s30 = 0, s31 = 1, s40 = 0, v1 = 0
// expect: v1[0..1] = 1, v1[2..3] = 2, v1[4..7] = 3, s40 = 143, exec = 0xf0, s[0:1] = 0xf0, s[4:5] = 0xc
// clobbers: s2, s3, s6, s7, scc
  s_cbranch_i_fork s[20:21], four_outer
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 3
  v_mov_b32 v1, 3
  s_branch four_outer_join
four_outer:
  s_cbranch_i_fork s[22:23], four_inner
  v_mov_b32 v1, 2
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 4
  s_branch four_inner_join
four_inner:
  v_mov_b32 v1, 1
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 1
four_inner_join:
  s_cbranch_join s31
  s_nop 0
four_outer_join:
  s_cbranch_join s30
  s_endpgm
// case: the target of a g_fork is in SGPRs
// targets: gfx600 gfx701 gfx803 gfx900
// init: exec = 0xff, s[20:21] = 0x1, s30 = 0, s40 = 0
// expect: s40 = 21, exec = 0xfe, s[0:1] = 0xfe, s62 = 0
// clobbers: s2, s3, s50, s51, s52, s53, scc
  s_getpc_b64 s[50:51]
five_here:
  s_add_u32 s52, s50, five_pass-five_here
  s_addc_u32 s53, s51, 0
  s_cbranch_g_fork s[20:21], s[52:53]
five_next:
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 1
  s_branch five_join
five_pass:
  s_mulk_i32 s40, 10
  s_addk_i32 s40, 2
  s_sub_u32 s62, s2, s50
  s_sub_u32 s62, s62, five_next-five_here
five_join:
  s_cbranch_join s30
  s_endpgm
