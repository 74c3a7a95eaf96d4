#!/usr/bin/env python3
"""Runs every `crosslane ...` line of examples/README.md from that folder and expects exit status 0.

Usage: check_readme.py CROSSLANE README.md WORK_FOLDER [OPTION ...]. Files that a command writes go to the work folder.
Options are added to those of `crosslane launch`.
"""
import shlex
import subprocess
import sys
from pathlib import Path


def main():
    program, readme, work, more = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:]
    work.mkdir(parents=True, exist_ok=True)
    folder = readme.resolve().parent
    run = failed = 0
    for line in readme.read_text().splitlines():
        if not line.startswith("crosslane "):
            continue
        words = shlex.split(line)[1:]
        words = [str(folder / w) if w.endswith((".cl", ".s", ".hip")) else w for w in words]
        if words[0] == "launch":
            words += more
        result = subprocess.run([program, *words], cwd=work, capture_output=True, text=True, timeout=60)
        run += 1
        if result.returncode != 0:
            failed += 1
            print(f"{line}\n  exit status {result.returncode}\n{result.stdout[-500:]}{result.stderr}")
    print(f"{run} commands, {failed} failed")
    if failed or not run:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
