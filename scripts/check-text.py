#!/usr/bin/env python3
"""Checks the text of the tree: no absolute path of one machine, no leftover markers, files open with a comment, files that text names
are there, no source reads facts out of mnemonics, test programs are called *_test.

Usage: check-text.py [ROOT]. Prints file:line and the finding; exit status 1 if any.
"""
import re
import sys
from pathlib import Path

SUFFIXES = {".h", ".cpp", ".inc", ".md", ".txt", ".cmake", ".py", ".sh", ".json", ".toml", ".cl", ".hip", ".s", ".c", ""}
OPENING = {".h": ("//", "/*"), ".cpp": ("//", "/*"), ".c": ("//", "/*"), ".cl": ("//", "/*"), ".hip": ("//", "/*"), ".inc": ("//",),
           ".s": (";", "//", "/*", "# "), ".py": ("#!", '"""', "#"), ".sh": ("#",), ".cmake": ("#",)}
SKIPPED = {"build", ".git", ".cache", "node_modules", "dist"}
LONGEST = 600  # lines; a file beyond it says why in its opening comment ("long because ...")

# Spelled in two halves so that this file does not find itself.
FORBIDDEN = [
    (re.compile(r"(?<![\w.~-])/(?:ho" r"me|wo" r"rk|ro" r"ot|Us" r"ers)/\w"), "a path that exists on one machine only"),
    (re.compile(r"(?<![\w.~-])/tm" r"p/\w+/"), "a path that exists on one machine only"),
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b"), "an unfinished-work marker: do it, or return a named error"),
]
# What an instruction is, its row says (isa/classify.h, isa/operands.h, isa/flow.h); its name is for people.
PARSES_MNEMONIC = re.compile(r"\bmnemonic\b(?:\([^()]*\))?\s*\.\s*(?:starts_with|ends_with|find|substr|remove_prefix|compare)\b")


def named_files(root):
    """A pattern for names of files as text has them: from the root or from src/, a folder that exists first."""
    folders = {p.name for base in (root, root / "src") if base.is_dir() for p in base.iterdir() if p.is_dir()}
    folders -= SKIPPED | {".git", ".ci"}
    return re.compile(r"(?<![\w./<-])(?:" + "|".join(map(re.escape, sorted(folders) or ["-"])) +
                      r")/[\w./-]*\w\.(?:h|cpp|inc|md|py|sh|txt|ts|tsx|cl|hip|s|toml)\b(?!\.\w)")


def exists(root, name, beside):
    return any((base / name).exists() for base in (root, root / "src", root / "web", beside))


def check_file(root, path, names):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    name = path.relative_to(root)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        for pattern, why in FORBIDDEN:
            if match := pattern.search(line):
                yield f"{name}:{number}: '{match[0]}': {why}"
    # The history may name what is gone; tests of these scripts name what never was.
    if path.suffix in {".md", ".h", ".cpp", ".inc", ".py", ".sh", ".cmake"} and name.name not in ("CHANGELOG.md", "check_scripts.py"):
        for number, line in enumerate(lines, 1):
            for found in names.findall(line):
                if not exists(root, found, path.parent):
                    yield f"{name}:{number}: {found}: no such file"
    if path.suffix in (".h", ".cpp") and name.parts[0] == "src":
        for number, line in enumerate(lines, 1):
            if match := PARSES_MNEMONIC.search(line):
                yield f"{name}:{number}: '{match[0]}': a fact read out of a name; isa/classify.h and its like have it"
    if path.suffix in OPENING and lines and not lines[0].lstrip().startswith(OPENING[path.suffix]):
        yield f"{name}:1: open with a comment of 1 to 8 lines: what the file owns and why"
    if path.name == "CMakeLists.txt" and name.parts[0] == "tests":
        for program in re.findall(r"^\s*crosslane_test\((\w+)", text, re.MULTILINE):
            if not program.endswith("_test"):
                yield f"{name}: {program}: a program of tests is called *_test"
        inside = len(name.parts) > 2  # and not tests/CMakeLists.txt, whose functions call both
        if inside and "gtest_discover_tests(" in text:
            yield f"{name}: gtest_discover_tests: crosslane_test labels the tests too"
        if inside and re.search(r"^\s*add_test\(", text, re.MULTILINE) and not text.endswith("\ncrosslane_label_tests()\n"):
            yield f"{name}: add_test: the last line is crosslane_label_tests()"
    if path.suffix in (".h", ".cpp") and len(lines) > LONGEST and "long because" not in "\n".join(lines[:12]):
        yield f"{name}: {len(lines)} lines; split it, or open with a comment that says why it is long ('long because ...')"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    problems = []
    names = named_files(root)
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and path.suffix in SUFFIXES and not SKIPPED & set(parts):
            problems += check_file(root, path, names)
    for problem in problems:
        print(problem)
    if problems:
        raise SystemExit(f"{len(problems)} problem(s) in the text of the tree")


if __name__ == "__main__":
    main()
