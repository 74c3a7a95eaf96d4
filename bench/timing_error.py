#!/usr/bin/env python3
"""Whether the error that `crosslane launch --time` states of a sampled grid covers the true one: kernels of examples/ and bench/ over
grids of several sizes, on several cards, sampled at each --time-error, against the same with all workgroups replayed
(--time-error 0). Prints the tables of docs/timing-sampling.md: kernel, grid, card; exact, sampled, stated and true error; and how
many million wave-instructions of the grid a second of processor time comes to, of the whole process and of what --time adds.

Usage: timing_error.py [--cards NAMES] [--only WORDS] [--errors PERCENTS] [--sizes NAMES] [--set tuned|held|all] [--cache FILE]
CROSSLANE. Of the kernels, every second one was left out while the method was worked on (`held`). --cache keeps exact results, which
take the time, for another run: they hold for one state of the model."""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

root = pathlib.Path(__file__).resolve().parents[1]
examples = root / "examples"

# Card: target, work-items that are in flight at most.
CARDS = {"vega10": ("gfx900", 64 * 32 * 64), "fiji": ("gfx803", 64 * 32 * 64), "polaris10": ("gfx803", 36 * 32 * 64),
         "mi210": ("gfx90a", 104 * 32 * 64), "raven": ("gfx902", 11 * 32 * 64)}
# How often the grid fills the card, where nothing but waves limits what is resident.
SIZES = {"small": 16, "medium": 50, "large": 160}


def stream(file, kernel, arguments, block=256):
    """`arguments`: of n work-items."""
    def words(n):
        n -= n % block
        return [examples / file, "--kernel", kernel, "--grid", n, "--block", block, *(a.format(n=n, n2=2 * n, n4=4 * n, g=n // block) for a in arguments)]
    return words


def plane(file, kernel, arguments, width, block, shape=None):
    """Over width x height."""
    def words(n):
        height = max(n // width // 64 * 64, 64)
        return [examples / file, "--kernel", kernel, "--grid", f"{width},{height}", "--block", block,
                *(a.format(n=width * height, w=width, h=height, step=3 / height) for a in arguments)]
    return words


def square(file, kernel, arguments, block):
    """Over n x n."""
    def words(n):
        side = int(n ** 0.5) // 64 * 64
        return [examples / file, "--kernel", kernel, "--grid", f"{side},{side}", "--block", block,
                *(a.format(n=side * side, side=side) for a in arguments)]
    return words


def transpose(width):
    def words(n):
        height = n // width // 64 * 64
        return [examples / "transpose.hip", "--kernel", "transpose", "--grid", f"{width},{height // 4}", "--block", "16,4",
                f"in=u32[{width * height}]:iota", f"out=u32[{width * height}]", f"width={width}", f"height={height}", "--lds", 1088]
    return words


def cases():
    """Name; words of a launch of about n work-items; the sizes that it is run at; whether it is held out."""
    every, short, least = ("small", "medium", "large"), ("small", "medium"), ("small",)
    u, f = "u32[{n}]", "f32[{n}]"
    rows = [
        ("vector_add", stream("vector_add.cl", "vector_add", [f"a={f}:1", f"b={f}:2", f"c={f}", "n={n}"]), every),
        ("saxpy", stream("saxpy.cl", "saxpy", ["a=2", f"x={f}:iota", f"y={f}:1", "n={n}"]), every),
        ("stencil5 4096", plane("stencil5.cl", "stencil5", [f"in={f}:1", f"out={f}", "width={w}", "height={h}"], 4096, "32,8"), every),
        ("stencil5 1024", plane("stencil5.cl", "stencil5", [f"in={f}:1", f"out={f}", "width={w}", "height={h}"], 1024, "64,4"), every),
        ("reduce_tree", stream("reduce_tree.cl", "reduce_tree", [f"in={f}:1", "partial=f32[{g}]", "n={n}", "scratch=lds:1024"]), every),
        ("scan_groups", stream("prefix_sum.cl", "scan_groups", [f"in={u}:1", f"out={u}", "totals=u32[{g}]", "n={n}"]), every),
        ("transpose 2048", transpose(2048), every),
        ("transpose 1536", transpose(1536), every),
        ("copy4", stream("streams.cl", "copy4", ["in=u32[{n4}]:iota", "out=u32[{n4}]", "n={n}"]), short),
        ("copy", stream("streams.cl", "copy", [f"in={u}:iota", f"out={u}", "n={n}"]), every),
        ("gather", stream("streams.cl", "gather", [f"in={u}:iota", f"index={u}:random:1:0:{{n}}", f"out={u}", "n={n}"]), short),
        ("strided", stream("streams.cl", "strided", ["in=u32[{n4}]:iota", f"out={u}", "n={n}", "stride=3"]), every),
        ("mandelbrot", plane("mandelbrot.cl", "mandelbrot", [f"iterations={u}", "width={w}", "height={h}", "x0=-2", "y0=-1.5", "step={step}", "limit=128"], 2048, "16,16"), short),
        ("collatz", stream("flow.cl", "collatz", [f"in={u}:random:1", f"steps={u}", "n={n}"]), short),
        ("maze", stream("flow.cl", "maze", [f"in={u}:random:1", f"out={u}", "n={n}"]), short),
        ("saxpy_loop", stream("saxpy.cl", "saxpy_loop", ["a=0.5", f"x={f}:iota", f"y={f}:1", "n={n}", "times=200"]), short),
        ("matmul_tiled", square("matmul_tiled.cl", "matmul_tiled", ["a=f32[{side},{side}]:1", "b=f32[{side},{side}]:2", "c=f32[{side},{side}]", "n={side}"], "16,16"), least),
        ("nbody", stream("nbody.cl", "nbody", ["bodies=f32[4096]:random:1:-1:1", "velocities=f32[4096]", "moved=f32[4096]", "n=512", "dt=0.001"]), least),
        ("bitonic_local", stream("bitonic_sort.cl", "bitonic_local", ["keys=u32[{n2}]:random:1"]), short),
        ("bitonic_step", stream("bitonic_sort.cl", "bitonic_step", ["keys=u32[{n2}]:random:1", "size=128", "stride=64"]), every),
        ("hash", stream("hash.cl", "hash", ["in=u64[{n}]:iota", "mixed=u64[{n}]", f"counts={u}", "divided=i64[{n}]", "n={n}", "divisor=1000003"]), short),
        ("f64", stream("f64.cl", "f64", ["a=f64[{n}]:iota", "b=f64[{n}]:2", "poly=f64[{n}]", "quotient=f64[{n}]", "root=f64[{n}]", "whole=i64[{n}]", f"narrow={f}", "n={n}"]), short),
        ("f16", stream("f16.cl", "f16", ["a=f16[{n2}]:iota", "b=f16[{n2}]:1", "sums=f16[{n2}]", "products=f16[{n2}]", "wide=f32[{n2}]", "greater=f16[{n2}]", "n={n}"]), short),
        ("bytes", stream("subdword.cl", "bytes", ["a=u8[{n4}]:200", "b=i8[{n4}]:100", "blended=u8[{n4}]", "products=i16[{n4}]", "saturated=i8[{n4}]", "n={n}"]), every),
        ("histogram_global", stream("histogram.cl", "histogram_global", [f"values={u}:random:1", "counts=u32[256]", "n={n}"]), least),
        ("histogram_local", stream("histogram.cl", "histogram_local", [f"values={u}:random:1", "counts=u32[256]", "n={n}"]), short),
        ("reduce_dpp", stream("reduce_dpp.cl", "reduce_dpp", [f"in={u}:iota", f"sums=u32[{{n}}]", f"maxima=u32[{{n}}]", f"mirrored={u}", "n={n}"], 64), every),
        ("if_else", stream("if_else.cl", "if_else", [f"in={u}:iota", "out=u32[{n4}]", "limit=32", "n={n}"]), every),
        ("add_totals", stream("prefix_sum.cl", "add_totals", [f"out={u}:iota", "totals=u32[{g}]:iota", "n={n}"]), every),
        ("scratch", stream("scratch.cl", "scratch", [f"in={u}:iota", f"out={u}", "n={n}"], 64), least),
    ]
    return [(*row, number % 2 == 1) for number, row in enumerate(rows)]


def seconds_of(command):
    """Of processor time, of this process alone."""
    with subprocess.Popen([str(w) for w in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{said}")
    return used.ru_utime + used.ru_stime


def timed(crosslane, words, card, error, folder):
    told = pathlib.Path(tempfile.mkstemp(dir=folder, suffix=".json")[1])
    plain = [crosslane, "launch", *words, "--target", CARDS[card][0]]
    took = seconds_of([*plain, "--time", "--gpu", card, "--time-error", f"{error:g}", "--json", told])
    t = json.loads(told.read_text())["timing"]
    told.unlink()
    sampled = t.get("sampled", {})
    return {"ns": t["nanoseconds"], "cycles": t["cycles"], "instructions": t["instructions"], "s": took, "groups": t["workgroups"],
            "replayed": sampled.get("workgroups", t["workgroups"]), "stretches": sampled.get("stretches", 0),
            "error": sampled.get("error", {}).get("cycles", 0), "sampled": "sampled" in t}


class Cache:
    def __init__(self, path):
        self.path = path and pathlib.Path(path)
        self.known = json.loads(self.path.read_text()) if self.path and self.path.exists() else {}

    def get(self, key, make):
        if key not in self.known:
            self.known[key] = make()
            if self.path:
                self.path.write_text(json.dumps(self.known))
        return self.known[key]


def run(task, options, cache, folder):
    """One kernel over one grid on one card: rows at each error."""
    name, words, size, card, held = task
    _, in_flight = CARDS[card]
    launch = [str(w) for w in words(SIZES[size] * in_flight)]
    key = hashlib.sha256(repr((launch, card)).encode()).hexdigest()[:16]
    exact = cache.get(f"{key} exact", lambda: timed(options.crosslane, launch, card, 0, folder))
    plain = cache.get(f"{key} plain", lambda: seconds_of([options.crosslane, "launch", *launch, "--target", CARDS[card][0]]))
    rows = []
    for error in options.errors:
        t = timed(options.crosslane, launch, card, error, folder)
        rows.append({"kernel": name, "grid": launch[launch.index("--grid") + 1], "size": size, "card": card, "held": held, "wanted": error,
                     "exact_us": exact["ns"] / 1e3, "exact_s": exact["s"], "plain_s": plain, **t,
                     "stated": 100 * t["error"] / t["cycles"], "true": 100 * abs(t["cycles"] - exact["cycles"]) / exact["cycles"],
                     "sign": (t["cycles"] > exact["cycles"]) - (t["cycles"] < exact["cycles"])})
    return rows


def rate(instructions, seconds):
    return f"{instructions / seconds / 1e6:.3g}" if seconds > 0.02 else "-"


def row_text(r):
    return (f"| {r['kernel']} | {r['grid']} | {r['card']} | {r['wanted']:g} | {r['exact_us']:.1f} | {r['ns'] / 1e3:.1f} | {r['stated']:.2f} | "
            f"{'-' if r['sign'] < 0 else ''}{r['true']:.2f} | {100 * r['replayed'] / r['groups']:.1f} | {rate(r['instructions'], r['s'])} | "
            f"{rate(r['instructions'], r['s'] - r['plain_s'])} |{'' if r['true'] <= r['stated'] else ' **'}")


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0


def summary(rows):
    text = ("| `--time-error` | grids | sampled | covered | worst excess | mean true | worst true | mean stated | reached | replayed, mean |"
            " M instructions a second | added |\n|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|\n")
    for wanted in sorted({r["wanted"] for r in rows}):
        of = [r for r in rows if r["wanted"] == wanted]
        some = [r for r in of if r["sampled"]]
        if not some:
            text += f"| {wanted:g} % | {len(of)} | 0 | - | - | - | - | - | - | - | - | - |\n"
            continue
        covered = sum(r["true"] <= r["stated"] for r in some)
        worst = max(some, key=lambda r: r["true"] - r["stated"])
        instructions = sum(r["instructions"] for r in some)
        text += (f"| {wanted:g} % | {len(of)} | {len(some)} | {covered}: {100 * covered / len(some):.1f} % | "
                 f"{worst['true']:.2f} % where {worst['stated']:.2f} % is stated ({worst['kernel']}, {worst['grid']}, {worst['card']}) | "
                 f"{mean(r['true'] for r in some):.2f} % | {max(r['true'] for r in some):.2f} % | {mean(r['stated'] for r in some):.2f} % | "
                 f"{sum(r['stated'] <= wanted for r in some)} | {100 * mean(r['replayed'] / r['groups'] for r in some):.0f} % | "
                 f"{rate(instructions, sum(r['s'] for r in some))} | {rate(instructions, sum(r['s'] - r['plain_s'] for r in some))} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane")
    parser.add_argument("--cards", default=",".join(CARDS))
    parser.add_argument("--only", default="", help="kernels with one of these words (a,b) in their name")
    parser.add_argument("--errors", default="1,2,5,10")
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--set", choices=("tuned", "held", "all"), default="all")
    parser.add_argument("--cache", help="file of exact results")
    parser.add_argument("--json", help="write the rows to a file too")
    parser.add_argument("--check", action="store_true", help="exit status 1 where a true error is beyond the stated one")
    parser.add_argument("--jobs", type=int, default=1, help="launches at a time")
    options = parser.parse_args()
    options.crosslane = str(pathlib.Path(options.crosslane).resolve())
    options.errors = [float(e) for e in options.errors.split(",")]
    tasks = [(name, words, size, card, held) for name, words, sizes, held in cases() for size in sizes for card in options.cards.split(",")
             if size in options.sizes.split(",") and any(w in name for w in options.only.split(",")) and
             (options.set == "all" or held == (options.set == "held"))]
    rows = []
    print("| kernel | grid | card | `--time-error` | exact, us | sampled, us | stated, % | true, % | replayed, % | M instructions a second | added |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    cache = Cache(options.cache)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        for of in pool.map(lambda task: run(task, options, cache, folder), tasks):
            rows += of
            print("\n".join(map(row_text, of)), flush=True)
    print(f"\n{summary(rows)}")
    for name, held in (("tuned", False), ("held out", True)):
        if of := [r for r in rows if r["held"] == held]:
            print(f"{name}:\n\n{summary(of)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    if options.check and (not rows or any(r["true"] > r["stated"] for r in rows if r["sampled"])):
        sys.exit("a true error is beyond the stated one (**)" if rows else "no such case")


if __name__ == "__main__":
    main()
