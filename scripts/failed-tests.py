#!/usr/bin/env python3
"""Prints what the tests that failed in ctest's last run printed, one after the other: in the run's own output it stands
among thousands of lines. At most 200 lines of each, its last ones.

  scripts/failed-tests.py build/release
"""
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1], "Testing/Temporary")
if not (folder / "LastTestsFailed.log").exists():
    sys.exit()
failed = {line.split(":", 1)[1] for line in (folder / "LastTestsFailed.log").read_text().splitlines()}
log = (folder / "LastTest.log").read_text(errors="replace")
for name, text in re.findall(r"^\d+/\d+ Testing: (.*)\n((?:.*\n)*?)(?=^\d+/\d+ Testing: |^End testing|\Z)", log, re.M):
    if name in failed:
        lines = text.strip().splitlines()
        print(f"\n==== {name} failed ====", *lines[-200:], sep="\n")
