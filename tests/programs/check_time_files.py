#!/usr/bin/env python3
"""`crosslane run --time --time-files`: a folder for each process, and in it one for each dispatch, with what `crosslane launch
--time-files` writes of the same kernel.

  check_time_files.py --crosslane COMMAND --program PROGRAM

PROGRAM twice launches `single` and then `work`. What the files say must add up to what --output says, and which instructions ran how often
is what `crosslane launch` counts by --profile, which knows nothing of the model.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
for name in ("crosslane", "program"):
    parser.add_argument("--" + name, required=True)
options = parser.parse_args()
wrong = []


def expect(truth, what):
    if not truth:
        wrong.append(what)


def run(*words, status=0):
    done = subprocess.run([options.crosslane, *words], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(words)}\nexit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stderr


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def check_dispatch(folder, number, kernel, modelled):
    viewer = f"ui_output_agent_0_dispatch_{number}"
    expect(sorted(p.name for p in folder.iterdir()) == ["kernel_stats.csv", f"stats_{viewer}.csv", "trace.pftrace", viewer],
           f"{folder}: not the files that there should be")
    stats = rows(folder / "kernel_stats.csv")
    expect(len(stats) == 1 and stats[0]["Calls"] == "1" and stats[0]["Name"].startswith(kernel), f"{folder}: {stats}")
    expect(abs(int(stats[0]["TotalDurationNs"]) - modelled["nanoseconds"]["total"]) <= 1, f"{folder}: not the modelled time")
    instructions = [r for r in rows(folder / f"stats_{viewer}.csv") if not r["Instruction"].startswith(";")]
    expect(sum(int(r["Hitcount"]) for r in instructions) == modelled["instructions"], f"{folder}: not as many instructions as modelled")
    names = json.loads((folder / viewer / "filenames.json").read_text())
    files = [e[0] for se in names["wave_filenames"].values() for sm in se.values() for slot in sm.values() for e in slot.values()]
    expect(files and all((folder / viewer / f).exists() for f in files), f"{folder}: files of waves that are not there")
    expect((folder / "trace.pftrace").stat().st_size > 1000, f"{folder}: no trace to speak of")
    return {int(r["Vaddr"]): int(r["Hitcount"]) for r in instructions}


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    files, output = place / "files", place / "out.json"
    run("run", "--gpu", "vega10", "--time", "--time-files", str(files), "--output", str(output), "--", options.program, "twice")
    (process,) = files.iterdir()
    expect(process.name.isdigit(), f"{process}: no number of a process")
    modelled = {k["readable"].split("(")[0]: k for k in json.loads(output.read_text())["time"]}
    expect(sorted(p.name for p in process.iterdir()) == ["dispatch_1", "dispatch_2", "kernel_stats.csv"], f"{process}: not two dispatches")
    check_dispatch(process / "dispatch_1", 1, "single(", modelled["single"])
    counts = check_dispatch(process / "dispatch_2", 2, "work(", modelled["work"])

    stats = {r["Name"].split("(")[0]: r for r in rows(process / "kernel_stats.csv")}
    expect(stats.keys() == modelled.keys(), f"{process}: {list(stats)}, modelled are {list(modelled)}")
    expect(abs(sum(float(r["Percentage"]) for r in stats.values()) - 100) < 0.1, f"{process}: per cent that are not 100 in all")
    for kernel, row in stats.items():
        expect(abs(int(row["TotalDurationNs"]) - modelled[kernel]["nanoseconds"]["total"]) <= 1, f"{kernel}: not the time modelled")

    # The very code of the program, with the numbers of its launch: see profiled.cpp.
    profile = place / "profile.json"
    run("launch", options.program, "--target", "gfx900", "--kernel", "_Z4workPKfPfPji", "--groups", "32", "--block", "256", "f32[8192]:iota",
        "f32[8192]", "u32[1024]", "40", "--profile", "all", "--json", str(profile))
    counted = {int(i["address"], 16): i["executions"] for k in json.loads(profile.read_text())["kernels"] for i in k["instructions"]}
    expect({a: n for a, n in counted.items() if n} == counts, "work: other instructions than crosslane launch counts")

    # Two processes, two folders; what is there is not written over; of what, must be said.
    two = place / "two"
    run("run", "--gpu", "vega10", "--time", "--time-files", str(two), "--output", str(place / "o"), "--", "sh", "-c",
        f"'{options.program}' && '{options.program}'")
    expect(len(list(two.iterdir())) == 2, "two processes did not leave two folders")
    expect("not empty" in run("run", "--time", "--time-files", str(two), "--", options.program, status=2), "written over a folder")
    expect("needs --time" in run("run", "--time-files", str(place / "new"), "--", options.program, status=2), "files without --time")

for what in wrong:
    print(what)
print("FAIL" if wrong else "PASS")
sys.exit(bool(wrong))
