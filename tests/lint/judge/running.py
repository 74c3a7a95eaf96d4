#!/usr/bin/env python3
"""Kernels with one s_waitcnt or one s_nop less, linted and run, so that lint, --check waits and --late judge one another.

Usage: running.py [KERNEL...] [--targets ...] [--levels -O1,-O2]
KERNEL is one of the examples below. As compiled, lint and --check waits must find nothing and --late must change nothing. Of each
mutant: what --check waits finds happened, so lint must have found something; where --late changes the result, lint must
have found something. Mutants that lint alone finds are of code that did not run, or of callees that had nothing to wait for.
"""
import collections
import os
import re
import sys
from tools import TREE, Failed, Tools, each, options, table

# Their arguments, and which of them are results.
KERNELS = {
    "vector_add": (["--grid", "1000", "--block", "256", "f32[1000]:iota", "f32[1000]:random", "f32[1000]", "1000"], [2]),
    "matmul_tiled": (["--grid", "80,80", "f32[75,75]:random", "f32[75,75]:random", "f32[75,75]", "75"], [2]),
    "reduce_dpp": (["--grid", "320", "--block", "64", "u32[320]:random", "u32[5]", "u32[5]", "u32[320]", "320"], [1, 2, 3]),
}
COLUMNS = ["mutants", "s_nop", "all", "lint+check", "lint alone", "lint lacks", "free", "originals"]


class Judge:
    def __init__(self, chosen):
        self.tools = Tools(chosen)
        os.environ["CROSSLANE_LINT"] = "off"

    def launch(self, source, kernel, *more):
        """Exit status, and what the kernel left."""
        words, results = KERNELS[kernel]
        outs = [self.tools.path(".bin") for _ in results]
        for out in outs:
            out.unlink()
        named = [word for n, out in zip(results, outs) for word in ("--out", f"arg{n}={out}")]
        ran = self.tools.run(self.tools.crosslane, "launch", source, *words, *named, *more)
        left = [out.read_bytes() if out.exists() else b"" for out in outs]
        for out in outs:
            out.unlink(missing_ok=True)
        return ran.returncode, left

    def lints(self, source):
        return self.tools.run(self.tools.crosslane, "lint", source).returncode == 1

    def judge(self, item):
        kernel, target, level = item
        count, told = collections.Counter(), []
        source = self.tools.path(".s")
        try:
            self.tools.llvm("clang", "-x", "cl", "-cl-std=CL2.0", "-w", level, "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", "-nogpulib",
                            "-Dmax=__builtin_elementwise_max", "-include", TREE / "src/toolchain/prelude/opencl.h", "-S", TREE / f"examples/{kernel}.cl", "-o", source)
        except Failed as why:
            return item, count, [] if "needs target feature" in str(why) else [str(why)]
        status, right = self.launch(source, kernel)
        count["originals"] = 1
        if status or not all(right):
            told.append("does not run")
        if self.launch(source, kernel, "--late") != (0, right):
            told.append("--late changes what it does")
        if self.launch(source, kernel, "--check", "waits")[0]:
            told.append("--check waits finds something")
        if self.lints(source):
            told.append("lint finds something")
        lines = source.read_text().splitlines(keepends=True)
        for n, line in enumerate(lines):
            if not re.match(r"\s*s_(waitcnt|nop)\b", line):
                continue
            source.write_text("".join(lines[:n] + ["\n"] + lines[n + 1:]))
            lint, check = self.lints(source), self.launch(source, kernel, "--check", "waits")[0] != 0
            late = self.launch(source, kernel, "--late") != (0, right)
            count["mutants"] += 1
            count["s_nop"] += "s_nop" in line
            if not lint and (check or late):
                count["lint lacks"] += 1
                told.append(f"line {n + 1}, without '{line.strip()}': check {check}, late {late}, lint nothing")
            elif lint:
                count["all" if check and late else "lint+check" if check else "lint alone"] += 1
            else:
                count["free"] += 1
        source.unlink()
        return item, count, told


def main():
    def more(parser):
        parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(KERNELS))
        parser.add_argument("--levels", default="-O1,-O2")
    chosen = options(__doc__, more)
    chosen.kernels = chosen.kernels or list(KERNELS)
    if unknown := [k for k in chosen.kernels if k not in KERNELS]:
        sys.exit(f"no kernel {unknown[0]}: there are " + ", ".join(KERNELS))
    judge, rows, wrong = Judge(chosen), {}, 0
    targets = [t for t in chosen.targets if t != "gfx600"]  # compilers and crosslane's OpenCL begin with gfx7 there
    items = [(k, t, level) for k in chosen.kernels for t in targets for level in chosen.levels.split(",")]
    for item, count, told in each(chosen.jobs, judge.judge, items):
        rows[" ".join(item)] = count
        wrong += len(told)
        for line in told:
            print(f"{' '.join(item)}: {line}")
    rows["all"] = sum(rows.values(), collections.Counter())
    table(rows, COLUMNS)
    if not rows["all"]["mutants"]:
        sys.exit("no mutant was made")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
