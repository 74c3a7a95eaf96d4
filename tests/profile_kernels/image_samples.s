// Image samples: each lane reads several texels, all of them one request. One wavefront; a linear image of 64 * 16 texels of
// 8_8_8_8, 4 bytes, on the first argument: a row has 256 bytes, 4 lines. Coordinates count texels; of a linear filter, whole
// numbers are corners where four texels meet. L1 takes a quad per clock, whatever it reads: 16. Sites are in the order of the code.
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
.amdhsa_code_object_version 5
.text
.globl samples
.p2align 8
.type samples,@function
samples:                            // s[0:1] arguments, v0 work-item
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_lshr_b64 s[4:5], s[4:5], 8      // s[4:11]: base / 256; format (8_8_8_8 unorm); size; channels, tiling, 2D; pitch
  s_or_b32 s5, s5, 10 << 20
  s_mov_b32 s6, 63 | 15 << 14
.if .amdgcn.gfx_generation_number >= 9
  s_mov_b32 s7, 0x90000fac
.else
  s_mov_b32 s7, 0x90800fac
.endif
  s_mov_b32 s8, 63 << 13
  s_mov_b32 s9, 0
  s_mov_b32 s10, 0
  s_mov_b32 s11, 0
  s_mov_b32 s12, 2 | 2 << 3 | 1 << 15   // s[12:15]: to the edge; coordinates count texels; nearest
  s_mov_b32 s13, 0xfff000
  s_mov_b32 s14, 0
  s_mov_b32 s15, 0
  v_cvt_f32_u32 v10, v0
  v_add_f32 v2, 0.5, v10
  v_mov_b32 v3, 0.5
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  s_mov_b32 s14, 1 << 20 | 1 << 22      // linear
  v_add_f32 v2, 1.0, v10
  v_mov_b32 v3, 1.0
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  v_and_b32 v6, 7, v0
  v_lshrrev_b32 v7, 3, v0
  v_cvt_f32_u32 v6, v6
  v_cvt_f32_u32 v7, v7
  v_add_f32 v6, 1.0, v6
  v_add_f32 v7, 1.0, v7
  image_sample_lz v4, v[6:7], s[4:11], s[12:15] dmask:0x1
  image_gather4_lz v[4:7], v[2:3], s[4:11], s[12:15] dmask:0x1
  s_mov_b32 s12, 6 | 6 << 3 | 1 << 15   // the border
  s_mov_b32 s14, 0
  v_add_f32 v2, 0xc1fc0000, v10         // -31.5
  image_sample_lz v4, v[2:3], s[4:11], s[12:15] dmask:0x1
  s_waitcnt vmcnt(0)
  s_endpgm
.size samples, . - samples
.rodata
.p2align 6
.amdhsa_kernel samples
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: samples
    .symbol: samples.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
