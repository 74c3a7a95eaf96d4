#!/usr/bin/env python3
"""Ctrl-C during `crosslane launch`, with a profile and without, and the line that tells how far a long run is.

  check_interrupt.py --crosslane COMMAND --kernel slow.cl
"""
import argparse
import json
import os
import re
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

complaints = []


def check(condition, text):
    if not condition:
        complaints.append(text)


def wait_until_busy(process):
    """Until it has used half a second of processor time beyond the compiler's: the kernel runs."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        fields = open(f"/proc/{process.pid}/stat").read().rpartition(")")[2].split()
        if int(fields[11]) + int(fields[12]) > ticks // 2:
            return
        time.sleep(0.02)


def interrupted(command, folder, sent, status, why):
    file = os.path.join(folder, "p.json")
    process = subprocess.Popen([*command, "--json", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until_busy(process)
    process.send_signal(sent)
    out, err = process.communicate(timeout=50)
    check(process.returncode == status, f"{why}: status {process.returncode}, not {status}\n{out}{err}")
    check(f"not complete ({why})" in out, f"{why}: the summary does not say that it is not complete:\n{out[:300]}")
    check(f"crosslane: {why}: kernel slow was stopped: of 64 workgroups" in err, f"{why}: not where the waves were:\n{err[:300]}")
    profile = json.load(open(file))
    check(profile["complete"] is False and profile["interrupted"] == why, f"{why}: {profile['interrupted']}")
    kernel = profile["kernels"][0]
    executed = sum(instruction["executions"] for instruction in kernel["instructions"])
    check(kernel["workgroups"] < 64 and executed > 1000, f"{why}: {kernel['workgroups']} workgroups, {executed} instructions")
    check(os.listdir(folder) == ["p.json"], f"{why}: left behind {os.listdir(folder)}")
    os.remove(file)


def plain(command, sent, status, why):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until_busy(process)
    process.send_signal(sent)
    out, err = process.communicate(timeout=50)
    check(process.returncode == status and out == "", f"{why}: status {process.returncode}, not {status}\n{out}{err}")
    check(f"crosslane: {why}: kernel slow was stopped: of 64 workgroups" in err and " running " in err, f"{why}: {err[:300]}")


def progress(command):
    """What a terminal gets to see, until the line has come up; then Ctrl-C as a user types it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    seen, typed, limit = b"", False, time.time() + 50
    while time.time() < limit and select.select([terminal], [], [], 50)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        if not typed and b" of 64 workgroups" in seen:
            os.write(terminal, b"\x03")
            typed = True
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    text = re.sub("\x1b\\[[0-9;]*m", "", seen.decode(errors="replace"))  # colours: it is a terminal
    check("\r\x1b[Kcrosslane: slow: " in text and "M wave-instr/s, " in text, f"no progress: {text[:500]!r}")
    check(status == 130, f"Ctrl-C at a terminal: status {status}")
    line, _, report = text.partition("profile of ")
    line = line.partition("crosslane: Ctrl-C: ")[0]
    check(line.replace("^C", "").endswith("\r\x1b[K"), f"the line stays there: {line[-200:]!r}")
    check("not complete (Ctrl-C)" in report, "no report at the terminal")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True)
    parser.add_argument("--kernel", required=True)
    options = parser.parse_args()
    bare = [options.crosslane, "launch", options.kernel, "--grid", "4096", "--block", "64", "u32[4096]", "4000000000"]
    command = [*bare, "--profile", "branches"]
    plain(bare, signal.SIGINT, 130, "Ctrl-C")
    plain(bare, signal.SIGTERM, 143, "SIGTERM")
    with tempfile.TemporaryDirectory(prefix="crosslane-interrupt-") as folder:
        interrupted(command, folder, signal.SIGINT, 130, "Ctrl-C")
        interrupted(command, folder, signal.SIGTERM, 143, "SIGTERM")
        interrupted(command, folder, signal.SIGHUP, 129, "SIGHUP")
        interrupted(command, folder, signal.SIGQUIT, 131, "SIGQUIT")
    progress(command)
    for complaint in complaints:
        print("check_interrupt.py:", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
