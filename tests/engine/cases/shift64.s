// 64-bit shifts by scalars: below, at and above 32, and an amount that wraps at 64; source and destination overlap.
// targets: gfx900
// init: v0 = lane+0x80000000, v1 = 4*lane+0x80000001, v10 = lane+0x80000000, v11 = 7, s4 = 68, s5 = 0
// expect: v2 = 8*lane, v3 = 32*lane+12, v4 = 0, v5 = lane+0x80000000
// expect: v6 = 4*lane+0x80000001, v7 = 0, v8 = 2*lane+0xc0000000, v9 = 0xffffffff, v12 = 8*lane+0x8000000, v13 = 0xf8000000
// expect: v14 = lane+0x80000000, v15 = 4*lane+0x80000001, v11 = 16*lane, v10 = 7
// clobbers: v16
  v_lshlrev_b64 v[2:3], 3, v[0:1]
  v_lshlrev_b64 v[4:5], 32, v[0:1]
  v_lshrrev_b64 v[6:7], 32, v[0:1]
  v_ashrrev_i64 v[8:9], 33, v[0:1]
  v_mov_b32 v13, 0x80000000
  v_mov_b32 v12, 0x80000000
  v_lshlrev_b64 v[14:15], s5, v[0:1]
  v_ashrrev_i64 v[12:13], s4, v[12:13]
  v_lshl_add_u32 v12, v0, 3, v12
  v_mov_b32 v16, v10
  v_lshlrev_b64 v[10:11], s4, v[10:11]
  v_mov_b32 v11, v10
  v_mov_b32 v10, 7
  s_endpgm
