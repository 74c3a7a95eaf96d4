#!/usr/bin/env python3
"""Checks that code compiled for AVX2 or AVX-512 cannot end up in the baseline build.

Usage: check-levels.py NM BUILD_DIR.
Some sources are compiled once per x86-64 level (cmake/Isa.cmake). A weak symbol (an inline function or a template) that
two levels define under one name is merged by the linker, which may keep the AVX-512 copy: then a CPU without AVX-512 dies
of an illegal instruction. So every function that such an object defines must carry the level in its mangled name.
"""
import re
import subprocess
import sys
from pathlib import Path

# .../engine_v4.dir/valu.cpp.o: the folder that CMake makes for an object library of crosslane_levels()
LEVEL_OBJECT = re.compile(r"_(v3|v4)\.dir/.*\.o$")


def violations(nm_lines, level):
    """Yields mangled names of functions (or their static data) that the linker could merge with another level's."""
    inner = f"2{level}"  # the inline namespace as it appears in a mangled name
    for line in nm_lines:
        kind, _, name = line[17:].partition(" ")
        if kind in "WVu" and inner not in name:
            yield name


def main():
    nm, build = sys.argv[1], Path(sys.argv[2])
    objects = [(path, match[1]) for path in sorted(build.rglob("*.o")) if (match := LEVEL_OBJECT.search(str(path)))]
    bad = 0
    for path, level in objects:
        run = subprocess.run([nm, "--defined-only", str(path)], capture_output=True, text=True, check=True)
        for name in violations(run.stdout.splitlines(), level):
            bad += 1
            print(f"{path.relative_to(build)}: {name} is weak and outside namespace {level}")
    if bad:
        raise SystemExit(f"{bad} symbol(s) that the linker may merge across levels: put the function between "
                         "CROSSLANE_LEVEL_BEGIN and _END (lanes/level.h), or make it always_inline")
    print(f"{len(objects)} objects of levels v3 and v4 checked")


if __name__ == "__main__":
    main()
