// Kernels without metadata, every descriptor directive off its default, unsized labels, symbolic and undefined references.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+"
  .text
  .globl first
  .p2align 8
  .type first,@function
first:
  s_mov_b32 s0, 1
inner_label:
  s_endpgm
.Lend:
  .size first, .Lend-first

  .globl second
  .p2align 8
second:                       // no type, no size
  s_nop 1
  .globl helper
helper:
  s_setpc_b64 s[30:31]

  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel first
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_private_segment_fixed_size 96
    .amdhsa_kernarg_size 48
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_queue_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_dispatch_id 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_user_sgpr_private_segment_size 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_sgpr_workgroup_id_x 0
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_sgpr_workgroup_id_z 1
    .amdhsa_system_sgpr_workgroup_info 1
    .amdhsa_system_vgpr_workitem_id 2
    .amdhsa_next_free_vgpr 37
    .amdhsa_next_free_sgpr 50
    .amdhsa_reserve_vcc 1
    .amdhsa_float_round_mode_32 1
    .amdhsa_float_round_mode_16_64 2
    .amdhsa_float_denorm_mode_32 3
    .amdhsa_float_denorm_mode_16_64 1
    .amdhsa_dx10_clamp 0
    .amdhsa_ieee_mode 0
    .amdhsa_fp16_overflow 1
    .amdhsa_exception_fp_ieee_invalid_op 1
    .amdhsa_exception_fp_denorm_src 1
    .amdhsa_exception_fp_ieee_div_zero 1
    .amdhsa_exception_fp_ieee_overflow 1
    .amdhsa_exception_fp_ieee_underflow 1
    .amdhsa_exception_fp_ieee_inexact 1
    .amdhsa_exception_int_div_zero 1
    .amdhsa_uses_dynamic_stack 1
  .end_amdhsa_kernel
  .amdhsa_kernel second
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
  .end_amdhsa_kernel

  .data
  .globl preemptible
  .type preemptible,@object
  .p2align 3
preemptible:
  .quad 0x1122334455667788
  .size preemptible, 8
  .globl references
  .type references,@object
references:
  .quad preemptible+4         // R_AMDGPU_ABS64, defined
  .quad external+16           // R_AMDGPU_ABS64, undefined
  .weak maybe
  .quad maybe                 // R_AMDGPU_ABS64, weak and undefined
  .quad local                 // R_AMDGPU_RELATIVE64
  .quad 0xdeadbeefdeadbeef
  .size references, 40
local:
  .quad 5
