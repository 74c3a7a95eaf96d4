// SMEM: a wavefront's own loads, one lane each, through the scalar cache, whose lines have 64 bytes as well: no clocks of L1.
// 4 wavefronts; sites are in the order of the code.
//
// launch: --kernel scalars --grid 256 --block 256 in=u32[1024]
// The argument: 8 bytes at the start of the kernarg segment.
// expect: scalar_load@1 bytes=8 requests=4 lanes=4 lines=4 ideal_lines=4 bytes_asked=32 clocks=0 ideal_clocks=0
// expect: scalar_load@1 pattern="scalar" misaligned_lanes=0 split_lanes=0
// 64 bytes of one line.
// expect: scalar_load@2 bytes=64 requests=4 lines=4 ideal_lines=4 bytes_asked=256 bytes_moved=256 split_lanes=0 alignment=4096
// 64 bytes, from 32 bytes into a line on: two.
// expect: scalar_load@3 bytes=64 requests=4 lines=8 ideal_lines=4 excess_lines=4 bytes_moved=512 split_lanes=4 alignment=32
// The last dword of a line, and 16 bytes from 8 before its end on.
// expect: scalar_load@4 bytes=4 lines=4 ideal_lines=4 split_lanes=0 alignment=4
// expect: scalar_load@5 bytes=16 lines=8 ideal_lines=4 split_lanes=4 misaligned_lanes=0 alignment=8
// 32 bytes through a buffer resource, from byte 64 on.
// expect: scalar_load@6 bytes=32 lines=4 ideal_lines=4 alignment=64 pattern="scalar"
.amdhsa_code_object_version 5
.text
.globl scalars
.p2align 8
.type scalars,@function
scalars:                            // s[0:1] arguments
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dwordx16 s[16:31], s[4:5], 0x0
  s_load_dwordx16 s[32:47], s[4:5], 0x20
  s_load_dword s8, s[4:5], 0x3c
  s_load_dwordx4 s[8:11], s[4:5], 0x38
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s6, 4096                // s[4:7]: a resource, in bytes
  s_mov_b32 s7, 0x24fac
  s_buffer_load_dwordx8 s[16:23], s[4:7], 0x40
  s_waitcnt lgkmcnt(0)
  s_endpgm
.size scalars, . - scalars
.rodata
.p2align 6
.amdhsa_kernel scalars
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scalars
    .symbol: scalars.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 54
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
