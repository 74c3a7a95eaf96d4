#!/usr/bin/env python3
"""The profile of a kernel is the same whether a HIP program runs it (`crosslane run`) or `crosslane launch` does.

  check_profile.py --crosslane COMMAND --program PROGRAM --source FILE

Both profiles are compared member by member. What may differ: times, the card, the addresses where buffers happen to lie, and
how the block of arguments, which only scalar loads read, is aligned. So it is with the trace of a wavefront, where registers may hold
addresses: such values differ by the same in all lanes that have them.
"""
import argparse
import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

may_differ = {"seconds", "card", "base"}


def differences(a, b, place):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key in may_differ or (key == "alignment" and a.get("space") == "scalar"):
                continue
            if key not in a or key not in b:
                yield f"{place}.{key}: only in the profile of {'run' if key in a else 'launch'}"
            else:
                yield from differences(a[key], b[key], f"{place}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{place}[{i}]")
    elif a != b:
        yield f"{place}: {str(a)[:200]} with run, {str(b)[:200]} with launch"


def lanes(value):
    return struct.unpack("<64I", base64.b64decode(value)) if isinstance(value, str) else (value,) * 64


def trace_differences(a, b):
    """Of two traces; the last line is how many vector registers were compared, and how many of them held addresses."""
    for key in sorted((set(a) | set(b)) - {"steps", "initial"}):
        if a.get(key) != b.get(key):
            yield f"trace.{key}: {str(a.get(key))[:200]} with run, {str(b.get(key))[:200]} with launch"
    if [step[0] for step in a["steps"]] != [step[0] for step in b["steps"]]:
        yield "trace: not the same instructions"
        return
    equal = shifted = 0
    for number, (x, y) in enumerate(zip([a["initial"]] + [step[1] or {} for step in a["steps"]], [b["initial"]] + [step[1] or {} for step in b["steps"]])):
        yield from differences(x.get("mem"), y.get("mem"), f"trace, step {number}, mem")
        if x.get("exec") != y.get("exec"):
            yield f"trace, step {number}: EXEC {x.get('exec')} with run, {y.get('exec')} with launch"
        for register in set(x.get("v", {})) & set(y.get("v", {})):
            shift = {(one - other) % 2**32 for one, other in zip(lanes(x["v"][register]), lanes(y["v"][register]))} - {0}
            equal += not shift
            shifted += bool(shift)
            if len(shift) > 1:
                yield f"trace, step {number}: v{register} is {x['v'][register]} with run, {y['v'][register]} with launch"
    print(f"{len(a['steps'])} steps compared; of the values of vector registers {equal} equal, {shifted} shifted")
    if len(a["steps"]) < 50 or equal < 50 or equal < shifted:
        yield f"trace: {len(a['steps'])} steps, {equal} equal values and {shifted} shifted"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def main():
    parser = argparse.ArgumentParser()
    for name in ("crosslane", "program", "source"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crosslane-profile-") as folder:
        files = [os.path.join(folder, name) for name in ("run.json", "launch.json")]
        run([options.crosslane, "run", "--gpu", "vega10", "--threads", "1", "--kernel", "^work\\(", "--trace-wave", "13:2", "--json", files[0],
             "--html", os.path.join(folder, "run.html"), "--csv", os.path.join(folder, "run.csv"), "--", options.program])
        # The very code of the program.
        run([options.crosslane, "launch", options.program, "--target", "gfx900", "--kernel", "_Z4workPKfPfPji", "--groups", "32",
             "--block", "256", "--threads", "1", "f32[8192]:iota", "f32[8192]", "u32[1024]", "40", "--trace-wave", "13:2", "--json", files[1]])
        profiles = [json.load(open(file)) for file in files]
        html, csv = (open(os.path.join(folder, name)).read() for name in ("run.html", "run.csv"))
    kernels = [profile["kernels"] for profile in profiles]
    # What memory is called is each host's own business: device memory here, the kernel's parameter there.
    for finding in (f for each in kernels for kernel in each for f in kernel["findings"]):
        finding["text"] = re.sub(r" Its worst request, of wave \d+ of workgroup [\d,]+, lies in .*?\.(?= |$)", "", finding["text"])
    complaints = list(trace_differences(*[profile["trace"] for profile in profiles])) + list(differences(*kernels, "kernels")) + list(differences(profiles[0]["sources"], profiles[1]["sources"], "sources"))

    # That there is something to compare.
    kernel = kernels[0][0]
    instructions = kernel["instructions"]
    def total(view, key):
        values = [i.get(view) for i in instructions]
        return sum(entry[key] for value in values if value for entry in (value if isinstance(value, list) else [value]))
    for what, value in {
        "divergences": total("branch", "divergences"),
        "excess lines": total("memory", "excess_lines"),
        "address collisions": total("memory", "address_collisions"),
        "bank conflicts": total("lds", "conflict_cycles"),
        "findings": len(kernel["findings"]),
        "counters": len(kernel["counters"]),
        "source": sum(options.source.endswith(source["path"]) and source["text"] == open(options.source).read() for source in profiles[0]["sources"]),
    }.items():
        print(f"{what}: {value}")
        if not value:
            complaints.append(f"there are no {what}")
    if kernel["launches"] != 1 or kernel["waves"] != 128:
        complaints.append(f"{kernel['launches']} launches of {kernel['waves']} waves, not one of 128")
    if profiles[0]["trace"]["workgroup"] != [13, 0, 0] or profiles[0]["trace"]["wave"] != 2 or not profiles[0]["trace"]["complete"]:
        complaints.append(f"the trace is of another wave, or not complete: {str(profiles[0]['trace'])[:300]}")
    for profile in profiles:
        estimate = profile["overhead_estimate"]
        told = estimate["cpu_seconds"] >= 0.01  # of less it says nothing
        if (not 0 < estimate["hook_seconds"] < estimate["cpu_seconds"]
                or not (0.05 < estimate["share"] < 1 if told else estimate["share"] is None)):
            complaints.append(f"what profiling cost: {estimate}")
    if '"crosslane-profile"' not in html or "_Z4workPKfPfPji" not in html:
        complaints.append("the page has no profile inside")
    if '"SQ_WAVES",128' not in csv:
        complaints.append("the counters are not there:\n" + csv[:500])
    for complaint in complaints:
        print("check_profile.py:", complaint)
    print(f"{len(instructions)} instructions compared")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
