// Cases that must fail: they prove that the checker sees wrong values, stray writes and missing faults.
// targets: gfx900
// case: wrong value
// expect: v1 = 2
  v_mov_b32_e32 v1, 1
  s_endpgm
// case: stray write to a vector register
// expect: v1 = 1
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v2, 1
  s_endpgm
// case: stray write to a scalar register
// expect: s1 = 1
  s_mov_b32 s1, 1
  s_mov_b32 s2, 1
  s_endpgm
// case: stray write to scc
// init: scc = 0
// expect: s1 = 1
  s_or_b32 s1, 1, 1
  s_endpgm
// case: one lane of sixty-four
// init: v1 = 0
// expect: v1[3] = 1
  v_mov_b32_e32 v1, 1
  s_endpgm
// case: no fault
// fault: unimplemented instruction
  s_endpgm
// case: unexpected fault
// expect: v1 = 1
  v_mov_b32_e32 v1, 1
  s_trap 2
  s_endpgm
