#!/usr/bin/env python3
"""examples/hip as a newcomer takes it: built by CMake, its ctest under `crosslane env`, then the commands of pages about captures with
its program, by the pages' own words. Usage: check_example.py CROSSLANE SOURCE FOLDER; FOLDER belongs to this test."""
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

CROSSLANE, SOURCE, FOLDER = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
PAGES = ("docs/capturing.md", "docs/fleet.md")
ENVIRONMENT = os.environ | {"PATH": f"{FOLDER / 'bin'}:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(command, folder=FOLDER, status=0):
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=200)
    if done.returncode != status:
        sys.exit(f"{command}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout


shutil.rmtree(FOLDER, ignore_errors=True)
(FOLDER / "bin").mkdir(parents=True)
(FOLDER / "bin/crosslane").symlink_to(CROSSLANE)
shutil.copytree(SOURCE / "examples/hip", FOLDER / "examples/hip")

# What the project's own comment says, as one shell session; and that its tests notice.
commands = re.findall(r"^#   (.*)", (FOLDER / "examples/hip/CMakeLists.txt").read_text(), re.M)
text = run("\n".join(commands) + " --output-junit ctest.xml")
if "100% tests passed, 0 tests failed out of 3" not in text:
    sys.exit(f"ctest of the example:\n{text}")
suite = xml.etree.ElementTree.parse(FOLDER / "matmul-build/ctest.xml").getroot()
if suite.get("failures") != "0" or suite.get("tests") != "3":
    sys.exit(f"JUnit of ctest: {suite.attrib}")
program = FOLDER / "examples/hip/matmul.cpp"
right = program.read_text()
program.write_text(right.replace("row >= rows", "row > rows"))  # a row too many
failed = run("\n".join(commands).replace("ctest", "! ctest"))
if "past the end" not in failed or "tests passed, 0 tests failed" in failed:
    sys.exit(f"ctest of a program that leaves its buffer:\n{failed}")
program.write_text(right)

# Pages, each in a folder of its own.
count = 0
for page in PAGES:
    folder = FOLDER / Path(page).stem
    folder.mkdir()
    shutil.copytree(FOLDER / "examples", folder / "examples")
    for command in re.findall(r"^    ((?:hipcc|crosslane|mpirun) .*?)(?:  +#.*)?$", (SOURCE / page).read_text(), re.M):
        if command.startswith("mpirun") and not shutil.which("mpirun"):
            continue
        if not command.startswith("hipcc ") and " captured" not in command:  # of another program, or what is printed
            continue
        run(command, folder)
        count += 1
if count < 10:
    sys.exit(f"{count} commands in {PAGES}")
print(f"{count} commands of {', '.join(PAGES)}")
