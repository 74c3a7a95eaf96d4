; out[lane] = lane + n, of a kernel without metadata: arguments are out, n.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.text
	.globl	plain
	.p2align	8
	.type	plain,@function
plain:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_load_dword s2, s[4:5], 0x8
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, s2, v0
	global_store_dword v1, v0, s[0:1]
	s_endpgm
.Lend:
	.size	plain, .Lend-plain
	.section	.rodata
	.p2align	6
	.amdhsa_kernel plain
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
