#!/usr/bin/env python3
"""Replays by several MPI ranks: the same report for any number of them, with one of them killed, and with all of them killed
and the journal gone on with. Usage: check_mpi.py CROSSLANE FOLDER PROGRAM ARGUMENT...: PROGRAM is captured in FOLDER, which
belongs to this test."""
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CROSSLANE, FOLDER, PROGRAM = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
# As root in a container, with more ranks than cores: this is a test.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}


def run(*command, status=0):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def check(right, message):
    if not right:
        sys.exit(message)


def ranks_of_it():
    """Process of each rank, by what Open MPI tells them."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environ = (folder / "environ").read_bytes().split(b"\0")
            if os.path.realpath(folder / "exe") == os.path.realpath(CROSSLANE) and str(CAPTURE).encode() in (folder / "cmdline").read_bytes():
                for word in environ:
                    if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                        found[int(word.split(b"=")[1])] = int(folder.name)
        except OSError:
            pass  # it has ended
    return found


def begin(ranks, journal, *options):
    """A run that is under way: its journal has a result."""
    mpirun = subprocess.Popen(["mpirun", *options, "-n", str(ranks), CROSSLANE, *WORK, "--json", FOLDER / "killed.json",
                               "--journal", journal], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + 60
    while b"\nitem " not in (journal.read_bytes() if journal.exists() else b""):
        check(mpirun.poll() is None, "it ended before anybody could be killed")
        check(time.monotonic() < until, "no result in a minute")
        time.sleep(0.01)
    return mpirun


def output_of(mpirun):
    try:
        return mpirun.communicate(timeout=120)[0]
    except subprocess.TimeoutExpired:
        for process in [mpirun.pid, *ranks_of_it().values()]:
            os.kill(process, signal.SIGKILL)
        sys.exit(f"the ranks did not end in two minutes:\n{mpirun.communicate()[0]}")


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
CAPTURE = FOLDER / "captured"
run(CROSSLANE, "run", "--capture", CAPTURE, "--", *PROGRAM)
# Every dispatch on every card, a few times as long by --late, without the JIT.
WORK = ["replay", str(CAPTURE), "--mpi", "--time", "--gpu", "all", "--late"]

run(CROSSLANE, "replay", CAPTURE, "--all", "--time", "--gpu", "all", "--late", "--json", FOLDER / "alone.json")
alone = (FOLDER / "alone.json").read_bytes()
for ranks in (1, 2, 4):
    table = run("mpirun", "-n", ranks, CROSSLANE, *WORK, "--json", FOLDER / f"{ranks}.json").stdout
    check((FOLDER / f"{ranks}.json").read_bytes() == alone, f"another report with {ranks} ranks")
    check(table.count("complete") == alone.count(b'"complete"'), f"another table with {ranks} ranks:\n{table}")

# One dies: nothing is missing. Also in the middle of a message, where every one takes its sender until it has arrived.
BY_PIECES = ["--mca", "btl_vader_eager_limit", "100", "--mca", "btl_vader_single_copy_mechanism", "none"]
for ranks, options in ((2, []), (4, []), (4, BY_PIECES)):
    journal = FOLDER / f"one_killed_{ranks}{len(options)}.journal"
    mpirun = begin(ranks, journal, "--enable-recovery", *options)
    victims = ranks_of_it()
    check(1 in victims, f"ranks found: {victims}")
    os.kill(victims[1], signal.SIGKILL)
    text = output_of(mpirun)
    check((FOLDER / "killed.json").read_bytes() == alone, f"another report with one of {ranks} ranks killed:\n{text}")
    check("rank 1 did not say that it ends" in text, f"a dead rank was not told of:\n{text}")
    (FOLDER / "killed.json").unlink()

# All die: what was finished is not done again.
journal = FOLDER / "all_killed.journal"
mpirun = begin(2, journal)
for process in ranks_of_it().values():
    os.kill(process, signal.SIGKILL)
output_of(mpirun)
check(not (FOLDER / "killed.json").exists(), "there is half a report")
before = journal.read_bytes().count(b"\nitem ")
refused = run(CROSSLANE, *WORK[:2], "--all", *WORK[3:], "--journal", journal, status=2)
check("--resume goes on with it" in refused.stderr, refused.stderr)
run("mpirun", "-n", "2", CROSSLANE, *WORK, "--json", FOLDER / "resumed.json", "--journal", journal, "--resume")
check((FOLDER / "resumed.json").read_bytes() == alone, "another report after --resume")
check(journal.read_bytes().count(b"\nitem ") == alone.count(b'"dispatch"') and before > 0, "items were done twice")

# What cannot be is said once, with a status.
wrong = subprocess.run(["mpirun", "-n", "2", CROSSLANE, "replay", FOLDER / "nowhere", "--mpi"], capture_output=True, text=True,
                       env=ENVIRONMENT, timeout=120)
check(wrong.returncode == 2 and "is no capture" in wrong.stderr, f"{wrong.returncode}: {wrong.stderr}")
