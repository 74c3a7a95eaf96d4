#!/usr/bin/env python3
"""How fast the cycle model is (`crosslane launch --time`), and what a run without it pays for its being there.

Usage: timing.py [--runs N] [--only WORDS] [--json FILE] CROSSLANE, build/release/bin/crosslane. Prints tables for docs/timing-model.md.
Processor time of the whole process on one thread, the least of N runs, runs with and without --time in turns; rates are of the whole process, and
beside them of what --time adds. The cost without --time is counted, not timed: of the instructions that valgrind sees, those in
functions of the model.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "tests" / "timing" / "validate"))
from kernels import assembly, looped, pointer, repeated


def scattered(target):
    """Each lane loads from a line of its own, another one each time, of 16 MiB."""
    body = pointer + """
  v_lshlrev_b32 v1, 6, v0
  s_lshl_b32 s16, s6, 14
  v_add_u32 v1, s16, v1
""" + looped("\n".join(["  buffer_load_dword v8, v1, s[12:15], 0 offen", "  v_add_u32 v1, 0x40040, v1",
                        "  v_and_b32 v1, 0xffffff, v1"] * 8) + "\n  s_waitcnt vmcnt(0)", 16)
    return assembly(body, target, arguments=["buffer"], vgprs=16)


def cases(folder):
    """Name, what it is, words of the command line."""
    (folder / "move.s").write_text(assembly(looped(repeated("v_mov_b32 v1, v2", 100), 10), "gfx900", vgprs=8))
    (folder / "scattered.s").write_text(scattered("gfx900"))
    add = [str(root / "examples" / "vector_add.cl"), "--target", "gfx900", "--block", "256"]

    reduce = [str(root / "examples" / "reduce_tree.cl"), "--target", "gfx900", "--block", "256"]

    def buffers(n):
        return ["--grid", str(n), f"a=f32[{n}]:1", f"b=f32[{n}]:2", f"c=f32[{n}]", f"n={n}"]

    yield "arithmetic", "512 workgroups of 16 waves, each a thousand `v_mov_b32`", [
        str(folder / "move.s"), "--groups", "512", "--block", "1024"], True
    yield "memory", "`examples/vector_add.cl`, 2^22 work-items", [*add, *buffers(1 << 22)], True
    yield "lines", "64 lines a load: 256 workgroups of 4 waves, 128 loads each", [
        str(folder / "scattered.s"), "--groups", "256", "--block", "256", "u32[4194304]"], True
    for power in (25, 27):
        yield "sampled memory", f"`examples/vector_add.cl`, 2^{power} work-items, sampled", [*add, *buffers(1 << power)], False
    n = 1 << 26
    yield "sampled LDS", "`examples/reduce_tree.cl`, 2^26 work-items, sampled", [
        *reduce, "--grid", str(n), f"in=f32[{n}]:1", f"partial=f32[{n // 256}]", f"n={n}", "scratch=lds:1024"], False
    yield "sampled arithmetic", "`examples/mandelbrot.cl`, 4096 x 4096 in workgroups of 16 x 16, 256 iterations, sampled", [
        str(root / "examples" / "mandelbrot.cl"), "--target", "gfx900", "--grid", "4096,4096", "--block", "16,16",
        "iterations=u32[16777216]", "width=4096", "height=4096", "x0=-2", "y0=-2", "step=0.001", "limit=256"], False


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(crosslane, words, exact, runs, folder):
    plain = [crosslane, "launch", *words, "--threads", "1"]
    told = folder / "told.json"
    timed = [*plain, "--time", "--gpu", "vega10", "--json", str(told), *(["--time-error", "0"] if exact else [])]
    seconds(plain)  # the compiled kernel is then in the cache
    pairs = [(seconds(plain), seconds(timed)) for _ in range(runs)]
    timing = json.loads(told.read_text())["timing"]
    off = None
    if not exact:
        seconds([*timed, "--time-error", "0"])
        cycles = json.loads(told.read_text())["timing"]["cycles"]
        off = 100 * (timing["cycles"] / cycles - 1)
    return min(p for p, _ in pairs), min(t for _, t in pairs), timing, off


def millions(count, time):
    return f"{count / time / 1e6:.3g}" if time > 0 else "-"


def speed(crosslane, options, folder):
    print("| | M wave-instructions | M lines | without `--time`, s | with, s | M instructions a second | M lines a second | added: M instructions a second | M lines a second | off by, % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    results = []
    for name, about, words, exact in cases(folder):
        if options.only and options.only not in name:
            continue
        plain, timed, t, off = measured(crosslane, words, exact, options.runs, folder)
        lines = t["l1"]["hits"] + t["l1"]["misses"] + t["l2"]["stores"]
        added = timed - plain
        print(f"| {about} | {t['instructions'] / 1e6:.2f} | {lines / 1e6:.2f} | {plain:.2f} | {timed:.2f} | "
              f"{millions(t['instructions'], timed)} | {millions(lines, timed)} | {millions(t['instructions'], added)} | "
              f"{millions(lines, added)} | {'' if off is None else f'{off:+.2f}'} |", flush=True)
        results.append({"name": name, "instructions": t["instructions"], "lines": lines, "plain_s": plain, "timed_s": timed,
                        "sampled": "sampled" in t, "off_percent": off})
    return results


def instructions_of_model(crosslane, folder, how):
    """Instructions of a run under valgrind: all, and those in functions of the model."""
    out = folder / "callgrind"
    words = [str(root / "examples" / "vector_add.cl"), "--target", "gfx900", "--block", "256", "--grid", "65536", "a=f32[65536]:1",
             "b=f32[65536]:2", "c=f32[65536]", "n=65536"]
    # Valgrind knows no AVX-512; one thread, so that nobody waits for another.
    environment = os.environ | {"CROSSLANE_LEVEL": "v1", "CROSSLANE_JIT": "off"}
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", crosslane, "launch", *words, "--threads", "1", *how]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    annotated = subprocess.run(["callgrind_annotate", "--threshold=100", str(out)], capture_output=True, text=True, check=True).stdout
    total = model = 0
    for line in annotated.splitlines():
        found = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(.*)", line)
        if found and "PROGRAM TOTALS" in found[2]:
            total = int(found[1].replace(",", ""))
        elif found and re.search(r"crosslane::(model|timing|views::(Wave|Paced)Traces|views::TraceWriter)", found[2]):
            model += int(found[1].replace(",", ""))
    return total, model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crosslane")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="cases with these words in their name; `none`: without --time alone")
    parser.add_argument("--json", help="write the numbers to a file too")
    options = parser.parse_args()
    crosslane = str(pathlib.Path(options.crosslane).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = {"cases": speed(crosslane, options, folder)}
        if not options.only or options.only == "none":
            for how, words in (("without --time", []), ("with --time", ["--time"])):
                total, model = instructions_of_model(crosslane, folder, words)
                results[how] = {"instructions": total, "model": model}
                print(f"\n{how}: {model} of {total} instructions are in functions of the model")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
