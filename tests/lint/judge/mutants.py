#!/usr/bin/env python3
"""Compiled code with one wait less, labelled by LLVM itself, as a judge of crosslane lint.

Usage: mutants.py FILE... [--count N] [--seed S] [--targets ...]
FILE is .ll, .cl, or a folder of .ll (of llvm/test/CodeGen/AMDGPU, those named a to l). Each is compiled up to
post-RA-hazard-rec. Then one s_nop is taken out or made one shorter, or one counter is taken out of one s_waitcnt, and the
same pass runs again. What it puts back was needed: lint must find more in the mutant than in the original. What it leaves
out was free: lint must have no new error. N mutants a target at most, of all files. What only MIR has is taken out of it
before: implicit operands that are no part of the instruction, inline assembly of a comment; a wait that nothing else
needs is free then.

All mutants of a file are functions of one module, each beside an unchanged copy of its original, so that each pass and
lint run once for all of them. llvm: found with --rules=llvm alone.
"""
import collections
import dataclasses
import difflib
import random
import re
import sys
from pathlib import Path
from tools import HAZARDS, WAITS, Failed, Tools, each, options, table, triage

COLUMNS = ["files", "refused", "needed", "found", "llvm", "listed", "missed", "moved", "found_moved", "free", "false", "warned",
           "originals", "errors"]
NOP, WAIT = re.compile(r"^(\s+)S_NOP (\d+)\n", re.M), re.compile(r"^(\s+)S_WAITCNT (\d+)\n", re.M)
LINES = 20000  # of MIR that a module may get
ONLY_MIR = [
    (r"^\s+(KILL|IMPLICIT_DEF|DBG_\w+|CFI_INSTRUCTION|INLINEASM &(\"\"|\";[^\"\\\n]*\")).*\n", ""),
    (r"^\s+[^=\n(]* = IMPLICIT_DEF\b.*\n", ""),
    (r"^(?!.*(\bBUNDLE\b| implicit.*tied-def))(.*)$", lambda m: re.sub(  # a BUNDLE's are its instructions'
        r"(,|(?<=\w))? implicit(-def)?( (killed|dead|undef|renamable|early-clobber|internal))* \$[vsa]gpr[\w]*", "", m[2])),
    (r"^\s+EXP(_DONE)? \d+, undef .*, 0, implicit \$exec\n", ""),  # of no component: its registers are not in the code
    (r"\bSI_RETURN_TO_EPILOG\b.*", "S_ENDPGM 0"),  # shaders of two parts, which HSA does not have
]


def counters(gfx9):
    vm = 0xC00F if gfx9 else 0xF
    return {"vmcnt": vm, "expcnt": 0x70, "lgkmcnt": 0xF00}


def mutants(mir, target):
    """(pass, what to replace in `mir`, by what, what was done)."""
    for m in NOP.finditer(mir):
        states = int(m[2])
        yield HAZARDS, m.span(), "", f"s_nop {states}"
        if states:
            yield HAZARDS, m.span(), f"{m[1]}S_NOP {states - 1}\n", f"s_nop {states} by one"
    masks = counters(target.startswith("gfx9"))
    full = sum(masks.values())
    for m in WAIT.finditer(mir):
        value = int(m[2])
        for name, mask in masks.items():
            if value & mask == mask or (name == "expcnt" and target.startswith("gfx90a")):
                continue  # not waited for; gfx90a has nothing that raises expcnt
            left = value | mask
            yield WAITS, m.span(), "" if left & full == full else f"{m[1]}S_WAITCNT {left}\n", name


class Module:
    """A .mir file: its IR, and the machine code of each function."""
    def __init__(self, text):
        parts = re.split(r"^(?:---(?= |$)|\.\.\.$)", text, flags=re.M)
        self.ir = next((p for p in parts if p.startswith(" |")), "")
        self.machine = {}
        for part in parts:
            if match := re.search(r"^name:\s*(\S+)", part, re.M):
                self.machine[match[1].strip("'\"")] = part
        self.definitions = {m[1]: m[0] for m in re.finditer(r"^  define [^@\n]*@([\w.$-]+)\(.*?^  \}\n", self.ir, re.M | re.S)}

    def seen(self):
        """Its MIR with what the code shows, alone."""
        for name, machine in self.machine.items():
            head, body = machine.split("\nbody:", 1)
            for pattern, by in ONLY_MIR:
                body = re.sub(pattern, by, body, flags=re.M)
            self.machine[name] = f"{head}\nbody:{body}"
        return self.text([])

    def names(self):
        return [name for name in self.machine if name in self.definitions]

    def copy(self, name, new, machine):
        """IR and MIR of one more function."""
        def renamed(text):
            return re.sub(rf"@{re.escape(name)}(?![\w.$-])", f"@{new}", text)
        definition = re.sub(r",? !dbg !\d+| comdat(\(\$[\w.]+\))?", "", renamed(self.definitions[name]))
        machine = re.sub(r"^name:.*$", f"name:            {new}", renamed(machine), flags=re.M)
        machine = re.sub(r",? debug-location !\d+|^\s*DBG_\w+ .*\n", "", machine, flags=re.M)
        return definition, machine

    def text(self, copies):
        """MIR of the module with copies besides."""
        ir = self.ir + "".join(definition for definition, _ in copies)
        return f"---{ir}...\n" + "".join(f"---{m}...\n" for m in [*self.machine.values(), *(m for _, m in copies)])


@dataclasses.dataclass
class Mutant:
    passes: str
    function: str  # it is made of
    name: str
    what: str
    machine: str
    kind: str = ""


def body(machine, passes=None):
    """Its instructions, or those that a pass is about; of copies with the name of the original."""
    own = re.search(r"^name:\s*(\S+)", machine, re.M)[1]
    name = re.sub(r"\.m\d+$", "", own)
    lines = machine[machine.index("\nbody:"):].replace(f"@{own}", f"@{name}").splitlines()
    return [re.sub(r",? debug-location !\d+", "", line.strip()) for line in lines
            if line.startswith("    ") and not re.match(r"\s+DBG_|\s+S_NOP " if passes == WAITS else r"\s+DBG_", line)]


def label(original, mutant, again):
    """needed: the pass makes the original again; free: it leaves the mutant as it is; moved: it waits elsewhere."""
    return "needed" if again == original else "free" if again == mutant else "moved"


def where(a, b):
    """The lines around the change."""
    for kind, i, j, _, _ in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind != "equal":
            return "\n    " + "\n    ".join(line[:150] for line in a[max(0, i - 3):j + 4])
    return ""


class Judge:
    def __init__(self, chosen):
        self.chosen, self.tools = chosen, Tools(chosen)
        self.known = triage()

    def made(self, module, target, chooser, most):
        """Mutants of a module, labelled."""
        sites, tried = [], []
        for name in module.names():
            machine = module.machine[name]
            if not any(re.match(r"(\S.* = )?[A-Z]+_(?!NOP |WAITCNT )", line) for line in body(machine)):
                continue  # unreachable of the IR
            if target.startswith("gfx90a") and re.search(r"\b(EXP|EXP_DONE|\w+_TFE_\w+) ", machine):
                continue  # the target has none: LLVM encodes something else
            sites += [(name, *site) for site in mutants(machine, target)]
        chooser.shuffle(sites)
        lines = sum(m.count("\n") for m in module.machine.values())
        for name, passes, (begin, end), by, what in sites[:most]:
            machine = module.machine[name]
            lines += machine.count("\n") + module.definitions[name].count("\n")
            if lines > LINES and tried:
                break
            tried.append(Mutant(passes, name, f"{name}.m{len(tried) + 1}", what, machine[:begin] + by + machine[end:]))
        if not tried:
            return tried
        # Either pass leaves alone what the other one is about.
        copies = [module.copy(m.function, m.name, m.machine) for m in tried]
        again = Module(self.tools.apply(module.text(copies), target, [WAITS, HAZARDS])).machine
        for m, (_, machine) in zip(tried, copies):
            original = module.machine[m.function]
            # As it is, the passes must change nothing; else nothing could be said of a mutant.
            m.kind = "refused" if body(again[m.function]) != body(original) else label(
                *(body(machine, m.passes) for machine in (original, machine, again[m.name])))
        return tried

    def prepare(self, work):
        """Of one file for one target: what is to be linted."""
        file, target, seed, most = work
        chooser = random.Random(f"{seed} {file.name} {target}")
        try:
            compiled = Module(self.tools.compile(file, target, HAZARDS, shaders=True))
            module = Module(self.tools.apply(compiled.seen(), target, [WAITS, HAZARDS]))
            tried = self.made(module, target, chooser, most)
            copies = [module.copy(m.function, m.name, m.machine) for m in tried]
            # An unchanged one of each, as nobody calls the mutants either.
            for name in sorted({m.function for m in tried}):
                copies.append(module.copy(name, f"{name}.m0", module.machine[name]))
            linked = self.tools.link(module.text(copies), target, HAZARDS)
        except Failed as why:
            return None, None, None, str(why)
        return module, tried, linked, ""

    def judge(self, file, target, module, tried, findings):
        count, said = collections.Counter(), []
        by_function = collections.defaultdict(list)
        for f in findings:
            if f.passes:
                by_function[f.function].append(f)
        count["originals"] += len(module.machine)
        for name in module.machine:
            for f in by_function[name]:
                if f.usual:
                    count["errors"] += 1
                    said.append(f"original: {f.function}+{f.offset:#x} {f.severity}: {f.message} [{f.rule}]")
        for m in tried:
            def more(which, key=lambda f: f.rule):
                def rules(function):
                    return collections.Counter(key(f) for f in by_function[function] if f.passes == m.passes and which(f))
                return rules(m.name) - rules(f"{m.function}.m0")

            def context():
                return where(body(module.machine[m.function]), body(m.machine))
            # Where LLVM's IR knows more than the code, the original is told of, too, with another wait.
            usual = more(lambda f: f.usual)
            llvm = more(lambda f: f.usual or f.llvm) or more(lambda f: f.llvm, lambda f: f"{f.rule}: {f.message}")
            what, of = f"without {m.what}", f"{m.function} {m.name}"
            count[m.kind] += 1
            if m.kind == "free":
                errors = more(lambda f: f.severity == "error")
                count["false"] += bool(errors)
                count["warned"] += bool(usual and not errors)
                if usual:
                    said.append(f"{'false' if errors else 'warned'}: {of} {what} is free: {', '.join(usual)}{context()}")
            elif m.kind == "moved":
                count["found_moved"] += bool(usual)
                if not usual:
                    said.append(f"moved: {of} {what}: {', '.join(llvm) or 'nothing'}{context()}")
            elif m.kind == "needed":
                column = "found" if usual else "llvm" if llvm else "missed"
                if column == "missed" and any(("missed", file.stem, f, t) in self.known for f in (m.function, "*")
                                              for t in (target, "*")):
                    column = "listed"
                count[column] += 1
                if not usual:
                    said.append(f"{column}: {of} {what}{context() if column != 'llvm' else ''}: {', '.join(sorted({k.split(':')[0] for k in llvm}))}")
        return count, said


def main():
    def more(parser):
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--count", type=int, default=100)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--per-file", type=int, default=20)
        parser.add_argument("--may-miss", type=int, default=0, help="needed ones a target that may be missed")
        parser.add_argument("--keep", type=Path, help="a folder for the code that disagrees")
        parser.add_argument("-v", "--verbose", action="store_true")
    chosen = options(__doc__, more)
    judge, totals = Judge(chosen), collections.defaultdict(collections.Counter)
    strict, bad = collections.Counter(), 0
    for target in chosen.targets:
        files = [f for given in chosen.files for f in
                 (sorted(given.glob("[a-l]*.ll")) if given.is_dir() else [given])]
        random.Random(f"{chosen.seed} {target}").shuffle(files)
        done = 0
        while files and done < chosen.count:
            work, budget = [], chosen.count - done
            while files and budget > 0 and len(work) < 8 * chosen.jobs:
                work.append((files.pop(0), target, chosen.seed, min(chosen.per_file, budget)))
                budget -= work[-1][3]
            prepared = list(each(chosen.jobs, judge.prepare, work))
            linked = [p[2] for p in prepared if p[2]]
            findings = judge.tools.findings(linked, "wait-states,waits") if linked else []
            count = totals[target]
            for (file, *_), (module, tried, code, why) in zip(work, prepared):
                count["files"] += 1
                if not code:
                    count["refused"] += 1
                    if chosen.verbose:
                        print(f"{file.name} {target} refused: {why}")
                    continue
                own, said = judge.judge(file, target, module, tried, findings.pop(0))
                count.update(own)
                done += own["needed"] + own["moved"] + own["free"]
                for line in said:
                    if line.startswith("llvm"):
                        strict[line.split(": ")[-1]] += 1
                    if chosen.verbose or not line.startswith("llvm"):
                        print(f"{file.name} {target} {line}")
                if chosen.keep and said:
                    chosen.keep.mkdir(exist_ok=True)
                    (chosen.keep / f"{file.stem}.{target}.co").write_bytes(code.read_bytes())
                code.unlink()
            if chosen.verbose:
                print(f"{target} so far:", *(f"{c} {count[c]}" for c in COLUMNS), flush=True)
        bad += totals[target]["missed"] > chosen.may_miss or totals[target]["false"] > 0
    totals["all"] = sum(totals.values(), collections.Counter())
    table(totals, COLUMNS)
    for rules, n in strict.most_common():
        print(f"{n:6} with --rules=llvm alone: {rules}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
