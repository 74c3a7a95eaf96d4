// FLAT accesses of one wavefront of which lanes 0 to 31 reach LDS, at byte 8 l, and lanes 32 to 63 global memory, at byte
// 4 l of `data`. Each instruction is two accesses, to be seen by both views.
// LDS: dwords 0, 2 ... 62, lanes l and l + 16 in one bank: a cycle more than the 2 of a load and the 4 of a store, which the
// other half of the wavefront, that takes no part, does not make less. Global memory: bytes 128 to 255, 2 lines of 64.
// targets: gfx900 gfx906
//
// launch: --kernel both --grid 64 --block 64 data=u32[1024]
// expect: store@1 bytes=4 requests=1 lanes=32 lines=2 ideal_lines=2 bytes_asked=128
// expect: load@1 bytes=4 requests=1 lanes=32 lines=2 ideal_lines=2 bytes_asked=128
// expect: lds_store@1 bytes=4 accesses=1 lanes=32 cycles=5 ideal_cycles=4 worst_lanes=0,16 worst_addresses=0,128
// expect: lds_load@1 bytes=4 accesses=1 lanes=32 cycles=3 ideal_cycles=2 broadcasts=0
//
.amdhsa_code_object_version 5
.text
.globl both
.p2align 8
.type both,@function
both:                               // s[4:5] arguments, v0 work-item
  s_load_dwordx2 s[8:9], s[4:5], 0x0
  s_mov_b64 s[10:11], src_shared_base
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, s8, v1              // the buffer begins at a page: no carry
  v_mov_b32 v3, s9
  s_mov_b64 exec, 0xffffffff
  v_lshlrev_b32 v2, 3, v0
  v_mov_b32 v3, s11
  s_mov_b64 exec, -1
  flat_store_dword v[2:3], v0
  flat_load_dword v4, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.size both, . - both

.rodata
.p2align 6
.amdhsa_kernel both
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 8
  .amdhsa_group_segment_fixed_size 512
  .amdhsa_next_free_vgpr 5
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: both
    .symbol: both.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - {.name: data, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
