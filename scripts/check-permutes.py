#!/usr/bin/env python3
"""Checks that data moves between and within registers in lanes/ only: elsewhere no shuffle of the compiler and no intrinsic that
permutes, shuffles, interleaves, blends, aligns, inserts or extracts. Tests and benchmarks may, to compare with.

Usage: check-permutes.py [ROOT]. Prints file:line and the finding; exit status 1 if any.
"""
import re
import sys
from pathlib import Path

SUFFIXES = {".h", ".cpp", ".inc"}
MAY = {"src/lanes", "tests", "bench", "examples", "build"}
MOVES = re.compile(r"__builtin_shufflevector|\b_mm\d*_\w*"
                   r"(?:permute|shuffle|unpack|blend|alignr|insert|extract|compress|expand|multishift|broadcast[if]\d)\w*")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    problems = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.suffix not in SUFFIXES or not path.is_file() or MAY & {name.parts[0], "/".join(name.parts[:2])} or name.parts[0].startswith("."):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if match := MOVES.search(line.split("//")[0]):
                problems.append(f"{name}:{number}: '{match[0]}': permutes live in lanes/; use or extend a function of it")
    for problem in problems:
        print(problem)
    if problems:
        raise SystemExit(f"{len(problems)} permute(s) outside of lanes/")


if __name__ == "__main__":
    main()
