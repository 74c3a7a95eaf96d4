#!/usr/bin/env python3
"""What each view of a profile costs: a table of five examples, each view on against off, in the same run.

  scripts/profile-overhead.py [--crosslane COMMAND] [--runs N] [--threads N] [--estimates]

`crosslane launch --overhead` runs every launch without and with the views, one after the other, and takes the best of each; the
ratio is to the best without of all columns. --estimates adds what a profile would say of itself without --overhead.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
examples = {
    "vector add, 2 M items": ["vector_add.cl", "--grid", "2097152", "a=f32[2097152]", "b=[2097152]", "c=[2097152]", "n=2097152"],
    "tiled matmul, 256": ["matmul_tiled.cl", "--grid", "256,256", "a=f32[256,256]:1", "b=f32[256,256]:2", "c=f32[256,256]", "n=256"],
    "transpose, 1024 x 1024": ["transpose.hip", "--grid", "1024,256", "--block", "32,8", "in=u32[1048576]", "out=u32[1048576]",
                               "width=1024", "height=1024", "--lds", "4224"],
    "bitonic sort in LDS, 512 K keys": ["bitonic_sort.cl", "--kernel", "bitonic_local", "--grid", "262144", "keys=u32[524288]:random:1"],
    "histogram in LDS, 4 M values": ["histogram.cl", "--kernel", "histogram_local", "--grid", "16384", "--block", "256",
                                     "values=u32[4194304]:random:1", "counts=u32[256]", "n=4194304"],
}
views = ["branches", "divergence", "memory", "lds", "all"]
columns = [(view, ["--profile", view]) for view in views] + [("all, 1 %", ["--profile", "all", "--sample", "1%"])]


def overhead(options, words, profile):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "p.json")
        command = [options.crosslane, "launch", os.path.join(root, "examples", words[0]), *words[1:], *profile, "--overhead",
                   "--runs", str(options.runs), "--json", file]
        if options.threads:
            command += ["--threads", str(options.threads)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        profile = json.load(open(file))
        return {**profile["overhead"], "estimate": profile["overhead_estimate"]["ratio"]}


def cell(ratio):
    return "-" if ratio is None else f"{ratio:.1f}x" if ratio < 9.95 else f"{ratio:.0f}x"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crosslane", default=os.path.join(root, "build/release/bin/crosslane"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--estimates", action="store_true")
    options = parser.parse_args()
    print("| example | off, ms | " + " | ".join(name for name, _ in columns) + " |")
    print("|---|" + "---:|" * (len(columns) + 1))
    for name, words in examples.items():
        measured = [overhead(options, words, profile) for _, profile in columns]
        plain = min(m["plain_seconds"] for m in measured)
        cells = [cell(m["profiled_seconds"] / plain) + (f" ({cell(m['estimate'])})" if options.estimates else "") for m in measured]
        print(f"| {name} | {plain * 1e3:.1f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
