// SCRATCH instructions, which gfx8 does not have. One wavefront; 64 bytes a lane, interleaved: dword d of all lanes is 256 bytes.
// Sites are in the order of the code.
//
// targets: gfx900 gfx906
// launch: --kernel scratch --grid 64 --block 64 out=u32[1024]
// A dword at byte 8 of every lane's: row 2, 4 lines.
// expect: scratch_store@1 bytes=4 requests=1 lanes=64 lines=4 ideal_lines=4 clocks=4 quads_one_block=4 pattern="contiguous"
// 16 bytes at byte 16: rows 4 to 7.
// expect: scratch_store@2 bytes=16 lines=16 ideal_lines=16 bytes_asked=1024 clocks=16 wide=4 pattern="contiguous"
// A byte at byte 17: the second of each dword in row 4, 4 lines for 64 bytes.
// expect: scratch_load@1 bytes=1 lines=4 ideal_lines=1 clocks=4 pattern="contiguous"
// 2 bytes at byte 3: the last of row 0 and the first of row 1. 128 bytes; 8 lines.
// expect: scratch_load@2 bytes=2 lines=8 ideal_lines=2 misaligned_lanes=64 split_lanes=0 clocks=4
// Lane l at dword l % 4: rows 0 to 3, 16 lanes each, of which 4 share a line: 16 lines. Two dwords: rows 0 to 4. Line b of a row
// has lanes 16 b to 16 b + 15, some at each of its dwords: all 5 * 4 lines.
// expect: scratch_load@3 bytes=4 lines=16 ideal_lines=4 clocks=16 separate_quads=4
// expect: scratch_load@4 bytes=8 lines=20 ideal_lines=8 clocks=16 wide=4
.amdhsa_code_object_version 5
.text
.globl scratch
.p2align 8
.type scratch,@function
scratch:                            // s[0:1] flat scratch, s[2:3] arguments, s4 scratch offset, v0 work-item
  s_add_u32 flat_scratch_lo, s0, s4
  s_addc_u32 flat_scratch_hi, s1, 0
  s_mov_b32 s8, 0
  scratch_store_dword off, v0, s8 offset:8
  scratch_store_dwordx4 off, v[4:7], s8 offset:16
  scratch_load_ubyte v8, off, s8 offset:17
  scratch_load_ushort v8, off, s8 offset:3
  v_and_b32 v1, 3, v0
  v_lshlrev_b32 v1, 2, v1
  scratch_load_dword v8, v1, off
  scratch_load_dwordx2 v[8:9], v1, off
  s_waitcnt vmcnt(0)
  s_endpgm
.size scratch, . - scratch
.rodata
.p2align 6
.amdhsa_kernel scratch
  .amdhsa_user_sgpr_flat_scratch_init 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 0
  .amdhsa_system_sgpr_private_segment_wavefront_offset 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_private_segment_fixed_size 64
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scratch
    .symbol: scratch.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 64
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
