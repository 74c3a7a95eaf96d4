#!/usr/bin/env python3
"""What validate.py writes is well formed, of a few classes that take seconds; and docs/timing-validation.md is of the rows that there are.

  check_page.py CROSSLANE DOCS
"""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here))
from rows import measured

wrong = []


def expect(truth, what):
    if not truth:
        wrong.append(what)


def tables(text):
    """Of a section: its tables, as rows of cells."""
    found, last = [], False
    for line in text.splitlines():
        if line.startswith("|"):
            if not last:
                found.append([])
            found[-1].append([c.strip() for c in line.strip("|").split("|")])
        last = line.startswith("|")
    return found


def check(page, rows):
    """The page at a path is of these rows."""
    text = page.read_text()
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    (summary,) = tables(text.split("\n## ")[0])
    width = len(summary[0])
    expect(all(len(r) == width for r in summary), f"{page}: a summary of uneven rows")
    classes = list(dict.fromkeys(r.kind for r in rows))
    expect([r[0] for r in summary[2:]] == classes and list(sections) == classes, f"{page}: other classes than {classes}")
    for line in summary[2:]:
        name = line[0]
        of_class = [r for r in rows if r.kind == name]
        (table,) = tables(sections.get(name, ""))[-1:] or [[]]
        body = table[2:]
        expect(int(line[1]) == len(body) == len(of_class), f"{page}: {name}: {len(body)} rows of {len(of_class)}")
        for row, cells in zip(of_class, body):
            expect(len(cells) == 8 and cells[0].startswith(row.card) and cells[1] == f"{row.test} {' '.join(row.arguments)}".strip() and
                   cells[2] == f"{row.value:.4g}" and cells[4] == row.unit, f"{page}: {name}: {cells} is not {row}")
        # A mean of what is printed, with one place behind the point.
        errors = [float(c[5].split()[-2].lstrip("> ")) for c in body]
        if "> 1000 %" not in [c[5] for c in body]:
            expect(abs(float(line[2].split()[0]) - statistics.fmean(errors)) < 0.11, f"{page}: {name}: {line[2]}, not {statistics.fmean(errors):.1f} %")
        for image in re.findall(r"!\[[^]]*\]\(([^)]*)\)", sections.get(name, "")):
            picture = xml.parse(page.parent / image).getroot()
            marks = picture.findall(".//*[@class='cycles']")
            expect(len(marks) == len(body) + 1, f"{page.parent / image}: {len(marks) - 1} marks of {len(body)}")  # and the legend's
        expect(re.search(r"!\[[^]]*\]\(", sections.get(name, "")), f"{page}: {name}: no picture")
    pictures = {p.name for p in (page.parent / "images" / "timing").glob("*.svg")}
    linked = {pathlib.Path(i).name for i in re.findall(r"\]\(images/timing/([^)]*)\)", text)}
    expect(pictures == linked, f"{page}: pictures {sorted(pictures ^ linked)} are there or linked alone")
    for verdict in (cell for r in summary[2:] for cell in r[-2:]):
        expect(re.fullmatch(r"-|(yes|no) \(\d+ rows?: .*\)", verdict), f"{page}: '{verdict}' is no verdict")


crosslane, docs = sys.argv[1], pathlib.Path(sys.argv[2])
rows = list(measured())
check(docs / "timing-validation.md", rows)
few = ["launch", "dependent", "issue"]
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "page.md"
    done = subprocess.run([sys.executable, str(here / "validate.py"), crosslane, "--every", "3", "--markdown", str(page)] +
                          [w for c in few for w in ("--class", c)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")
    check(page, [r for r in rows if r.kind in few][::3])
for what in wrong:
    print(what)
sys.exit(bool(wrong))
