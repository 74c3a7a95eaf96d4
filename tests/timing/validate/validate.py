#!/usr/bin/env python3
# Compares the cycle model with what others measured on cards (measured.tsv): runs each row's test through
# `crosslane launch --time` and prints the error of each class, beside those of two null models.
#   tests/timing/validate/validate.py build/release/bin/crosslane --class launch --rows
import sys

sys.dont_write_bytecode = True
import argparse
import concurrent.futures
import os
import pathlib
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import page
import tests
from judge import NULLS, Result, classes, percent
from notes import NOTES
from rows import measured
from run import MODELS, Run, Silent


def judged(row, crosslane, folder, models):
    """The row with what each model says."""
    folder.mkdir(exist_ok=True)
    values = dict.fromkeys(MODELS)
    for model in models:
        try:
            values[model] = getattr(tests, row.test)(Run(crosslane, folder, row, model), *row.arguments)
        except Silent:
            pass
        except ZeroDivisionError:  # no time passes: it has no rate
            if model == "cycles":
                raise
    return Result(row, values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("crosslane")
    parser.add_argument("--class", dest="kind", action="append", help="of measurements, or a test's name")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--no-null", action="store_true", help="leave the null models out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="kernels that run at a time")
    parser.add_argument("--every", type=int, default=1, help="only each N-th row")
    parser.add_argument("--markdown", metavar="FILE", help="write the page, with pictures in images/timing beside it")
    parser.add_argument("--most", type=float, help="exit with 1 if the mean error of a class is more per cent")
    options = parser.parse_args()
    rows = [r for r in measured() if not options.kind or r.kind in options.kind or r.test in options.kind][::options.every]
    crosslane = str(pathlib.Path(options.crosslane).resolve())
    # Rows that ask for different figures of one launch share a folder, and follow each other.
    groups = {}
    for i, row in enumerate(rows):
        groups.setdefault((row.test, row.card, row.clock, row.arguments[1:]), []).append(i)
    results = [None] * len(rows)

    def run_group(number, indices, folder):
        for i in indices:
            row = rows[i]
            r = results[i] = judged(row, crosslane, folder / str(number), MODELS[:1] if options.no_null else MODELS)
            if options.rows:
                nulls = " ".join(f"{n} {page.shown(r.values[n]):>9}" for n in NULLS if not options.no_null)
                print(f"{row.kind:12} {row.card:8} {row.clock or '':6} {row.test:16} {' '.join(row.arguments):16} measured "
                      f"{row.value:9.4g} modelled {r.values['cycles']:9.4g} {row.unit:8} {r.error():6.1f} %  {nulls}", flush=True)

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as jobs:
        running = [jobs.submit(run_group, n, group, pathlib.Path(folder)) for n, group in enumerate(groups.values())]
        for job in running:
            job.result()
    bad = False
    for c in classes(results):
        bad |= options.most is not None and c.mean() > options.most
        print(f"{c.name:18} {len(c.results):4} rows  mean {c.mean():5.1f} %  weighted {c.weighted():5.1f} %  median {c.median():5.1f} %  "
              f"worst {c.worst():5.1f} %" + ("" if options.no_null else "".join(
                  f"  {n} {percent(c.mean(n))}, half of it: {c.against(n).text()}" for n in NULLS)))
    if options.markdown:
        page.write(classes(results), options.markdown, NOTES)
    sys.exit(bad or not results)


if __name__ == "__main__":
    main()
