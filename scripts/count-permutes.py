#!/usr/bin/env python3
"""Checks how many permutes and blends the functions of an object file consist of.

Usage: count-permutes.py LLVM_OBJDUMP OBJECT FUNCTION:PERMUTES:BLENDS ...
Counted is what the compiler emitted. A permute is any instruction that moves elements between places of vector registers;
a blend is a choice per place between two registers, including a move under a mask. Loads of index vectors are neither.
An instruction that is not known to be of any kind is an error, so that no permute is overlooked.
"""
import re
import subprocess
import sys

PERMUTE = re.compile(r"v?(perm\w+|p?unpck\w+|punpck\w+|shuf\w+|pshuf\w+|align[dq]|palignr|(insert|extract)[fi]\w+|pinsr\w|pextr\w|"
                     r"mov(ddup|shdup|sldup|lhps|hlps)|pcompress\w+|pexpand\w+|compressp\w|expandp\w|p?broadcast\w+|pmov[swz]\w+)$")
BLEND = re.compile(r"v?(p?blend\w+)$")
MOVE = re.compile(r"v?mov(d|q|dq[au](8|16|32|64)?|[au]p[sd])$")
OTHER = re.compile(r"(v?p?add\w+|mov\w*|kmov\w|retq?|vzeroupper|nop\w*|endbr64)$")


def functions(objdump, path):
    """{name: [(mnemonic, operands)]} in AT&T syntax."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            current = found.setdefault(match[1], [])
        elif match := re.match(r"\s+[0-9a-f]+:\s+(\S+)\s*(.*)", line):
            current.append((match[1], match[2]))
    return found


def kind(mnemonic, operands):
    constant = "(%rip)" in operands.split("#")[0] and not re.search(r"%[xyz]mm\d+.*%[xyz]mm\d+", operands)
    if constant:  # an index vector is loaded, widened or repeated on the way from memory
        return "other"
    if BLEND.match(mnemonic) or (MOVE.match(mnemonic) and "{%k" in operands):
        return "blend"
    if PERMUTE.match(mnemonic):
        return "permute"
    if MOVE.match(mnemonic) or OTHER.match(mnemonic):
        return "other"
    raise SystemExit(f"count-permutes.py: `{mnemonic} {operands}` is of no known kind: add it to the script")


def main():
    objdump, path, *expected = sys.argv[1:]
    found, bad = functions(objdump, path), 0
    for item in expected:
        name, permutes, blends = item.split(":")
        if name not in found:
            raise SystemExit(f"{path}: no function {name}")
        kinds = [kind(*instruction) for instruction in found[name]]
        counted = kinds.count("permute"), kinds.count("blend")
        wrong = counted != (int(permutes), int(blends))
        bad += wrong
        print(f"{name}: {counted[0]} permutes, {counted[1]} blends" + (f", expected {permutes} and {blends}" if wrong else ""))
    if bad or not expected:
        raise SystemExit(1)


main()
