// Every width of LDS access by one wavefront: lane l at byte stride * l + pad * (l / 16), lanes of `lanes_lo`, `lanes_hi`.
// Up to 4 bytes 32 lanes are served together, of 8 bytes 16, of 12 and 16 bytes 8: stores lanes 0-7 and so on, loads lanes
// 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with 24-27 and the same 32 further on. Each lane more at a bank of its
// group is a cycle more than what the instruction takes for 64 lanes at best, which is CLRX's table of DS timings: loads 2, 4 and
// 8 by width, 4 and 8 with two addresses, stores 4, 8 and 10, 6 and 10 with two, atomics 4 and 6, the exchange of two 6. Stores: 1 byte, 2, 4, 8, 12, 16, two of 8 (32 bytes apart). Loads: 1, 2,
// 4, 8, 12, 16, two of 4 (128 bytes apart), two of 4 (256), two of 8 (side by side: as one of 16). Atomics: 4, 8, exchange of
// two of 4 (side by side: as one of 8).
//
// In sequence of 16 bytes, lane l is in bank 4 l % 32, l + 8 in the same: four lanes of 32, two of 16, none of 8.
// launch: --kernel widths --grid 64 --block 64 stride=16 pad=0 lanes_lo=-1 lanes_hi=-1
// expect: lds_store@1 bytes=1 accesses=1 lanes=64 cycles=10 ideal_cycles=4 worst_degree=4
// expect: lds_store@2 bytes=2 cycles=10 ideal_cycles=4
// expect: lds_store@3 bytes=4 cycles=10 ideal_cycles=4 worst_degree=4 worst_bank=0 worst_lanes=0,8 worst_addresses=0,128
// expect: lds_store@4 bytes=8 cycles=12 ideal_cycles=8 worst_degree=2 worst_bank=0 worst_lanes=0,8 worst_addresses=0,128
// expect: lds_store@5 bytes=12 cycles=10 ideal_cycles=10 worst_degree=1
// expect: lds_store@6 bytes=16 cycles=10 ideal_cycles=10
// expect: lds_store@7 bytes=8 accesses=1 lanes=64 cycles=18 ideal_cycles=10
// expect: lds_load@1 bytes=1 cycles=8 ideal_cycles=2 broadcasts=0
// expect: lds_load@2 bytes=2 cycles=8 ideal_cycles=2
// expect: lds_load@3 bytes=4 cycles=8 ideal_cycles=2
// expect: lds_load@4 bytes=8 cycles=8 ideal_cycles=4
// expect: lds_load@5 bytes=12 cycles=8 ideal_cycles=8
// expect: lds_load@6 bytes=16 cycles=8 ideal_cycles=8
// expect: lds_load@7 bytes=4 cycles=16 ideal_cycles=4
// expect: lds_load@8 bytes=4 cycles=16 ideal_cycles=4
// expect: lds_load@9 bytes=8 cycles=8 ideal_cycles=8
// expect: lds_atomic@1 bytes=4 cycles=10 ideal_cycles=4 same_address_atomics=0
// expect: lds_atomic@2 bytes=8 cycles=10 ideal_cycles=6 same_address_atomics=0
// expect: lds_atomic@3 bytes=4 cycles=10 ideal_cycles=6 same_address_atomics=0
//
// A row of 32 banks a lane: all lanes of each group meet, 31, 15 or 7 conflicts in each group.
// launch: --kernel widths --grid 64 --block 64 stride=128 pad=0 lanes_lo=-1 lanes_hi=-1
// expect: lds_store@1 cycles=66 ideal_cycles=4 worst_degree=32
// expect: lds_store@2 cycles=66 ideal_cycles=4
// expect: lds_store@3 cycles=66 ideal_cycles=4 conflict_cycles=62 worst_degree=32 worst_lanes=0,1
// expect: lds_store@4 cycles=68 ideal_cycles=8 conflict_cycles=60 worst_degree=16
// expect: lds_store@5 cycles=66 ideal_cycles=10
// expect: lds_store@6 cycles=66 ideal_cycles=10 conflict_cycles=56 worst_degree=8
// expect: lds_store@7 cycles=130 ideal_cycles=10 worst_degree=16
// expect: lds_load@1 cycles=64
// expect: lds_load@2 cycles=64
// expect: lds_load@3 cycles=64 conflict_cycles=62
// expect: lds_load@4 cycles=64 conflict_cycles=60
// expect: lds_load@5 cycles=64
// expect: lds_load@6 cycles=64 conflict_cycles=56 worst_degree=8 worst_lanes=0,1 worst_addresses=0,128
// expect: lds_load@7 cycles=128 ideal_cycles=4 worst_degree=32
// expect: lds_load@8 cycles=128 ideal_cycles=4
// expect: lds_load@9 cycles=64 ideal_cycles=8 worst_degree=8
// expect: lds_atomic@1 cycles=66 ideal_cycles=4 same_address_atomics=0
// expect: lds_atomic@2 cycles=66 ideal_cycles=6
// expect: lds_atomic@3 cycles=66 ideal_cycles=6
//
// All at byte 0: one read or write for all, but atomics in turn, of which all but the first of a group wait for another:
// 2 * 31, 4 * 15, 4 * 15.
// launch: --kernel widths --grid 64 --block 64 stride=0 pad=0 lanes_lo=-1 lanes_hi=-1
// expect: lds_store@1 cycles=4 broadcasts=0
// expect: lds_store@2 cycles=4
// expect: lds_store@3 cycles=4 conflict_cycles=0
// expect: lds_store@4 cycles=8
// expect: lds_store@5 cycles=10
// expect: lds_store@6 cycles=10
// expect: lds_store@7 cycles=10
// expect: lds_load@1 cycles=2 broadcasts=1
// expect: lds_load@2 cycles=2 broadcasts=1
// expect: lds_load@3 cycles=2 broadcasts=1 conflict_cycles=0
// expect: lds_load@4 cycles=4 broadcasts=1
// expect: lds_load@5 cycles=8 broadcasts=1
// expect: lds_load@6 cycles=8 broadcasts=1
// expect: lds_load@7 cycles=4 broadcasts=1
// expect: lds_load@8 cycles=4 broadcasts=1
// expect: lds_load@9 cycles=8 broadcasts=1
// expect: lds_atomic@1 cycles=66 ideal_cycles=4 same_address_atomics=62 worst_lanes=0,1 worst_addresses=0,0
// expect: lds_atomic@2 cycles=66 ideal_cycles=6 same_address_atomics=60
// expect: lds_atomic@3 cycles=66 ideal_cycles=6 same_address_atomics=60
//
// Rows of 16 lanes with 16 bytes between them. Lane 23 is at dword 4 * 23 + 4 = 96, bank 0, and of a load together with lane
// 0; likewise 19 with 4, 31 with 8, 27 with 12: 2 cycles for each group of 12 or 16 bytes. Stores are served within rows.
// Of 32 lanes, 16 to 31 are a bank group further on: four to each as before.
// launch: --kernel widths --grid 64 --block 64 stride=16 pad=16 lanes_lo=-1 lanes_hi=-1
// expect: lds_store@1 cycles=10
// expect: lds_store@2 cycles=10
// expect: lds_store@3 cycles=10
// expect: lds_store@4 cycles=12
// expect: lds_store@5 cycles=10 conflict_cycles=0
// expect: lds_store@6 cycles=10 conflict_cycles=0
// expect: lds_store@7 cycles=18
// expect: lds_load@1 cycles=8
// expect: lds_load@2 cycles=8
// expect: lds_load@3 cycles=8
// expect: lds_load@4 cycles=8
// expect: lds_load@5 cycles=16 ideal_cycles=8
// expect: lds_load@6 cycles=16 ideal_cycles=8 worst_degree=2 worst_bank=0 worst_lanes=0,23 worst_addresses=0,384
// expect: lds_load@7 cycles=16
// expect: lds_load@8 cycles=16
// expect: lds_load@9 cycles=16 ideal_cycles=8
// expect: lds_atomic@1 cycles=10
// expect: lds_atomic@2 cycles=10
// expect: lds_atomic@3 cycles=10
//
// Only lanes 16 to 23, which of 12 and 16 bytes are a group of a store, but parts of two of a load.
// launch: --kernel widths --grid 64 --block 64 stride=16 pad=0 lanes_lo=0xff0000 lanes_hi=0
// expect: lds_store@1 lanes=8 cycles=4 ideal_cycles=4
// expect: lds_store@2 lanes=8 cycles=4 ideal_cycles=4
// expect: lds_store@3 lanes=8 cycles=4 ideal_cycles=4
// expect: lds_store@4 lanes=8 cycles=8 ideal_cycles=8
// expect: lds_store@5 lanes=8 cycles=10 ideal_cycles=10
// expect: lds_store@6 lanes=8 cycles=10 ideal_cycles=10
// expect: lds_store@7 lanes=8 cycles=10 ideal_cycles=10
// expect: lds_load@1 cycles=2 ideal_cycles=2
// expect: lds_load@2 cycles=2 ideal_cycles=2
// expect: lds_load@3 cycles=2 ideal_cycles=2
// expect: lds_load@4 cycles=4 ideal_cycles=4
// expect: lds_load@5 cycles=8 ideal_cycles=8
// expect: lds_load@6 cycles=8 ideal_cycles=8
// expect: lds_load@7 cycles=4 ideal_cycles=4
// expect: lds_load@8 cycles=4 ideal_cycles=4
// expect: lds_load@9 cycles=8 ideal_cycles=8
// expect: lds_atomic@1 cycles=4 ideal_cycles=4
// expect: lds_atomic@2 cycles=6 ideal_cycles=6
// expect: lds_atomic@3 cycles=6 ideal_cycles=6
.amdhsa_code_object_version 5
.text
.globl widths
.p2align 8
.type widths,@function
widths:                             // s[4:5] arguments, v0 work-item
  s_load_dwordx4 s[8:11], s[4:5], 0x0
  s_mov_b32 m0, -1                  // no limit, on gfx8
  v_lshrrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v1, v1, s9
  v_mul_lo_u32 v2, v0, s8
.if .amdgcn.gfx_generation_number >= 9
  v_add_u32 v1, v1, v2
.else
  v_add_u32 v1, vcc, v1, v2
.endif
  s_mov_b64 exec, s[10:11]
  ds_write_b8 v1, v0
  ds_write_b16 v1, v0
  ds_write_b32 v1, v0
  ds_write_b64 v1, v[4:5]
  ds_write_b96 v1, v[4:6]
  ds_write_b128 v1, v[4:7]
  ds_write2_b64 v1, v[4:5], v[6:7] offset1:4
  ds_read_u8 v4, v1
  ds_read_u16 v4, v1
  ds_read_b32 v4, v1
  ds_read_b64 v[4:5], v1
  ds_read_b96 v[4:6], v1
  ds_read_b128 v[4:7], v1
  ds_read2_b32 v[4:5], v1 offset1:32
  ds_read2st64_b32 v[4:5], v1 offset1:1
  ds_read2_b64 v[4:7], v1 offset1:1
  ds_add_u32 v1, v0
  ds_add_rtn_u64 v[4:5], v1, v[6:7]
  ds_wrxchg2_rtn_b32 v[4:5], v1, v2, v3 offset1:1
  s_waitcnt lgkmcnt(0)
  s_endpgm
.size widths, . - widths

.rodata
.p2align 6
.amdhsa_kernel widths
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 16
  .amdhsa_group_segment_fixed_size 16384
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: widths
    .symbol: widths.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: stride, .size: 4, .offset: 0, .value_kind: by_value}
      - {.name: pad, .size: 4, .offset: 4, .value_kind: by_value}
      - {.name: lanes_lo, .size: 4, .offset: 8, .value_kind: by_value}
      - {.name: lanes_hi, .size: 4, .offset: 12, .value_kind: by_value}
.end_amdgpu_metadata
