#!/usr/bin/env python3
"""Reports of `crosslane run` when a program does not end by itself: Ctrl-C, its own handler, a GPU fault; and when there are
several processes.

  check_reports.py --crosslane COMMAND --programs FOLDER
"""
import argparse
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

complaints = []


def check(condition, text):
    if not condition:
        complaints.append(text)


class Run:
    """A program, with a profile unless `report` is false, in a folder of its own; sends a signal to it when it says that it has started."""

    def __init__(self, crosslane, words, sent=None, options=("--profile", "divergence"), variables={}, report=True):
        with tempfile.TemporaryDirectory(prefix="crosslane-reports-") as folder:
            file = ["--json", os.path.join(folder, "p.json")] if report else []
            command = [crosslane, "run", "--gpu", "vega10", *options, *file, "--", *words]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, **variables},
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            self.out = ""
            if sent:
                self.out = process.stdout.readline()
                time.sleep(0.5)  # until the kernel runs
                process.send_signal(sent)
            out, self.err = process.communicate(timeout=50)
            self.out += out
            self.status = process.returncode
            self.files = sorted(os.listdir(folder))
            self.profiles = [json.load(open(os.path.join(folder, name))) for name in self.files if name.endswith(".json")]


def kernels(profile):
    return [kernel["short"] for kernel in profile["kernels"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    profiled, stops = (os.path.join(options.programs, name) for name in ("profiled", "stops"))

    for sent, why in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP"), (signal.SIGQUIT, "SIGQUIT")):
        run = Run(options.crosslane, [profiled, "endless"], sent)
        check(run.status == -sent, f"{why}: ended with {run.status}\n{run.out}{run.err}")
        check(run.files == ["p.json"], f"{why}: {run.files}")
        check(f"not complete ({why})" in run.err, f"{why}: no summary\n{run.err[:500]}")
        for profile in run.profiles:
            check(profile["interrupted"] == why and not profile["complete"], f"{why}: {profile['interrupted']}")
            check("work" in kernels(profile) and "endless" in kernels(profile), f"{why}: {kernels(profile)}")
            endless = profile["kernels"][kernels(profile).index("endless")]
            check(endless["wave_instructions"] > 1000, f"{why}: {endless['wave_instructions']} instructions")

    # Without a profile: where the waves are.
    why = "kernel endless(int volatile*) was stopped: of 4 workgroups, 0 had ended"
    for sent, text in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        run = Run(options.crosslane, [profiled, "endless"], sent, options=(), report=False)
        check(run.status == -sent and f"crosslane: {text}: {why}" in run.err, f"{text}, bare: ended with {run.status}\n{run.err[:500]}")
    run = Run(options.crosslane, [profiled, "endless"], options=("--timeout", "1", "--stats"), report=False)
    check(run.status == 124 and f"crosslane: the time limit is over: {why}" in run.err, f"time limit: ended with {run.status}\n{run.err[:500]}")
    source = (pathlib.Path(__file__).parent / "hip/profiled.cpp").read_text()
    loop = source[:source.index("while (*word == 0)")].count("\n") + 1
    check(re.search(r"\n +4 +running +ffffffffffffffff +[0-3]:0 +0x[0-9a-f]+ +endless\(int volatile\*\)\+0x.* "
                    rf"\S*profiled.cpp:({loop}|{loop - 1})", run.err), f"time limit: {run.err[:500]}")
    check("kernels on vega10" in run.err, f"time limit: no statistics\n{run.err[:500]}")
    run = Run(options.crosslane, [profiled], options=("--timeout", "50"), report=False)
    check(run.status == 0 and run.err == "", f"in time: ended with {run.status}\n{run.err[:500]}")

    # The wavefront of a kernel that does not end: what was recorded of it until then.
    run = Run(options.crosslane, [profiled, "endless"], signal.SIGINT, ("--kernel", "endless", "--trace-wave", "3:0"))
    check(run.status == -signal.SIGINT and len(run.profiles) == 1, f"trace: ended with {run.status}\n{run.out}{run.err}")
    for profile in run.profiles:
        trace = profile.get("trace", {})
        check(trace and trace["workgroup"] == [3, 0, 0] and not trace["complete"] and len(trace["steps"]) > 1000, f"trace: {str(trace)[:300]}")
        check("untraced" not in profile, f"trace: {profile.get('untraced')}")

    # By the variables alone: the first kernel asked for has no third wavefront in a workgroup, the second one has.
    run = Run(options.crosslane, [profiled, "twice"], options=("--kernel", "work|single"), variables={"CROSSLANE_PROFILE_TRACE_WAVE": "2:3"})
    for profile in run.profiles:
        check(kernels(profile) == ["single", "work"] and kernels(profile)[profile["trace"]["kernel"]] == "work", f"first that has it: {kernels(profile)} {str(profile.get('trace'))[:300]}")
        check(profile["trace"]["launch"] == 0 and profile["trace"]["complete"], "first that has it: another launch")
    check(len(run.profiles) == 1 and "of workgroup 2,0,0 of launch 0 of work" in run.err, f"first that has it: {run.err[:500]}")
    run = Run(options.crosslane, [profiled, "twice"], options=("--kernel", "work|single", "--trace-wave", "32:0"))
    why = "wave 0 of workgroup 32 was not traced: none of the 2 launches has it; the largest has 32 workgroups, 0 to 31"
    check(run.status == 0 and why in run.err.replace("\n  ", " "), f"none has it: {run.status} {run.err[:500]}")
    for profile in run.profiles:
        check(profile["untraced"] == why and "trace" not in profile, f"none has it: {profile.get('untraced')}")

    run = Run(options.crosslane, [profiled, "handler"], signal.SIGINT)
    check(run.status == 3 and "my own handler" in run.out, f"own handler: ended with {run.status}\n{run.out}{run.err}")
    for profile in run.profiles:
        check("the program ended while kernel" in profile["interrupted"], f"own handler: {profile['interrupted']}")
    check(run.files == ["p.json"], f"own handler: {run.files}")

    run = Run(options.crosslane, [stops, "past_end"])
    check(run.status == -signal.SIGABRT, f"fault: ended with {run.status}")
    for profile in run.profiles:
        check("past the end of" in profile["interrupted"], f"fault: {profile['interrupted']}")
        check("stores" in kernels(profile), f"fault: {kernels(profile)}")
    check(run.files == ["p.json"], f"fault: {run.files}")

    # Two processes, each with a report of its own; which of them has the plain name is theirs to settle.
    run = Run(options.crosslane, ["sh", "-c", f"{profiled} && {profiled}"], options=("--csv", "p.csv", "--kernel", "work"))
    check(run.status == 0, f"two processes: ended with {run.status}\n{run.err}")
    names = " ".join(run.files)
    check(re.fullmatch(r"p\.(\d+)\.csv p\.\1\.json p\.csv p\.json", names), f"two processes: {names}")
    check(all(kernels(profile) == ["work"] for profile in run.profiles), "two processes: not the same kernel")
    check("another process has written" in run.err, "two processes: nobody says so")

    for complaint in complaints:
        print("check_reports.py:", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
