#!/usr/bin/env python3
"""Dispatches in ranges of workgroups: the same report as of whole ones, for any number of ranges and of MPI ranks, with one of
them killed; and what depends on other ranges is said. Usage: check_ranges.py CROSSLANE FOLDER PROGRAM: PROGRAM (tests/programs/
hip/ranges.cpp) is captured in FOLDER, which belongs to this test. The memory that its own dispatches left is the oracle."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CROSSLANE, FOLDER, PROGRAM = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
# As root in a container, with more ranks than cores: this is a test.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
# Dispatches of the program, by their numbers in the capture.
APART, DEPENDENT, FAULTY, COUNT = range(7), {7: "leave different values in", 8: "which .* write", 9: "use atomics on"}, 10, 11


def run(*command, status=0):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def check(right, message):
    if not right:
        sys.exit(message)


def report(name, *options, status=0, by=()):
    run(*by, CROSSLANE, "replay", CAPTURE, *options, "--json", FOLDER / name, status=status)
    return (FOLDER / name).read_bytes()


def ranks_of_it():
    """Process of each rank, by what Open MPI tells them."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environ = (folder / "environ").read_bytes().split(b"\0")
            if os.path.realpath(folder / "exe") == os.path.realpath(CROSSLANE) and str(CAPTURE).encode() in (folder / "cmdline").read_bytes():
                for word in environ:
                    if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                        found[int(word.split(b"=")[1])] = int(folder.name)
        except OSError:
            pass  # it has ended
    return found


def output_of(mpirun):
    try:
        return mpirun.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        for process in [mpirun.pid, *ranks_of_it().values()]:
            os.kill(process, signal.SIGKILL)
        sys.exit(f"the ranks did not end in a minute:\n{mpirun.communicate()[0]}")


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
CAPTURE = FOLDER / "captured"
run(CROSSLANE, "run", "--capture", CAPTURE, "--", PROGRAM, "fault", status=-signal.SIGABRT)

# What is apart from each other: as whole dispatches, to the byte. The last one faults, as captured.
for dispatch in (4, 5, 6, FAULTY):
    whole = report("whole.json", "--all", "--dispatch", dispatch, "--expect")
    check(json.loads(whole)["replays"][0]["same"], f"dispatch {dispatch} is not as captured:\n{whole.decode()}")
    for ranges in (1, 7, 64, 100000):
        check(report("ranges.json", "--all", "--dispatch", dispatch, "--expect", "--ranges", ranges) == whole,
              f"dispatch {dispatch} in {ranges} ranges: another report")
# Some of its workgroups, in ranges.
some = ("--all", "--dispatch", 4, "--workgroups", "30..90")
check(report("ranges.json", *some, "--ranges", 9) == report("whole.json", *some), "another report of some workgroups")
report("refused.json", *some, "--ranges", 9, "--expect", status=2)

# All of them: what depends is said, with who and where, and is no result.
whole = json.loads(report("whole.json", "--all", status=3))["replays"]
alone = report("alone.json", "--all", "--ranges", 8, status=2)
replays = json.loads(alone)["replays"]
check(len(replays) == COUNT and all(replays[d] == whole[d] for d in APART), f"other results:\n{alone.decode()}")
for dispatch, why in DEPENDENT.items():
    check(re.search(rf"workgroups 0\.\.31 .*{why}.*device memory \d+ \[0x[0-9a-f]+\]|workgroups 0\.\.31 read device memory \d+ \[0x[0-9a-f]+\], {why}",
                    replays[dispatch].get("error", "")) and "end" not in replays[dispatch], f"dispatch {dispatch}: {replays[dispatch]}")
# Within one range they may.
check(json.loads(report("one.json", "--all", "--ranges", 1, status=3))["replays"] == whole, "one range is not the whole")

for ranks in (1, 2, 4):
    check(report(f"{ranks}.json", "--mpi", "--ranges", 8, status=2, by=("mpirun", "-n", ranks)) == alone, f"another report with {ranks} ranks")

# One dies: nothing is missing. A journal goes on, and one of other ranges is refused.
WORK = ("replay", CAPTURE, "--dispatch", 4, "--expect", "--late")
run(CROSSLANE, *WORK, "--all", "--json", FOLDER / "whole.json")
for ranks in (2, 4):
    journal = FOLDER / f"{ranks}.journal"
    command = ["mpirun", "--enable-recovery", "-n", ranks, CROSSLANE, *WORK, "--mpi", "--ranges", 200, "--json", FOLDER / "killed.json",
               "--journal", journal]
    mpirun = subprocess.Popen(list(map(str, command)), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + 60
    while b"\nitem " not in (journal.read_bytes() if journal.exists() else b""):
        check(mpirun.poll() is None, f"it ended before anybody could be killed:\n{mpirun.stdout.read() if mpirun.poll() is not None else ''}")
        check(time.monotonic() < until, "no result in a minute")
        time.sleep(0.01)
    victims = ranks_of_it()
    check(1 in victims, f"ranks found: {victims}")
    os.kill(victims[1], signal.SIGKILL)
    text = output_of(mpirun)
    check((FOLDER / "killed.json").read_bytes() == (FOLDER / "whole.json").read_bytes(), f"another report with one of {ranks} ranks killed:\n{text}")
    check("rank 1 did not say that it ends" in text, f"a dead rank was not told of:\n{text}")
    (FOLDER / "killed.json").unlink()
lines = journal.read_bytes()
run(CROSSLANE, *WORK, "--all", "--ranges", 200, "--json", FOLDER / "resumed.json", "--journal", journal, "--resume")
check((FOLDER / "resumed.json").read_bytes() == (FOLDER / "whole.json").read_bytes(), "another report of the journal")
other = run(CROSSLANE, *WORK, "--all", "--ranges", 100, "--journal", journal, "--resume", status=2)
check("is of other work" in other.stderr and journal.read_bytes() == lines, other.stderr)

# Time of a large grid: of each range a stretch, the same for any number of ranks, and about what the whole grid takes.
faulty, CAPTURE = CAPTURE, FOLDER / "large"
run(CROSSLANE, "run", "--capture", CAPTURE, "--capture-kernel", "wide", "--", PROGRAM, "large")
alone = report("timed.json", "--all", "--time", "--expect", "--ranges", 3)
timed, = json.loads(alone)["replays"]
whole, = json.loads(report("whole.json", "--all", "--time", "--time-error", 0, "--expect"))["replays"]
check(timed["timing"].keys() - {"sampled"} == whole["timing"].keys(), f"members of the time: {timed['timing'].keys()}")
for key in timed.keys() - {"timing"}:
    check(timed[key] == whole[key], f"{key}: {timed[key]}, not {whole[key]}")
got, exact = timed["timing"], whole["timing"]
check(got["instructions"] == exact["instructions"] and got["workgroups"] == 18000 and got["sampled"]["stretches"] == 3, f"{got}")
check([i["address"] for i in got["per_instruction"]] == [i["address"] for i in exact["per_instruction"]], "other instructions")
check(abs(got["cycles"] / exact["cycles"] - 1) < 0.05, f"{got['cycles']} cycles, of all workgroups {exact['cycles']}")
for ranks in (1, 2):
    check(report(f"{ranks}.json", "--mpi", "--time", "--expect", "--ranges", 3, by=("mpirun", "-n", ranks)) == alone,
          f"another time with {ranks} ranks")
check(report("one.json", "--all", "--time", "--ranges", 1) == report("whole.json", "--all", "--time"), "one range is not timed as the whole")
short = json.loads(report("short.json", "--all", "--time", "--ranges", 1000, status=2))["replays"][0]
check("a range of 18 workgroups is too short" in short["error"], f"{short}")
CAPTURE = faulty

# What cannot be had.
for options, why in ((("--all", "--time", "--time-error", 1), "--time-error is of whole dispatches"), (("--all", "--check"), "--check is of whole dispatches"),
                     (("--all", "--profile", "memory"), "--profile is of one replay"), ((), "--ranges is of many replays")):
    done = run(CROSSLANE, "replay", CAPTURE, *options, "--ranges", 4, status=2)
    check(why in done.stderr, f"{options}: {done.stderr}")
