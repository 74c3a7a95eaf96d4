// Image loads and stores, which L1 takes by quads, 16 clocks a wavefront, whatever they read. One wavefront; a linear image of
// 64 * 16 texels of 8_8_8_8, 4 bytes, on the first argument: a row has 256 bytes. Sites are in the order of the code.
//
// launch: --kernel image --grid 64 --block 64 in=u32[1024] out=u32[1024]
// A row: 64 texels side by side.
// expect: load@1 bytes=4 requests=1 lanes=64 lines=4 ideal_lines=4 clocks=16 ideal_clocks=16 wide=4 pattern="contiguous"
// A tile of 8 * 8: 32 bytes of each of 8 rows, a line each.
// expect: load@2 bytes=4 lines=8 ideal_lines=4 clocks=16 ideal_clocks=16 wide=4 pattern="random" alignment=4096
// A column would have 64 texels, but only 16 rows are there: lanes 16 to 63 are outside and access nothing. 4 quads.
// expect: load@3 lanes=16 lines=16 ideal_lines=1 clocks=4 ideal_clocks=4 wide=1 pattern="stride 256 bytes"
// The tile again, stored.
// expect: store@1 bytes=4 lines=8 l2_operations=8 clocks=16
.amdhsa_code_object_version 5
.text
.globl image
.p2align 8
.type image,@function
image:                              // s[0:1] arguments, v0 work-item
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_lshr_b64 s[4:5], s[4:5], 8      // s[4:11]: base / 256; format; size; channels, tiling, 2D; pitch
  s_or_b32 s5, s5, 10 << 20 | 4 << 26
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
  v_mov_b32 v2, v0
  v_mov_b32 v3, 0
  image_load v[8:11], v[2:3], s[4:11] dmask:0xf unorm
  v_and_b32 v2, 7, v0
  v_lshrrev_b32 v3, 3, v0
  image_load v[8:11], v[2:3], s[4:11] dmask:0xf unorm
  v_mov_b32 v4, 0
  v_mov_b32 v5, v0
  image_load v[12:15], v[4:5], s[4:11] dmask:0xf unorm
  s_waitcnt vmcnt(0)
  image_store v[8:11], v[2:3], s[4:11] dmask:0xf unorm
  s_endpgm
.size image, . - image
.rodata
.p2align 6
.amdhsa_kernel image
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: image
    .symbol: image.kd
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
