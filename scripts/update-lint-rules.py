#!/usr/bin/env python3
"""Writes docs/lint-rules.md as `crosslane lint --list-rules --output-format markdown` prints it; with --check only compares the two.

    scripts/update-lint-rules.py build/release/bin/crosslane
"""
import pathlib
import subprocess
import sys


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    page = pathlib.Path(__file__).resolve().parent.parent / "docs/lint-rules.md"
    made = subprocess.run([arguments[0], "lint", "--list-rules", "--output-format", "markdown"], check=True, capture_output=True, text=True).stdout
    if "--check" not in sys.argv:
        page.write_text(made)
    elif not page.exists() or page.read_text() != made:
        sys.exit(f"docs/lint-rules.md is not what the rows say. Run scripts/update-lint-rules.py {arguments[0]}")


if __name__ == "__main__":
    main()
