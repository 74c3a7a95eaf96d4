// MUBUF and MTBUF: what lanes reach through a buffer resource. One wavefront; the resource is made from the first argument.
// Sites are in the order of the code.
//
// launch: --kernel raw --grid 64 --block 64 in=u32[1024] out=u32[1024]
// All lanes, a dword each, side by side: 4 lines.
// expect: load@1 bytes=4 requests=1 lanes=64 lines=4 ideal_lines=4 clocks=4 quads_one_block=4 pattern="contiguous" alignment=4096
// The same, 256 + 4 bytes on (instruction and scalar offset): 5 lines.
// expect: load@2 lanes=64 lines=5 ideal_lines=4 misaligned_lanes=0 clocks=4 pattern="contiguous" alignment=4
// The buffer ends after 160 bytes: lanes 0 to 39 are within, 2.5 lines. Groups of 16: two full ones and one of 8 lanes.
// expect: load@3 lanes=40 lines=3 ideal_lines=3 bytes_asked=160 clocks=3 ideal_clocks=3 pattern="contiguous"
// 16 bytes at 16 bytes.
// expect: load@4 bytes=16 lanes=64 lines=16 ideal_lines=16 clocks=16 wide=4 pattern="contiguous"
// Without an address all lanes are at the resource's base.
// expect: load@5 lanes=64 lines=1 ideal_lines=1 clocks=4 same_address=4 pattern="broadcast"
// Bytes at a stride of 4: 256 bytes hold them, 64 would.
// expect: load@6 bytes=1 lines=4 ideal_lines=1 clocks=16 separate_quads=4 pattern="stride 4 bytes"
// expect: store@1 bytes=4 lines=4 ideal_lines=4 l2_operations=4 clocks=4 pattern="contiguous"
// All lanes add to one dword.
// expect: atomic@1 lines=1 l2_operations=64 address_collisions=63 clocks=4 pattern="broadcast"
//
// launch: --kernel structured --grid 64 --block 64 in=u32[1024] out=u32[1024]
// Records of 12 bytes, one dword of each: the last begins at 63 * 12 = 756, in line 11, and no line is left out: 12 lines. A quad
// spans 40 bytes.
// expect: load@1 bytes=4 lanes=64 lines=12 ideal_lines=4 clocks=16 separate_quads=4 pattern="stride 12 bytes"
// The same two dwords on: byte 756 + 8 + 3 = 767, the last of line 11.
// expect: load@2 bytes=4 lines=12 ideal_lines=4 pattern="stride 12 bytes"
// A format with one channel of 32 bits is like a dword.
// expect: load@3 bytes=4 lines=12 ideal_lines=4 clocks=16 separate_quads=4
// Two channels of 32 bits: 8 of every 12 bytes. All 12 lines, the ideal is 8.
// expect: load@4 bytes=8 lines=12 ideal_lines=8 clocks=16 wide=4
// Four channels of 8 bits, 4 bytes: several channels go by quads, however narrow they are.
// expect: load@5 bytes=4 lines=12 ideal_lines=4 clocks=16 ideal_clocks=16 wide=4
.amdhsa_code_object_version 5
.text

.macro start                        // s[0:1] arguments, v0 work-item; s[8:11] a resource for `in`, s[12:15] for `out`
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_mov_b32 s10, 4096               // bytes
  s_mov_b32 s11, 0x24fac            // 32 bits, unsigned, channels x y z w
  s_mov_b32 s12, s6
  s_mov_b32 s13, s7
  s_mov_b32 s14, s10
  s_mov_b32 s15, s11
  v_lshlrev_b32 v1, 2, v0
  v_lshlrev_b32 v2, 4, v0
.endm

.macro describe name
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

.globl raw
.p2align 8
.type raw,@function
raw:
  start
  buffer_load_dword v4, v1, s[8:11], 0 offen
  s_movk_i32 s16, 256
  buffer_load_dword v5, v1, s[8:11], s16 offen offset:4
  s_movk_i32 s10, 160
  buffer_load_dword v6, v1, s[8:11], 0 offen
  s_movk_i32 s10, 4096
  buffer_load_dwordx4 v[8:11], v2, s[8:11], 0 offen
  buffer_load_dword v7, off, s[8:11], 0
  buffer_load_ubyte v7, v1, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  buffer_store_dword v4, v1, s[12:15], 0 offen
  buffer_atomic_add v4, off, s[12:15], 0
  s_endpgm
.size raw, . - raw
describe raw

.globl structured
.p2align 8
.type structured,@function
structured:
  start
  s_or_b32 s9, s9, 12 << 16         // bytes of a record
  buffer_load_dword v4, v0, s[8:11], 0 idxen
  buffer_load_dword v5, v0, s[8:11], 0 idxen offset:8
  buffer_load_format_x v4, v0, s[8:11], 0 idxen
  s_mov_b32 s11, 0x5cfac            // 32_32
  buffer_load_format_xy v[4:5], v0, s[8:11], 0 idxen
  s_mov_b32 s11, 0x54fac            // 8_8_8_8
  buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen
  s_waitcnt vmcnt(0)
  s_endpgm
.size structured, . - structured
describe structured

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: raw
    .symbol: raw.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
  - .name: structured
    .symbol: structured.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
