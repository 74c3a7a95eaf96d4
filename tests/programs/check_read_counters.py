#!/usr/bin/env python3
"""What examples/read_counters.cpp reads of a kernel with probes is what `crosslane launch --counters` does.

  check_read_counters.py CROSSLANE READ_COUNTERS
"""
import json
import os
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    crosslane, program = (os.path.abspath(word) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        probed, file = os.path.join(folder, "probed.co"), os.path.join(folder, "counters.json")
        said = json.loads(run(crosslane, "instrument", f"{EXAMPLES}/if_else.cl", "--target", "gfx900",
                              "--clang=-mcode-object-version=4", "--probe",
                              f"{EXAMPLES}/probes/count_lanes.s", "--at", "edge", "-o", probed, "--json"))
        counters = said["kernels"][0]["counters"]
        lines = run(crosslane, "run", "--quiet", "--gpu", "vega10", "--", program, probed, str(counters)).splitlines()
        run(crosslane, "launch", probed, "--grid", "512", "--block", "128", "in=u32[500]", "out=u32[1500]", "limit=32",
            "n=500", "--counters", file)
        with open(file) as written:
            wanted = [v for place in json.load(written)["user"]["places"] for v in place["values"]]
    waves = [[int(v) for v in line.split(":")[1].split()] for line in lines]
    have = [sum(values) for values in zip(*waves)]
    print(f"{len(waves)} waves, {counters} counters")
    if len(waves) != 8 or any(len(w) != counters for w in waves) or have != wanted or not any(have):
        sys.exit(f"read: {have}\nby launch --counters: {wanted}")


main()
