// Image samples: each lane reads several texels, all of them one request. One wavefront; a linear image of 64 * 16 texels of
// 8_8_8_8, 4 bytes, on the first argument: a row has 256 bytes, 4 lines. Coordinates count texels; of a linear filter, whole
// numbers are corners where four texels meet. L1 takes a quad per clock of texels of 32 bits: 16. Sites are in the order of the code.
//
// launch: --kernel samples --grid 64 --block 64 in=u32[1024] out=u32[1024]
// Nearest, lane l in texel (l, 0): a row.
// expect: load@1 bytes=4 requests=1 lanes=64 lines=4 ideal_lines=4 bytes_asked=256 bytes_moved=256 clocks=16 ideal_clocks=16 pattern="contiguous"
// Linear, lane l at the corner (l + 1, 1): columns l and l + 1 of rows 0 and 1, four texels; lane 63 has column 63 alone, the edge:
// two. 63 * 4 + 2 = 254 texels asked for, 1016 bytes. Two whole rows: 8 lines, none in vain.
// expect: load@2 bytes=4 requests=1 lanes=64 lines=8 ideal_lines=8 bytes_asked=1016 bytes_moved=512 l2_operations=8 clocks=16 pattern="contiguous"
// Linear, a tile of 8 * 8 corners from (1, 1) on: 9 columns of 9 rows, 36 bytes of a line in each row: 9 lines. 324 bytes are 6 lines
// side by side. All have four texels: 1024 bytes.
// expect: load@3 requests=1 lanes=64 lines=9 ideal_lines=6 excess_lines=3 bytes_asked=1024 pattern="random" alignment=4096
// The row of corners, gathered: the same texels.
// expect: load@4 requests=1 lanes=64 lines=8 ideal_lines=8 bytes_asked=1016 clocks=16 pattern="contiguous"
// Nearest, 32 texels to the left: lanes 0 to 31 get the border's colour, and no memory. 8 quads.
// expect: load@5 requests=1 lanes=32 lines=2 ideal_lines=2 bytes_asked=128 clocks=8 pattern="contiguous"
//
// Wider texels, the same row of 64 and the same corners: a filter takes 32 bits of a quad per clock, 16 clocks for each 32 bits, and
// a point of up to 128 bits none the longer. Halves of four channels: 64 bits, 512 bytes a row. Floats of four: 128 bits, 1024.
// launch: --kernel wide --grid 64 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 bytes=8 lanes=64 lines=8 clocks=16 ideal_clocks=16
// expect: load@2 bytes=8 lanes=64 lines=16 bytes_asked=2032 clocks=32 ideal_clocks=32
// expect: load@3 bytes=16 lanes=64 lines=16 clocks=16 ideal_clocks=16
// expect: load@4 bytes=16 lanes=64 lines=32 bytes_asked=4064 clocks=64 ideal_clocks=64
// One instruction for both: it is what the sampler says that counts, each time.
// launch: --kernel both --grid 64 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 bytes=16 requests=2 lanes=128 lines=48 clocks=80
.amdhsa_code_object_version 5
.text

// The arguments' image, 64 texels wide, in s[4:11], without a format yet, and the sampler in s[12:15]: to the edge, coordinates count
// texels, nearest. Where lane l samples: texel (l, 0) and corner (l + 1, 1).
.macro kernel name, height
.globl \name
.p2align 8
.type \name,@function
\name:                              // s[0:1] arguments, v0 work-item
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_lshr_b64 s[4:5], s[4:5], 8      // s[4:11]: base / 256; size; channels, tiling, 2D; pitch
  s_mov_b32 s6, 63 | (\height - 1) << 14
.if .amdgcn.gfx_generation_number >= 9
  s_mov_b32 s7, 0x90000fac
.else
  s_mov_b32 s7, 0x90800fac
.endif
  s_mov_b32 s8, 63 << 13
  s_mov_b32 s9, 0
  s_mov_b32 s10, 0
  s_mov_b32 s11, 0
  s_mov_b32 s12, 2 | 2 << 3 | 1 << 15
  s_mov_b32 s13, 0xfff000
  s_mov_b32 s14, 0
  s_mov_b32 s15, 0
  v_cvt_f32_u32 v10, v0
  v_add_f32 v2, 0.5, v10
  v_mov_b32 v3, 0.5
  v_add_f32 v8, 1.0, v10
  v_mov_b32 v9, 1.0
.endm

.macro describe name
  s_waitcnt vmcnt(0)
  s_endpgm
.size \name, . - \name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
.text
.endm

kernel samples, 16
  s_or_b32 s5, s5, 10 << 20             // 8_8_8_8 unorm
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  s_mov_b32 s14, 1 << 20 | 1 << 22      // linear
  image_sample_lz v4, v[8:9], s[4:11], s[12:15] dmask:0x1
  v_and_b32 v6, 7, v0
  v_lshrrev_b32 v7, 3, v0
  v_cvt_f32_u32 v6, v6
  v_cvt_f32_u32 v7, v7
  v_add_f32 v6, 1.0, v6
  v_add_f32 v7, 1.0, v7
  image_sample_lz v4, v[6:7], s[4:11], s[12:15] dmask:0x1
  image_gather4_lz v[4:7], v[8:9], s[4:11], s[12:15] dmask:0x1
  s_mov_b32 s12, 6 | 6 << 3 | 1 << 15   // the border
  s_mov_b32 s14, 0
  v_add_f32 v8, 0xc1fc0000, v10         // -31.5
  image_sample_lz v4, v[8:9], s[4:11], s[12:15] dmask:0x1
describe samples

kernel wide, 4
  s_or_b32 s5, s5, 12 << 20 | 7 << 26   // 16_16_16_16 float
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  s_mov_b32 s14, 1 << 20 | 1 << 22
  image_sample_lz v4, v[8:9], s[4:11], s[12:15] dmask:0x1
  s_or_b32 s5, s5, 14 << 20             // 32_32_32_32 float
  s_mov_b32 s14, 0
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  s_mov_b32 s14, 1 << 20 | 1 << 22
  image_sample_lz v4, v[8:9], s[4:11], s[12:15] dmask:0x1
describe wide

kernel both, 4
  s_or_b32 s5, s5, 14 << 20 | 7 << 26
  s_mov_b32 s16, 0
again:
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  v_mov_b32 v2, v8
  v_mov_b32 v3, v9
  s_mov_b32 s14, 1 << 20 | 1 << 22
  s_add_u32 s16, s16, 1
  s_cmp_lt_u32 s16, 2
  s_cbranch_scc1 again
describe both

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: samples, .symbol: samples.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 30, .vgpr_count: 16, .max_flat_workgroup_size: 256,
     .args: [{.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global},
             {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wide, .symbol: wide.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 30, .vgpr_count: 16, .max_flat_workgroup_size: 256,
     .args: [{.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global},
             {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}]}
  - {.name: both, .symbol: both.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 30, .vgpr_count: 16, .max_flat_workgroup_size: 256,
     .args: [{.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global},
             {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}]}
.end_amdgpu_metadata
