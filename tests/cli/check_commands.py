#!/usr/bin/env python3
"""Runs the commands that README.md, CONTRIBUTING.md, docs/*.md and every --help show, from a copy of the tree, and expects exit status 0, or
what the line says itself: "# exit status 124".

  check_commands.py --crosslane COMMAND --build FOLDER [--program PROGRAM]

A command is an indented line, or one of a block of ```sh, that begins with one of the words below; an indented line after one that
ends in a backslash belongs to it. What a document's commands write is there for its later ones. crosslane is run. Of make, cmake, ninja, ctest,
scripts/... and build/release/bin/... it is checked that the job, preset, target, test, script or program exists; of compilers, that tests/programs uses the same options. What stands for a program of
the reader's own (`run -- ./matmul 512`) is PROGRAM; without it such commands are left out. Lines with [options] only show a form.
"""
import contextlib
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUN = re.compile(r"(crosslane|echo|eval) ")
COMPILE = re.compile(r"(hipcc|clang\+\+-19|g\+\+-12) ")
LOOK = re.compile(r"(make|cmake|ninja|ctest|cd|scripts/\S+|build/\S+|[A-Z_]+=\S+ build/\S+)( |$)")


def joined(lines):
    """Lines of a block as commands: a backslash goes on."""
    command = ""
    for line in lines:
        command += line.strip()
        if command.endswith("\\"):
            command = command[:-1]
            continue
        yield command
        command = ""


def of_markdown(text):
    block, fenced = [], None
    for line in text.splitlines() + [""]:
        if line.startswith("```"):
            if fenced is None:
                fenced = line[3:].strip()
            else:
                fenced = None
        elif (fenced == "sh") or (fenced is None and line.startswith("    ")):
            block.append(line)
            continue
        yield from joined(block)
        block = []


def of_help(text):
    """Examples stand at the end, behind 'Example:' or 'Examples:'."""
    yield from (command for command in joined(re.split(r"^Examples?:$", text, flags=re.M)[-1].splitlines()) if RUN.match(command))


class Tree:
    """A folder that looks like a fresh clone with a build: what commands write stays in it."""

    def __init__(self, options):
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="crosslane-commands-"))
        for folder in ("examples", "docs/kernels"):
            shutil.copytree(ROOT / folder, self.folder / folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/crosslane").symlink_to(options.crosslane)
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(self.folder)}
        for name in list(self.environment):
            if name.startswith("CROSSLANE_"):
                del self.environment[name]

    def remove(self):
        shutil.rmtree(self.folder)

    def run(self, command):
        """None, or what went wrong."""
        for word in re.findall(r"(?:-- )(\./\S+)", command):
            if not self.options.program:
                return None
            own = self.folder / word
            with contextlib.suppress(FileExistsError):  # another command has it too
                own.symlink_to(self.options.program)
        tool = re.search(r"(?:\| |-- |--format )(fish|jq|rocminfo)\b", command)
        if tool and not shutil.which(tool[1]):
            return None
        shell = ["fish", "-c"] if "--format fish" in command else ["bash", "-o", "pipefail", "-c"]
        done = subprocess.run([*shell, command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=100)
        expected = int((re.search(r"# exit status (\d+)$", command) or [0, 0])[1])
        return f"exit status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}" if done.returncode != expected else None


class Build:
    """What exists to be made, built and tested."""

    def __init__(self, folder):
        ninja = subprocess.run(["ninja", "-C", folder, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
        self.targets = {line.split(":")[0] for line in ninja.splitlines()}
        makefile = (ROOT / "Makefile").read_text()
        self.jobs = set(re.search(r"^\.PHONY: (.*)", makefile, re.M)[1].split())
        self.presets = set(re.findall(r'"name": "(\w+)"', (ROOT / "CMakePresets.json").read_text()))
        tests = subprocess.run(["ctest", "--test-dir", folder, "-N"], capture_output=True, text=True, check=True).stdout
        self.tests = re.findall(r"Test +#\d+: (\S+)", tests)
        self.options = (ROOT / "tests/programs/Programs.cmake").read_text()
        self.complete = not any(test.endswith("_NOT_BUILT") for test in self.tests)

    def missing(self, command):
        """None, or what does not exist."""
        if COMPILE.match(command):
            words = [word for word in command.split() if word.startswith("-") and not re.match(r"-O\d|-o$|--offload-arch=", word)]
            unknown = [word for word in words if re.sub(r"=gfx\w+", "=", word) not in self.options]
            return f"tests/programs does without {' '.join(unknown)}" if unknown else None
        for part in command.split("#")[0].split("&&"):
            words = [word for word in part.split() if not re.match(r"[A-Z_]+=", word)]
            if not words:
                continue
            if "--preset" in words and (preset := words[words.index("--preset") + 1]) not in self.presets:
                return f"there is no preset {preset}"
            if words[0] == "make":
                wanted = [word for word in words[1:] if word not in self.jobs]
            elif words[0] == "ninja":
                wanted = [word for word in words[3:] if word not in self.targets]
            elif words[0] == "ctest" and "-R" in words:
                pattern = words[words.index("-R") + 1].strip("'")
                wanted = [pattern] if self.complete and not any(re.search(pattern, test) for test in self.tests) else []
            elif words[0].startswith("build/release/bin/"):
                wanted = [] if words[0].removeprefix("build/release/") in self.targets else words[:1]
            elif words[0].startswith("scripts/"):
                wanted = [] if (ROOT / words[0]).is_file() else words[:1]
            else:
                wanted = []
            if wanted:
                return f"there is no {' '.join(wanted)}"
        return None


def documents(options):
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        yield path.relative_to(ROOT), of_markdown(path.read_text())
    root = subprocess.run([options.crosslane, "--help"], capture_output=True, text=True, check=True).stdout
    for verb in ["", *re.findall(r"^  (\w+) ", root.split("Verbs:")[1].split("\n\n")[0], re.M)]:
        shown = subprocess.run([options.crosslane, *verb.split(), "--help"], capture_output=True, text=True, check=True).stdout
        yield f"crosslane {verb} --help".replace("  ", " "), of_help(shown)


def demonstration(crosslane):
    """What README shows of `make demo`, but for times and paths, must be in its output, which is no terminal's."""
    done = subprocess.run([ROOT / "scripts/demo.sh", crosslane], capture_output=True, text=True, timeout=100)
    shown = re.search(r"Part of what `make demo` prints:\n\n```\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1].splitlines()
    lines = set(done.stdout.splitlines())
    missing = [line for line in shown if line not in lines and line != "..." and "profile of " not in line]
    complaints = [f"scripts/demo.sh: prints nothing like README's line: {line}" for line in missing]
    if done.returncode or "\x1b" in done.stdout:
        complaints.append(f"scripts/demo.sh: exit status {done.returncode}, or escape codes in a file\n{done.stdout[-300:]}{done.stderr}")
    return 1, complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True, type=os.path.abspath)
    parser.add_argument("--build", required=True)
    parser.add_argument("--program", type=os.path.abspath)
    options = parser.parse_args()
    build = Build(options.build)

    def check(document):
        name, commands = document
        tree = Tree(options)
        complaints, count = [], 0
        for command in commands:
            if "[options]" in command or not (RUN.match(command) or COMPILE.match(command) or LOOK.match(command)):
                continue
            count += 1
            wrong = tree.run(command) if RUN.match(command) else build.missing(command)
            if wrong:
                complaints.append(f"{name}: {command}\n  {wrong}")
        tree.remove()
        return count, complaints

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        demo = pool.submit(demonstration, options.crosslane)
        results = [*pool.map(check, list(documents(options))), demo.result()]
    for _, complaints in results:
        for complaint in complaints:
            print(complaint)
    failed = sum(len(complaints) for _, complaints in results)
    count = sum(count for count, _ in results)
    print(f"{count} commands, {failed} failed")
    # So many that a change of the documents' form would show.
    return 1 if failed or count < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
