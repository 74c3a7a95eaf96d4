#!/usr/bin/env python3
"""`crosslane run --capture` and `crosslane replay`: programs as users write them, captured on a card, whose dispatches come out the
same to the bit when they run again, however they are watched; and whose faults fault again at the same lane.

  check_capture.py --crosslane COMMAND --programs FOLDER

FOLDER has the HIP programs. What a replay leaves is compared with what the program's own dispatch left, memory by memory: the capture
is the oracle, made in another process by the runtime library.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
for name in ("crosslane", "programs"):
    parser.add_argument("--" + name, required=True)
options = parser.parse_args()
programs = pathlib.Path(options.programs)
wrong = []


def expect(truth, what):
    if not truth:
        wrong.append(what)


def run(*words, status=0, **environment):
    done = subprocess.run([options.crosslane, *map(str, words)], capture_output=True, text=True, env=dict(os.environ, **environment))
    expect(done.returncode == status, f"{' '.join(map(str, words))}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def dispatches(folder):
    return sorted((folder / "dispatches").iterdir())


def stored(folder):
    return (folder / "memory.pack").stat().st_size


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)

    # One kernel, every way of running it.
    add = place / "add"
    for card in ("fiji", "vega20"):
        folder = place / card
        text = run("run", "--gpu", card, "--capture", folder, "--", programs / "vector_add")
        expect("PASS" in text and "captured 1 dispatch of 1" in text, f"{card}: {text}")
        text = run("replay", folder, "--expect", "--stats")
        expect("as captured" in text and "391 workgroups" in text, f"{card}: {text}")
    run("run", "--capture", add, "--", programs / "vector_add")
    expect(re.search(r"^ +0 +vega10 +100096 +256 +\d+ +53156 instructions +add\(", run("replay", add, "--list"), re.M), "--list")
    for words in ((), ("--threads", "1"), ("--runs", "3"), ("--profile", "all"), ("--check",), ("--late",), ("--time",), ("--fidelity",),
                  ("--poison=3",), ("--sandbox",), ("--instrument", "divergence,blocks")):
        expect("as captured" in run("replay", add, "--expect", *words), f"{words}: not as captured")
    for jit in ("off", "always", "verify"):
        expect("as captured" in run("replay", add, "--expect", CROSSLANE_JIT=jit), f"CROSSLANE_JIT={jit}: not as captured")
    expect("vega10" in run("replay", add, "--time") and "radeon_vii" not in run("replay", add, "--time"), "--time: not its card")
    part = run("replay", add, "--workgroups", "3..5", "--stats")
    expect("3 workgroups" in part and "12 waves" in part, part)
    # Something else in memory is found out, and where.
    document = json.loads(dispatches(add)[0].read_text())
    out = next(m for m in document["memory"] if "after" in m and m["address"] in
               {hex(int(a["address"], 16) & ~4095) for a in document["allocations"] if a["name"].startswith("device memory")})
    out["after"]["list"] = None
    changed = place / "changed"
    changed.mkdir()
    for part in ("capture.json", "memory.pack"):
        os.link(add / part, changed / part)
    (changed / "dispatches").mkdir()
    (changed / "dispatches/000000.json").write_text(json.dumps(document))
    text = run("replay", changed, "--expect", status=1)
    expect(re.search(r"^device memory (\d+): \d+ bytes are not as captured$", text, re.M) and
           re.search(r"^  device memory \d+ \[0x4\] is 0x[0-9a-f]{8}, was 0x00000000$", text, re.M), text)

    # Many kernels, with LDS, dynamic LDS and HIP's own: each is what it left, and what they share is there once.
    several = place / "several"
    text = run("run", "--capture", several, "--", programs / "reduction")
    count = len(dispatches(several))
    expect(f"captured {count} dispatches of {count}" in text and count > 5, text)
    for file in dispatches(several):
        expect("as captured" in run("replay", several, "--expect", "--dispatch", int(file.stem)), f"reduction {file.stem}")
    bytes_ = sum(m["before"]["bytes"] for file in dispatches(several) for m in json.loads(file.read_text())["memory"])
    expect(stored(several) * 10 < bytes_, f"{stored(several)} bytes for {bytes_}")
    run("run", "--capture", place / "some", "--capture-kernel", "sum_", "--capture-launch", "0", "--", programs / "reduction")
    expect(len(dispatches(place / "some")) == 2, "--capture-kernel: not two")
    # What does not fit is told; the program goes on.
    text = run("run", "--capture", place / "little", "--capture-limit", "100K", "--", programs / "reduction")
    expect("PASS" in text and "is not captured: it would be larger than its limit" in text and "could not be captured" in text, text)
    expect(sum(f.stat().st_size for f in (place / "little").rglob("*") if f.is_file()) <= 100 << 10, "more than the limit")

    # The same fault, at the same lane; and nothing but what it takes.
    fault = place / "fault"
    text = run("run", "--capture", fault, "--", programs / "stops", "past_end", status=-signal.SIGABRT)
    last = int(dispatches(fault)[-1].stem)
    again = run("replay", fault, "--dispatch", last, status=3)
    for line in re.findall(r"^crosslane: memory fault.*|^  at 0x.*|^  workgroup .*", text, re.M):
        expect(line in again, f"not in the replay: {line}\n{again}")
    text = run("replay", fault, "--dispatch", last, "--expect", "--check", "memory", status=1)
    expect("writes 4 bytes 400 bytes past the end of 'device memory" in text and "as captured: unmapped address" in text, text)
    small = place / "small"
    expect(" of 1 workgroups, and 16 of " in run("replay", fault, "--dispatch", last, "--shrink", small), "--shrink")
    expect("as captured: unmapped address" in run("replay", small, "--expect"), "the shrunk fault is another one")
    expect(stored(small) < stored(fault), "the shrunk capture is no smaller")
    expect("nothing to shrink to" in run("replay", add, "--shrink", place / "none", status=2) and not (place / "none").exists(), "shrunk")

    # One workgroup of 4096, found by its fault and by its race.
    for mistake, words, symptom, status in (("fault", (), "unmapped address at pc 0x", -signal.SIGABRT), ("race", ("--check", "race"), "race-lds at ", 0)):
        many, small = place / ("many-" + mistake), place / ("few-" + mistake)
        text = run("run", "--capture", many, "--", programs / "one_of_many", mistake, status=status)
        text = run("replay", many, *words, "--shrink", small)
        expect(text.startswith(symptom) and "still shown by 1 of 4096 workgroups" in text, text)
        left = int(re.search(r"and (\d+) of \d+ bytes", text)[1])
        expect(left <= 128, f"{mistake}: {left} bytes that are not zero")
        expect("workgroup (617,0,0)" in run("replay", small, *words, status=3 if status else 1).replace(", ", ","), f"{mistake}: another workgroup")
        expect(stored(small) * 20 < stored(many), f"{mistake}: {stored(small)} bytes of {stored(many)}")

    # A process that is killed leaves whole dispatches.
    killed = place / "killed"
    process = subprocess.Popen([options.crosslane, "run", "--capture", killed, "--", programs / "streams_events"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None and not ((killed / "dispatches").exists() and len(dispatches(killed)) > 2):
        time.sleep(0.01)
    process.kill()
    process.wait()
    listed = run("replay", killed, "--list").splitlines()[1:]
    expect(len(listed) > 2 and listed[0].split()[0] == "0", f"killed: {listed}")

    # Bad input.
    for words, error in (((place / "nowhere",), "is no capture"),
                         ((add, "--dispatch", "7"), "has no dispatch 7"),
                         ((add, "--workgroups", "5..3"), "ends before it begins"),
                         ((add, "--workgroups", "391"), "has 391 workgroups, from 0 to 390"),
                         ((add, "--workgroups", "1", "--expect"), "what was captured is of all workgroups"),
                         ((add, "--workgroups", "1", "--time"), "--time models all workgroups"),
                         ((add, "--html", place / "x.html", "--shrink", place / "y"), "profiles, times, findings and a sandbox are for"),
                         ((add, "--list", "--shrink", "x"), "ask for one of the two")):
        expect(error in run("replay", *words, status=2), f"{words}: not '{error}'")
    for words, error in ((("--capture", add), "is there already, and not empty"),
                         (("--capture-limit", "1G"), "CROSSLANE_CAPTURE_LIMIT needs CROSSLANE_CAPTURE"),
                         (("--capture", place / "x", "--capture-limit", "much"), "it must be a number of bytes"),
                         (("--capture", place / "x", "--capture-kernel", "("), "is no regular expression"),
                         (("--capture", place / "x", "--host-memory"), "that would be all memory of the program"),
                         (("--capture", place / "x", "--instrument", "blocks"), "capture the program as it is")):
        expect(error in run("run", *words, "--", programs / "vector_add", status=2), f"{words}: not '{error}'")

print("\n".join(wrong) or "all as captured")
sys.exit(bool(wrong))
