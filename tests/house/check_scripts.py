#!/usr/bin/env python3
"""The checks of scripts/ must find what they look for: each gets a small tree with a planted violation and one without."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NM, CXX, READELF = sys.argv[1:4]


class Tree:
    """A folder with the given files, gone at the end of the with block."""

    def __init__(self, files):
        self.files = files

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    def __exit__(self, *_):
        self.folder.cleanup()


def run(script, *arguments):
    command = [sys.executable, str(ROOT / "scripts" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Layers(unittest.TestCase):
    rules = {"scripts/layers.txt": "isa: lanes\n  isa/decode: isa/rows\n  isa/rows: public\n  isa/print:\nlanes:\n  lanes/deep:\ncli: isa\n"}

    def check(self, files):
        with Tree(self.rules | files) as root:
            return run("check-layers.py", root)

    def test_allowed(self):
        status, text = self.check({"src/isa/a.h": '#include "lanes/vec.h"\n#include "isa/b.h"\n#include <vector>\n',
                                   "src/cli/main.cpp": '#include "isa/a.h"\n'})
        self.assertEqual((status, text), (0, ""))

    def test_forbidden(self):
        status, text = self.check({"src/lanes/deep/x.inc": '// one\n  #  include "isa/row.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn('src/lanes/deep/x.inc:2: #include "isa/row.h": lanes/ may include nothing of ours', text)

    def test_include_not_from_the_root(self):
        status, text = self.check({"src/isa/a.cpp": '#include "a.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn("src/isa/a.cpp:1", text)

    def test_folder_without_a_rule(self):
        status, text = self.check({"src/gpu/a.cpp": "// x\n"})
        self.assertEqual(status, 1)
        self.assertIn("src/gpu/ has sources but no line", text)

    def test_rule_about_an_unknown_layer(self):
        with Tree({"scripts/layers.txt": "isa: lames\n"}) as root:
            status, text = run("check-layers.py", root)
        self.assertEqual(status, 1)
        self.assertIn("'lames', which is not a layer", text)

    def test_sub_layers(self):
        files = {"src/isa/a.cpp": '#include "isa/print/p.h"\n', "src/isa/decode/d.cpp": '#include "isa/a.h"\n#include "isa/rows/r.inc"\n',
                 "src/cli/c.cpp": '#include "isa/rows/r.inc"\n'}
        self.assertEqual(self.check(files), (0, ""))

    def test_sub_layers_forbidden(self):
        for name, text, why in (("src/isa/decode/d.cpp", "isa/print/p.h", "isa/decode/ may include of isa/ its top and isa/rows"),
                                ("src/isa/print/p.cpp", "isa/rows/r.inc", "isa/print/ may include of isa/ its top and no other folder"),
                                ("src/cli/c.cpp", "isa/decode/d.h", "isa/decode/ is isa's own: include a header of isa/"),
                                ("src/isa/lint/l.cpp", "vector", "src/isa/lint/ has sources but no line")):
            status, found = self.check({name: f'#include "{text}"\n'})
            self.assertEqual(status, 1)
            self.assertIn(why, found)


    def test_layers_that_print(self):
        prints = ('std::printf("x");', "std::fprintf(stderr, text);", "std::cerr << 1;", 'fmt::print("x");', "std::fwrite(p, 1, n, stdout);",
                  "llvm::errs() << 1;")
        silent = ('fail("no printf(, no puts()");', "std::snprintf(text, 4, f);", "std::fflush(stdout);", "// std::cout is the user's",
                  "std::fprintf(file, text);")
        for line in prints + silent:
            self.assertEqual(self.check({"src/isa/a.cpp": f"int a;\n{line}\n"})[0], 1 if line in prints else 0, line)
            with Tree({"scripts/layers.txt": "isa:\ncli: prints isa\n", "src/cli/a.cpp": f"{line}\n"}) as root:
                self.assertEqual(run("check-layers.py", root), (0, ""))
        self.assertIn("src/isa/a.cpp:2: std::cerr: isa/ prints nothing", self.check({"src/isa/a.cpp": "\nstd::cerr << 1;\n"})[1])


class Permutes(unittest.TestCase):
    def check(self, files):
        with Tree(files) as root:
            return run("check-permutes.py", root)

    def test_in_lanes_and_tests(self):
        text = "auto v = _mm512_permutexvar_epi32(i, x);\nauto w = __builtin_shufflevector(v, v, 1, 0);\n"
        self.assertEqual(self.check({"src/lanes/a.h": text, "tests/engine/a.cpp": text}), (0, ""))

    def test_no_permutes(self):
        self.assertEqual(self.check({"src/engine/a.cpp": "_mm_setcsr(1);\n_mm512_maskz_loadu_epi32(m, p);  // no _mm_shuffle_ps\n"}), (0, ""))

    def test_elsewhere(self):
        for text in ("__builtin_shufflevector(v, v, 0)", "_mm256_unpacklo_epi8(a, b)", "_mm512_maskz_compress_epi32(m, v)"):
            status, found = self.check({"src/engine/a.h": f"int a;\n  {text};\n"})
            self.assertEqual(status, 1, text)
            self.assertIn("src/engine/a.h:2:", found)


class Text(unittest.TestCase):
    def check(self, name, text):
        with Tree({name: text}) as root:
            return run("check-text.py", root)

    def test_clean(self):
        self.assertEqual(self.check("a.h", "// Owns a.\nint a;  // relative/home/x and https://x.org/home/y\n"), (0, ""))

    def test_machine_path(self):
        for path in ("/ho" "me/someone", "/wo" "rk/main", "/tm" "p/scratch/x"):
            status, text = self.check("docs/a.md", f"line\nsee {path}\n")
            self.assertEqual(status, 1, path)
            self.assertIn("docs/a.md:2:", text)

    def test_marker(self):
        status, text = self.check("a.cpp", "// Owns a.\n// TO" "DO later\n")
        self.assertEqual(status, 1)
        self.assertIn("a.cpp:2:", text)

    def test_no_facts_out_of_mnemonics(self):
        for line in ('row.mnemonic.starts_with("v_mfma_")', 'isa::mnemonic(op, t).find("_x2") != npos', "mnemonic.remove_prefix(2)"):
            status, text = self.check("src/findings/a.cpp", f"// Owns a.\nbool a = {line};\n")
            self.assertEqual(status, 1, line)
            self.assertIn("src/findings/a.cpp:2:", text)
            self.assertEqual(self.check("tests/a.cpp", f"// Owns a.\nbool a = {line};\n"), (0, ""))
        self.assertEqual(self.check("src/cli/a.cpp", "// Owns a.\nauto a = matches(pattern, row.mnemonic);\n"), (0, ""))

    def test_opening_comment(self):
        status, text = self.check("a.h", "int a;\n")
        self.assertEqual(status, 1)
        self.assertIn("a.h:1: open with a comment", text)

    def test_an_include_is_no_comment(self):
        for name in ("a.h", "a.cpp", "a.inc"):
            status, text = self.check(name, '#include "b.h"\n')
            self.assertEqual(status, 1, name)
            self.assertIn(f"{name}:1: open with a comment", text)

    def test_files_that_text_names(self):
        tree = {"src/isa/op.h": "// Owns ops.\n", "docs/a.md": "`isa/op.h`, src/isa/op.h, <isa/none.h>, elsewhere/x.h\n"}
        with Tree(tree) as root:
            self.assertEqual(run("check-text.py", root), (0, ""))
        with Tree(tree | {"src/isa/b.h": "// See isa/gone.h.\n"}) as root:
            status, text = run("check-text.py", root)
        self.assertEqual(status, 1)
        self.assertIn("src/isa/b.h:1: isa/gone.h: no such file", text)

    def test_names_of_test_programs(self):
        self.assertEqual(self.check("tests/isa/CMakeLists.txt", "crosslane_test(isa_test X)\n"), (0, ""))
        status, text = self.check("tests/isa/CMakeLists.txt", "  crosslane_test(isa_tests X)\n")
        self.assertEqual(status, 1)
        self.assertIn("isa_tests: a program of tests is called *_test", text)

    def test_tests_have_labels(self):
        path, command = "tests/isa/CMakeLists.txt", "if(x)\n  add_test(NAME a COMMAND a)\nendif()\n"
        self.assertEqual(self.check(path, command + "crosslane_label_tests()\n"), (0, ""))
        self.assertIn("the last line is crosslane_label_tests()", self.check(path, command)[1])
        self.assertIn("crosslane_test labels", self.check(path, "gtest_discover_tests(isa_test)\n")[1])

    def test_long_file(self):
        status, text = self.check("a.h", "// Owns a.\n" + "int a;\n" * 700)
        self.assertEqual(status, 1)
        self.assertIn("701 lines", text)
        self.assertEqual(self.check("a.h", "// Owns a; long because of b.\n" + "int a;\n" * 700)[0], 0)


class Format(unittest.TestCase):
    def test_layout(self):
        with Tree({"a.cpp": "int a;\n", "b.cpp": "int a ;\nint  b;\n"}) as root:
            done = lambda name: subprocess.run([ROOT / "scripts" / "check-format.sh", root / name], capture_output=True, text=True)
            self.assertEqual(done("a.cpp").returncode, 0)
            bad = done("b.cpp")
        self.assertEqual(bad.returncode, 1)
        self.assertIn("b.cpp:1:", bad.stdout)
        self.assertIn("1 file(s)", bad.stdout)


class Levels(unittest.TestCase):
    def check(self, source):
        with Tree({"a.cpp": source}) as root:
            folder = root / "CMakeFiles" / "engine_v4.dir"
            folder.mkdir(parents=True)
            subprocess.run([CXX, "-c", "-O1", "-std=c++20", "a.cpp", "-o", folder / "a.cpp.o"], cwd=root, check=True)
            return run("check-levels.py", NM, root)

    def test_function_in_the_level_namespace(self):
        status, text = self.check("inline namespace v4 { __attribute__((noinline)) inline int f(int a) { return a * 3; } }\n"
                                  "int use(int a) { return f(a); }\n")
        self.assertEqual((status, text), (0, "1 objects of levels v3 and v4 checked\n"))

    def test_function_outside(self):
        status, text = self.check("__attribute__((noinline)) inline int f(int a) { return a * 3; }\n"
                                  "int use(int a) { return f(a); }\n")
        self.assertEqual(status, 1)
        self.assertIn("_Z1fi is weak and outside namespace v4", text)


class Hardening(unittest.TestCase):
    safe = ["-fPIE", "-pie", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack"]

    def check(self, *options, source="int main() { return 0; }\n", file="bin/a"):
        with Tree({"a.cpp": source}) as root:
            (root / file).parent.mkdir()
            subprocess.run([CXX, "a.cpp", *options, "-o", root / file], cwd=root, check=True)
            return run("check-hardening.py", READELF, root)

    def test_safe(self):
        good = (0, "1 executables and shared libraries checked\n")
        self.assertEqual(self.check(*self.safe), good)
        self.assertEqual(self.check("-shared", "-fPIC", *self.safe[2:], file="lib/liba.so"), good)

    def test_each_that_is_missing(self):
        for option, found in (("-no-pie", "is not position-independent"), ("-Wl,-z,norelro", "has no RELRO"),
                              ("-Wl,-z,lazy", "binds functions when they are called"),
                              ("-Wl,-z,execstack", "has an executable stack")):
            status, text = self.check(*self.safe, option)
            self.assertEqual(status, 1, option)
            self.assertIn(f"bin/a: {found}", text)

    def test_shared_library(self):
        status, text = self.check("-shared", "-fPIC", "-Wl,-z,lazy", file="lib/liba.so")
        self.assertEqual(status, 1)
        self.assertIn("lib/liba.so: binds functions when they are called", text)


class Pictures(unittest.TestCase):
    def test_changed_missing_and_unknown(self):
        with Tree({}) as root:
            self.assertEqual(run("lanes-pictures.py", root), (0, ""))
            self.assertEqual(run("lanes-pictures.py", "--check", root), (0, ""))
            (root / "fields.svg").write_text("<svg/>")
            (root / "transpose.svg").unlink()
            (root / "by_hand.svg").write_text("<svg/>")
            status, text = run("lanes-pictures.py", "--check", root)
        self.assertEqual(status, 1)
        self.assertIn("by_hand.svg, fields.svg, transpose.svg: not what", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
