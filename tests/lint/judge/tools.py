"""What the judges of crosslane lint share: LLVM's passes on MIR, code made of it, and what lint finds in that.

Nothing here knows a rule of the hardware: LLVM's own passes say what is missing, crosslane lint says what it finds.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
TARGETS = ["gfx600", "gfx701", "gfx803", "gfx900", "gfx908", "gfx90a"]
HAZARDS, WAITS = "post-RA-hazard-rec", "si-insert-waitcnts"
# A rule is judged by the pass that LLVM has for it: by its group, but for these.
GROUPS = {"wait-states": HAZARDS, "waits": WAITS}
BY_NAME = {"xnack-smem-clause": HAZARDS, "xnack-vmem-clause": HAZARDS, "gfx90a-shift64-last-vgpr": HAZARDS}


@dataclasses.dataclass(frozen=True)
class Finding:
    rule: str
    severity: str
    function: str
    offset: int
    message: str
    passes: str  # of LLVM, that is about it
    llvm: bool  # it is what LLVM asks for

    @property
    def usual(self):
        """Shown without any option."""
        return self.severity in ("error", "warning")

    @property
    def strict(self):
        """Shown with --rules=llvm."""
        return self.usual or (self.severity == "pedantic" and self.llvm)


@dataclasses.dataclass(frozen=True)
class Instruction:
    function: str
    offset: int
    text: str

    @property
    def name(self):
        return self.text.split(" ", 1)[0]


@dataclasses.dataclass
class Code:
    path: Path
    listing: list


class Failed(Exception):
    """LLVM refuses it: nothing to judge."""


class Tools:
    def __init__(self, options):
        self.crosslane, self.bin = options.crosslane, options.llvm
        self.folder = tempfile.TemporaryDirectory(prefix="lint-judge-")

    def path(self, ending):
        return Path(tempfile.mkstemp(dir=self.folder.name, suffix=ending)[1])

    def run(self, *command, before=None):
        env = dict(os.environ, LLVM_DISABLE_CRASH_REPORT="1", LLVM_DISABLE_SYMBOLIZATION="1")
        try:
            return subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace",
                                  timeout=300, env=env, preexec_fn=before)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{command[0]}: time limit") from late

    @staticmethod
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (6, 6))  # LLVM takes minutes for some of its tests

    def llvm(self, tool, *arguments):
        ran = self.run(Path(self.bin) / tool, *arguments, before=Tools.limit)
        if ran.returncode:
            raise Failed(f"{tool}: " + (ran.stderr.strip().splitlines() or ["failed"])[0])
        return ran

    @staticmethod
    def cpu(target, triple="amdgcn-amd-amdhsa"):
        name, *features = target.split(":")
        return [f"-mcpu={name}", *(f"-mattr={f[-1]}{f[:-1]}" for f in features), f"-mtriple={triple}"]

    def source(self, file, target, shaders):
        """LLVM IR of .ll or .cl for the target. HSA has no shaders: they are left out unless asked for."""
        source = self.path(".ll")
        if file.suffix == ".cl":
            library = Path("/usr/lib/clc/amdgcn--amdhsa.bc")  # of Debian's libclc-amdgcn
            linked = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", library] if library.exists() else []
            self.llvm("clang", *linked, "-x", "cl", "-cl-std=CL2.0", "-O2", "--target=amdgcn-amd-amdhsa", "-nogpulib",
                      f"-mcpu={target}", "-include", TREE / "src/toolchain/prelude/opencl.h", "-emit-llvm", "-S", file,
                      "-o", source)
        else:  # some functions have a target of their own
            ir = re.sub(r'"target-(cpu|features)"="[^"]*"', "", file.read_text(errors="replace"))
            if not shaders:
                ir = re.sub(r"^define [^@\n]*\bamdgpu_(ps|vs|gs|hs|ls|es|cs\w*) .*?^}\n", "", ir, flags=re.M | re.S)
            source.write_text(ir)
        return source

    def compile(self, file, target, stop, shaders=False):
        """MIR of .ll or .cl behind the pass `stop`. Shaders are made as for PAL."""
        source, out = self.source(file, target, shaders), self.path(".mir")
        try:
            try:
                self.llvm("llc", *self.cpu(target), f"-stop-after={stop}", source, "-o", out)
            except Failed as why:
                if not shaders or "non-compute shaders" not in str(why):
                    raise
                self.llvm("llc", *self.cpu(target, "amdgcn--amdpal"), f"-stop-after={stop}", source, "-o", out)
            text = out.read_text()
        finally:
            source.unlink(), out.unlink(missing_ok=True)
        return re.sub(r"^  scavengeFI: .*\n", "", text, flags=re.M)  # names a stack object that is gone

    def build(self, file, target):
        """A file with the code of .ll or .cl, as compilers make it."""
        source, made, linked = self.source(file, target, False), self.path(".o"), self.path(".co")
        try:
            self.llvm("llc", *self.cpu(target), "-filetype=obj", source, "-o", made)
            self.llvm("ld.lld", "-shared", "--noinhibit-exec", made, "-o", linked)
        except Failed:
            linked.unlink(missing_ok=True)
            raise
        finally:
            source.unlink(), made.unlink(missing_ok=True)
        return linked

    def apply(self, mir, target, passes):
        """MIR behind these passes of LLVM."""
        source, out = self.path(".mir"), self.path(".mir")
        source.write_text(mir)
        self.llvm("llc", *self.cpu(target), *(f"-run-pass={p}" for p in passes), source, "-o", out)
        text = out.read_text()
        source.unlink(), out.unlink()
        return text

    def link(self, mir, target, after):
        """A file with the code of MIR that all passes up to `after` have seen."""
        source, made, linked = self.path(".mir"), self.path(".o"), self.path(".co")
        source.write_text(mir)
        self.llvm("llc", *self.cpu(target), f"-start-after={after}", "-filetype=obj", source, "-o", made)
        self.llvm("ld.lld", "-shared", "--noinhibit-exec", made, "-o", linked)
        source.unlink(), made.unlink()
        return linked

    def lower(self, mir, target, after="branch-relaxation"):
        """The same, listed."""
        return self.code(self.link(mir, target, after))

    def code(self, linked):
        listed = self.run(self.crosslane, "disasm", linked)
        if listed.returncode:
            raise Failed(f"crosslane disasm: {listed.stderr.strip()}")
        listing, function, start = [], "", None
        for line in listed.stdout.splitlines():
            if match := re.match(r"  (\S.*?)\s+// ([0-9a-f]+): ", line):
                address = int(match[2], 16)
                start = address if start is None else start
                listing.append(Instruction(function, address - start, match[1]))
            elif line.endswith(":") and not line.startswith((" ", ";")):
                name = line[:-1].strip('"')
                if not re.match(r"L[0-9a-f_]*$|\.L", name):
                    function, start = name, None
        while listing and listing[-1].text == "s_nop 0":
            listing.pop()  # padding of the section
        return Code(linked, listing)

    def findings(self, codes, select="default"):
        """Of each of these files, everything that any of the selected rules finds."""
        return self.lint(codes, select)[0]

    def lint(self, codes, select="default"):
        """The same, and what lint says of the files as a whole."""
        out = self.path(".json")
        ran = self.run(self.crosslane, "lint", "--rules=all", "--severity=pedantic", "--output-format=json",
                       f"--select={select}", f"--output={out}", *codes)
        if ran.returncode not in (0, 1, 2) or not out.stat().st_size:  # 2: some of them cannot be read
            raise Failed(f"crosslane lint: {ran.stderr.strip()}")
        found = {str(code): [] for code in codes}
        told = json.loads(out.read_text())
        for f in told["findings"]:
            place = f["place"]
            found[place["file"]].append(
                Finding(f["rule"], f["severity"], place.get("function", ""), place.get("offset", 0), f["message"],
                        BY_NAME.get(f["rule"], GROUPS.get(f["group"], "")), "llvm" in f.get("said_by", ())))
        out.unlink()
        return list(found.values()), told


def triage():
    """{(what, file, function, target): reason}; * stands for any function or target."""
    rows = {}
    for line in (Path(__file__).parent / "triage.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            what, file, function, target, reason = line.split("\t")
            rows[what, file, function, target] = reason
    return rows


def is_wait(instruction):
    return instruction.name in ("s_nop", "s_waitcnt")


def options(description, more=lambda parser: None):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crosslane", default=str(TREE / "build/release/bin/crosslane"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-19/bin", help="where llc, clang and ld.lld 19 are")
    parser.add_argument("--targets", default=",".join(TARGETS), type=lambda text: text.split(","))
    parser.add_argument("--jobs", default=1, type=int)
    more(parser)
    chosen = parser.parse_args()
    if isinstance(chosen.targets, str):
        chosen.targets = chosen.targets.split(",")
    return chosen


def each(jobs, work, items):
    """Results in the order of the items."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, items)


def table(rows, columns):
    """rows: {name: Counter}."""
    width = max([len(str(name)) for name in rows] + [8])
    print(" " * width, *(f"{c:>10}" for c in columns))
    for name in rows:
        print(f"{name!s:{width}}", *(f"{rows[name][c]:10}" for c in columns))
