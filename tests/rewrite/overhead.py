#!/usr/bin/env python3
"""What probes cost: the cycle model's time of kernels with divergence probes, and without.

    overhead.py CROSSLANE [--gpu CARD]

Kernels of examples/, at sizes that fill a card or come near it. Prints a table for docs/instrumentation.md.
"""
import argparse, math, os, re, subprocess, tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KERNELS = """
vector_add.cl --grid 1048576 a=f32[1048576]:1 b=f32[1048576]:2 c=f32[1048576] n=1048576
if_else.cl --grid 262144 --block 256 in=u32[262144]:random:1 out=u32[786432] limit=32 n=262144
reduce_tree.cl --grid 262144 --block 256 in=f32[262144]:1 partial=f32[1024] n=262144 scratch=lds:1024
histogram.cl --kernel histogram_local --grid 65536 --block 256 values=u32[262144]:iota counts=u32[256] n=262144
bitonic_sort.cl --kernel bitonic_local --grid 65536 keys=u32[131072]:random:3
matmul_naive.cl --grid 256,256 --block 16,16 a=f32[256,256]:1 b=f32[256,256]:0.5 c=f32[256,256] n=256
matmul_tiled.cl --grid 256,256 a=f32[256,256]:1 b=f32[256,256]:2 c=f32[256,256] n=256
mandelbrot.cl --grid 512,256 --block 16,16 iterations=u32[256,512] width=512 height=256 x0=-2.0 y0=-1.25 step=0.006 limit=99
nbody.cl --grid 4096 bodies=f32[16384]:random:1:-1:1 velocities=f32[16384] moved=f32[16384] n=4096 dt=0.001
stencil5.cl --grid 1024,512 --block 32,8 in=f32[524288]:1 out=f32[524288] width=1024 height=512
flow.cl --kernel collatz --grid 65536 in=u32[65536]:iota steps=u32[65536] n=65536
flow.cl --kernel maze --grid 65536 in=u32[65536]:random:1 out=u32[65536] n=65536
""".strip().splitlines()


def run(words):
    p = subprocess.run(words, capture_output=True, text=True, cwd=EXAMPLES, timeout=600)
    if p.returncode:
        raise SystemExit(f"{' '.join(words)}: {p.stderr}")
    return p.stdout


def cycles(text):
    return int(re.search(r"us: (\d+) cycles", text).group(1)), \
        int(re.search(r"instructions +(\d+)", text).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane")
    parser.add_argument("--gpu", default="vega10")
    o = parser.parse_args()
    x = os.path.abspath(o.crosslane)
    target = re.search(r"^\s*target\s+(\w+)|\b(gfx\w+)", run([x, "timing", "--show-gpu", o.gpu])).group(0).split()[-1]
    print(f"| kernel | sites | counters | cycles | with probes | ratio | wave-instructions |\n|---|---:|---:|---:|---:|---:|---:|")
    ratios, executed = [], []
    for line in KERNELS:
        words = line.split()
        with tempfile.TemporaryDirectory() as folder:
            probed, counters = os.path.join(folder, "p.co"), os.path.join(folder, "c.json")
            named = ["--kernels", words[2]] if "--kernel" in words else []
            said = run([x, "instrument", words[0], "--target", target, *named, "-o", probed])
            sites, count = re.search(r"(\d+) sites, (\d+) counters", said).groups()
            plain = cycles(run([x, "launch", *words, "--target", target, "--time", "--gpu", o.gpu]))
            with_probes = cycles(run([x, "launch", probed, *words[1:], "--time", "--gpu", o.gpu,
                                      "--counters", counters]))
        ratio, more = with_probes[0] / plain[0], with_probes[1] / plain[1]
        ratios.append(ratio), executed.append(more)
        name = words[0] + (" " + words[2] if "--kernel" in words else "")
        print(f"| `{name}` | {sites} | {count} | {plain[0]} | {with_probes[0]} | {ratio:.2f} | {more:.2f} |", flush=True)

    def mean(values):
        return math.exp(sum(map(math.log, values)) / len(values))

    print(f"| geometric mean | | | | | {mean(ratios):.2f} | {mean(executed):.2f} |")


main()
