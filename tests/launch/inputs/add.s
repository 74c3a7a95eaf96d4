; add: c[i] = a[i] + b[i]. far: c[i + 1 GiB] = 0, where nothing is. Both for one wave.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.text
	.globl	add
	.p2align	8
	.type	add,@function
add:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[6:7], s[4:5], 0x10
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v2
	global_store_dword v0, v1, s[6:7]
	s_endpgm
	.size	add, .-add

	.globl	far
	.p2align	8
	.type	far,@function
far:
	s_load_dwordx2 s[6:7], s[4:5], 0x10
	v_lshlrev_b32_e32 v0, 2, v0
	v_add_u32_e32 v0, 0x40000000, v0
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[6:7]
	s_endpgm
	.size	far, .-far

	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel add
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
	.p2align	6
	.amdhsa_kernel far
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .args:
      - { .name: a, .type_name: "float*", .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: b, .type_name: "float*", .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: c, .type_name: "float*", .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 3
    .max_flat_workgroup_size: 64
  - .name: far
    .symbol: far.kd
    .args:
      - { .name: a, .type_name: "float*", .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: b, .type_name: "float*", .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: c, .type_name: "float*", .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 2
    .max_flat_workgroup_size: 64
...
	.end_amdgpu_metadata
