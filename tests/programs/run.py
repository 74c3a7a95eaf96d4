#!/usr/bin/env python3
"""Runs one program by `crosslane run` and judges how it ends and what it prints.

  run.py --crosslane COMMAND --gpu CARD[,CARD] [--env NAME=value]... [--status 0|SIGABRT] [--expect REGEX]... [--kill-at REGEX]
         [--judged FILE] -- program arguments...
  run.py --sum FILE...

The program gets an empty folder of its own as TMPDIR and current folder; what it leaves there, or in /dev/shm, is a failure.
--kill-at sends SIGKILL as soon as a line matches.
--judged: the runtime library judges the static analysis (tests/analysis/judge.h) and writes FILE. A deviation is a failure, and
so is a program of which nothing was judged. --sum prints what such files come to.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile


def shared_files():
    """Where what a process leaves would lie."""
    return {os.path.join(folder, name) for folder in ("/dev/shm", "/tmp") for name in os.listdir(folder)}


def left_behind(pid, before):
    """Shared memory and temporary files that are new and bear our name and the process's number."""
    ours = re.compile(rf"(crosslane|hsa).*(?<![0-9a-f]){pid}(?![0-9a-f])", re.I)
    return [name for name in shared_files() - before if ours.search(os.path.basename(name))]


def judged(path):
    """What a report of the judge comes to, as {name: number}, and its deviations."""
    sums, deviations = {}, []
    with open(path) if os.path.exists(path) else open(os.devnull) as report:
        for line in report:
            kind, counts = line.split(" ", 1)[0], line.rstrip("\n").rsplit(": ", 1)[1]
            if kind != "judged":
                deviations.append(line.rstrip("\n"))
                continue
            for count in ["1 dispatches", *counts.split(", ")]:
                number, name = count.split(" ", 1)
                sums[name] = sums.get(name, 0) + int(number)
    return sums, deviations


def main():
    if sys.argv[1:2] == ["--sum"]:
        total = {"programs": len(sys.argv) - 2}
        for path in sys.argv[2:]:
            for name, number in judged(path)[0].items():
                total[name] = total.get(name, 0) + number
        print(", ".join(f"{number:,} {name}" for name, number in total.items()))
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True)
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--judged")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--status", default="0")
    parser.add_argument("--expect", action="append", default=[])
    parser.add_argument("--kill-at")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command

    command = [options.crosslane, "run", "--gpu", options.gpu, "--", *command]
    environment = dict(os.environ, **dict(setting.split("=", 1) for setting in options.env))
    if options.judged:
        environment["CROSSLANE_JUDGE_REPORT"] = options.judged
        os.makedirs(os.path.dirname(options.judged), exist_ok=True)
        if os.path.exists(options.judged):
            os.remove(options.judged)
    with tempfile.TemporaryDirectory(prefix="crosslane-program-") as folder:
        environment["TMPDIR"] = folder
        before = shared_files()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace")
        output, killed = "", False
        for line in process.stdout:
            output += line
            if options.kill_at and not killed and re.search(options.kill_at, line):
                process.send_signal(signal.SIGKILL)
                killed = True
        status = process.wait()
        files = [os.path.join(folder, name) for name in os.listdir(folder)] + left_behind(process.pid, before)

    complaints = []
    ended = signal.Signals(-status).name if status < 0 else str(status)
    if ended != options.status:
        complaints.append(f"ended with {ended}, not {options.status}")
    for pattern in options.expect:
        if not re.search(pattern, output, re.M):
            complaints.append(f"the output has nothing like: {pattern}")
    # A process that dies by a signal cannot clear up what HIP's compiler has open, but our own must not leave anything.
    # The driver's files are kept for the next program.
    ours = [name for name in files if ("comgr" not in name or status == 0) and "crosslane-topology-" not in name]
    if ours:
        complaints.append("left behind: " + " ".join(ours))
    if options.judged:
        sums, deviations = judged(options.judged)
        complaints += deviations[:20]
        if not sums.get("registers overwritten"):
            complaints.append("nothing of it was judged")
        output += "judged: " + ", ".join(f"{number} {name}" for name, number in sums.items()) + "\n"
    print(output, end="")
    for complaint in complaints:
        print("run.py:", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
