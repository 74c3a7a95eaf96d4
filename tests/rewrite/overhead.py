#!/usr/bin/env python3
"""What probes cost: the cycle model's time of kernels with them, and without.

    overhead.py CROSSLANE [--gpu CARD] [--kernels nine|examples] [--probe PROBES] [--only TEXT]

Kernels of examples/, at sizes that fill a card or come near it, or the nine of bench/probes/nine.cl, these with the
document's probes too, beside what it measured. Prints a table for docs/instrumentation.md.
"""
import argparse, json, math, os, re, subprocess, tempfile
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


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Measured:
    """What the cycle model says of a launch: cycles from its begin to its end, the mean life of its waves (as long as a
    wave's own two clock reads are apart, with its launch and its last stores), executed wave-instructions."""

    def __init__(self, words, folder):
        with tempfile.TemporaryDirectory() as temporary:
            path = os.path.join(temporary, "t.json")
            run([*words, "--json", path], folder)
            t = json.loads(Path(path).read_text())["timing"]
        self.cycles, self.instructions, self.life = t["cycles"], t["instructions"], t["wave_cycles"] / t["waves"]


class Bench:
    """Launches of one kernel, plain and with probes."""

    def __init__(self, o):
        self.o, self.x = o, os.path.abspath(o.crosslane)
        shown = run([self.x, "timing", "--show-gpu", o.gpu])
        self.target = re.search(r"^\s*target\s+(\w+)|\b(gfx\w+)", shown).group(0).split()[-1]
        self.timed = ["--time", "--gpu", o.gpu, "--time-error", "0"]

    def plain(self, words, folder):
        return Measured([self.x, "launch", *words, "--target", self.target, *self.timed], folder)

    def probed(self, words, folder, probe):
        """Measured, or why not; and what `crosslane instrument` says of it."""
        with tempfile.TemporaryDirectory() as temporary:
            probed, counters = os.path.join(temporary, "p.co"), os.path.join(temporary, "c.json")
            named = ["--kernels", f"^{words[2]}$"] if "--kernel" in words else []
            said = run([self.x, "instrument", words[0], "--target", self.target, *named, "--probe", probe, "-o", probed],
                       folder)
            return Measured([self.x, "launch", probed, *words[1:], *self.timed, "--counters", counters], folder), \
                re.search(r"(\d+) sites, (\d+) counters", said).groups()

    def lines(self):
        folder, lines = SETS[self.o.kernels]
        lines = [line for line in lines if self.o.only in line]
        if not lines:
            raise SystemExit(f"--only {self.o.only}: no kernel of --kernels {self.o.kernels} has that")
        for line in lines:
            words = line.split()
            yield words[2] if "--kernel" in words else words[0], words, folder


def our_table(bench):
    """A line for each kernel: cycles and executed wave-instructions, without probes and with."""
    print("| kernel | sites | counters | cycles | with probes | ratio | wave-instructions |\n|---" + "|---:" * 6 + "|")
    cycles, executed = [], []
    for name, words, folder in bench.lines():
        plain, (now, said) = bench.plain(words, folder), bench.probed(words, folder, bench.o.probe)
        cycles.append(now.cycles / plain.cycles)
        executed.append(now.instructions / plain.instructions)
        cells = [*said, plain.cycles, now.cycles, f"{cycles[-1]:.2f}", f"{executed[-1]:.2f}"]
        print(f"| `{name}` | " + " | ".join(map(str, cells)) + " |", flush=True)
    for name, of in ("geometric mean", mean), ("most", max):
        print(f"| {name} | | | | | {of(cycles):.2f} | {of(executed):.2f} |")


# Cycles of a card: without, in LDS, in memory ("Result AMDGPU Raw data"; Fan1's last ratio there, 2.36, is not theirs).
DOCUMENT = {
    "layer_forward": (3901, 9168, 10225), "adjust_weights": (7406, 8850, 8525), "multipliers": (1326, 3281, 3974),
    "eliminate": (1607, 2844, 2681), "hotspot": (10635, 16376, 16265), "find_key": (9203, 11861, 14016),
    "transpose_features": (586299, 582997, 548837), "nearest_center": (210740, 215269, 209869),
    "distances": (3608, 6392, 5447),
}
PROBES = "divergence", "document-lds", "document-global"


def table_beside_the_document(bench):
    """Of each kind of probes two ratios: cycles of the launch, and of the life of a wave; then the document's."""
    print("| kernel | cycles | a wave's | ours | " + " | ".join(f"`{p}`" for p in PROBES[1:]) +
          " | LDS there | memory there |\n|---" + "|---:" * 7 + "|")
    ratios = []
    for name, words, folder in bench.lines():
        plain, row = bench.plain(words, folder), []
        for probe in PROBES:
            now = bench.probed(words, folder, probe)[0]
            row.append((now.cycles / plain.cycles, now.life / plain.life))
        base, *there = DOCUMENT[name]
        row += [(n / base,) for n in there]
        ratios.append(row)
        print(f"| `{name}` | {plain.cycles} | {plain.life:.0f} | " + " | ".join(map(cell, row)) + " |", flush=True)
    columns = [[tuple(map(of, zip(*column))) for column in zip(*ratios)] for of in (mean, max)]
    for name, row in zip(("geometric mean", "most"), columns):
        print(f"| {name} | | | " + " | ".join(map(cell, row)) + " |")


def cell(values):
    return ", ".join(f"{v:.2f}" for v in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane")
    parser.add_argument("--gpu", default="vega10")
    parser.add_argument("--kernels", choices=sorted(SETS), default="examples")
    parser.add_argument("--probe", default="divergence", help="of --kernels examples")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    (table_beside_the_document if options.kernels == "nine" else our_table)(Bench(options))


main()
