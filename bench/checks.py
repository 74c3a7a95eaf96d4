#!/usr/bin/env python3
"""What --check costs: launches of examples without and with each check, in turns, and the ratio of their best times (of the
kernel alone, as --stats says it), against the interpreter, which runs checked kernels, and against compiled code. The
check "poison" is --poison, which compiled code has too: "poison-compiled" is the ratio of compiled code with it to the same without.

    bench/checks.py build/release/bin/crosslane [--runs 5] [--checks memory,sync] [--markdown]

With --oclgrind: the same kernels under Oclgrind, which checks memory, barriers, races and uninitialised values, and under
--check=memory,sync,race,init, at sizes that it can do, in turns. Oclgrind's time is that of its process less that with one
workgroup and n = 0, which parses and compiles the kernel; one thread.
"""
import argparse
import math
import os
import re
import shlex
import resource
import subprocess
import tempfile
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

# The same kernels. Not n-body: Oclgrind 21.10 with --uninitialized ends with a segmentation fault.
SMALL = {
    "vector_add, 256 k": "vector_add.cl --grid 262144 --block 64 a=f32[262144]:1 b=f32[262144]:1 c=f32[262144] n=262144",
    "stencil5, 256 x 256": "stencil5.cl --grid 256,256 --block 64,4 in=f32[65536]:1 out=f32[65536] width=256 height=256",
    "matmul_tiled, 96": "matmul_tiled.cl --grid 96,96 --block 16,16 a=f32[9216]:1 b=f32[9216]:2 c=f32[9216] n=96",
    "matmul_naive, 96": "matmul_naive.cl --grid 96,96 --block 16,16 a=f32[9216]:1 b=f32[9216]:1 c=f32[9216] n=96",
    "histogram in LDS": "histogram.cl --kernel histogram_local --grid 8192 --block 256 values=u32[131072]:3 counts=u32[256] n=131072",
    "tree reduction": "reduce_tree.cl --grid 131072 --block 256 in=f32[131072]:1 partial=f32[512] n=131072 scratch=lds:1024",
    "mandelbrot, 96 x 96": "mandelbrot.cl --grid 96,96 --block 16,16 iterations=u32[9216] width=96 height=96 x0=-2.0 y0=-1.25 "
                           "step=0.02667 limit=99",
}


def output_of(command, **options):
    try:
        result = subprocess.run(command, capture_output=True, text=True, **options)
    except FileNotFoundError:
        raise SystemExit(f"checks.py: {command[0]} is not there; scripts/install-deps.sh installs it")
    if result.returncode:
        raise SystemExit(f"checks.py: {shlex.join(map(str, command))}: {result.stderr.strip() or f'ended with {result.returncode}'}")
    return result.stdout + result.stderr


def oclgrind_file(words, grid):
    """What oclgrind-kernel reads: file, kernel, sizes, and arguments in their order."""
    options = dict(zip(words[1::2], words[2::2])) if words[1].startswith("--") else {}
    arguments = [w.partition("=")[2] for w in words if "=" in w]
    kernel = options.get("--kernel", Path(words[0]).stem)
    sizes = [(size.split(",") + ["1", "1"])[:3] for size in (grid, options["--block"])]
    lines = [str(EXAMPLES / words[0]), kernel, *(" ".join(s) for s in sizes), ""]
    for word in arguments:
        if word.startswith("lds:"):
            lines.append(f"<size={word[4:]}>")
        elif buffer := re.fullmatch(r"([fu])32\[(\d+)\](?::(\d+))?", word):
            kind = {"f": "float", "u": "uint"}[buffer[1]]
            lines.append(f"<size={int(buffer[2]) * 4} {kind} fill={buffer[3] or 0}>")
        else:
            lines += [f"<size=4 {'float' if '.' in word else 'uint'}>", word]
    return "\n".join(lines) + "\n"


def oclgrind_seconds(words, grid, folder):
    path = Path(folder) / "kernel.sim"
    path.write_text(oclgrind_file(words, grid))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = output_of(["oclgrind-kernel", "--num-threads", "1", "--data-races", "--uninitialized", path])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if said:
        raise SystemExit(f"Oclgrind says of {words[0]}: {said}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare_with_oclgrind(program, runs, markdown):
    columns = ["crosslane, ms", "Oclgrind, ms", "Oclgrind / crosslane"]
    if markdown:
        print("| | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name, line in SMALL.items():
            words = shlex.split(line)
            block = words[words.index("--block") + 1]
            grid = words[words.index("--grid") + 1]
            ours = whole = start = math.inf
            for _ in range(runs):
                ours = min(ours, milliseconds(program, [*words, "--check=memory,sync,race,init"], "off"))
                whole = min(whole, oclgrind_seconds(words, grid, folder))
                start = min(start, oclgrind_seconds([re.sub(r"^n=.*", "n=0", w) for w in words], block, folder))
            theirs = (whole - start) * 1000
            ratios.append(theirs / ours)
            cells = [name, f"{ours:.2f}", f"{theirs:.0f}", f"{ratios[-1]:.0f}"]
            print("| " + " | ".join(cells) + " |" if markdown else f"{name:24}" + "".join(f"{c:>16}" for c in cells[1:]), flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"| geometric mean | | | {mean:.0f} |" if markdown else f"geometric mean of ratios: {mean:.0f}")


def milliseconds(program, words, jit):
    stats = output_of([program, "launch", *words, "--stats", "--threads", "1"], cwd=EXAMPLES,
                      env={**os.environ, "CROSSLANE_JIT": jit})
    return float(re.search(r"workgroups, ([\d.]+) ms", stats).group(1))


def options_of(check):
    """What a column's launches are given, and CROSSLANE_JIT."""
    if check.startswith("poison"):
        return ["--poison"], "always" if check == "poison-compiled" else "off"
    return ["--check=" + check.replace("+", ",")], "off"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--checks", default="memory,sync,all", help="a column for each, + for several at once: memory+sync")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--oclgrind", action="store_true", help="compare with Oclgrind instead")
    args = parser.parse_args()
    program, checks = args.crosslane.resolve(), args.checks.split(",")
    if args.oclgrind:
        compare_with_oclgrind(program, args.runs, args.markdown)
        return
    columns = ["interpreted ms", "compiled"] + checks
    if args.markdown:
        print("| | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    ratios = {c: [] for c in checks}
    for name, line in LAUNCHES.items():
        words = shlex.split(line)
        kinds = {"interpreted ms": ([], "off"), "compiled": ([], "always")} | {c: options_of(c) for c in checks}
        best = {k: math.inf for k in kinds}
        for _ in range(args.runs):
            for kind, (more, jit) in kinds.items():
                best[kind] = min(best[kind], milliseconds(program, words + more, jit))
        base = best["interpreted ms"]
        ratio = {k: best[k] / (best["compiled"] if k == "poison-compiled" else base) for k in columns[1:]}
        cells = [f"{base:.1f}"] + [f"{ratio[k]:.2f}" for k in columns[1:]]
        for c in checks:
            ratios[c].append(ratio[c])
        print("| " + " | ".join([name] + cells) + " |" if args.markdown else f"{name:24}" + "".join(f"{c:>16}" for c in cells),
              flush=True)
    means = [f"{math.exp(sum(map(math.log, ratios[c])) / len(ratios[c])):.2f}" for c in checks]
    cells = ["geometric mean", "", ""] + means
    print("| " + " | ".join(cells) + " |" if args.markdown else f"{cells[0]:24}" + "".join(f"{c:>16}" for c in cells[1:]))


if __name__ == "__main__":
    main()
