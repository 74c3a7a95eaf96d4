#!/usr/bin/env python3
"""What probes in the kernels of a program count is what listeners see of the same program without them.

  check_probes.py --crosslane COMMAND [--verb launch] [--instrument PROBES] [--at PLACES] PROGRAM [ARGUMENT...]

Runs it with --profile and with --instrument, on one thread. Its output must be the same, and for each kernel
  divergence  the executions of every instruction and the branches of every wavefront,
  memory      what the views of memory and LDS say of every instruction, but for where buffers lie,
  lanes       the work-items of every instruction,
  FILE        (examples/probes/count_lanes.*) the executions and work-items at every place, but at exits and on edges.
With --verb launch, PROGRAM and its arguments are those of crosslane launch.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def profile(options, how, file):
    words = [options.crosslane, options.verb, "--threads", "1", *how, "--json", file]
    words += ["--quiet", "--output", os.devnull, "--", *options.command] if options.verb == "run" else options.command
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    with open(file) as written:
        return done.stdout if options.verb == "run" else "", json.load(written)


def branches(kernel):
    instructions = {}
    for i in kernel["instructions"]:
        if i["executions"]:
            branch = i.get("branch")
            instructions[i["address"]] = i["executions"], branch and [branch[key] for key in ("executions", "all", "none", "per_lane")]
    waves = sorted((w["workgroup"], w["wave"], kernel["instructions"][w["instruction"]]["address"], w["executions"], w["agreements"])
                   for w in kernel.get("waves_branches", []))
    return {"instructions": instructions, "branches of waves": waves}


def accesses(kernel):
    def without_base(what):
        return {k: without_base(v) for k, v in what.items() if k not in ("base", "worst_addresses")} if isinstance(what, dict) else what
    found = {i["address"]: ([without_base(m) for m in i.get("memory", []) if m["space"] != "scratch"], without_base(i.get("lds")))
             for i in kernel["instructions"]}
    return {"accesses": {address: of for address, of in found.items() if any(of)}}


def figures(kernel, view):
    return next((f for f in kernel.get("figures", []) if f["view"] == view), {"rows": []})["rows"]


def check_lanes(seen, counted):
    lanes = {index: value for index, value in figures(counted, "lanes")}
    return [f"{i['address']}: {i.get('lanes', 0)} work-items seen, {lanes.get(n, 0)} counted"
            for n, i in enumerate(seen["instructions"]) if i.get("lanes", 0) != lanes.get(n, 0)]


def check_places(name, seen, counted):
    wrong, instructions, compared = [], seen["instructions"], 0
    exact = name.endswith(".s")  # a function does not run where no work-item is
    for table in counted.get("figures", []):
        view, _, kind = table["view"].partition(" at ")
        for index, waves, lanes, *_ in table["rows"] if view == name else []:
            i, compared = instructions[index], compared + 1
            if kind == "entry" and waves != seen["waves"]:
                wrong.append(f"{waves} of {seen['waves']} waves counted at the entry")
            if kind not in ("block", "branch", "memory", "line"):
                continue
            if lanes != i.get("lanes", 0) or not (waves == i.get("executions", 0) or waves < i.get("executions", 0) and not exact):
                wrong.append(f"{kind} {i['address']}: {waves}, {lanes} counted, {i} seen")
    return wrong + ([] if compared else ["no place was compared"])


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--crosslane", required=True)
    parser.add_argument("--verb", default="run")
    parser.add_argument("--instrument", default="divergence")
    parser.add_argument("--at", default="")
    parser.add_argument("--trace-bytes")
    parser.add_argument("--may-lack", action="store_true", help="a kernel without probes fails nothing, even if it is the only one")
    options, rest = parser.parse_known_args()
    options.command = [word for word in rest if word != "--"]
    probes = options.instrument.split(",")
    user = [probe for probe in probes if "." in probe]
    how = ["--instrument", options.instrument]
    how += ["--at", options.at] if options.at else []
    how += ["--trace-bytes", options.trace_bytes] if options.trace_bytes else []
    per_wave = ["--per-wave"] if "divergence" in probes else []
    with tempfile.TemporaryDirectory() as folder:
        views = "branches" if probes == ["divergence"] else "all"
        seen_out, seen = profile(options, ["--profile", views, *per_wave], os.path.join(folder, "seen.json"))
        counted_out, counted = profile(options, [*how, *per_wave], os.path.join(folder, "counted.json"))
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
        for row in figures(b, "traced"):
            if row[1] != row[2]:
                wrong.append(f"{b['readable']}: {row[2]} of {row[1]} traced")
        for probe, look in (("divergence", branches), ("memory", accesses)):
            if probe in probes:
                for what, y in look(b).items():
                    x = look(a)[what]
                    if isinstance(x, dict):
                        x, y = ({k: of[k] for k in of if x.get(k) != y.get(k)} for of in (x, y))
                    if x != y:
                        wrong.append(f"{b['readable']}: {what}: {str(x)[:600]} seen, {str(y)[:600]} counted")
        wrong += check_lanes(a, b) if "lanes" in probes else []
        wrong += check_places(os.path.basename(user[0]), a, b) if user else []
    print(f"{measured} of {len(counted['kernels'])} kernels have probes")
    if not measured and not options.may_lack:
        wrong.append("nothing was measured")
    sys.exit("\n".join(wrong[:10]) or 0)


main()
