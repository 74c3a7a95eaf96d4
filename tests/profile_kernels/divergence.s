// Branches and loops whose lanes part, without memory. Lost lane-cycles: a lane that idles in an instruction of full rate
// wastes 1, in v_rcp_f32, which takes four times as long, 4.
//
// if_else: A; if (x < 32) { B; } else { C; } D; with x the work-item in its workgroup. Vector instructions 1: A, 2: B,
// 3: C (v_rcp_f32), 4: D. Branches 1: s_and_saveexec, 2: execz before B, 3: s_or_saveexec, 4: execz before C.
//
// Three wavefronts, half of the lanes each way: 32 idle lanes of 3 wavefronts in B and C. No wavefront skips a side. The
// saveexec instructions count lanes that go on: s_and_saveexec 32 of 64, s_or_saveexec all 64 of those 32 arriving.
// launch: --kernel if_else --grid 192 --block 64
// expect: valu@1 executions=3 lanes=192 diverged_lanes=0 missing_lanes=0 lost_lane_cycles=0 lost_to_partial_waves=0
// expect: valu@2 executions=3 lanes=96 diverged_lanes=96 missing_lanes=0 lost_lane_cycles=96
// expect: valu@3 executions=3 lanes=96 diverged_lanes=96 missing_lanes=0 lost_lane_cycles=384
// expect: valu@4 executions=3 lanes=192 diverged_lanes=0 lost_lane_cycles=0
// expect: branch@1 executions=3 agreements=0 divergences=3 arriving_lanes=192 condition_lanes=96 per_lane=true
// expect: branch@2 executions=3 agreements=3 divergences=0 per_lane=false
// expect: branch@4 executions=3 agreements=3 divergences=0 per_lane=false
//
// Workgroups of 80: wavefronts of 64 and of 16 lanes, work-items 64 to 79, which all go to C. Two of each. In C lanes 32
// to 63 of the first wavefronts idle (2 * 32), and 48 lanes of the second do not exist (2 * 48).
// launch: --kernel if_else --grid 160 --block 80
// expect: valu@1 executions=4 lanes=160 diverged_lanes=0 missing_lanes=96 lost_lane_cycles=0 lost_to_partial_waves=96
// expect: valu@2 executions=2 lanes=64 diverged_lanes=64 missing_lanes=0 lost_lane_cycles=64 lost_to_partial_waves=0
// expect: valu@3 executions=4 lanes=96 diverged_lanes=64 missing_lanes=96 lost_lane_cycles=256 lost_to_partial_waves=384
// expect: valu@4 executions=4 lanes=160 diverged_lanes=0 missing_lanes=96 lost_to_partial_waves=96
// expect: branch@1 executions=4 all=0 none=2 divergences=2 arriving_lanes=160 condition_lanes=64
//
// if_else_above: the condition is x > 63, which no lane of a workgroup of 64 meets: all agree, and B is skipped. It is not
// executed, so that instruction 2 is C.
// launch: --kernel if_else_above --grid 192 --block 64
// expect: valu@1 executions=3 lanes=192 diverged_lanes=0
// expect: valu@2 executions=3 lanes=192 diverged_lanes=0 missing_lanes=0 lost_lane_cycles=0
// expect: valu@3 executions=3 lanes=192 diverged_lanes=0 lost_lane_cycles=0
// expect: branch@1 executions=3 all=0 none=3 agreements=3 divergences=0 arriving_lanes=192 condition_lanes=0
//
// nested: lane l goes through the outer loop (l & 3) + 1 times, and through the inner one 3 times in each. Rounds 1 to 4 of the
// outer loop have 64, 48, 32 and 16 lanes; 160 lanes, and 96 idle ones, in each of the two wavefronts. Instructions 1: before
// the loops, 2: inner, 3 and 4: outer, 5: after. Branch 1 is the inner loop's, of the wavefront as a whole: 4 rounds of 3 in
// 2 wavefronts. Branch 2 is the outer loop's, while lanes are left.
// launch: --kernel nested --grid 128 --block 64
// expect: valu@1 executions=2 lanes=128 diverged_lanes=0
// expect: valu@2 executions=24 lanes=960 diverged_lanes=576 missing_lanes=0 lost_lane_cycles=576
// expect: valu@3 executions=8 lanes=320 diverged_lanes=192 lost_lane_cycles=192
// expect: valu@4 executions=8 lanes=320 diverged_lanes=192 lost_lane_cycles=192
// expect: valu@5 executions=2 lanes=128 diverged_lanes=0 lost_lane_cycles=0
// expect: branch@1 executions=24 agreements=24 divergences=0 per_lane=false
// expect: branch@3 executions=8 agreements=8 divergences=0 per_lane=false
// Between them lanes leave the outer loop, in 3 of 4 rounds some of them; in the last round the last 16.
// expect: branch@2 executions=8 all=0 none=2 divergences=6 arriving_lanes=320 condition_lanes=192 per_lane=true
.amdhsa_code_object_version 5
.text

.macro kernel name                  // v0: work-item in its workgroup
.globl \name
.p2align 8
.type \name,@function
\name:
.endm

.macro describe name
.size \name, . - \name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.text
.endm

.macro both_sides                   // VCC: who takes B
  s_and_saveexec_b64 s[2:3], vcc    // exec = IF MASK, s[2:3] = OLD MASK
  s_xor_b64 s[2:3], exec, s[2:3]    // s[2:3] = ELSE MASK
  s_cbranch_execz Lelse\@
  v_lshlrev_b32 v4, 1, v0           // B
Lelse\@:
  s_or_saveexec_b64 s[2:3], s[2:3]  // exec = OLD MASK, s[2:3] = IF MASK
  s_xor_b64 exec, exec, s[2:3]      // exec = ELSE MASK
  s_cbranch_execz Ljoin\@
  v_rcp_f32 v4, v4                  // C
Ljoin\@:
  s_or_b64 exec, exec, s[2:3]       // exec = OLD MASK
  v_mov_b32 v5, v4                  // D
  s_endpgm
.endm

kernel if_else
  v_cmp_gt_u32 vcc, 32, v0          // A
  both_sides
describe if_else

kernel if_else_above
  v_cmp_lt_u32 vcc, 63, v0          // A
  both_sides
describe if_else_above

kernel nested
  v_and_b32 v1, 3, v0
  s_mov_b64 s[4:5], exec
  s_mov_b32 s11, 0
Louter:
  s_mov_b32 s10, 3
Linner:
  v_mov_b32 v3, v0
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 Linner
  v_mov_b32 v4, v0
  s_add_u32 s11, s11, 1
  v_cmp_le_u32 vcc, s11, v1         // rounds so far <= l & 3
  s_and_b64 exec, exec, vcc
  s_cbranch_execnz Louter
  s_mov_b64 exec, s[4:5]
  v_mov_b32 v5, v0
  s_endpgm
describe nested

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: if_else, .symbol: if_else.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 22, .vgpr_count: 6, .max_flat_workgroup_size: 1024}
  - {.name: if_else_above, .symbol: if_else_above.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 22, .vgpr_count: 6, .max_flat_workgroup_size: 1024}
  - {.name: nested, .symbol: nested.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 22, .vgpr_count: 6, .max_flat_workgroup_size: 1024}
.end_amdgpu_metadata
