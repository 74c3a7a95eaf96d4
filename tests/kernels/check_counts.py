#!/usr/bin/env python3
"""Profiles every `crosslane launch` line of examples/README.md twice: compiled code that counts by itself, and the interpreter
with hooks. What they have must be the same to the number, but for times.

Usage: check_counts.py CROSSLANE README.md WORK_FOLDER [VIEWS]
"""
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path


# They wait for another wave in a loop: how often they go round depends on who is first.
WAITING = {"relay", "atomics"}


def without_times(node):
    if isinstance(node, dict):
        return {k: without_times(v) for k, v in node.items() if "seconds" not in k and not k.startswith("overhead")}
    return [without_times(v) for v in node] if isinstance(node, list) else node


def first_difference(a, b, at="$"):
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((d for k in a if (d := first_difference(a[k], b[k], f"{at}.{k}"))), None)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((d for n in range(len(a)) if (d := first_difference(a[n], b[n], f"{at}[{n}]"))), None)
    return None if a == b else f"{at}: {str(a)[:200]} by hooks, {str(b)[:200]} by counters"


def main():
    program, readme, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    views = sys.argv[4:] or ["branches", "divergence", "branches,divergence"]
    work.mkdir(parents=True, exist_ok=True)
    folder = readme.resolve().parent
    run = failed = 0
    for line in readme.read_text().splitlines():
        if not line.startswith("crosslane launch "):
            continue
        words = shlex.split(line)[1:]
        if "--kernel" in words and words[words.index("--kernel") + 1] in WAITING:
            continue
        words = [str(folder / w) if w.endswith((".cl", ".s", ".hip")) else w for w in words]
        if "--profile" in words:
            del words[words.index("--profile"):words.index("--profile") + 2]
        for view in views:
            profiles = []
            for jit in ("off", "always"):
                file = work / "profile.json"
                file.unlink(missing_ok=True)
                environment = {**os.environ, "CROSSLANE_JIT": jit, "CROSSLANE_CACHE": "off", "CROSSLANE_PROFILE": ""}
                subprocess.run([program, *words, "--profile", view, "--json", str(file)], cwd=work, capture_output=True,
                               timeout=120, env=environment)
                profiles.append(without_times(json.loads(file.read_text())) if file.exists() else None)
            run += 1
            if profiles[0] is None or (d := first_difference(*profiles)):
                failed += 1
                print(f"{line} --profile {view}\n  {d if profiles[0] else 'no profile'}")
    print(f"{run} profiles, {failed} differ")
    if failed or not run:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
