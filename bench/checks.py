#!/usr/bin/env python3
"""What --check costs: launches of examples without and with each check, in turns, and the ratio of their best times (of the
kernel alone, as --stats says it), against the interpreter, which runs checked kernels, and against compiled code.

    bench/checks.py build/release/bin/crosslane [--runs 5] [--checks memory,sync] [--markdown]
"""
import argparse
import math
import os
import re
import shlex
import subprocess
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
LAUNCHES = {
    "vector_add, 4 M": "vector_add.cl --grid 4194304 a=[4194304] b=[4194304] c=[4194304] n=4194304",
    "stencil5, 1024 x 1024": "stencil5.cl --grid 1024,1024 --block 64,4 in=f32[1048576]:1 out=f32[1048576] width=1024 height=1024",
    "matmul_tiled, 384": "matmul_tiled.cl --grid 384,384 a=f32[384,384]:1 b=f32[384,384]:2 c=f32[384,384] n=384",
    "matmul_naive, 256": "matmul_naive.cl --grid 256,256 --block 16,16 a=f32[256,256]:1 b=f32[256,256]:1 c=f32[256,256] n=256",
    "histogram in LDS": "histogram.cl --kernel histogram_local --grid 65536 --block 256 values=u32[4194304]:random:1 counts=u32[256] n=4194304",
    "tree reduction": "reduce_tree.cl --grid 1048576 --block 256 in=f32[1048576]:1 partial=f32[4096] n=1048576 scratch=lds:1024",
    "mandelbrot, 512 x 512": "mandelbrot.cl --grid 512,512 --block 16,16 iterations=u32[512,512] width=512 height=512 x0=-2.0 y0=-1.25 step=0.005 limit=99",
    "n-body, 4096": "nbody.cl --grid 4096 bodies=f32[16384]:random:1:-1:1 velocities=f32[16384] moved=f32[16384] n=4096 dt=0.001",
}


def milliseconds(program, words, jit):
    result = subprocess.run([program, "launch", *words, "--stats", "--threads", "1"], cwd=EXAMPLES, capture_output=True, text=True,
                            env={**os.environ, "CROSSLANE_JIT": jit}, check=True)
    return float(re.search(r"workgroups, ([\d.]+) ms", result.stdout).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--checks", default="memory,sync,all", help="a column for each, + for several at once: memory+sync")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    program, checks = args.crosslane.resolve(), args.checks.split(",")
    columns = ["interpreted ms", "compiled"] + checks
    if args.markdown:
        print("| | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    ratios = {c: [] for c in checks}
    for name, line in LAUNCHES.items():
        words = shlex.split(line)
        kinds = {"interpreted ms": ([], "off"), "compiled": ([], "on")}
        kinds |= {c: (["--check=" + c.replace("+", ",")], "off") for c in checks}
        best = {k: math.inf for k in kinds}
        for _ in range(args.runs):
            for kind, (more, jit) in kinds.items():
                best[kind] = min(best[kind], milliseconds(program, words + more, jit))
        base = best["interpreted ms"]
        cells = [f"{base:.1f}"] + [f"{best[k] / base:.2f}" for k in columns[1:]]
        for c in checks:
            ratios[c].append(best[c] / base)
        print("| " + " | ".join([name] + cells) + " |" if args.markdown else f"{name:24}" + "".join(f"{c:>16}" for c in cells),
              flush=True)
    means = [f"{math.exp(sum(map(math.log, ratios[c])) / len(ratios[c])):.2f}" for c in checks]
    cells = ["geometric mean", "", ""] + means
    print("| " + " | ".join(cells) + " |" if args.markdown else f"{cells[0]:24}" + "".join(f"{c:>16}" for c in cells[1:]))


if __name__ == "__main__":
    main()
