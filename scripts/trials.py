#!/usr/bin/env python3
"""Gives damaged files to the commands and looks at how they end.

Each trial takes a good code object, NumPy file or launch description, damages some bytes (flips, extremes, cuts, repeats, all by
the seed), and runs a verb on it. A verb may succeed or refuse; it must not die of a signal, run on past its time, take more than 4 GiB, refuse
without saying why, or leave an output behind when it failed. Prints a table and the trials that did; exits with 1 if there are any.

    scripts/trials.py --crosslane build/release/bin/crosslane --count 2000 --seed 1
"""
import argparse
import collections
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 5  # of a kernel; a trial has four times as long
MEMORY = 4 << 30


def npy(values):
    header = "{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%dI" % len(values), *values)


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        if not data:
            break
        at = rng.randrange(len(data))
        how = rng.randrange(6)
        if how == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif how == 2:
            value = rng.choice([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(data), len(data) - 1])
            data[at:at + 8] = struct.pack("<Q", value)[:max(0, min(8, len(data) - at))]
        elif how == 3:
            del data[at:]
        elif how == 4:
            data[at:at] = data[at:at + rng.randrange(64)]
        else:
            data[at] = rng.randrange(256)
    return bytes(data)


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Trials:
    def __init__(self, crosslane, folder):
        self.crosslane, self.folder = crosslane, folder
        self.table = collections.Counter()
        self.bad = []

    def run(self, what, arguments, output=None):
        command = [self.crosslane, *arguments]
        with subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=limit) as process:
            try:
                _, errors = process.communicate(timeout=4 * SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return self.end(what, "ran on past its time", command)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        code = process.returncode
        if code < 0 or code > 128:
            return self.end(what, f"died of {signal.Signals(abs(code) % 128).name}", command)
        if peak > MEMORY:
            return self.end(what, "took more than 4 GiB", command)
        words = errors.decode(errors="replace")
        if code and not words.startswith("crosslane: ") and ": error: " not in words:  # the latter as compilers do
            return self.end(what, "failed without a word", command)
        if code and output and (self.folder / output).exists():
            return self.end(what, "left an output behind", command)
        self.table[what, "succeeded" if code == 0 else "refused"] += 1

    def end(self, what, how, command):
        self.table[what, how] += 1
        kept = []
        for word in command[1:]:
            name = word.split("=@")[-1]
            if name.startswith("damaged"):
                keep = self.folder.parent / f"trial-{len(self.bad)}-{name}"
                keep.write_bytes((self.folder / name).read_bytes())
                kept.append(str(keep))
        self.bad.append(f"{how}: crosslane {' '.join(command[1:])}    {' '.join(kept)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--crosslane", default=str(ROOT / "build/release/bin/crosslane"))
    parser.add_argument("--count", type=int, default=400, help="damaged files")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    crosslane = str(pathlib.Path(args.crosslane).resolve())
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent) / "work"
        folder.mkdir()
        trials = Trials(crosslane, folder)
        subprocess.run([crosslane, "asm", str(ROOT / "examples/if_else.s"), "-o", str(folder / "good.co")], check=True)
        code, array = (folder / "good.co").read_bytes(), npy(range(256))
        (folder / "in.npy").write_bytes(array)
        toml = ('file = "good.co"\nkernel = "if_else"\ngrid = [256]\nblock = [64]\n[args]\nin = "@in.npy"\nout = "u32[256]"\nlimit = 32\n'
                '[out]\nout = "result.npy"\n').encode()
        shape = ["--kernel", "if_else", "--grid", "256", "--block", "64", "--timeout", str(SECONDS), "out=u32[256]", "limit=32"]
        for name, content in {"damaged.co": code, "damaged.npy": array, "damaged.toml": toml}.items():  # good ones, first
            (folder / name).write_bytes(content)
        for arguments in (["launch", "damaged.co", *shape, "in=@damaged.npy", "--out", "out=result.npy"],
                          ["launch", "damaged.toml", "--timeout", str(SECONDS)]):
            subprocess.run([crosslane, *arguments], cwd=folder, check=True)
        for _ in range(args.count):
            for old in folder.glob("result*"):
                old.unlink()
            kind = rng.randrange(4)
            if kind == 0:
                (folder / "damaged.co").write_bytes(damaged(code, rng))
                trials.run("disasm of a code object", ["disasm", "damaged.co"])
                trials.run("launch of a code object", ["launch", "damaged.co", *shape, "in=@in.npy", "--out", "out=result.npy"], "result.npy")
            elif kind == 1:
                (folder / "damaged.npy").write_bytes(damaged(array, rng))
                trials.run("launch with a NumPy file", ["launch", "good.co", *shape, "in=@damaged.npy", "--out", "out=result.npy"], "result.npy")
            elif kind == 2:
                (folder / "damaged.toml").write_bytes(damaged(toml, rng))
                trials.run("launch of a description", ["launch", "damaged.toml", "--timeout", str(SECONDS)], "result.npy")
            else:
                text = (ROOT / "examples/if_else.s").read_bytes()
                (folder / "damaged.s").write_bytes(damaged(text, rng))
                trials.run("asm", ["asm", "damaged.s", "-o", "result.co"], "result.co")
        for name in sorted({what for what, _ in trials.table}):
            ends = {how: n for (what, how), n in trials.table.items() if what == name}
            print(f"{name:28} " + ", ".join(f"{n} {how}" for how, n in sorted(ends.items(), key=lambda e: -e[1])))
        print(f"{sum(trials.table.values())} trials, {len(trials.bad)} ended badly")
        for line in trials.bad:
            print(line, file=sys.stderr)
        if trials.bad:  # to be looked at
            for file in pathlib.Path(parent).glob("trial-*"):
                os.rename(file, pathlib.Path.cwd() / file.name)
        return 1 if trials.bad else 0


if __name__ == "__main__":
    sys.exit(main())
