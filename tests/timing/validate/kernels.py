# Kernels of the tests, written for the patterns that the measurements are about. Assembly, so that a compiler of
# another year does not change what is measured, but where the original was compiled as well.


def assembly(body, target, vgprs=32, sgprs=32, lds=0, arguments=()):
    """A kernel `k` with the work-item in v0, the workgroup in s6, its arguments at s[4:5]."""
    kinds = {"buffer": 8, "value": 4}
    offset, args = 0, []
    for kind in arguments:
        size = kinds[kind]
        offset = (offset + size - 1) // size * size
        what = "global_buffer, .address_space: global" if kind == "buffer" else "by_value"
        args.append(f"      - {{.name: a{len(args)}, .size: {size}, .offset: {offset}, .value_kind: {what}}}")
        offset += size
    size = max((offset + 7) // 8 * 8, 8)
    more = f"  .amdhsa_accum_offset {min((vgprs + 3) // 4 * 4, 32)}\n" if target == "gfx90a" else ""
    listed = "    .args:\n" + "\n".join(args) + "\n" if args else ""
    return f""".amdgcn_target "amdgcn-amd-amdhsa--{target}"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
  s_endpgm
.Lend:
.size k, .Lend-k

.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_kernarg_size {size}
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr {sgprs}
{more}.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {size}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: {sgprs}
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: 1024
{listed}.end_amdgpu_metadata
"""


def repeated(line, times):
    return "\n".join(["  " + line] * times)


def looped(body, times, counter="s20"):
    """Of bodies that do not write SCC where it is read."""
    return f"""  s_mov_b32 {counter}, {times}
loop:
{body}
  s_sub_u32 {counter}, {counter}, 1
  s_cmp_lg_u32 {counter}, 0
  s_cbranch_scc1 loop"""


# Pointers of a buffer argument: s[8:9], and as a buffer resource of 4 GiB: s[12:15].
pointer = """  s_load_dwordx2 s[8:9], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s8
  s_mov_b32 s13, s9
  s_mov_b32 s14, -1
  s_mov_b32 s15, 0x24000"""
