#!/usr/bin/env python3
# Compares the cycle model with what others measured on cards (measured.tsv): runs each row's test through
# `crosslane launch --time` and prints the error of each class, mean and worst.
#   tests/timing/validate/validate.py build/release/bin/crosslane --class launch --rows
import sys

sys.dont_write_bytecode = True
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tests
from rows import measured


class Run:
    def __init__(self, crosslane, folder, row):
        self.crosslane, self.folder, self.row = crosslane, folder, row
        self.target, self.units = cards[row.card]
        self.card = row.card
        if row.clock:
            file = folder / f"{row.card}-{row.clock:g}.toml"
            file.write_text(f'base = "{row.card}"\nclock = {row.clock}\n')
            self.card = str(file)

    def printed(self, text, suffix, buffer, *arguments, **sizes):
        """What a buffer of u32 holds behind the kernel."""
        path = self.folder / "printed.raw"
        self.launch(text, suffix, *arguments, "--out", f"{buffer}={path}", **sizes)
        data = path.read_bytes()
        return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]

    def launch(self, text, suffix, *arguments, kernel=None, **sizes):
        file = self.folder / ("k" + suffix)
        file.write_text(text)
        command = [self.crosslane, "launch", str(file), "--time", "--time-error", "0", "--gpu", self.card, "--target", self.target,
                   "--json", str(self.folder / "t.json"), *arguments]
        if kernel:
            command += ["--kernel", kernel]
        for name, value in sizes.items():
            command += ["--" + name, str(value)]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"CROSSLANE_LINT": "off"})
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return json.loads((self.folder / "t.json").read_text())["timing"]

    def chain(self, count):
        """A file of dwords, each the index of the next one."""
        path = self.folder / "chain.raw"
        path.write_bytes(b"".join((i + 1).to_bytes(4, "little") for i in range(count)))
        return f"@{path}:u32"

    def circle(self, lines, size=64, unit=1):
        """A file of `lines` lines of 64 bytes, whose first dword is the offset of another: one circle through all.
        `size`: of a line, `unit`: bytes that offsets are counted in."""
        import random
        order = list(range(1, lines))
        random.Random(1).shuffle(order)
        order = [0] + order
        data = bytearray(lines * size)
        for here, there in zip(order, order[1:] + [0]):
            data[here * size:here * size + 4] = (there * size // unit).to_bytes(4, "little")
        path = self.folder / "circle.raw"
        path.write_bytes(data)
        return f"@{path}:u32"


# Target and compute units of the cards that rows are about.
cards = {"tahiti": ("gfx600", 32), "hawaii": ("gfx701", 44), "r9-290x": ("gfx702", 44), "tonga": ("gfx802", 32),
         "fiji": ("gfx803", 64), "vega10": ("gfx900", 64), "mi50": ("gfx906", 60), "mi100": ("gfx908", 120),
         "mi210": ("gfx90a", 104), "mi250": ("gfx90a", 104), "mi250x": ("gfx90a", 110)}


def table(rows, crosslane, folder, report):
    """Runs the rows; errors in per cent by class."""
    by_class = {}
    for row in rows:
        value = getattr(tests, row.test)(Run(crosslane, folder, row), *row.arguments)
        error = 100 * abs(value - row.value) / row.value
        by_class.setdefault(row.kind, []).append((row, value, error))
        report(row, value, error)
    return by_class


about = """# The cycle model against measurements of cards

What others measured, and what [the cycle model](timing-model.md) says of kernels of the same patterns: `make validate-timing` runs them and writes this page.
The measurements are in `tests/timing/validate/measured.tsv`, the kernels in `tests.py` beside it; both say whose they are.

"""


def markdown(by_class):
    text = about + "| class | rows | mean error | worst |\n|---|---:|---:|---:|\n"
    for kind, results in by_class.items():
        errors = [e for _, _, e in results]
        text += f"| {kind} | {len(errors)} | {sum(errors) / len(errors):.1f} % | {max(errors):.1f} % |\n"
    for kind, results in by_class.items():
        text += f"\n## {kind}\n\n| card | test | measured | modelled | | error |\n|---|---|---:|---:|---|---:|\n"
        for row, value, error in results:
            text += (f"| {row.card} | {row.test} {' '.join(row.arguments)} | {row.value:.4g} | {value:.4g} | {row.unit} "
                     f"| {error:.1f} % |\n")
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("crosslane")
    parser.add_argument("--class", dest="kind", action="append", help="of measurements, or a test's name")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--markdown", metavar="FILE", help="write the page")
    parser.add_argument("--most", type=float, help="exit with 1 if the mean error of a class is more per cent")
    options = parser.parse_args()
    rows = [r for r in measured() if not options.kind or r.kind in options.kind or r.test in options.kind]

    def report(row, value, error):
        if options.rows:
            print(f"{row.kind:12} {row.card:10} {row.test:22} {' '.join(row.arguments):16} measured {row.value:10.4g} "
                  f"modelled {value:10.4g} {row.unit:12} {error:6.1f} %", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        by_class = table(rows, str(pathlib.Path(options.crosslane).resolve()), pathlib.Path(folder), report)
    bad = False
    for kind, results in by_class.items():
        errors = [e for _, _, e in results]
        mean = sum(errors) / len(errors)
        bad |= options.most is not None and mean > options.most
        print(f"{kind:14} {len(errors):4} rows  mean {mean:5.1f} %  worst {max(errors):5.1f} %")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(markdown(by_class))
    sys.exit(bad or not by_class)


if __name__ == "__main__":
    main()
