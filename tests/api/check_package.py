#!/usr/bin/env python3
"""The library as a stranger has it: installed, moved, found by CMake and pkg-config, built against by every compiler that is
here, and run. Usage: check_package.py CMAKE SOURCE BUILD FOLDER; FOLDER belongs to this test."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

CMAKE = sys.argv[1]
SOURCE, BUILD, FOLDER = map(Path, sys.argv[2:5])


def run(*command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=os.environ | environment)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(right, message):
    if not right:
        sys.exit(message)


def the_only(pattern):
    found = list(PREFIX.rglob(pattern))
    check(len(found) == 1, f"{pattern}: installed {len(found)} times")
    return found[0]


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
PREFIX = FOLDER / "moved"
for component in ("library", "development"):
    run(CMAKE, "--install", BUILD, "--component", component, "--prefix", FOLDER / "first")
(FOLDER / "first").rename(PREFIX)
for path in [*PREFIX.rglob("*.cmake"), *PREFIX.rglob("*.pc")]:
    check(str(SOURCE) not in path.read_text() and str(FOLDER) not in path.read_text(), f"{path} names a folder of the build")

# The interface, and nothing else: every function that the header has, and no symbol of what is linked into it.
library = the_only("libcrosslane.so.1")
header = (PREFIX / "include/crosslane/crosslane.h").read_text()
declared = set(re.findall(r"\b(crosslane_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
symbols = {line.split()[-1] for line in run("llvm-nm-19", "-D", "--defined-only", library).splitlines()}
exported = {s.split("@")[0] for s in symbols if not s.startswith("CROSSLANE_1")}
check(exported == declared, f"declared and exported differ: {sorted(exported ^ declared)}")
check(all("@@CROSSLANE_1" in s for s in symbols if s.startswith("crosslane_")), "symbols without a version")

# Both examples, by hand and by CMake, with all compilers; what they print is what their authors meant.
PKG = {"PKG_CONFIG_PATH": the_only("crosslane.pc").parent}
flags = run("pkg-config", "--cflags", "--libs", "crosslane", **{k: str(v) for k, v in PKG.items()}).split()
flags.append(f"-Wl,-rpath,{library.parent}")
examples = SOURCE / "examples"
adds = "c[0] = 1, c[999] = 1000; 528 wave-instructions on gfx900\n"


def judge(folder):
    text = run(folder / "vector_add", examples / "vector_add.cl")
    check(re.sub(r"\d+ wave", "528 wave", text) == adds, f"{folder}/vector_add printed: {text}")
    text = run(folder / "checked")
    check("data[999] = 1998\nmodelled on vega10" in text and "2 findings\n" in text and
          "past the end of 'data' (4000 bytes)" in text, f"{folder}/checked printed: {text}")


warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
for c, cxx in (("clang-19", "clang++-19"), ("gcc", "g++"), ("gcc-12", "g++-12")):
    if not (shutil.which(c) and shutil.which(cxx)):
        continue
    folder = FOLDER / c
    folder.mkdir()
    for standard in ("c99", "c11"):
        run(c, f"-std={standard}", *warnings, examples / "library/vector_add.c", *flags, "-o", folder / "vector_add")
    for name in ("checked", "replay"):
        run(cxx, "-std=c++20", *warnings, examples / f"library/{name}.cpp", *flags, "-o", folder / name)
    judge(folder)

(FOLDER / "project").mkdir()
(FOLDER / "project/CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(stranger C CXX)
find_package(crosslane 0.1 REQUIRED)
add_executable(vector_add {examples}/library/vector_add.c)
add_executable(checked {examples}/library/checked.cpp)
target_compile_features(checked PRIVATE cxx_std_20)
foreach(program vector_add checked)
  target_link_libraries(${{program}} PRIVATE crosslane::crosslane)
endforeach()
""")
build = FOLDER / "build"
run(CMAKE, "-S", FOLDER / "project", "-B", build, f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_C_COMPILER=clang-19",
    "-DCMAKE_CXX_COMPILER=clang++-19")
run(CMAKE, "--build", build)
judge(build)
