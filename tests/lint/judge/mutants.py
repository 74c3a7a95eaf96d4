#!/usr/bin/env python3
"""Compiled code with one wait less, labelled by LLVM itself, as a judge of crosslane lint.

Usage: mutants.py FILE... [--count N] [--seed S] [--targets ...]
FILE is .ll, .cl, or a folder of .ll (of llvm/test/CodeGen/AMDGPU, those named a to l). Each is compiled up to
post-RA-hazard-rec. Then one s_nop is taken out or made one shorter, or one counter is taken out of one s_waitcnt, and the
same pass runs again. What it puts back was needed: lint must find more in the mutant than in the original. What it leaves
out was free: lint must have no new error. N mutants a target at most, of all files. excess: found with --rules=all; noted: as a note.
"""
import collections
import difflib
import random
import re
import sys
from pathlib import Path
from tools import HAZARDS, TREE, WAITS, Failed, Tools, each, options, table

COLUMNS = ["files", "refused", "needed", "found", "excess", "noted", "missed", "moved", "found_moved", "free", "false", "originals", "errors"]
NOP, WAIT = re.compile(r"^(\s+)S_NOP (\d+)\n", re.M), re.compile(r"^(\s+)S_WAITCNT (\d+)\n", re.M)


def counters(gfx9):
    vm = 0xC00F if gfx9 else 0xF
    return {"vmcnt": vm, "expcnt": 0x70, "lgkmcnt": 0xF00}


def mutants(mir, target):
    """(pass, MIR, what was done)."""
    for m in NOP.finditer(mir):
        states = int(m[2])
        yield HAZARDS, mir[:m.start()] + mir[m.end():], f"without s_nop {states}"
        if states:
            yield HAZARDS, f"{mir[:m.start()]}{m[1]}S_NOP {states - 1}\n{mir[m.end():]}", f"s_nop {states - 1} for {states}"
    masks = counters(target.startswith("gfx9"))
    full = sum(masks.values())
    for m in WAIT.finditer(mir):
        value = int(m[2])
        for name, mask in masks.items():
            if value & mask == mask or (name == "expcnt" and target.startswith("gfx90a")):
                continue  # not waited for; gfx90a has nothing that raises expcnt
            left = value | mask
            text = "" if left & full == full else f"{m[1]}S_WAITCNT {left}\n"
            yield WAITS, mir[:m.start()] + text + mir[m.end():], f"without {name}"


def bodies(mir):
    machine = mir[mir.index("\nname:"):]  # behind the IR
    return [line.strip() for line in machine.splitlines() if line.startswith("    ")]


def label(original, mutant, again):
    """needed: the pass makes the original again; free: it leaves the mutant as it is; moved: it waits elsewhere."""
    made = bodies(again)
    return "needed" if made == bodies(original) else "free" if made == bodies(mutant) else "moved"


class Judge:
    def __init__(self, chosen):
        self.chosen, self.tools = chosen, Tools(chosen)

    def compile(self, file, target):
        tools, source = self.tools, file
        if file.suffix == ".cl":
            source = tools.path(".ll")
            library = Path("/usr/lib/clc/amdgcn--amdhsa.bc")  # of Debian's libclc-amdgcn
            linked = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", library] if library.exists() else []
            tools.llvm("clang", *linked, "-x", "cl", "-cl-std=CL2.0", "-O2", "--target=amdgcn-amd-amdhsa", "-nogpulib",
                       f"-mcpu={target}", "-include", TREE / "src/toolchain/prelude/opencl.h", "-emit-llvm", "-S", file,
                       "-o", source)
        out = tools.path(".mir")
        tools.llvm("llc", *tools.cpu(target), f"-stop-after={HAZARDS}", source, "-o", out)
        return out.read_text()

    def file(self, work):
        """Of one file for one target: Counter, lines."""
        file, target, seed, most = work
        count, said = collections.Counter(files=1), []
        try:
            mir = self.compile(file, target)
            original = self.tools.lower(mir, target, HAZARDS)
        except Failed:
            count["refused"] += 1
            return count, said
        # As it is, the pass changes nothing; else nothing could be said of a mutant.
        chosen = list(mutants(mir, target))
        random.Random(f"{seed} {file.name} {target}").shuffle(chosen)
        tried = []
        for passes, mutant, what in chosen[:most]:
            try:
                again = self.tools.apply(mutant, target, [passes])
                tried.append((passes, label(mir, mutant, again), what, mutant, self.tools.lower(mutant, target, HAZARDS)))
            except Failed:
                count["refused"] += 1
        found = self.tools.findings([original] + [t[4] for t in tried])
        errors = [f for f in found[0] if f.usual and f.passes]
        count["originals"] += len({i.function for i in original.listing})
        count["errors"] += len(errors)
        for f in errors:
            said.append(f"original: {f.function}+{f.offset:#x} {f.severity}: {f.message} [{f.rule}]")
        for (passes, kind, what, mutant, code), all_of in zip(tried, found[1:]):
            def more(which):
                def names(findings):
                    return collections.Counter((f.rule, f.function) for f in findings if f.passes == passes and which(f))
                return names(all_of) - names(found[0])
            usual, strict = more(lambda f: f.usual), more(lambda f: f.severity == "pedantic")
            count[kind] += 1
            if kind == "free":
                if new := more(lambda f: f.severity == "error"):
                    count["false"] += 1
                    said.append(f"false: {what} is free: {dict(new)}{self.where(mir, mutant)}")
            elif kind == "moved":
                count["found_moved"] += bool(usual)
            elif usual:
                count["found"] += 1
            elif strict:
                count["excess"] += 1
                said.append(f"excess: {what}: {', '.join(sorted({rule for rule, _ in strict}))}")
            elif more(lambda f: f.severity == "note"):
                count["noted"] += 1  # the order of memory, not of registers
            else:
                count["missed"] += 1
                said.append(f"missed: {what}{self.where(mir, mutant)}")
            code.path.unlink()
        original.path.unlink()
        return count, said

    def where(self, mir, mutant):
        """The lines around the change."""
        a, b = bodies(mir), bodies(mutant)
        for kind, i, j, _, _ in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if kind != "equal":
                return "\n    " + "\n    ".join(line[:150] for line in a[max(0, i - 3):j + 4])
        return ""


def main():
    def more(parser):
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--count", type=int, default=100)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--per-file", type=int, default=12)
        parser.add_argument("--may-miss", type=int, default=0, help="needed ones a target that may be missed")
        parser.add_argument("-v", "--verbose", action="store_true")
    chosen = options(__doc__, more)
    judge, totals = Judge(chosen), collections.defaultdict(collections.Counter)
    excess, bad = collections.Counter(), 0
    for target in chosen.targets:
        files = [f for given in chosen.files for f in
                 (sorted(given.glob("[a-l]*.ll")) if given.is_dir() else [given])]
        random.Random(f"{chosen.seed} {target}").shuffle(files)
        done = 0
        while files and done < chosen.count:
            some, files = files[:4 * chosen.jobs], files[4 * chosen.jobs:]
            work = [(f, target, chosen.seed, min(chosen.per_file, chosen.count - done)) for f in some]
            for (file, *_), (count, said) in zip(work, each(chosen.jobs, judge.file, work)):
                totals[target] += count
                done += count["needed"] + count["moved"] + count["free"]
                for line in said:
                    if line.startswith("excess"):
                        excess[line.split(": ")[-1]] += 1
                    if chosen.verbose or not line.startswith("excess"):
                        print(f"{file.name} {target} {line}")
        bad += totals[target]["missed"] > chosen.may_miss or totals[target]["false"] > 0
    totals["all"] = sum(totals.values(), collections.Counter())
    table(totals, COLUMNS)
    for rules, n in excess.most_common():
        print(f"{n:6} more than the hardware needs: {rules}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
