#!/usr/bin/env python3
"""What ROCm's device libraries cost a launch, and what they save: processor time and wave-instructions of the examples, with
them and with libclc and crosslane's own headers, in turns.

Usage: compare-device-libraries.py [--crosslane build/release/bin/crosslane] [--runs 7]. Prints a table in Markdown.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAUNCHES = [
    ["vector_add.cl", "--grid", "1000", "f32[1000]:iota", "f32[1000]:1", "f32[1000]", "1000"],
    ["nbody.cl", "--grid", "512", "f32[2000]:random", "f32[2000]", "f32[2000]", "500", "0.001"],
    ["matmul_tiled.cl", "--grid", "80,80", "f32[75,75]:random", "f32[75,75]:random", "f32[75,75]", "75"],
    ["transpose.hip", "--grid", "48,20", "--block", "16,4", "u32[70,45]:iota", "u32[45,70]", "45", "70", "--lds", "1088"],
]


def launch(crosslane, words, libraries):
    """(processor seconds of the launch and its compilers, wave-instructions)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([crosslane, "launch", f"{ROOT}/examples/{words[0]}", *words[1:], "--stats", "--threads", "1"],
                            env={**os.environ, "CROSSLANE_DEVICE_LIBS": libraries}, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{words[0]}: {result.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, int(re.search(r"(\d+) wave-instructions", result.stdout)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crosslane", default=f"{ROOT}/build/release/bin/crosslane")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    print("| | prelude, s | ROCm, s | prelude, wave-instructions | ROCm, wave-instructions |\n|---|---|---|---|---|")
    for words in LAUNCHES:
        least, counts = {}, {}
        for run in range(options.runs + 1):
            for libraries in ("none", ""):
                seconds, counts[libraries] = launch(options.crosslane, words, libraries)
                if run:
                    least[libraries] = min(least.get(libraries, seconds), seconds)
        print(f"| {words[0]} | {least['none']:.2f} | {least['']:.2f} | {counts['none']:,} | {counts['']:,} |", flush=True)


if __name__ == "__main__":
    main()
