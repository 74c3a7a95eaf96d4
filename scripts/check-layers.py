#!/usr/bin/env python3
"""Checks that every folder includes only the folders that scripts/layers.txt allows it, and that only those print which may.

Usage: check-layers.py [ROOT]. Prints file:line, the include and the rule for each violation; exit status 1 if any.
A layer is a folder of src/, or one of the root with a line of its own (tests, bench, web, python). A sub-layer is a folder in a layer: it may
include the headers at its layer's top, its own, those of the sub-layers that its line names, and what its layer may include. What
lies in a sub-layer is the layer's own unless the line says public; the layer's top may include all of its sub-layers.
An include that starts with no known folder must be a system header in <>, and tests/ may only be included by tests/.
A layer of src/ is a library, whose caller decides what is printed, unless its line says prints.
"""
import re
import sys
from pathlib import Path

SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".inc"}
# Headers that crosslane hands to clang for the GPU: text to us, and they include each other in that world.
DEVICE_TEXT = "prelude"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
LAW = "scripts/layers.txt"
# To standard output or error, by whatever means; not fprintf() and the like to another file.
PRINT = re.compile(r"(?<!\w)(?:printf|puts|putchar|perror)\s*\(|\bf(?:printf|puts|putc|write)\s*\([^;]*\bstd(?:out|err)\b|"
                   r"\bstd::(?:cout|cerr|clog)\b|\bfmt::print\b|\bllvm::(?:outs|errs|dbgs)\s*\(")
TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//.*')  # literals and comments
KEYWORDS = {"*", "public", "prints"}


def read_rules(path):
    """layer or layer/sub -> set of what it may include, '*' for all."""
    rules = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        layer, colon, allowed = line.partition(":")
        if not colon:
            raise SystemExit(f"{path}:{number}: expected 'layer: layers it may include'")
        rules[layer.strip()] = set(allowed.split())
    for layer, allowed in rules.items():
        if "/" in layer and layer.split("/")[0] not in rules:
            raise SystemExit(f"{path}: '{layer}' is in no layer")
        for name in allowed - KEYWORDS - set(rules):
            raise SystemExit(f"{path}: '{layer}' may include '{name}', which is not a layer")
    return rules


def part_of(name, rules):
    """(layer, sub-layer or None) of a path below the include root."""
    folders = name.split("/")[:-1]
    sub = "/".join(folders[:2])
    return (folders[0] if folders else None), (sub if len(folders) > 1 and sub in rules else None)


def verdict(name, target, rules):
    """What is wrong with `target` included by `name`; None: nothing."""
    layer, sub = part_of(name, rules)
    other, other_sub = part_of(target, rules)
    if other not in rules:
        return 'write includes from the root of src/ ("isa/decode.h"), system headers in <>'
    if "*" in rules[layer]:
        return None
    if other != layer:
        if other not in rules[layer]:
            return f"{layer}/ may include {', '.join(sorted(rules[layer] - KEYWORDS)) or 'nothing of ours'} ({LAW})"
        if other_sub and "public" not in rules[other_sub]:
            return f"{other_sub}/ is {other}'s own: include a header of {other}/ ({LAW})"
    elif sub and other_sub and other_sub != sub and other_sub not in rules[sub]:
        return f"{sub}/ may include of {layer}/ its top and {', '.join(sorted(rules[sub])) or 'no other folder'} ({LAW})"
    return None


def check(root):
    rules = read_rules(root / LAW)
    problems = []
    for base in (root / "src", root):
        for folder in sorted(path for path in base.iterdir() if path.is_dir()) if base.is_dir() else []:
            sources = [p for p in sorted(folder.rglob("*")) if p.suffix in SUFFIXES and p.is_file()
                       and not {"node_modules", DEVICE_TEXT} & set(p.relative_to(base).parts)]
            where = folder.relative_to(root)
            if folder.name not in rules:
                if sources and where.parts[0] not in ("build", "examples") and where != Path("src") and not folder.name.startswith("."):
                    problems.append(f"{where}/ has sources but no line in {LAW}")
                continue
            for sub in sorted({"/".join(p.relative_to(base).parts[:2]) for p in sources if len(p.relative_to(base).parts) > 2}):
                if sub not in rules and "*" not in rules[folder.name] and base.name == "src":
                    problems.append(f"{where.parent / sub}/ has sources but no line in {LAW}")
            for path in sources:
                name = path.relative_to(base).as_posix()
                silent = base.name == "src" and not {"*", "prints"} & rules[folder.name]
                for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                    if silent and (match := PRINT.search(TEXT.sub('""', line))):
                        problems.append(f"{path.relative_to(root)}:{number}: {match[0].strip()}: {folder.name}/ prints nothing ({LAW}): "
                                        "return it, or tell whoever asked")
                    if (match := INCLUDE.match(line)) and (problem := verdict(name, match[1], rules)):
                        problems.append(f"{path.relative_to(root)}:{number}: #include \"{match[1]}\": {problem}")
    return problems


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    problems = check(root)
    for problem in problems:
        print(problem)
    if problems:
        raise SystemExit(f"{len(problems)} layer violation(s)")


if __name__ == "__main__":
    main()
