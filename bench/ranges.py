#!/usr/bin/env python3
"""What one dispatch in ranges of workgroups costs (`crosslane replay --ranges`), beside the dispatch whole: seconds of the wall clock
and of all processors, the least of N runs in turns, of the two dispatches of bench/hsa/ranges.hip, which `make bench` builds. Without
mpirun its row is left out. Prints the table of docs/fleet.md.

Usage: ranges.py [--runs N] [--ranges N] [--ranks N] [--program FILE] [--arguments WORDS] CROSSLANE"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
DISPATCHES = {0: "n-body", 1: "addition"}


def processors():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command):
    """Of the wall clock, of all processors."""
    begin = time.monotonic(), processors()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT)
    took = time.monotonic() - begin[0], processors() - begin[1]
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return took


def commands(arguments):
    """What the table says of it, and the words between `crosslane replay FOLDER --dispatch N` and the end, and before."""
    ranges, ranks = str(arguments.ranges), str(arguments.ranks)
    yield f"crosslane replay captured --all --threads {ranks} --expect", [], ["--all", "--threads", ranks, "--expect"]
    yield f"crosslane replay captured --all --threads {ranks} --expect --ranges {ranges}", [], [
        "--all", "--threads", ranks, "--expect", "--ranges", ranges]
    if shutil.which("mpirun"):
        yield f"mpirun -n {ranks} crosslane replay captured --mpi --expect --ranges {ranges}", ["mpirun", "-n", ranks], [
            "--mpi", "--expect", "--ranges", ranges]
    yield f"crosslane replay captured --all --threads {ranks} --check memory", [], [
        "--all", "--threads", ranks, "--check", "memory"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--ranges", type=int, default=64)
    parser.add_argument("--ranks", type=int, default=2, help="and threads of one process")
    parser.add_argument("--program", type=Path, help="built of bench/hsa/ranges.hip; else the build's")
    parser.add_argument("--arguments", default="", help="of the program: BODIES FLOATS")
    arguments = parser.parse_args()
    crosslane = arguments.crosslane.resolve()
    program = arguments.program or crosslane.parents[1] / "bench" / "hsa" / "ranges_hip"
    with tempfile.TemporaryDirectory() as folder:
        captured = Path(folder) / "captured"
        seconds([crosslane, "run", "--capture", captured, "--", program, *arguments.arguments.split()])
        rows = list(commands(arguments))
        least = {}
        for _ in range(arguments.runs):
            for text, before, words in rows:
                for dispatch in DISPATCHES:
                    took = seconds([*before, crosslane, "replay", captured, "--dispatch", dispatch, *words])
                    least[text, dispatch] = tuple(map(min, took, least.get((text, dispatch), took)))
        print("| seconds: wall clock, processors |", " | ".join(DISPATCHES.values()), "|\n|---|---:|---:|")
        for text, _, _ in rows:
            print(f"| `{text}` |", " | ".join("{:.2f}, {:.2f}".format(*least[text, dispatch]) for dispatch in DISPATCHES), "|")
        for dispatch, name in DISPATCHES.items():
            journal = Path(folder) / f"{dispatch}.journal"
            again = [crosslane, "replay", captured, "--dispatch", dispatch, "--all", "--expect", "--ranges", arguments.ranges,
                     "--journal", journal]
            seconds(again)
            print("{}: the journal has {:.1f} MB; putting all of it together again, by --resume, takes {:.2f} s, of processors {:.2f}".format(
                name, journal.stat().st_size / 1e6, *map(min, zip(*(seconds([*again, "--resume"]) for _ in range(arguments.runs))))))


main()
