#!/usr/bin/env python3
"""rocminfo prints of emulated cards what it printed on real ones: check_rocminfo.py ROCMINFO LIBRARY PRELOAD

The lines are from outputs that owners of the cards published: Radeon VII in ROCm/legacy-rocm-build issue 6138, MI50 in
lamikr/rocm_sdk_builder issue 180 and lmstudio-ai/lmstudio-bug-tracker issue 352, MI210 in ROCm/legacy-rocm-build issue 2595,
RX 580 in ollama/ollama issue 2453 and lamikr/rocm_sdk_builder issue 173.
"""
import os
import re
import subprocess
import sys

ANY_GPU = """
  Vendor Name: AMD
  Feature: KERNEL_DISPATCH
  Profile: BASE_PROFILE
  Float Round Mode: NEAR
  Max Queue Number: 128(0x80)
  Queue Min Size: 64(0x40)
  Queue Max Size: 131072(0x20000)
  Queue Type: MULTI
  Device Type: GPU
  L1: 16(0x10) KB
  SIMDs per CU: 4
  WatchPts on Addr. Ranges:4
  Features: KERNEL_DISPATCH
  Fast F16 Operation: TRUE
  Wavefront Size: 64(0x40)
  Workgroup Max Size: 1024(0x400)
  Grid Max Size: 4294967295(0xffffffff)
  Max fbarriers/Workgrp: 32
  Segment: GLOBAL; FLAGS: COARSE GRAINED
  Segment: GROUP
  Size: 64(0x40) KB
  Allocatable: FALSE
  Alloc Granule: 4KB
  Accessible by all: FALSE
  Machine Models: HSA_MACHINE_MODEL_LARGE
  Profiles: HSA_PROFILE_BASE
  Default Rounding Mode: NEAR
  Fast f16: TRUE
  FBarrier Max Size: 32
"""
CARDS = {
    "vega20": """
  Name: gfx906
  Marketing Name: AMD Radeon VII
  L2: 8192(0x2000) KB
  Chip ID: 26287(0x66af)
  Cacheline Size: 64(0x40)
  Max Clock Freq. (MHz): 1801
  Compute Unit: 60
  Shader Engines: 4
  Shader Arrs. per Eng.: 1
""",
    "mi50": """
  Name: gfx906
  Marketing Name: AMD Instinct MI60 / MI50
  L2: 8192(0x2000) KB
  Chip ID: 26273(0x66a1)
  Cacheline Size: 64(0x40)
  Max Clock Freq. (MHz): 1725
  Max Waves Per CU: 40(0x28)
  Max Work-item Per CU: 2560(0xa00)
  Size: 16760832(0xffc000) KB
  Name: amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-
""",
    "mi210": """
  Name: gfx90a
  Marketing Name: AMD Instinct MI210
  L2: 8192(0x2000) KB
  Chip ID: 29711(0x740f)
  Max Clock Freq. (MHz): 1700
  Compute Unit: 104
  Shader Engines: 8
  Shader Arrs. per Eng.: 1
  Max Waves Per CU: 32(0x20)
  Max Work-item Per CU: 2048(0x800)
  Size: 67092480(0x3ffc000) KB
  Name: amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
""",
    "rx580": """
  Name: gfx803
  Marketing Name: AMD Radeon RX 580 Series
  Chip ID: 26591(0x67df)
  Cacheline Size: 64(0x40)
  Max Clock Freq. (MHz): 1340
  Max Waves Per CU: 40(0x28)
  Size: 8388608(0x800000) KB
  Name: amdgcn-amd-amdhsa--gfx803
""",
}
SYSTEM = """
  Runtime Version: 1.1
  System Timestamp Freq.: 1000.000000MHz
  Sig. Max Wait Duration: 18446744073709551615 (0xFFFFFFFFFFFFFFFF) (timestamp count)
  Machine Model: LARGE
  System Endianness: LITTLE
"""


def lines(text):
    """Without the columns, which differ between versions of rocminfo."""
    return {re.sub(r":\s*", ": ", line.strip(), count=1) for line in text.splitlines() if line.strip()}


rocminfo, library, preload = sys.argv[1:]
cards = list(CARDS)
environment = dict(
    os.environ, CROSSLANE_GPU=",".join(cards), LD_LIBRARY_PATH=os.path.dirname(library), LD_PRELOAD=preload
)
run = subprocess.run([rocminfo], env=environment, capture_output=True, text=True, timeout=60)
sections = re.split(r"\*{7}\s*\nAgent \d+\s*\n\*{7}\s*\n", run.stdout)
problems = []
if run.returncode or run.stderr:
    problems.append(f"exit status {run.returncode}: {run.stderr}")
if len(sections) != 2 + len(cards):
    problems.append(f"{len(sections) - 1} agents, not {1 + len(cards)}")
else:
    for name, section, expected in [("the system", sections[0], SYSTEM)] + [
        (card, section, ANY_GPU + CARDS[card]) for card, section in zip(cards, sections[2:])
    ]:
        missing = sorted(lines(expected) - lines(section))
        problems += [f"{name}: rocminfo does not print '{line}'" for line in missing]
if "*** Done ***" not in run.stdout:
    problems.append("rocminfo did not come to its end")
print("\n".join(problems) or run.stdout)
sys.exit(bool(problems))
