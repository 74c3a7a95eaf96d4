#!/usr/bin/env python3
"""lanes/ as a stranger has it: installed alone, moved, found by CMake and pkg-config, built against and run.

Usage: check_package.py package|headers|documentation|errors|planning CMAKE CXX SOURCE BUILD FOLDER. BUILD is a configured build of all of crosslane, FOLDER
belongs to this test. `headers` compiles each header alone, with all warnings, for the least and for the most instructions;
`documentation` runs the examples of docs/lanes.md and compares its table of classes with the planner.
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MODE, CMAKE, CXX = sys.argv[1:4]
SOURCE, BUILD, FOLDER = map(Path, sys.argv[4:7])


def run(*command, expect=0, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=os.environ | environment)
    text = done.stdout + done.stderr
    if (done.returncode == 0) != (expect == 0):
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{text}")
    return text


def compile_object(source, object, *flags):
    """Through ccache where there is one: these are the dearest translation units of the tests."""
    cache = ["ccache"] if shutil.which("ccache") else []
    return subprocess.run([*cache, CXX, "-std=c++20", *map(str, flags), "-c", str(source), "-o", str(object)], capture_output=True, text=True,
                          env=os.environ | {"CCACHE_BASEDIR": str(SOURCE), "CCACHE_NOHASHDIR": "1"})


def check(right, message):
    if not right:
        sys.exit(message)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def configure(source, build, cxx, *settings, **how):
    return run(CMAKE, "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={cxx}", *settings, **how)


def package():
    # lanes/ is a project of its own; the component of the whole project installs the same.
    first, prefix = FOLDER / "first", FOLDER / "moved here"
    configure(SOURCE / "src/lanes", FOLDER / "build", CXX)
    run(CMAKE, "--install", FOLDER / "build", "--prefix", first)
    run(CMAKE, "--install", BUILD, "--component", "lanes", "--prefix", FOLDER / "component")
    check(files(first) == files(FOLDER / "component"), "lanes alone and the component lanes install different files")
    wanted = {str("include/crosslane" / path.relative_to(SOURCE / "src")) for path in (SOURCE / "src/lanes").rglob("*")
              if path.suffix in (".h", ".inc")}
    check(wanted <= set(files(first)), f"not installed: {wanted - set(files(first))}")
    for path in first.rglob("*.cmake"):
        check(str(SOURCE) not in path.read_text(), f"{path} names the source tree")
    first.rename(prefix)

    # The example, out of tree.
    example = FOLDER / "example"
    shutil.copytree(SOURCE / "examples" / "lanes", example)
    configure(example, FOLDER / "example_build", CXX, f"-DCMAKE_PREFIX_PATH={prefix}")
    run(CMAKE, "--build", FOLDER / "example_build")
    printed = run(FOLDER / "example_build" / "mirror")
    for text in ("avx2: latency", "vperm2i128 ", "avx512: latency", "avx512_vbmi: latency", "vpermb zmm"):
        check(text in printed, f"'{text}' is not in what the example prints:\n{printed}")
    flags = run("pkg-config", "--cflags", "crosslane-lanes", PKG_CONFIG_PATH=str(prefix / "share/pkgconfig"))
    check("-isystem" in flags and "/include/crosslane" in flags and "-std=c++20" in flags, f"pkg-config says: {flags}")

    # Another version, and another compiler: one clear message.
    (example / "CMakeLists.txt").write_text((example / "CMakeLists.txt").read_text().replace("crosslane-lanes 0.1", "crosslane-lanes 9"))
    text = configure(example, FOLDER / "newer", CXX, f"-DCMAKE_PREFIX_PATH={prefix}", expect=1)
    check("requested version" in text, text)
    if gcc := shutil.which("g++"):
        text = configure(SOURCE / "examples/lanes", FOLDER / "gcc", gcc, f"-DCMAKE_PREFIX_PATH={prefix}", expect=1)
        check("crosslane::lanes needs clang 19 or later, not GNU" in " ".join(text.split()), text)
        text = run(gcc, "-std=c++20", "-fsyntax-only", f"-I{prefix}/include/crosslane", example / "mirror.cpp", expect=1)
        errors = re.findall(r"error: .*", text)
        check("compile with clang 19 or later" in errors[0] and len(errors) <= 2, text)


def headers():
    everything = [path.relative_to(SOURCE / "src") for path in sorted((SOURCE / "src/lanes").rglob("*.h"))]
    included = run(CXX, "-std=c++20", "-x", "c++", "-I", SOURCE / "src", "-M", SOURCE / "src/lanes/lanes.h")
    for header in everything:
        check((str(header) in included) == (header.name != "print.h"), f"lanes/lanes.h includes all of lanes/ but the text of plans, see {header}")

    def alone(job):
        header, level = job
        # Through a source of its own: a header as the main file has warnings that an included one has not.
        source = FOLDER / (str(header).replace("/", "_") + f"{len(level)}.cpp")
        source.write_text(f'#include "{header}"\n#include "{header}"\n')
        done = compile_object(source, source.with_suffix(".o"), "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "src", *level)
        return "" if done.returncode == 0 else f"{header} with {' '.join(level)}:\n{done.stderr}"

    levels = [["-march=x86-64"], ["-march=x86-64-v4", "-mavx512vbmi", "-mavx512vbmi2", "-mgfni"]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(alone, [(header, level) for header in everything for level in levels]) if text]
    check(not problems, "\n".join(problems))
    print(f"{len(everything)} headers, alone")


def planning():
    """A plan takes few steps of a constant expression, and so little time to compile, at every level."""
    for level, steps in (("x86-64-v3", 56000), ("x86-64-v4", 38000), ("icelake-server", 38000)):
        command = [CXX, "-std=c++20", "-fsyntax-only", "-I", SOURCE / "src", f"-march={level}", SOURCE / "tests/lanes/planning_steps.cpp"]
        run(*command, f"-fconstexpr-steps={steps}")
        run(*command, "-fconstexpr-steps=3000", expect=1)
    for level in ("x86-64-v3", "icelake-server"):  # of several results together
        run(CXX, "-std=c++20", "-fsyntax-only", "-I", SOURCE / "src", f"-march={level}", SOURCE / "tests/lanes/planning_sets.cpp", "-fconstexpr-steps=300000")


def errors():
    """The first error of a wrong program names the argument that is wrong."""
    vectors = "Vec<uint32_t, 16> v(1u); Vec<uint8_t, 128> big(1); int captured = 1; "
    wrong = {
        "permute(v, Vec<uint32_t, 8>(1u));": "permute: the last argument is neither a lambda",
        "permute(v, 3);": "permute: the last argument is neither a lambda",
        "permute(v, Vec<uint64_t, 16>(1u));": "permute: the index vector needs integers of the size of the elements",
        "permute(v, Vec<float, 16>(1.0f));": "permute: the index vector needs integers of the size of the elements",
        "permute(v, [&](auto i) { return i ^ captured; });": "permute: the lambda must not capture",
        "permute(v, [](auto i) { return i + 1; });": "permute: the lambda names an element outside of the sources",
        "permute<Vec<uint32_t, 12>>(v, [](auto) { return 0; });": "permute: the source or the result has no power of two of elements",
        "permute_all<2>(std::array{v, v}, [&](auto r, auto i) { return i ^ captured ^ r; });": "permute_all: the lambda must not capture",
        "permute_all<2>(std::array{v, v}, [](auto r, auto i) { return i + 17 * r; });": "permute_all: the lambda names an element outside of the sources",
        "permute_all<2>(std::array{v, v}, [](auto i) { return i; });": "permute_all: the last argument is no lambda",
        "lookup_dirty(v, Vec<int32_t, 16>(1));": "lookup: indexes are unsigned",
        "sum_fours(v);": "sum_fours: integers of 8 or 16 bits",
        "dot_pairs(Vec<int16_t, 4>(1), Vec<int16_t, 4>(1));": "dot_pairs: 8 words or more",
        "extract<16>(v);": "extract: there is no such lane",
        "gather(captured ? &captured : nullptr, Vec<float, 16>(1.0f));": "gather: indexes are integers",
        "rotate_left(v, Vec<uint8_t, 16>(1));": "funnel shift: elements and counts are integers of one size",
    }
    def first(program):
        source = FOLDER / f"wrong{list(wrong).index(program)}.cpp"
        source.write_text(f'#include "lanes/lanes.h"\nusing namespace crosslane::lanes;\nvoid wrong() {{ {vectors}{program} }}\n')
        done = compile_object(source, source.with_suffix(".o"), "-march=x86-64-v4", "-I", SOURCE / "src")
        errors = re.findall(r"error: .*", done.stderr)
        return "" if done.returncode and errors and wrong[program] in errors[0] else f"{program}\n{done.stderr[:2000]}"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(first, wrong) if text]
    check(not problems, "\n".join(problems))
    print(f"{len(wrong)} wrong programs, each told what is wrong")


def documentation():
    # Each block becomes a function; its line numbers are those of the text.
    text = (SOURCE / "docs/lanes.md").read_text()
    blocks = list(re.finditer(r"^```cpp\n(.*?)^```$", text, re.M | re.S))
    check(len(blocks) > 10, "docs/lanes.md has lost its examples")
    source = "#undef NDEBUG\n" + "".join(f"#include <{h}>\n" for h in ("array", "cassert", "cstdio", "vector"))
    source += '#include "lanes/lanes.h"\n#include "lanes/plan/print.h"\nusing namespace crosslane::lanes;\n'
    for k, block in enumerate(blocks):
        line = text.count("\n", 0, block.start(1)) + 1
        source += f'static void block{k}() {{\n#line {line} "docs/lanes.md"\n{block[1]}}}\n'
    source += "int main() {\n" + "".join(f"  block{k}();\n" for k in range(len(blocks))) + "}\n"
    (FOLDER / "blocks.cpp").write_text(source)

    def program(name, source, *flags):
        done = compile_object(source, FOLDER / f"{name}.o", "-O1", "-isystem", SOURCE / "src", *flags)
        check(done.returncode == 0, done.stderr)
        run(CXX, FOLDER / f"{name}.o", "-o", FOLDER / name)
        return run(FOLDER / name)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # clang warns of its own -march=native on CPUs with AVX10.1.
        list(pool.map(lambda level: program(level, FOLDER / "blocks.cpp", "-Wall", "-Wno-unused", "-Werror",
                                            "-Wno-invalid-feature-combination", f"-march={level}"), ("x86-64", "native")))
    for row in program("classes", SOURCE / "tests/lanes/documented_classes.cpp").splitlines():
        check(row in text.splitlines(), f"docs/lanes.md has not the line\n{row}")


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
{"package": package, "headers": headers, "documentation": documentation, "errors": errors,
 "planning": planning}[MODE]()
