#!/usr/bin/env python3
"""Code as compilers and their users left it, as a judge of crosslane lint: what it finds there is triaged.

Usage: originals.py FILE... [--targets ...]
FILE is .ll, .cl, or a folder of .ll (llvm/test/CodeGen/AMDGPU), compiled for each target; or anything else that crosslane lint
takes: code objects, programs, libraries, taken as they are. All rules judge. Errors that triage.tsv does not know are
listed, each with its place.
"""
import collections
import re
import sys
from pathlib import Path
from tools import Failed, Tools, each, options, table, triage

UNDEFINED = "LLVM's MIR says itself that the register is undefined"
UNREACHABLE = "the IR says that the end is not reached"
COLUMNS = ["files", "refused", "unread", "objects", "kernels", "functions", "instructions", "errors", "triaged", "warnings", "notes", "not judged"]
LAST = "branch-relaxation"


def registers(text):
    """Of names as MIR and lint have them: {("v", 1), ...}"""
    found = set()
    for kind, first, last in re.findall(r"\b([vsa])(?:gpr)?\[?(\d+)(?::(\d+)\])?", text.replace("_", " ")):
        found |= {(kind, n) for n in range(int(first), int(last or first) + 1)}
    return found


def undefined(mir):
    """{function: what its code reads though nothing has written it, by LLVM's word}"""
    by_function, name = {}, None
    for line in mir.splitlines():
        if match := re.match(r"name:\s*(\S+)", line):
            name = match[1].strip("'\"")
        elif name and "undef" in line:
            for operand in re.findall(r"\bundef (?:renamable )?\$(\w+)", line):
                by_function.setdefault(name, set()).update(registers(operand) or {operand})
    return by_function


def open_ended(mir):
    """Functions with a block that neither goes on nor ends the wave: unreachable of the IR."""
    names = set()
    for function in re.split(r"^---$", mir, flags=re.M):
        if not (match := re.search(r"^name:\s*(\S+)", function, re.M)):
            continue
        for block in re.split(r"^  bb\.\d+.*:$", function[function.index("\nbody:"):], flags=re.M)[1:]:
            lines = [line.strip() for line in block.splitlines() if re.match(r"    \S", line)]
            code = [line for line in lines if not line.startswith(("successors:", "liveins:", ";"))]
            if not any(line.startswith("successors:") for line in lines) and (
                    not code or not re.match(r"S_ENDPGM|S_SETPC|SI_TCRETURN|S_BRANCH", code[-1])):
                names.add(match[1].strip("'\""))
    return names


def main():
    def more(parser):
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--keep", type=Path, help="a folder for the code with errors")
        parser.add_argument("-v", "--verbose", action="store_true", help="triaged errors and warnings, too")
    chosen = options(__doc__, more)
    tools, known = Tools(chosen), triage()
    totals, rules = collections.defaultdict(collections.Counter), collections.Counter()
    reasons = collections.Counter()
    given = [f for file in chosen.files for f in (sorted(file.glob("*.ll")) if file.is_dir() else [file])]

    def made(work):
        file, target = work
        if file.suffix not in (".ll", ".cl"):
            return file
        try:
            return tools.build(file, target)
        except Failed as why:
            if chosen.verbose:
                print(f"{file.name} {target} refused: {why}")
            return None

    def said_by_llvm(file, target):
        """What its MIR says: undefined registers, and functions without an end."""
        if file.suffix not in (".ll", ".cl"):
            return {}, set()
        mir = tools.compile(file, target, LAST)
        return undefined(mir), open_ended(mir)

    compiled = [f for f in given if f.suffix in (".ll", ".cl")]
    groups = [(t, compiled[n:n + 32]) for t in chosen.targets for n in range(0, len(compiled), 32)]
    groups += [("", [f]) for f in given if f not in compiled]
    for target, files in groups:
        codes = list(each(chosen.jobs, made, [(f, target) for f in files]))
        linked = [c for c in codes if c]
        findings, told = tools.lint(linked, "default") if linked else ([], {"code_objects": [], "not_judged": []})
        for o in told["code_objects"]:
            totals[o["target"]] += collections.Counter(objects=1, kernels=o["kernels"], functions=o["functions"], instructions=o["instructions"])
        for error in told.get("errors", []):
            totals[target]["unread"] += 1
            print(f"{target} {error}")
        target_of = {o["file"]: o["target"] for o in told["code_objects"]}
        for n in told["not_judged"]:
            totals[target_of.get(n["place"]["file"], target) if isinstance(n, dict) and "place" in n else target]["not judged"] += 1
        for file, code in zip(files, codes):
            count = totals[target or target_of.get(str(code), "?")]
            count["files"] += 1
            count["refused"] += not code
            if not code:
                continue
            kept = False
            of_file = findings.pop(0)
            errors = {f.rule for f in of_file if f.severity == "error"}
            unknown, ends = said_by_llvm(file, target) if errors & {"uninit", "end-missing", "branch-target"} else ({}, set())
            for f in of_file:
                count["warnings"] += f.severity == "warning"
                count["notes"] += f.severity == "note"
                if not f.usual or (f.severity != "error" and not chosen.verbose):
                    continue
                reason = next((known[rule, of, function, t] for rule in (f.rule, "*") for of in (file.stem, "*") for function in (f.function, "*")
                               for t in (target, "*") if (rule, of, function, t) in known), "")
                if f.rule == "uninit" and not reason:
                    read = re.search(r" reads (\S+),", f.message)[1]
                    if (registers(read) or {read}) & unknown.get(f.function, set()):
                        reason = UNDEFINED
                if f.rule in ("end-missing", "branch-target") and (f.function in ends or (ends and not f.function)):
                    reason = reason or UNREACHABLE
                if f.severity == "error":
                    count["errors"] += 1
                    count["triaged"] += bool(reason)
                    rules[f.rule] += 1
                    if reason:
                        reasons[reason] += 1
                if chosen.verbose or not reason:
                    kept = True
                    print(f"{file.name} {target} {f.function}+{f.offset:#x} {f.severity}: {f.message} [{f.rule}]" + (f" ({reason})" if reason else ""))
            if kept and chosen.keep:
                chosen.keep.mkdir(exist_ok=True)
                (chosen.keep / f"{file.stem}.{target}.co").write_bytes(code.read_bytes())
            if code != file:
                code.unlink()
    totals["all"] = sum(totals.values(), collections.Counter())
    table(totals, COLUMNS)
    for rule, n in rules.most_common():
        print(f"{n:6} {rule}")
    for reason, n in reasons.most_common():
        print(f"{n:6} {reason}")
    kernels = totals["all"]["kernels"]
    print(f"{1000 * totals['all']['errors'] / max(kernels, 1):.1f} errors in 1,000 kernels")
    sys.exit(totals["all"]["errors"] > totals["all"]["triaged"])


if __name__ == "__main__":
    main()
