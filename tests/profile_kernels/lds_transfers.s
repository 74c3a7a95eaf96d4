// Buffer accesses whose data goes to LDS or comes from there, without a register between: each is an access to memory and one to
// LDS, to be seen by both views at one instruction. One wavefront; lane l has dword l of LDS from M0 on.
// targets: gfx803 gfx900
//
// launch: --kernel transfers --grid 64 --block 64 in=u32[1024]
// Dwords at a stride of 8 bytes: 8 * 63 + 3 = 507, 8 lines. Into 64 dwords of LDS in a row, which two halves of the wavefront fill
// without a conflict: 2 cycles.
// expect: load@1 bytes=4 requests=1 lanes=64 lines=8 ideal_lines=4 clocks=16 pattern="stride 8 bytes"
// expect: lds_store@1 bytes=4 accesses=1 lanes=64 cycles=2 ideal_cycles=2 worst_degree=1
// Bytes at a stride of 4, 4 lines for what one could hold: dwords of LDS all the same. The buffer ends after 128 bytes: lanes 32 to 63
// are outside. Those load no memory, and write 0 to LDS.
// expect: load@2 bytes=1 requests=1 lanes=32 lines=2 ideal_lines=1 bytes_asked=32 pattern="stride 4 bytes"
// expect: lds_store@2 bytes=4 accesses=1 lanes=64 cycles=2
// All lanes' dwords of LDS to one place.
// expect: lds_load@1 bytes=4 accesses=1 lanes=64 cycles=2
// expect: store@1 bytes=4 requests=1 lanes=64 lines=1 pattern="broadcast"
// LDS has 1024 bytes, of which M0 leaves 64: lanes 0 to 15, and others would fault.
// expect: load@3 lanes=16 lines=2 pattern="stride 8 bytes"
// expect: lds_store@3 accesses=1 lanes=16 cycles=2
.amdhsa_code_object_version 5
.text
.globl transfers
.p2align 8
.type transfers,@function
transfers:                          // s[0:1] arguments, v0 work-item
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_movk_i32 s10, 4096
  s_mov_b32 s11, 0x24fac
  v_lshlrev_b32 v1, 3, v0
  v_lshlrev_b32 v2, 2, v0
  s_movk_i32 m0, 256
  s_waitcnt lgkmcnt(0)
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_movk_i32 s10, 128
  buffer_load_ubyte v2, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  buffer_store_lds_dword s[8:11], 0 offset:64 lds
  s_movk_i32 s10, 4096
  s_movk_i32 m0, 960
  s_mov_b64 exec, 0xffff
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  s_endpgm
.size transfers, . - transfers
.rodata
.p2align 6
.amdhsa_kernel transfers
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 8
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: transfers
    .symbol: transfers.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
