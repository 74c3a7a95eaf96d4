#!/usr/bin/env python3
"""The long proof of compiled code: random blocks (jit_blocks) of every target at every level, run after run, until time is
over. Each run has a seed of its own and is a line of a table, so that a proof can be interrupted and go on on another day:
what is in the table is not run again.

    tests/jit/prove.py build/release/bin/jit_blocks proof.tsv --seconds 10800   # of one core: some 900,000 blocks
    tests/jit/prove.py build/release/bin/jit_blocks proof.tsv --seconds 0       # what there is, as a table in Markdown

It ends with 1 if any run differs; the lines of the run that does are printed."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import time

TARGETS = ["gfx600", "gfx701", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a"]
COLUMNS = ["level", "target", "seed", "blocks", "runs", "left", "faults", "free", "differ"]
RESULT = re.compile(
    r"^\w+: (\d+) blocks of [\d.]+ instructions, (\d+) runs, (\d+) left by a guard, (\d+) ended by a fault, "
    r"(\d+) differ by a free payload, (\d+) differ;", re.MULTILINE)


def rows_of(table):
    if not table.exists():
        return []
    lines = table.read_text().splitlines()
    if lines[:1] != ["\t".join(COLUMNS)]:
        sys.exit(f"{table} is no table of this program: its first line is not '{' '.join(COLUMNS)}'. Name another file.")
    return [dict(zip(COLUMNS, line.split("\t"))) for line in lines[1:] if line.count("\t") == len(COLUMNS) - 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jit_blocks", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("table", type=pathlib.Path, help="it is extended")
    parser.add_argument("--seconds", type=float, default=3600, help="begin no run after so many (default 3600)")
    parser.add_argument("--blocks", type=int, default=2000, help="of a run (default 2000)")
    parser.add_argument("--levels", default="v4,v3")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--seed", type=int, default=1, help="of the first run, if there is none in the table")
    args = parser.parse_args()

    rows = rows_of(args.table)
    seed = max([int(r["seed"]) for r in rows], default=args.seed - 1) + 1
    kinds = [(level, target) for target in args.targets.split(",") for level in args.levels.split(",")]
    begin, differ = time.monotonic(), False
    while time.monotonic() - begin < args.seconds:
        done = collections.Counter()
        for r in rows:
            done[r["level"], r["target"]] += int(r["blocks"])
        level, target = min(kinds, key=lambda kind: done[kind])  # whichever has the fewest
        run = subprocess.run([args.jit_blocks, "--blocks", str(args.blocks), "--seed", str(seed), "--target", target,
                              "--level", level], capture_output=True, text=True)
        found = RESULT.search(run.stdout)
        if not found:
            sys.exit(f"jit_blocks --seed {seed} --target {target} --level {level} ended with {run.returncode} and no result:\n"
                     f"{run.stdout}{run.stderr}")
        if run.returncode:
            differ = True
            print(run.stdout, flush=True)
        row = dict(zip(COLUMNS, [level, target, str(seed), *found.groups()]))
        new = not args.table.exists()
        with args.table.open("a") as out:
            out.write(("\t".join(COLUMNS) + "\n" if new else "") + "\t".join(row.values()) + "\n")
        rows.append(row)
        seed += 1

    print("| level | target | blocks | runs | left by a guard | ended by a fault | differ by a free payload | differ |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    sums = collections.defaultdict(collections.Counter)
    for r in rows:
        for key in ((r["level"], r["target"]), (r["level"], "all")):
            sums[key].update({c: int(r[c]) for c in COLUMNS[3:]})
    for (level, target), sum_ in sorted(sums.items(), key=lambda s: (s[0][0], s[0][1] == "all", s[0][1])):
        print(f"| {level} | {target} | " + " | ".join(f"{sum_[c]:,}" for c in COLUMNS[3:]) + " |")
    return int(differ or any(int(r["differ"]) for r in rows))


if __name__ == "__main__":
    sys.exit(main())
