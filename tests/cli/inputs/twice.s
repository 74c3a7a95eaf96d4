; out[i] = 2 * in[i], doubled again above 4. No metadata: arguments come with their types.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
	.text
	.globl	twice
	.p2align	8
	.type	twice,@function
twice:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v1
	v_cmp_lt_f32_e32 vcc, 4.0, v1
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .Lend
	v_add_f32_e32 v1, v1, v1
.Lend:
	s_or_b64 exec, exec, s[6:7]
	global_store_dword v0, v1, s[2:3]
	s_endpgm
	.size	twice, .-twice
	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel twice
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
