#!/usr/bin/env python3
"""Writes the demonstration's inputs and expected results as .npy files into the folder given. Plain Python on purpose: it
shares nothing with crosslane."""
import random
import struct
import sys
from array import array
from itertools import accumulate
from pathlib import Path


def save(path, kind, values):
    """NumPy's format 1.0; kind is '<f4' or '<u4'."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values.tobytes())


def main():
    folder = Path(sys.argv[1])
    rng = random.Random(1)

    a = array("f", (rng.uniform(-1, 1) for _ in range(1000003)))
    b = array("f", (rng.uniform(-1, 1) for _ in range(1000003)))
    save(folder / "a.npy", "<f4", a)
    save(folder / "b.npy", "<f4", b)
    save(folder / "sum.npy", "<f4", array("f", (x + y for x, y in zip(a, b))))

    words = array("I", (rng.randrange(1 << 31) for _ in range(4096)))
    save(folder / "in.npy", "<u4", words)
    save(folder / "halves.npy", "<u4", array("I", (2 * v + 1 if i % 64 < 32 else v ^ 0xFF for i, v in enumerate(words))))
    save(folder / "else.npy", "<u4", array("I", (v ^ 0xFF for v in words)))

    # Small integers, so that the order of the additions does not matter.
    f = array("f", (rng.randrange(1000) for _ in range(65536)))
    save(folder / "f.npy", "<f4", f)
    scan = array("f")
    for group in range(0, len(f), 64):
        scan.extend(accumulate(f[group:group + 64]))
    save(folder / "scan.npy", "<f4", scan)


if __name__ == "__main__":
    main()
