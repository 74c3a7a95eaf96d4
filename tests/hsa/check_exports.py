#!/usr/bin/env python3
"""The runtime library exports exactly what hsa/exports.map lists, as version ROCR_1, and is named as the real one; and nothing
in it calls what it exports, which goes by tables that tools change (hsa/functions.h)."""
import re
import subprocess
import sys

library, version_script, archive = sys.argv[1:]
listed = set(re.findall(r"^\s+(\w+);$", open(version_script).read(), re.M))
# 225 of ROCm 5.2.3, and 40 that came until August 2025.
assert len(listed) == 265, f"{version_script}: the real libraries export 265 symbols, not {len(listed)}"

problems = []
exported = set()
symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", library], capture_output=True, text=True, check=True).stdout
for line in symbols.splitlines():
    columns = line.split()
    if len(columns) < 8 or columns[6] in ("UND", "Ndx", "ABS") or columns[4] == "LOCAL":
        continue
    name, _, version = columns[7].partition("@@")
    exported.add(name)
    if version != "ROCR_1":
        problems.append(f"{columns[7]}: must have version ROCR_1")
problems += [f"{name}: not exported" for name in sorted(listed - exported)]
problems += [f"{name}: exported, but no real library has such a symbol" for name in sorted(exported - listed)]

dynamic = subprocess.run(["readelf", "--dynamic", "--wide", library], capture_output=True, text=True, check=True).stdout
if "[libhsa-runtime64.so.1]" not in dynamic:
    problems.append("the soname must be libhsa-runtime64.so.1")
if "NODELETE" not in dynamic:
    problems.append("must be linked with -z nodelete")
# The table of the images' extension hands out what is exported, as ROCr's does.
undefined = subprocess.run(["nm", "--undefined-only", archive], capture_output=True, text=True, check=True).stdout
problems += [f"{name}: called within the library; functions::{name} is meant"
             for name in sorted(set(undefined.split()) & listed) if not name.startswith(("hsa_ext_image_", "hsa_ext_sampler_"))]
print("\n".join(problems) or f"{len(exported)} symbols")
sys.exit(bool(problems))
