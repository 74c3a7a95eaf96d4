// v_mad_mix and v_fma_mix: each source is an f32 or one half of a register.
// case: mad_mix
// targets: gfx900
// init: v1 = 0x40003c00, v2 = 2.5f, v3 = 0x44004200, v4 = -2.5f, s4 = 0x40003c00, v16 = 0xaaaabbbb, v17 = 0xaaaabbbb, v18 = 0xaaaabbbb
// expect: v10 = 5.5f, v11 = 9.0f, v12 = 0.5f, v13 = 0.5f, v14 = 8.0f, v15 = 4.0f, v16 = 0xaaaa4580, v17 = 0x4580bbbb, v18 = 0xaaaa3c00, v19 = 8.75f
  v_mad_mix_f32 v10, v1, v2, v3 op_sel_hi:[1,0,1]
  v_mad_mix_f32 v11, v1, v2, v3 op_sel:[1,0,1] op_sel_hi:[1,0,1]
  v_mad_mix_f32 v12, -v1, |v4|, v3 op_sel_hi:[1,0,1]
  v_mad_mix_f32 v13, v1, -|v4|, v3 op_sel_hi:[1,0,1]
  v_mad_mix_f32 v14, s4, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,1]
  v_mad_mix_f32 v15, v1, 1.0, v3 op_sel_hi:[1,1,1]
  v_mad_mixlo_f16 v16, v1, v2, v3 op_sel_hi:[1,0,1]
  v_mad_mixhi_f16 v17, v1, v2, v3 op_sel_hi:[1,0,1]
  v_mad_mixlo_f16 v18, v1, v2, v3 op_sel_hi:[1,0,1] clamp
  v_mad_mix_f32 v19, v2, v2, v2
  s_endpgm
// case: fma_mix
// targets: gfx906
// init: v1 = 0x40003c00, v2 = 2.5f, v3 = 0x44004200, v4 = -2.5f, s4 = 0x40003c00, v16 = 0xaaaabbbb, v17 = 0xaaaabbbb, v18 = 0xaaaabbbb
// expect: v10 = 5.5f, v11 = 9.0f, v12 = 0.5f, v13 = 0.5f, v14 = 8.0f, v15 = 4.0f, v16 = 0xaaaa4580, v17 = 0x4580bbbb, v18 = 0xaaaa3c00, v19 = 8.75f
  v_fma_mix_f32 v10, v1, v2, v3 op_sel_hi:[1,0,1]
  v_fma_mix_f32 v11, v1, v2, v3 op_sel:[1,0,1] op_sel_hi:[1,0,1]
  v_fma_mix_f32 v12, -v1, |v4|, v3 op_sel_hi:[1,0,1]
  v_fma_mix_f32 v13, v1, -|v4|, v3 op_sel_hi:[1,0,1]
  v_fma_mix_f32 v14, s4, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,1]
  v_fma_mix_f32 v15, v1, 1.0, v3 op_sel_hi:[1,1,1]
  v_fma_mixlo_f16 v16, v1, v2, v3 op_sel_hi:[1,0,1]
  v_fma_mixhi_f16 v17, v1, v2, v3 op_sel_hi:[1,0,1]
  v_fma_mixlo_f16 v18, v1, v2, v3 op_sel_hi:[1,0,1] clamp
  v_fma_mix_f32 v19, v2, v2, v2
  s_endpgm
// case: destination over source, both halves in turn
// targets: gfx906
// init: v1 = 0x40003c00, v2 = 2.5f
// expect: v1 = 0x45004100
  v_fma_mixlo_f16 v3, v1, v2, 0 op_sel_hi:[1,0,0]
  v_fma_mixhi_f16 v1, v1, v2, 0 op_sel:[1,0,0] op_sel_hi:[1,0,0]
  v_fma_mixlo_f16 v1, v1, v2, 0 op_sel_hi:[1,0,0]
// clobbers: v3
  s_endpgm
