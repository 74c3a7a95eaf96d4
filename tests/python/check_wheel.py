#!/usr/bin/env python3
"""The module as a stranger has it: from a wheel, and from `cmake --install`, away from the build.

Usage: check_wheel.py CMAKE BUILD WORK. Runs a kernel of ours and a test that uses the plugin, which nothing tells pytest of.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys, numpy as np, crosslane
assert {place!r} in crosslane.__file__, crosslane.__file__
a, c = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
crosslane.load("vector_add.cl").vector_add[64, 64](a, a, c, 64)
assert (c == 2 * a).all()
libraries = [line.split()[-1] for line in open("/proc/self/maps") if "libcrosslane" in line]
assert libraries and all({place!r} in library for library in libraries), libraries
"""
TEST = """
import numpy as np
def test_vector_add(kernel, assert_clean):
    a, c = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    assert_clean(kernel("vector_add.cl")[64, 64], a, a, c, 64)
"""


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def check(place, modules, work):
    """`modules` is the folder for PYTHONPATH, under `place`."""
    folder = work / ("use-" + place.name)
    folder.mkdir()
    shutil.copy("examples/vector_add.cl", folder)
    (folder / "test_it.py").write_text(TEST)
    environment = {**os.environ, "PYTHONPATH": str(modules), "PYTHONDONTWRITEBYTECODE": "1", "CROSSLANE_JIT": "always"}
    run(sys.executable, "-c", PROGRAM.format(place=str(place)), cwd=folder, env=environment)
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    run(*pytest, cwd=folder, env=environment)
    (folder / "conftest.py").write_text('pytest_plugins = ["crosslane.pytest"]\n')  # once more does no harm
    run(*pytest, cwd=folder, env=environment)


def main():
    cmake, build, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    wheel, prefix = work / "wheel", work / "prefix"
    run(cmake, "--install", build, "--component", "wheel", "--prefix", work / "made", stdout=subprocess.DEVNULL)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", work, work / "made")
    (made,) = work.glob("*.whl")
    run(*pip, "install", "--no-deps", "--no-index", "--target", wheel, made, env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
    check(wheel, wheel, work)
    for component in ("library", "python"):
        run(cmake, "--install", build, "--component", component, "--prefix", prefix, stdout=subprocess.DEVNULL)
    (modules,) = prefix.glob("lib/python3*/dist-packages")
    check(prefix, modules, work)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
