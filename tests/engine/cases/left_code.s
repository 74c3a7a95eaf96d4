// Code that runs off its end.
// targets: gfx803 gfx900 gfx906
// case: straight
// fault: invalid program counter
  v_mov_b32_e32 v1, 0
// case: by a branch
// fault: invalid program counter
  s_branch 1000
