#!/usr/bin/env python3
"""Captures of programs, opened by the library and by its Python module: what there is, and replays that leave what the program's own
dispatch left, while other memory of the process lives.

  check_library_replay.py CROSSLANE PROGRAMS EXAMPLE PYTHON [MODULE]

EXAMPLE is examples/library/replay.cpp; MODULE the folder of the Python module, without which that part is left out.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

crosslane, programs, example, python = map(pathlib.Path, sys.argv[1:5])
module = sys.argv[5] if len(sys.argv) > 5 else ""

in_python = r'''
import sys
import numpy as np
import crosslane

add, many = map(crosslane.load_capture, sys.argv[1:])
kept = crosslane.array(np.arange(1 << 20, dtype=np.uint32))  # memory that lives meanwhile
assert repr(add) == f"<capture {add.folder}: 1 dispatch>", add
d = add[0]
assert (d.info["ended"], d.info["workgroups"], d.grid, d.block) == ("complete", 391, (100096, 1, 1), (256, 1, 1)), d.info
assert d.info["card"] == "vega10" and d.info["launch"] == 0 and d.info["comparable"] and "vector_add" in d.info["command"], d.info
for options in ({}, {"profile": "all"}, {"check": "all"}, {"late": True}, {"time": True}, {"runs": 3}, {"instrument": "blocks"}):
    result = d.replay(expect=True, **options)
    assert result.document("comparisons.txt").startswith("as captured: "), result.document("comparisons.txt")
    assert result.stats["workgroups"] == 391, result
assert d.replay(time=True).timing["card"] == "vega10"
assert d.replay(check="all").findings == []
assert d.replay(profile="branches").profile["kernels"][0]["waves"] == 1564
assert d.replay(workgroups=(3, 5)).stats["workgroups"] == 3
assert "dispatch" not in repr(d.replay()) and d.name in repr(d.replay())

fault = many[0]
assert fault.info["ended"] == "unmapped address", fault.info
same = fault.replay(expect=True)
assert same.fault.kind == "unmapped address" and same.fault.workgroup, same
try:
    fault.replay()
    raise SystemExit("a fault without expect=True is no error")
except crosslane.KernelFault as error:
    assert error.fault == same.fault, (error.fault, same.fault)

def refuses(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise SystemExit(f"no {kind.__name__}: {words}")

refuses(crosslane.LaunchError, "'grid': a replay has what was captured", lambda: d.replay(grid=5))
refuses(crosslane.LaunchError, "'workgroups': the dispatch has 391 workgroups", lambda: d.replay(workgroups=(390, 391)))
refuses(crosslane.LaunchError, "without 'workgroups' they run", lambda: d.replay(workgroups=(0, 1), expect=True))
refuses(crosslane.LaunchError, "unknown key 'colour'", lambda: d.replay(colour=1))
refuses(IndexError, "has 1 dispatches, and none at 1", lambda: add[1])
refuses(FileNotFoundError, "nowhere", lambda: crosslane.load_capture("nowhere"))
refuses(crosslane.CompileError, "", lambda: crosslane.load_capture("/"))
assert (kept == np.arange(1 << 20)).all()
'''


def run(*words, status=0, **environment):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=dict(os.environ, **environment))
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, words))}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as name:
    add, many = pathlib.Path(name) / "add", pathlib.Path(name) / "many"
    run(crosslane, "run", "--gpu", "vega10", "--capture", add, "--", programs / "vector_add")
    run(crosslane, "run", "--capture", many, "--", programs / "one_of_many", "fault", status=-6)
    text = run(example, add)
    for words in ("dispatch 0: add(", ", 391 workgroups, complete\nas captured: ", "\n0 findings\nmodelled on vega10"):
        if words not in text:
            sys.exit(f"{example} {add} did not print '{words}':\n{text}")
    text = run(example, many)
    if "unmapped address\nas captured: unmapped address at pc" not in text:
        sys.exit(f"{example} {many} printed:\n{text}")
    if "capture.json" not in run(example, "/nowhere", status=2):
        sys.exit("nothing is said of a folder that is no capture")
    if module:
        run(python, "-c", in_python, add, many, PYTHONPATH=module, PYTHONDONTWRITEBYTECODE="1")
