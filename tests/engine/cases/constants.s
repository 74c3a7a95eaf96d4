// Inline constants and literals in every context, conditions as sources, SGPR pairs.
// case: inline constants of 32 bits
// targets: gfx803 gfx900 gfx906
// init: v1 = 2.0f
// expect: v10 = 64, v11 = 0xfffffff0, v12 = 65, v13 = 0x3e22f983, v14 = 3.0f, v15 = 0xdeadbeef, v16 = 0x40000001, v17 = 6.0f
// expect: s4 = 1.0f, s5 = 0xffffffff, s6 = -4.0f, s7 = 0x12345678, v18 = 0x40000000
  v_mov_b32_e32 v10, 64
  v_mov_b32_e32 v11, -16
  v_mov_b32_e32 v12, 65
  v_mov_b32_e32 v13, 0.15915494
  v_add_f32_e32 v14, 1.0, v1
  v_mov_b32_e32 v15, 0xdeadbeef
  v_or_b32_e32 v16, 1, v1
  v_mul_f32_e32 v17, 0x40400000, v1
  s_mov_b32 s4, 1.0
  s_mov_b32 s5, -1
  s_mov_b32 s6, -4.0
  s_mov_b32 s7, 0x12345678
  v_add_f32_e32 v18, 1, v1
  s_endpgm
// case: inline constants of 64 bits
// targets: gfx803 gfx900 gfx906
// init: v[2:3] = 2.0d, s[20:21] = 0xaaaabbbbccccdddd
// expect: s[4:5] = 0xffffffffffffffff, s[6:7] = 1.0d, s[8:9] = 0x12345678, s[10:11] = 0xccccdddd, v[10:11] = 2.5d, v[12:13] = 2.0d
// expect: v[14:15] = 0xfffffffffffffff0, v[16:17] = 0xfffffffffffffff0, v[18:19] = 0x3fd45f306dc9c882, v[20:21] = 0x10, scc = 1
  s_mov_b64 s[4:5], -1
  s_mov_b64 s[6:7], 1.0
  s_mov_b64 s[8:9], 0x12345678
  s_and_b64 s[10:11], s[20:21], 0xffffffff
  v_add_f64 v[10:11], 0.5, v[2:3]
  v_add_f64 v[12:13], 1, v[2:3]
  v_lshlrev_b64 v[14:15], 4, -1
  v_ashrrev_i64 v[16:17], 0, -16
  v_mul_f64 v[18:19], 0.15915494309189532, v[2:3]
  v_lshrrev_b64 v[20:21], 0, 16
  s_endpgm
// case: literals of 64-bit operands
// targets: gfx803 gfx900 gfx906
// init: v[2:3] = 100.0d, v[4:5] = 0x80000000, v[6:7] = 0xffffffffffffff9c
// expect: v10 = 100.0f, s[4:5] = 0xffffffffffffffff, s[6:7] = 0xffffffffffffffff, s[8:9] = 0xffffffffffffffff, vcc = 0
  v_cvt_f32_f64_e32 v10, 0x40590000
  v_cmp_eq_f64_e32 vcc, 0x40590000, v[2:3]
  s_mov_b64 s[4:5], vcc
  v_cmp_eq_u64_e32 vcc, 0x80000000, v[4:5]
  s_mov_b64 s[6:7], vcc
  v_cmp_eq_i64_e32 vcc, 0xffffff9c, v[6:7]
  s_mov_b64 s[8:9], vcc
  s_mov_b64 vcc, 0
  s_endpgm
// case: inline constants of 16 bits
// targets: gfx803 gfx900 gfx906
// init: v1 = 0xffff4000, v2 = 0xffff0007, s4 = 0x77773c00
// expect: v10 = 3.0h, v11 = 0x4000, v12 = 0x6, v13 = 2.5h, v14 = 0x3118, v15 = 3.0h, v16 = 0x1007, v17 = 0xfffa
  v_add_f16_e32 v10, 1.0, v1
  v_add_f16_e32 v11, 1, v1
  v_add_u16_e32 v12, -1, v2
  v_add_f16_e32 v13, 0x3800, v1
  v_add_f16_e64 v14, 0.15915494, 0
  v_add_f16_e32 v15, s4, v1
  v_add_u16_e32 v16, 0x1000, v2
  v_sub_u16_e32 v17, 1, v2
  s_endpgm
// case: conditions as sources
// targets: gfx803 gfx900 gfx906
// init: vcc = 0, scc = 1, v1 = 10
// expect: v10 = 1, v11 = 0, v12 = 1, s4 = 1, s5 = 0, s6 = 1, v13 = 11, s7 = 11, v14 = 1, s[8:9] = 1, scc = 1
  v_mov_b32_e32 v10, src_vccz
  v_mov_b32_e32 v11, src_execz
  v_mov_b32_e32 v12, src_scc
  s_mov_b32 s4, src_vccz
  s_mov_b32 s5, src_execz
  s_mov_b32 s6, src_scc
  v_add_u16_e32 v13, src_scc, v1
  s_add_u32 s7, src_vccz, 10
  s_mov_b64 s[8:9], src_vccz
  v_mul_u32_u24_e32 v14, src_vccz, v10
  s_cmp_eq_u32 s4, 1
  s_endpgm
// case: conditions follow their masks
// targets: gfx900
// init: vcc = 0x100, exec = 0, scc = 0
// expect: s4 = 0, s5 = 1, s6 = 0, s7 = 1, s8 = 0, vcc = 0, exec = 1
  s_mov_b32 s4, src_vccz
  s_mov_b32 s5, src_execz
  s_mov_b32 s6, src_scc
  s_mov_b64 vcc, 0
  s_mov_b32 s7, src_vccz
  s_mov_b64 exec, 1
  s_mov_b32 s8, src_execz
  s_endpgm
// case: lds_direct gives one item of LDS to all lanes; M0 has its address and type (u8, u16, dword, i8, i16)
// targets: gfx803 gfx900
// init: v0 = 8, v1 = 0x8192a3b4, v2 = 0, v3 = 1, v9 = 0, exec = 0xff
// expect: v10[0..7] = 0x8192a3b4, v11[0..7] = 0xb4, v12[0..7] = 0xa3b4, v13[0..7] = 0xffffffb4, v14[0..7] = 0xffffa3b4, v15[0..7] = 0x8192a3b5, v16[0..7] = 0x8192a3b4
// clobbers: m0
  s_mov_b32 m0, -1
  ds_write_b32 v0, v1
  s_mov_b32 m0, 0x20008
  v_mov_b32_e32 v10, src_lds_direct
  s_mov_b32 m0, 0x00008
  v_mov_b32_e32 v11, src_lds_direct
  s_mov_b32 m0, 0x10008
  v_mov_b32_e32 v12, src_lds_direct
  s_mov_b32 m0, 0x40008
  v_mov_b32_e32 v13, src_lds_direct
  s_mov_b32 m0, 0x50008
  v_mov_b32_e32 v14, src_lds_direct
  s_mov_b32 m0, 0x20008
  v_mad_u32_u24 v15, v2, v2, v3
  v_or_b32_e32 v15, src_lds_direct, v15
  v_xor_b32_e32 v16, src_lds_direct, v2
  s_endpgm
// case: the unused data type of lds_direct is a fault
// targets: gfx900
// init: m0 = 0x30000
// fault: illegal instruction
  v_mov_b32_e32 v1, src_lds_direct
  s_endpgm
// case: pops is a named fault
// targets: gfx900
// fault: unimplemented instruction
  s_mov_b32 s4, src_pops_exiting_wave_id
  s_endpgm
// case: pops as a vector source
// targets: gfx900
// fault: unimplemented instruction
  v_mov_b32_e32 v4, src_pops_exiting_wave_id
  s_endpgm
// case: apertures are multiples of 4 GiB
// targets: gfx900 gfx906
// clobbers: s5, s7, s8, s10, s11, scc
// expect: s4 = 0, s6 = 0, s9 = 0x10000, s12 = 0xffffffff
  s_mov_b64 s[4:5], src_shared_base
  s_mov_b64 s[6:7], src_private_base
  s_sub_u32 s8, s7, s5
  s_mov_b32 s9, s8
  s_mov_b64 s[10:11], src_shared_limit
  s_mov_b32 s12, s10
  s_endpgm
// case: SGPR pairs, VCC and M0 as vector sources
// targets: gfx803 gfx900 gfx906
// init: s[4:5] = 2.5d, vcc = 0x0000000500000007, m0 = 9, v[2:3] = 1.0d, exec = 0x00000000ffffffff
// expect: v[10:11][0..31] = 3.5d, v12[0..31] = 7, v13[0..31] = 5, v14[0..31] = 9, v15[0..31] = 0xffffffff, v16[0..31] = 0
  v_add_f64 v[10:11], s[4:5], v[2:3]
  v_mov_b32_e32 v12, vcc_lo
  v_mov_b32_e32 v13, vcc_hi
  v_mov_b32_e32 v14, m0
  v_mov_b32_e32 v15, exec_lo
  v_mov_b32_e32 v16, exec_hi
  s_endpgm
// case: madmk and madak
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1c0, v1 = 2.0f, v2 = 3.0f, v3 = 2.0h, v4 = 3.0h, s4 = 4.0f, v13 = 0, v14 = 0
// expect: v10 = 23.0f, v11 = 16.0f, v12 = 43.0f, v13 = 23.0h, v14 = 16.0h
  v_madmk_f32 v10, v1, 0x41200000, v2
  v_madak_f32 v11, v1, v2, 0x41200000
  v_madmk_f32 v12, 4.0, 0x41200000, v2
  v_madmk_f16 v13, v3, 0x4900, v4
  v_madak_f16 v14, v3, v4, 0x4900
  s_endpgm
