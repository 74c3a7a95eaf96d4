#!/usr/bin/env python3
"""What probes in the kernels of a program count is what listeners see of the same program without them.

  check_probes.py --crosslane COMMAND PROGRAM [ARGUMENT...]

Runs it with --profile branches and with --instrument divergence, on one thread. Its output must be the same, and for each kernel the executions
of every instruction and the branches of every wavefront.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def profile(crosslane, how, command, file):
    words = [crosslane, "run", "--quiet", "--threads", "1", *how, "--per-wave", "--json", file, "--output", os.devnull, "--", *command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    with open(file) as written:
        return done.stdout, json.load(written)


def counts(kernel):
    instructions = {}
    for i in kernel["instructions"]:
        if i["executions"]:
            branch = i.get("branch")
            instructions[i["address"]] = i["executions"], branch and [branch[key] for key in ("executions", "all", "none", "per_lane")]
    waves = sorted((w["workgroup"], w["wave"], kernel["instructions"][w["instruction"]]["address"], w["executions"], w["agreements"])
                   for w in kernel.get("waves_branches", []))
    return instructions, waves


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seen_out, seen = profile(options.crosslane, ["--profile", "branches"], options.command, os.path.join(folder, "seen.json"))
        counted_out, counted = profile(options.crosslane, ["--instrument", "divergence"], options.command, os.path.join(folder, "counted.json"))
    wrong = [] if seen_out == counted_out else ["the program's output differs"]
    if [k["name"] for k in seen["kernels"]] != [k["name"] for k in counted["kernels"]]:
        wrong.append("not the same kernels")
    measured = 0
    for a, b in zip(seen["kernels"], counted["kernels"]):
        if b["not_measured"]:
            print(f"{b['readable']}: no probes: {b['not_measured']}")
            continue
        measured += 1
        if b["waves_recorded"] != b["waves"]:
            wrong.append(f"{b['readable']}: {b['waves_recorded']} of {b['waves']} waves recorded")
        for what, x, y in zip(("instructions", "branches of waves"), counts(a), counts(b)):
            if x != y:
                wrong.append(f"{b['readable']}: {what}: {str(x)[:300]} seen, {str(y)[:300]} counted")
    print(f"{measured} of {len(counted['kernels'])} kernels have probes")
    if not measured:
        wrong.append("nothing was measured")
    sys.exit("\n".join(wrong) or 0)


main()
