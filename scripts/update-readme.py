#!/usr/bin/env python3
"""Puts the output of `crosslane isa --coverage` into README.md; with --check only compares the two.

    scripts/update-readme.py build/release/bin/crosslane
"""
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- crosslane isa --coverage -->\n", "<!-- until here -->\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    readme = pathlib.Path(__file__).resolve().parent.parent / "README.md"
    text = readme.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"README.md: expected one line '{BEGIN.strip()}' and one line '{END.strip()}'")
    table = subprocess.run([arguments[0], "isa", "--coverage"], check=True, capture_output=True, text=True).stdout
    start = text.index(BEGIN) + len(BEGIN)
    updated = text[:start] + table + text[text.index(END):]
    if "--check" not in sys.argv:
        readme.write_text(updated)
    elif updated != text:
        sys.exit(f"README.md has another coverage table than the command prints:\n{table}"
                 f"Run scripts/update-readme.py {arguments[0]}")


if __name__ == "__main__":
    main()
