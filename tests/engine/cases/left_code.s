// Code that runs off its end.
// targets: gfx803 gfx900 gfx906
// case: straight
// fault: jump outside of loaded code
  v_mov_b32_e32 v1, 0
// case: by a branch
// fault: jump outside of loaded code
  s_branch 1000
