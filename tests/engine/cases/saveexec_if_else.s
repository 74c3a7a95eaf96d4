// The divergent if/else of every compiler: saveexec, else mask, reconvergence.
// targets: gfx803 gfx900 gfx906
// init: v0 = lane, s0 = 32
// expect: v1[0..31] = 1, v1[32..63] = 2, exec = 0xffffffffffffffff, s[2:3] = 0xffffffff00000000, scc = 1
// clobbers: vcc, s[4:5]
  v_cmp_gt_i32_e32 vcc, s0, v0
  s_and_saveexec_b64 s[2:3], vcc
  s_xor_b64 s[2:3], exec, s[2:3]
  s_cbranch_execz else
  v_mov_b32_e32 v1, 1
else:
  s_or_saveexec_b64 s[4:5], s[2:3]
  s_xor_b64 exec, exec, s[4:5]
  s_cbranch_execz done
  v_mov_b32_e32 v1, 2
done:
  s_or_b64 exec, exec, s[4:5]
  s_endpgm
