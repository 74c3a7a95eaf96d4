# One workgroup that copies 1 MiB, 16 bytes a work-item and step: as assembly with several loads under way, where each store
# waits for the load that it is of and for no later one, or as what the HIP compiler of 2018 is taken to have made of the same
# loop: FLAT instructions, and a wait for all that is under way behind each.
from kernels import assembly

SIZE = 1 << 20


def advance(address, step):
    return f"""  v_add_co_u32 v{address}, vcc, {step}, v{address}
  v_addc_co_u32 v{address + 1}, vcc, 0, v{address + 1}, vcc"""


def text(how, waves, unroll, target):
    if how == "hip":
        return compiled(waves, unroll, target), ".s"
    stride, steps = waves * 64 * 16, SIZE // (waves * 64 * 16)
    held = [f"v[{8 + 4 * i}:{11 + 4 * i}]" for i in range(unroll)]
    load = [f"  global_load_dwordx4 {v}, v[2:3], off" for v in held]
    store = [f"  global_store_dwordx4 v[4:5], {v}, off" for v in held]
    step = "s7"
    first = "\n".join(f"{l}\n{advance(2, step)}" for l in load)

    def move(i, waits):
        return f"  s_waitcnt vmcnt({waits})\n{store[i]}\n{advance(4, step)}\n{load[i]}\n{advance(2, step)}"

    # A load is waited for when as many have followed it as are under way, first without stores among them.
    begin = "\n".join(move(i, unroll - 1 + i) for i in range(unroll))
    among = "\n".join(move(i, 2 * unroll - 2) for i in range(unroll))
    last = "\n".join(f"  s_waitcnt vmcnt({2 * unroll - 2 - i})\n{store[i]}\n{advance(4, step)}" for i in range(unroll))
    loops = steps // unroll - 2
    body = f"""  s_load_dwordx4 s[8:11], s[4:5], 0x0
  s_load_dword s18, s[4:5], 0x10
  s_mov_b32 s7, {stride}
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
again:
  v_mov_b32 v3, s9
  v_add_co_u32 v2, vcc, s8, v1
  v_addc_co_u32 v3, vcc, 0, v3, vcc
  v_mov_b32 v5, s11
  v_add_co_u32 v4, vcc, s10, v1
  v_addc_co_u32 v5, vcc, 0, v5, vcc
{first}
{begin}
  s_mov_b32 s19, {loops}
  s_cmp_eq_u32 s19, 0
  s_cbranch_scc1 rest
loop:
{among}
  s_sub_u32 s19, s19, 1
  s_cmp_lg_u32 s19, 0
  s_cbranch_scc1 loop
rest:
{last}
  s_sub_u32 s18, s18, 1
  s_cmp_lg_u32 s18, 0
  s_cbranch_scc1 again"""
    return assembly(body, target, vgprs=8 + 4 * unroll, arguments=["buffer", "buffer", "value"]), ".s"


def compiled(waves, unroll, target):
    stride, steps = waves * 64 * 16, SIZE // (waves * 64 * 16)
    wait = "  s_waitcnt vmcnt(0) lgkmcnt(0)"
    move = f"""  flat_load_dwordx4 v[8:11], v[2:3]
{wait}
  flat_store_dwordx4 v[4:5], v[8:11]
{wait}
{advance(2, "s7")}
{advance(4, "s7")}
"""
    body = f"""  s_load_dwordx4 s[8:11], s[4:5], 0x0
  s_load_dword s18, s[4:5], 0x10
  s_mov_b32 s7, {stride}
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
again:
  v_mov_b32 v3, s9
  v_add_co_u32 v2, vcc, s8, v1
  v_addc_co_u32 v3, vcc, 0, v3, vcc
  v_mov_b32 v5, s11
  v_add_co_u32 v4, vcc, s10, v1
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  s_mov_b32 s19, {steps // unroll}
loop:
{move * unroll}  s_sub_u32 s19, s19, 1
  s_cmp_lg_u32 s19, 0
  s_cbranch_scc1 loop
  s_sub_u32 s18, s18, 1
  s_cmp_lg_u32 s18, 0
  s_cbranch_scc1 again"""
    return assembly(body, target, vgprs=16, arguments=["buffer", "buffer", "value"])
