# The tests: each takes a way to launch and the arguments of a row, and returns what the model says in the row's unit.
# `launch(text, suffix, **options)` runs a kernel under `crosslane launch --time` and returns the JSON's "timing".
import copies
import loads
import stencils
from kernels import assembly, looped, pointer, repeated


def empty(run, waves, *_):
    """ns for each workgroup of an empty kernel: the slope between two sizes."""
    text = assembly("", run.target)
    a, b = (run.launch(text, ".s", groups=n, block=64 * int(waves)) for n in (256, 1024))
    return (b["nanoseconds"] - a["nanoseconds"]) / 768


def empty_fixed(run, waves, *_):
    """us of an empty kernel that no workgroup accounts for."""
    text = assembly("", run.target)
    a, b = (run.launch(text, ".s", groups=n, block=64 * int(waves)) for n in (256, 1024))
    return (a["nanoseconds"] - 256 * (b["nanoseconds"] - a["nanoseconds"]) / 768) / 1e3


def cold_code(run, *_):
    """ns for each v_add_f32 of straight-line code that no cache has, one wave."""
    a, b = (run.launch(assembly(repeated("v_add_f32 v1, v2, v3", n), run.target), ".s", groups=1, block=64)
            for n in (256, 1024))
    return (b["nanoseconds"] - a["nanoseconds"]) / 768


def one_line(run, *_):
    """ns for each v_add_f32 within a line of code."""
    a, b = (run.launch(assembly(repeated("v_add_f32 v1, v2, v3", n), run.target), ".s", groups=1, block=64)
            for n in (97, 111))
    return (b["nanoseconds"] - a["nanoseconds"]) / 14


def dependent_loads(run, count, *_):
    """us of a kernel whose one wave loads so many lines of 64 bytes, one behind the other, in straight-line code."""
    body = pointer + "\n  v_mov_b32 v2, s8\n  v_mov_b32 v3, s9\n" + "\n".join(["""  flat_load_dword v4, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32 v2, vcc, 64, v2
  v_addc_u32 v3, vcc, 0, v3, vcc"""] * int(count))
    n = max(int(count) * 16 + 64, 64)
    return run.launch(assembly(body, run.target, arguments=["buffer"]), ".s", f"u32[{n}]", groups=1,
                      block=64)["nanoseconds"] / 1e3


def instructions_per_cycle(run, instruction, *_):
    """Instructions a cycle and compute unit: workgroups of 16 waves, a thousand times the same in each wave."""
    line = {"v_mov_b32": "v_mov_b32 v1, v2", "s_nop": "s_nop 0", "s_mov_b32": "s_mov_b32 s8, s9",
            "mfma": "v_mfma_f32_32x32x8bf16_1k a[0:15], v[2:3], v[4:5], a[0:15]"}[instruction]
    text = assembly(looped(repeated(line, 100), 10), run.target, vgprs=48 if instruction == "mfma" else 8)
    t = run.launch(text, ".s", groups=1040, block=1024)
    return t["instructions"] / t["cycles"] / t["compute_units"]


def lds_conflict(run, lanes, *_):
    """Cycles that LDS is busy with a load of so many lanes, all of another row of the same bank."""
    body = """  v_lshlrev_b32 v1, 7, v0
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)"""
    return run.launch(assembly(body, run.target, lds=16384), ".s", groups=1, block=int(lanes))["busy_cycles"]["lds"]


# What clpeak's multiplications and additions become: instructions, each with the number of operations of a lane, of two
# registers that depend on each other.
ARITHMETIC = {
    "f32": [("v_mac_f32 v{0}, v{1}, v{0}", 2)],
    "f64": [("v_fma_f64 v[{0}:{0}+1], v[{1}:{1}+1], v[{0}:{0}+1], v[{0}:{0}+1]", 2)],
    "int": [("v_mul_lo_u32 v{0}, v{1}, v{0}", 1), ("v_add_u32 v{0}, {carry}v{0}, v{1}", 1)],
    "int24": [("v_mad_u32_u24 v{0}, v{1}, v{0}, v{0}", 2)],
    "f16": [("v_mul_f16 v{0}, v{1}, v{0}", 1), ("v_add_f16 v{0}, v{0}, v{1}", 1)],
    "f16x2": [("v_pk_fma_f16 v{0}, v{1}, v{0}, v{0}", 4)],
    "f32x2": [("v_pk_fma_f32 v[{0}:{0}+1], v[{1}:{1}+1], v[{0}:{0}+1], v[{0}:{0}+1]", 4)],
    # 32 x 32 sums of 8 or of 2 products
    "matrix_bf16": [("v_mfma_f32_32x32x8bf16_1k v[8:23], v[2:3], v[4:5], v[8:23]", 256)],
    "matrix_f32": [("v_mfma_f32_32x32x2f32 v[8:23], v2, v4, v[8:23]", 64)],
    "matrix_i8": [("v_mfma_i32_32x32x8i8 v[8:23], v2, v4, v[8:23]", 256)],
}


def flops(run, kind, units=0, *_):
    """GFLOPS (or G operations) of multiplications and additions that depend on each other, two chains a work-item. `units`: of
    a card that has others than the row's. As many workgroups that nobody waits for the last ones, of fewer compute units."""
    few = 24
    run.use(run.card_with(clock=run.row.clock, compute_units=few))
    units, run.units = int(units) or run.units, few
    lines = ARITHMETIC[kind]
    text = "\n".join("  " + line for line, _ in lines)
    text = text.replace("{carry}", "" if run.target >= "gfx900" else "vcc, ")
    if run.target < "gfx800":
        text = text.replace("v_add_u32", "v_add_i32")
    body = "\n".join(text.format(*((2, 4) if i % 2 else (4, 2))) for i in range(32))
    groups, times = (few * 40, 4) if kind.startswith("matrix") else (few * 400, 16)
    t = run.launch(assembly(looped(body, times), run.target, vgprs=24), ".s", groups=groups, block=256)
    done = groups * 256 * times * 32 * sum(n for _, n in lines)
    return done * units / few / (t["nanoseconds"] - t["launch_nanoseconds"])


def l1_loads(run, how, kind, pattern, *_):
    """Cycles of a compute unit for a wave's load that hits L1: 64 lanes in a row, at one address or anywhere."""
    return loads.cycles(run, how, kind, pattern)


def strided_loads(run, stride, kind="float", *_):
    """Cycles for a wave's load that hits L1, lanes so many floats or doubles apart, one workgroup of 1024: eight loads at the
    places of gpu-benches."""
    size, load = {"float": (4, "dword v8"), "double": (8, "dwordx2 v[8:9]")}[kind]
    body = pointer + f"""
  v_and_b32 v0, 63, v0
  v_mul_u32_u24 v1, {size * int(stride)}, v0
""" + looped("\n".join(f"  buffer_load_{load}, v1, s[12:15], 0 offen offset:{size * at}" for at in (0, 4, 8, 12, 20, 16, 24, 28)) +
             "\n  s_waitcnt vmcnt(0)", 64)
    t = run.launch(assembly(body, run.target, arguments=["buffer"], vgprs=16), ".s", f"u32[{size // 4 * 64 * 65}]", groups=1,
                   block=1024)
    return t["cycles"] / (16 * 64 * 8)


def pointer_chase(run, kib, *_):
    """Cycles from a load to the next one, whose address it is: one lane, lines of 64 bytes in a random circle."""
    lines = max(int(kib) * 1024 // 64, 2)
    chain = run.circle(lines)
    load = "global_load_dword v1, v1, s[8:9]"
    def once(count):
        body = pointer + "\n  v_mov_b32 v1, 0\n" + looped((load + "\n  s_waitcnt vmcnt(0)\n  ") * 16, count // 16)
        return run.launch(assembly(body, run.target, arguments=["buffer"]), ".s", chain, groups=1, block=1)["cycles"]
    steps = max(lines // 16 * 16, 256)
    steps = min(steps, 1 << 18)
    return (once(2 * steps) - once(steps)) / steps


def clocked(run, where, *_):
    """Median of the cycles between two s_memtime around one load of one lane, as the kernel itself tells, in the manner of
    mt4g: which s_waitcnt stands between them, and that the load of LDS is not waited for, is as there."""
    both = 's_waitcnt lgkmcnt(0)\\n s_waitcnt vmcnt(0)\\n '
    between = {  # statements of which the asm is left to the compiler's order
        "l1": f"""asm volatile("{both}s_memtime %0\\n flat_load_dword %1, %3\\n {both}s_memtime %2\\n {both}"
            : "+s"(start), "+v"(index), "+s"(end), "+v"(at) : : "memory");""",
        "scalar": f"""asm volatile("{both}s_memtime %0\\n s_load_dword %2, %3, 0\\n {both}s_memtime %1\\n {both}"
            : "+s"(start), "+s"(end), "+s"(index), "+s"(first) : : "memory");""",
        "l2": "start = now(); index = load_past_l1(chain, index); end = now();",
        "dram": "start = now(); index = load_past_all(chain, index); end = now();",
        "lds": "start = now(); index = held[index]; end = now();",
    }[where]
    warm = {"l1": "index = chain[index];", "l2": "index = load_past_l1(chain, index);", "scalar": "index += first[0];"}
    count = 512 if where == "dram" else 256
    source = """
#include <hip/hip_runtime.h>
typedef unsigned long long u64;
__device__ inline u64 now() { u64 t; asm volatile("s_memtime %0\\n s_waitcnt lgkmcnt(0)" : "=s"(t)); return t; }
__device__ inline unsigned load_past_l1(unsigned* chain, unsigned i) {
  unsigned value; u64 at = (u64)chain + (u64)i * 4;
  asm volatile("flat_load_dword %0, %1 glc\\n s_waitcnt vmcnt(0)" : "=v"(value) : "v"(at) : "memory");
  return value;
}
__device__ inline unsigned load_past_all(unsigned* chain, unsigned i) {
  unsigned value; u64 at = (u64)chain + (u64)i * 4;
  asm volatile("flat_load_dword %0, %1 glc slc\\n s_waitcnt vmcnt(0)" : "=v"(value) : "v"(at));
  return value;
}
extern "C" __global__ void k(unsigned* chain, unsigned* told) {
  __shared__ u64 times[COUNT];
  __shared__ unsigned held[COUNT];
  unsigned* first = chain;
  unsigned index = 0;
  for (unsigned i = 0; i < COUNT; ++i) held[i] = (i + 1) % COUNT;
  for (unsigned i = 0; i < COUNT; ++i) { WARM }
  index = 0;
  for (unsigned i = 0; i < COUNT; ++i) {
    u64 start = 0, end = 0;
    unsigned* at = chain + index;
    BETWEEN
    times[i] = end - start;
  }
  for (unsigned i = 0; i < COUNT; ++i) told[i] = times[i];
  told[0] += index >> (index > 64 ? 31 : 30);
}""".replace("COUNT", str(count)).replace("WARM", warm.get(where, "")).replace(
        "BETWEEN", between)
    chain = run.circle(1 << 15, 1024, 4) if where == "dram" else run.chain(count + 1)
    told = run.printed(source, ".hip", "told", f"chain={chain}", f"told=u32[{count}]", groups=1, block=1)
    return sorted(told[1:])[count // 2]


def stream(run, kind, waves, *_):
    """GB/s of workgroups of so many waves whose LDS lets two into a compute unit; each work-item has one element of arrays
    that are larger than L2. What is never true keeps the LDS, as in gpu-benches."""
    body = {"init": "a[i] = 0.25;", "read": "const double s = b[i]; if (never || s == 123.0) a[i] = s + held[i];",
            "scale": "a[i] = b[i] * 1.5;", "triad": "a[i] = b[i] * 1.5 + c[i];",
            "3pt": "a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];",
            "5pt": "a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];"}[kind]
    beside = {"3pt": 1, "5pt": 2}.get(kind, 0)
    source = f"""
#include <hip/hip_runtime.h>
extern "C" __global__ void k(double* a, const double* __restrict__ b, const double* __restrict__ c, size_t n, bool never) {{
  __shared__ double held[4096];
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n - {beside}{f" || i < {beside}" if beside else ""}) return;
  if (never) held[threadIdx.x] = b[threadIdx.x];
  {body}
  if (never) a[i] = held[i];
}}"""
    n = 3 << 20  # 24 MiB each; what stays in L2 at the end is as much for both
    arrays = {"init": 1, "read": 1, "triad": 3}.get(kind, 2)
    a, b = (run.launch(source, ".hip", f"a=f64[{k}]", f"b=f64[{k}]", f"c=f64[{k}]", f"n={k}", "never=0", grid=k, block=64 * int(waves))
            for k in (n, 2 * n))
    return arrays * n * 8 / (b["nanoseconds"] - a["nanoseconds"])


def cache_read(run, kib, *_):
    """GB/s of workgroups of four waves, one a compute unit, that read the same buffer again and again: 16 bytes a work-item,
    up to 32 loads in a row, as in gpu-benches."""
    n = int(kib) * 64  # of 16 bytes
    loads = n // 256
    source = f"""
__attribute__((amdgpu_flat_work_group_size(1, 256))) kernel void k(global float4* a, global float4* b, uint zero, uint times) {{
  float4 s = 0;
  b += get_local_id(0);
#pragma unroll {1 if loads > 32 else 32 // loads}
  for (uint t = 0; t < times; ++t) {{
    b += zero;
#pragma unroll {32 if loads >= 64 else loads}
    for (uint i = 0; i < {n}; i += 256) s += b[i];
    s *= 1.3f;
  }}
  if (s.x + s.y + s.z + s.w == 1233.0f) a[get_local_id(0)] = s;
}}"""
    times = max(2, (1 << 15) // n)
    a, b = (run.launch(source, ".cl", "a=f32[1024]", f"b=f32[{4 * n}]", "zero=0", f"times={k}", grid=run.units * 256,
                       block=256) for k in (times, 2 * times))
    return run.units * n * 16 * times / (b["nanoseconds"] - a["nanoseconds"])


def copy(run, how, waves, unroll, memory_clock, where, *_):
    """GB/s, read and written, of one workgroup that copies 1 MiB, 16 bytes a work-item: `asm` with so many loads under way,
    `hip` a load and a store after the other. `resident`: L2 has all of it; `flushed`: nothing, and between launches it is
    told to write back all that it has. A host's clock counted it, so that launches are within; what is between those that
    flush takes 17 us, by the rows: times of one kernel over clocks go to 19.6 us for an endless clock."""
    waves, unroll = int(waves), int(unroll)
    bandwidth = 483.8 * float(memory_clock) / 945
    run.use(run.card_with(clock=run.row.clock, dram_bandwidth=bandwidth))
    text, suffix = copies.text(how, waves, unroll, run.target)
    once, twice = (run.launch(text, suffix, "a0=f32[262144]", "a1=f32[262144]", f"a2={n}", groups=1, block=64 * waves)
                   for n in (1, 2))
    if where == "resident":
        ns = twice["nanoseconds"] - once["nanoseconds"] + once["launch_nanoseconds"]
    else:
        ns = once["nanoseconds"] + 19.6e3 - once["launch_nanoseconds"]
    return 2 * (1 << 20) / ns


def laplacian(run, what, variant, tile, *_):
    """A stencil of seven points over 512^3 doubles: ms, GB read of memory, or per cent of L2's requests that hit it."""
    tile = int(tile)
    n = 512
    t = run.launch(stencils.text(variant, tile), ".hip", f"f=f64[{n**3}]", f"u=f64[{n**3}]", f"nx={n}", f"ny={n}", f"nz={n}",
                   "x=1", "y=1", "z=1", "c=-6", grid=f"{n},{n // tile},{n}", block=256, sampled=True)
    if what == "time":
        return (t["nanoseconds"] - t["launch_nanoseconds"]) / 1e6
    if what == "fetch":
        return t["memory"]["bytes_read"] / 1e9
    return 100 * t["l2"]["hits"] / (t["l2"]["hits"] + t["l2"]["misses"])
