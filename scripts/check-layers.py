#!/usr/bin/env python3
"""Checks that every folder includes only the folders that scripts/layers.txt allows it.

Usage: check-layers.py [ROOT]. Prints file:line, the include and the rule for each violation; exit status 1 if any.
An include that starts with no known folder must be a system header in <>, and tests/ may only be included by tests/.
"""
import re
import sys
from pathlib import Path

SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".inc"}
# Headers that crosslane hands to clang for the GPU: text to us, and they include each other in that world.
DEVICE_TEXT = Path("cli/prelude")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def read_rules(path):
    """layer -> set of layers it may include, '*' for all."""
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
        for name in allowed - {"*"} - set(rules):
            raise SystemExit(f"{path}: '{layer}' may include '{name}', which is not a layer")
    return rules


def check_file(root, path, layer, rules):
    allowed = rules[layer]
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match[1]
        folder = target.split("/")[0] if "/" in target else None
        where = f"{path.relative_to(root)}:{number}: #include \"{target}\""
        if folder not in rules:
            yield f"{where}: write includes from the root of the tree (\"isa/decode.h\"), system headers in <>"
        elif folder != layer and folder not in allowed and "*" not in allowed:
            may = ", ".join(sorted(allowed)) or "nothing of ours"
            yield f"{where}: {layer}/ may include {may} (scripts/layers.txt)"


def check(root):
    rules = read_rules(root / "scripts" / "layers.txt")
    problems = []
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        sources = [p for p in sorted(folder.rglob("*")) if p.suffix in SUFFIXES and p.is_file() and "node_modules" not in p.parts]
        if folder.name in rules:
            for path in sources:
                if DEVICE_TEXT in path.relative_to(root).parents:
                    continue
                problems += check_file(root, path, folder.name, rules)
        elif sources and folder.name not in ("build", "examples") and not folder.name.startswith("."):
            problems.append(f"{folder.name}/ has sources but no line in scripts/layers.txt")
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
