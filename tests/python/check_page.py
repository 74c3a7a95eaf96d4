#!/usr/bin/env python3
"""Runs the examples of a page, in the order of the page and in one namespace, from the root of the tree.

Usage: check_page.py PAGE. Sessions (>>>) print what the page shows, by doctest ("..." is anything). Files to keep are written to a
temporary folder, in which "examples" is ours.
"""
import doctest
import os
import sys
import tempfile
from pathlib import Path


def main():
    page = Path(sys.argv[1]).resolve()
    root = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("examples", "docs"):
            os.symlink(root / name, name)
        failed, tried = doctest.testfile(str(page), module_relative=False,
                                         optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        os.chdir(root)
    print(f"{page.name}: {tried} examples, {failed} failed")
    return failed or not tried


if __name__ == "__main__":
    sys.exit(bool(main()))
