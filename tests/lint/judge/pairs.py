#!/usr/bin/env python3
"""LLVM's own tests of its hazard recognizer and its waits as judges of crosslane lint.

Usage: pairs.py FOLDER [--targets gfx900,...] [-v]
FOLDER has llvm/test/CodeGen/AMDGPU/*.mir of LLVM 19 (with a deb-src line: apt-get source llvm-toolchain-19).
Each function by itself goes through the pass of its test. Code of before must be found where the pass has put
something in, with the rules of that pass; code of after, and of what the pass leaves alone, must be silent. With
--rules=llvm both hold without exception, by default what triage.tsv lists is excess of LLVM.
"""
import collections
import difflib
import re
import sys
from pathlib import Path
from tools import HAZARDS, WAITS, Failed, Tools, each, is_wait, options, table, triage

FILES = {
    HAZARDS: """vmem-vcc-hazard hazard-lds-addtid hazard-shift64 hazard hazard-pseudo-machineinstrs inserted-wait-states
        hazard-recognizer-meta-insts break-vmem-soft-clauses gws-hazards break-smem-soft-clauses mai-hazards-gfx90a""".split(),
    WAITS: """waitcnt-vmcnt-loop waitcnt-back-edge-loop vccz-corrupt-bug-workaround waitcnt-skip-meta
        waitcnt-loop-irreducible waitcnt-preexisting waitcnt-permute call-waw-waitcnt insert-waitcnts-callee
        waitcnt-overflow""".split(),
}
XNACK = ["gfx801", "gfx900:xnack+", "gfx90a:xnack+"]  # besides, where a test is about it
COLUMNS = ["refused", "same", "changed", "places", "found", "elsewhere", "excess", "missed", "false"]


def functions(text):
    """(name, MIR of it alone) of each function of a .mir file."""
    parts = re.split(r"^(?:---(?= |$)|\.\.\.$)", text, flags=re.M)
    module = "".join(f"---{p}...\n" for p in parts if p.startswith(" |"))
    for part in parts:
        if match := re.search(r"^name:\s*(\S+)", part, re.M):
            yield match[1].strip("'\""), f"{module}---{part}\n...\n"


def consumers(before, after):
    """Where the pass has put something in, or changed something: the instructions behind that, in `before`."""
    def token(i):
        # Distances change with what is put between.
        distance = i.name.startswith(("s_branch", "s_cbranch")) or (i.name in ("s_add_u32", "s_addc_u32") and "0x" in i.text)
        return i.name if distance else i.text

    def behind(n):
        while n < len(before) and is_wait(before[n]):
            n += 1
        return before[min(n, len(before) - 1)]

    matcher = difflib.SequenceMatcher(None, [token(i) for i in before], [token(i) for i in after], autojunk=False)
    places = []
    for kind, i1, i2, _, _ in matcher.get_opcodes():
        if kind in ("insert", "replace"):
            places.append(behind(i1))
        elif kind == "delete" and not all(is_wait(i) for i in before[i1:i2]):
            places.append(behind(i1))
    return places


def judge(tools, passes, mir, target):
    """What came of one function: a Counter, and lines about what disagrees."""
    count, said = collections.Counter(), []
    try:
        changed = tools.apply(mir, target, [passes])
        before, after = tools.lower(mir, target), tools.lower(changed, target)
    except Failed as failed:
        count["refused"] += 1
        return count, [f"refused: {failed}"]

    if not before.listing or any(i.name.startswith(".long") for i in before.listing):
        count["refused"] += 1
        return count, ["refused: no code, or LLVM encodes what the target does not have"]
    of_before, of_after = ([f for f in all_of if f.passes == passes] for all_of in tools.findings([before.path, after.path]))
    places = consumers(before.listing, after.listing)
    count["changed" if places else "same"] += 1
    count["places"] += len(places)
    usual, strict = {f.offset for f in of_before if f.usual}, {f.offset: f for f in of_before if f.strict}
    for place in places:
        if place.offset in usual:
            count["found"] += 1
        elif passes == WAITS and usual - {p.offset for p in places}:
            count["elsewhere"] += 1  # the pass may wait earlier than where the register is touched
        elif place.offset in strict:
            count["excess"] += 1
            said.append(f"excess: {place.text}: {strict[place.offset].message} [{strict[place.offset].rule}]")
        else:
            count["missed"] += 1
            said.append(f"missed: +{place.offset:#x} {place.text}")
    for f in of_after:
        if not f.strict:
            continue
        count["false"] += 1
        said.append(f"false: +{f.offset:#x} {f.severity}: {f.message} [{f.rule}]")
    before.path.unlink(), after.path.unlink()
    return count, said


def main():
    def more(parser):
        parser.add_argument("folder", type=Path)
        parser.add_argument("--files", type=lambda text: text.split(","), help="of these alone")
        parser.add_argument("-v", "--verbose", action="store_true", help="each function that disagrees")
    chosen = options(__doc__, more)
    tools, known = Tools(chosen), triage()
    work = []
    for passes, names in FILES.items():
        for name in names:
            if chosen.files and name not in chosen.files:
                continue
            text = (chosen.folder / f"{name}.mir").read_text()
            for function, mir in functions(text):
                for target in chosen.targets + (XNACK if "soft-clauses" in name else []):
                    work.append((passes, name, function, mir, target))
    totals = {p: collections.defaultdict(collections.Counter) for p in FILES}
    reasons, bad = collections.Counter(), 0
    results = each(chosen.jobs, lambda w: judge(tools, w[0], w[3], w[4]), work)
    for (passes, name, function, _, target), (count, said) in zip(work, results):
        totals[passes][target] += count
        for line in said:
            what = line.split(":")[0]
            reason = next((known[what, f, g, t] for f in (name, "*") for g in (function, "*") for t in (target, "*")
                           if (what, f, g, t) in known), None)
            if reason:
                reasons[what, reason] += 1
            if what in ("missed", "false") and not reason:
                bad += 1
            if chosen.verbose or (what in ("missed", "false") and not reason):
                print(f"{name}:{function} {target} {line}" + (f" ({reason})" if reason else ""))
    for passes, by_target in totals.items():
        print(f"\n{passes}")
        by_target["all"] = sum(by_target.values(), collections.Counter())
        table(by_target, COLUMNS)
    for (what, reason), n in sorted(reasons.items()):
        print(f"{n:6} {what}: {reason}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
