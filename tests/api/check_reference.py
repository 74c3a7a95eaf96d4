#!/usr/bin/env python3
"""The reference that `make docs` makes of the headers: without a warning, and with every function. Usage: check_reference.py SOURCE
FOLDER; FOLDER belongs to this test. Without doxygen there is nothing to do."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
if not shutil.which("doxygen"):
    print("skipped: no doxygen (scripts/install-deps.sh docs)")
    sys.exit(0)
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
settings = (SOURCE / "docs/reference/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {FOLDER}\nGENERATE_XML = YES\n"
done = subprocess.run(["doxygen", "-"], input=settings, cwd=SOURCE, capture_output=True, text=True)
if done.returncode or done.stderr:
    sys.exit(f"doxygen: exit status {done.returncode}\n{done.stderr}")
header = re.sub(r"/\*.*?\*/", "", (SOURCE / "src/api/crosslane.h").read_text(), flags=re.S)
declared = set(re.findall(r"\b(crosslane_\w+)\(", header))
text = "".join(path.read_text() for path in (FOLDER / "xml").glob("*.xml"))
told = set(re.findall(r'<memberdef kind="function".*?<name>(crosslane_\w+)</name>', text, re.S))
if not declared or declared - told:
    sys.exit(f"functions without an entry: {sorted(declared - told)}")
print(f"{len(declared)} functions")
