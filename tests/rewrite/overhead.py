#!/usr/bin/env python3
"""What probes cost: the cycle model's time of kernels with divergence probes, and without.

    overhead.py CROSSLANE [--gpu CARD] [--kernels nine|examples] [--only TEXT]

Kernels of examples/, at sizes that fill a card or come near it, or the nine of bench/probes/nine.cl. Prints a table for
docs/instrumentation.md.
"""
import argparse, math, os, re, subprocess, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = """
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
"""
NINE = """
layer_forward --grid 16,16384 input=f32[16385]:1 weights=f32[278562]:0.1 partial=f32[16384] hidden=16 halvings=4
adjust_weights --grid 16,16384 delta=f32[17]:0.1 layer=f32[16385]:1 weights=f32[278562]:0.1 old_weights=f32[278562] hidden=16
multipliers --grid 1024 --block 256 m=f32[1048576] a=f32[1048576]:2 size=1024 t=0
eliminate --grid 208,208 m=f32[43264]:0.5 a=f32[43264]:2 b=f32[208]:1 size=208 t=0
hotspot --grid 688,688 power=f32[262144]:random:1 from=f32[262144]:random:2 to=f32[262144] steps=2 columns=512 rows=512 capacity=0.5 rx=0.1 ry=0.1 rz=0.01
find_key --grid 65536 keys=i32[257]:iota children=i32[256] wanted=i32[256]:random:1:0:255 found=i32[256] height=4 nodes=1
transpose_features --grid 32768 --block 256 in=f32[1114112]:1 out=f32[1114112] points=32768 features=34
nearest_center --grid 32768 --block 256 in=f32[1114112]:random:1 centers=f32[170]:random:2 member=i32[32768] points=32768 clusters=5 features=34
distances --grid 43008 --block 256 places=f32[85528]:random:1 distance=f32[42764] n=42764 x=0.5 y=0.5
"""
SETS = {"nine": ("bench/probes", ["nine.cl --kernel " + line for line in NINE.strip().splitlines()]),
        "examples": ("examples", EXAMPLES.strip().splitlines())}


def run(words, folder="."):
    p = subprocess.run(words, capture_output=True, text=True, cwd=ROOT / folder, timeout=600)
    if p.returncode:
        raise SystemExit(f"{' '.join(words)}: {p.stderr}")
    return p.stdout


def cycles(text):
    return int(re.search(r"us: (\d+) cycles", text).group(1)), \
        int(re.search(r"instructions +(\d+)", text).group(1))


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Table:
    """A line for each kernel: cycles and executed wave-instructions, without probes and with."""

    def __init__(self, o):
        self.o, self.x = o, os.path.abspath(o.crosslane)
        shown = run([self.x, "timing", "--show-gpu", o.gpu])
        self.target = re.search(r"^\s*target\s+(\w+)|\b(gfx\w+)", shown).group(0).split()[-1]
        self.cycles, self.executed = [], []

    def measure(self, words, folder):
        timed = ["--time", "--gpu", self.o.gpu, "--time-error", "0"]
        plain = cycles(run([self.x, "launch", *words, "--target", self.target, *timed], folder))
        with tempfile.TemporaryDirectory() as temporary:
            probed, counters = os.path.join(temporary, "p.co"), os.path.join(temporary, "c.json")
            named = ["--kernels", f"^{words[2]}$"] if "--kernel" in words else []
            said = run([self.x, "instrument", words[0], "--target", self.target, *named, "-o", probed], folder)
            now = cycles(run([self.x, "launch", probed, *words[1:], *timed, "--counters", counters], folder))
        self.cycles.append(now[0] / plain[0])
        self.executed.append(now[1] / plain[1])
        return [words[2] if "--kernel" in words else words[0], *re.search(r"(\d+) sites, (\d+) counters", said).groups(),
                plain[0], now[0], f"{self.cycles[-1]:.2f}", f"{self.executed[-1]:.2f}"]

    def print(self):
        folder, lines = SETS[self.o.kernels]
        lines = [line for line in lines if self.o.only in line]
        if not lines:
            raise SystemExit(f"--only {self.o.only}: no kernel of --kernels {self.o.kernels} has that")
        print("| kernel | sites | counters | cycles | with probes | ratio | wave-instructions |\n|---" + "|---:" * 6 + "|")
        for line in lines:
            name, *cells = self.measure(line.split(), folder)
            print(f"| `{name}` | " + " | ".join(map(str, cells)) + " |", flush=True)
        for name, of in ("geometric mean", mean), ("most", max):
            print(f"| {name} | | | | | {of(self.cycles):.2f} | {of(self.executed):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane")
    parser.add_argument("--gpu", default="vega10")
    parser.add_argument("--kernels", choices=sorted(SETS), default="examples")
    parser.add_argument("--only", default="")
    Table(parser.parse_args()).print()


main()
