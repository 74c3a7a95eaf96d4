#!/usr/bin/env python3
"""Checks that every executable and shared library of the build makes the most of what the loader offers against wild stores.

Usage: check-hardening.py READELF BUILD_DIR.
A kernel's mistake, or the emulator's, is a store somewhere in a process of the host. So no address of ours is known beforehand
(position-independent executables), no table of function pointers that the loader fills can be written afterwards (full RELRO:
everything bound at the start, then read-only), and no memory is both written and executed.
"""
import re
import subprocess
import sys
from pathlib import Path

STATIC = {"cli_static_guest"}  # a guest of `crosslane run` in a test: programs of others are so, too


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def read(readelf, paths):
    """What readelf says of each, all asked at once: it takes longer to start than to read one."""
    twice = paths + paths[-1:]  # of a single file it does not say the name
    command = [readelf, "--wide", "--file-header", "--program-headers", "--dynamic", *twice]
    result = subprocess.run(command, capture_output=True, text=True)
    texts = re.split(r"^File: (.*)\n", result.stdout, flags=re.MULTILINE)[1:]
    read = dict(zip(texts[::2], texts[1::2]))
    if missing := [str(path) for path in paths if str(path) not in read]:
        raise SystemExit(f"{readelf} does not read {missing[0]} (and {len(missing) - 1} others): {result.stderr}")
    return read


def problems(text):
    """Yields what is missing."""
    if not re.search(r"Type:\s+DYN", text) or ("INTERP" in text and not re.search(r"\(FLAGS_1\).*\bPIE\b", text)):
        yield "is not position-independent: link with -pie"
    if "GNU_RELRO" not in text:
        yield "has no RELRO: link with -z relro"
    if not re.search(r"\(FLAGS(_1)?\).*\b(BIND_)?NOW\b", text):
        yield "binds functions when they are called, in memory that stays writable: link with -z now"
    if not re.search(r"GNU_STACK.*\sRW\s", text):
        yield "has an executable stack: link with -z noexecstack"
    if re.search(r"LOAD\s.*\sRWE\s", text):
        yield "has memory that is both written and executed"
    if "TEXTREL" in text:
        yield "is relocated in its code: compile all of it with -fPIC"


def main():
    readelf, build = sys.argv[1], Path(sys.argv[2])
    files = [path for folder in ("bin", "lib") for path in sorted((build / folder).rglob("*"))
             if path.suffix not in (".a", ".o") and path.name not in STATIC and is_elf(path)]
    texts = read(readelf, files)
    found = [f"{path.relative_to(build)}: {problem}" for path in files for problem in problems(texts[str(path)])]
    for line in found:
        print(line)
    if found:
        raise SystemExit(f"{len(found)} problem(s) in {len(files)} executables and shared libraries")
    print(f"{len(files)} executables and shared libraries checked")


if __name__ == "__main__":
    main()
