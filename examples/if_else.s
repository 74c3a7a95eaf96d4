// The if/else of a wavefront, by hand: the instruction sequence that a compiler emits for
//     A; if (condition) { B; } else { C; } D;
// with EXEC saved, split and restored, and both sides skipped when no lane is left. One source for gfx803, gfx900 and gfx906.
//   if_else       condition x < limit: limit 32 divides each wavefront into two halves (divergent)
//   if_else_above condition x > limit: limit 63 sends all 64 lanes to the else side (not divergent)
// A: v = in[i]   B: v = 2 * v + 1   C: v = v ^ 0xff   D: out[i] = v       x: work-item id in its workgroup, i: in the grid
// Arguments: uint* in, uint* out, uint limit. The grid is a multiple of the workgroup, and no longer than the buffers.
.amdhsa_code_object_version 5
.text

.macro add_address lo, hi, base_lo, base_hi, offset   // v[lo:hi] = s[base] + v[offset]; the carry-out add changed its name in gfx9
  v_mov_b32 v\hi, s\base_hi
.if .amdgcn.gfx_generation_number >= 9
  v_add_co_u32 v\lo, vcc, s\base_lo, v\offset
  v_addc_co_u32 v\hi, vcc, 0, v\hi, vcc
.else
  v_add_u32 v\lo, vcc, s\base_lo, v\offset
  v_addc_u32 v\hi, vcc, 0, v\hi, vcc
.endif
.endm

.macro load_element                 // v1 = byte offset of element i, v4 = in[i], s0 = limit
  s_load_dword s9, s[4:5], 0x4      // workgroup size x, y as halves
  s_load_dwordx4 s[12:15], s[6:7], 0x0
  s_load_dword s0, s[6:7], 0x10
  s_waitcnt lgkmcnt(0)
  s_and_b32 s9, s9, 0xffff
  s_mul_i32 s8, s8, s9
.if .amdgcn.gfx_generation_number >= 9
  v_add_u32 v1, s8, v0
.else
  v_add_u32 v1, vcc, s8, v0
.endif
  v_lshlrev_b32 v1, 2, v1
  add_address 2, 3, 12, 13, 1
  flat_load_dword v4, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
.endm

.macro store_element                // out[i] = v4
  add_address 2, 3, 14, 15, 1
  flat_store_dword v[2:3], v4
.endm

.macro describe name                // the kernel descriptor
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size 24
  .amdhsa_next_free_vgpr 5
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.text
.endm

.globl if_else
.p2align 8
.type if_else,@function
if_else:                            // s[4:5] dispatch packet, s[6:7] arguments, s8 workgroup, v0 work-item
  load_element                      // A
  v_cmp_gt_i32 vcc, s0, v0          // limit > x
  s_and_saveexec_b64 s[2:3], vcc    // exec = IF MASK, s[2:3] = OLD MASK
  s_xor_b64 s[2:3], exec, s[2:3]    // s[2:3] = ELSE MASK
  s_cbranch_execz Lelse             // no lane takes the if
  v_lshlrev_b32 v4, 1, v4           // B
  v_or_b32 v4, 1, v4
Lelse:
  s_or_saveexec_b64 s[2:3], s[2:3]  // exec = OLD MASK, s[2:3] = IF MASK
  s_xor_b64 exec, exec, s[2:3]      // exec = ELSE MASK
  s_cbranch_execz Ljoin             // no lane takes the else
  v_xor_b32 v4, 0xff, v4            // C
Ljoin:
  s_or_b64 exec, exec, s[2:3]       // exec = OLD MASK
  store_element                     // D
  s_endpgm
.size if_else, . - if_else
describe if_else

.globl if_else_above
.p2align 8
.type if_else_above,@function
if_else_above:                      // s[4:5] dispatch packet, s[6:7] arguments, s8 workgroup, v0 work-item
  load_element                      // A
  v_cmp_lt_i32 vcc, s0, v0          // limit < x
  s_and_saveexec_b64 s[2:3], vcc    // exec = IF MASK, s[2:3] = OLD MASK
  s_xor_b64 s[2:3], exec, s[2:3]    // s[2:3] = ELSE MASK
  s_cbranch_execz Labove_else       // no lane takes the if
  v_lshlrev_b32 v4, 1, v4           // B
  v_or_b32 v4, 1, v4
Labove_else:
  s_or_saveexec_b64 s[2:3], s[2:3]  // exec = OLD MASK, s[2:3] = IF MASK
  s_xor_b64 exec, exec, s[2:3]      // exec = ELSE MASK
  s_cbranch_execz Labove_join       // no lane takes the else
  v_xor_b32 v4, 0xff, v4            // C
Labove_join:
  s_or_b64 exec, exec, s[2:3]       // exec = OLD MASK
  store_element                     // D
  s_endpgm
.size if_else_above, . - if_else_above
describe if_else_above

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: if_else
    .symbol: if_else.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 5
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: limit, .size: 4, .offset: 16, .value_kind: by_value}
  - .name: if_else_above
    .symbol: if_else_above.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 5
    .max_flat_workgroup_size: 1024
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: limit, .size: 4, .offset: 16, .value_kind: by_value}
.end_amdgpu_metadata
