#!/usr/bin/env python3
"""Random OpenCL kernels with probes: as check_examples.py, for kernels that crosslane_differential prints.

    check_random.py CROSSLANE CROSSLANE_DIFFERENTIAL [--count N] [--seed N] [--target GPU ...] [--probe divergence,blocks] [--at PLACES]

Three workgroups, the last one partial; or twelve in three dimensions, where the kernel says how large they are. With
--layers the others, too, are launched in three, of which they know nothing.
"""
import argparse, os, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from check_examples import Case

HEADERS = next(Path(__file__).resolve().parents[2].glob("tests/**/portable.h")).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane")
    parser.add_argument("differential")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append")
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--probe", default="divergence,blocks")
    parser.add_argument("--at", default="")
    parser.add_argument("--reach", type=int)
    parser.add_argument("--shuffle", type=int, help="code in another order, with s_nop in it")
    parser.add_argument("--trace-bytes", help="with --probe memory")
    parser.add_argument("--full", action="store_true", help="with --trace-bytes: it may be too little")
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.crosslane = os.path.abspath(options.crosslane)

    def one(work):
        seed, target = work
        text = subprocess.run([options.differential, "--print", "--seed", str(seed), "--count", "1"],
                              capture_output=True, text=True, check=True).stdout
        group, grid = [int(re.search(r"#define WG (\d+)", text).group(1))], []
        if required := re.search(r"reqd_work_group_size\((\d+), *(\d+), *(\d+)\)", text):
            group = [int(n) for n in required.groups()]
            grid = [group[0] * 2, group[1] * 3, group[2] * 2]
        elif options.layers and group[0] % 4 == 0:
            group = [group[0] // 4, 2, 2]
            grid = [group[0] * 2 - 3, 3, 4]
        shape = ["--grid", ",".join(map(str, grid or [max(group[0] * 3 - 20, group[0] + 1)])), "--block", ",".join(map(str, group))]
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "kernel.cl")
            Path(source).write_text(text)
            # Kernels read lanes that have no work-item: with --poison what is there is the same with probes.
            words = [source, *shape, "--poison=1", f"in=u8[65536]:random:{seed}",
                     "out=u8[262144]", "own=u32[4096]", "own64=u64[4096]", "shared=u32[1024]", "shared64=u64[1024]",
                     "table=u32[64]:random:2", f"su={seed % 60}", "si=-5", "sl=77", "sf=1.5",
                     f"--clang=-I{HEADERS}", "--clang=-DNOINLINE=__attribute__((noinline))",
                     f"--clang={options.level}"]
            case = Case(options.crosslane, words, target, folder)
            return f"{target} seed {seed}", case.prepare() or case.check(options)

    work = [(seed, target) for target in options.target or ["gfx900"]
            for seed in range(options.seed, options.seed + options.count)]
    failed = refused = same = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, verdict in pool.map(one, work):
            failed += verdict.startswith("FAILED")
            refused += verdict.startswith("REFUSED")
            same += verdict == "same"
            if verdict != "same":
                print(f"{name}: {verdict}", flush=True)
    print(f"{same} of {len(work)} the same, {failed} failed, {refused} refused with a reason, "
          f"{len(work) - same - failed - refused} cannot run")
    return 1 if failed or not same else 0


sys.exit(main())
