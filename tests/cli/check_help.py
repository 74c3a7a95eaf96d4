#!/usr/bin/env python3
"""Checks what is made of the options: --help, manual pages, completions.

  check_help.py --crosslane COMMAND --sources FOLDER

Every option that --help shows is in the manual page and in the completion files, and no others are. Pages are judged by groff, man and
mandoc, completion files by the shells, in which words are then completed. What is not installed is left out, but for groff and bash.
"""
import argparse
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

# Read by tests of the JIT alone (docs/testing.md), or set by options of `run`, of which `env` tells.
FOR_TESTS = {"CROSSLANE_JIT_ENDLESS", "CROSSLANE_JIT_FAIL_GUARDS", "CROSSLANE_JIT_WRONG", "CROSSLANE_JIT_LOOPS", "CROSSLANE_JIT_TEXT"}

# words typed: some that are offered, and one that is not
OFFERED = [
    ("crosslane la", ["launch"], "lint"),
    ("crosslane help ", ["launch", "lint", "run"], "--man"),
    ("crosslane --vers", ["--version"], "launch"),
    ("crosslane lint --rules ", ["default", "manual", "llvm", "all"], "--help"),
    ("crosslane launch --target gfx90", ["gfx900", "gfx906", "gfx90a"], "gfx803"),
    ("crosslane launch --check memory,ra", ["memory,race"], "memory,init"),
    ("crosslane launch --host", ["--host-memory"], "--help"),
    ("crosslane launch vec", ["vector.cl", "vector.toml"], "vector.txt"),
    ("crosslane launch --trap-handler vec", ["vector.s"], "vector.cl"),
    ("crosslane run --gpu fiji,pola", ["fiji,polaris10", "fiji,polaris11"], "fiji,vega10"),
    ("crosslane run --instrument ", ["divergence", "blocks", "lanes", "memory", "time"], "document-lds"),
    ("crosslane isa --encoding VOP", ["VOP1", "VOP3P"], "SOP1"),
    ("crosslane lint --explain valu-sgpr-v", ["valu-sgpr-vmem"], "valu-vcc-div-fmas"),
    ("crosslane launch --time-files fol", ["folder"], "vector.cl"),
]

problems = []


def complain(text):
    problems.append(text)


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)



def check_ends(texts):
    """Every verb tells its exit statuses, and has examples."""
    for verb, text in texts.items():
        for words in ("xit status", "Examples:"):
            if words not in text:
                complain(f"crosslane {verb} --help: says nothing of '{words}'")


def check_where(texts):
    """A newcomer has no source tree: what examples and pages are named by is somewhere."""
    if "share/doc/crosslane" not in texts[""] or "docs/" not in texts["launch"]:
        complain("crosslane --help: does not say where the examples and docs/ are")


def pages(crosslane):
    """Verb -> its --help; "" is the command's."""
    root = run(crosslane, "--help").stdout
    names = re.findall(r"^  (\w+) ", root.split("Verbs:")[1].split("\n\n")[0], re.M)
    return {"": root, **{name: run(crosslane, name, "--help").stdout for name in names}}


def options_of(text):
    return {name for line in re.findall(r"^  (-.*)", text, re.M) for name in re.findall(r"(?<![\w-])--?[\w-]+", re.split(r"  ", line)[0])}


def on_terminal(columns, *words, **variables):
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}, "TERM": "xterm", **variables}
    process = subprocess.Popen(words, stdout=child, env=environment)
    os.close(child)
    text = b""
    try:
        while part := os.read(parent, 65536):
            text += part
    except OSError:  # the other end is closed
        pass
    process.wait()
    os.close(parent)
    return text.decode().replace("\r", "")


def check_colours(crosslane):
    for coloured, words, variables in ((True, [], {}), (False, [], {"NO_COLOR": "1"}), (False, ["--color=never"], {}), (False, [], {"TERM": "dumb"}),
                                       (True, ["--color", "always"], {"NO_COLOR": "1"})):
        if ("\x1b[" in on_terminal(100, crosslane, *words, "help", **variables)) != coloured:
            complain(f"help on a terminal, {words} {variables}: {'no ' if coloured else ''}colours")
    if "\x1b" in run(crosslane, "help").stdout or "\x1b" not in run(crosslane, "help", "--color=always").stdout:
        complain("help into a pipe: colours, or none with --color=always")


def check_widths(crosslane, helps):
    for verb, text in helps.items():
        for line in text.splitlines():
            if len(line) > 100:
                complain(f"{verb} --help: a line of {len(line)} columns: {line}")
    for columns in (72, 100, 240):
        text = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(columns, crosslane, "launch", "--help"))
        # Lines that show what to write stay as they are.
        lines = text.split("Arguments, by position")[0].splitlines()
        widest = max(map(len, lines))
        if not min(columns, 100) - 12 < widest <= min(columns, 100):
            complain(f"launch --help on a terminal of {columns} columns: lines of up to {widest}")


def check_manual(helps, folder):
    for verb, text in helps.items():
        path = folder / (f"crosslane-{verb}.1" if verb else "crosslane.1")
        page = path.read_text()
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"):
            if f"\n.SH {section}\n" not in page:
                complain(f"{path.name}: has no {section}")
        plain = page.replace("\\-", "-")
        if (has := set(re.findall(r"\\fB(--?[\w-]+)\\fR", plain.split(".SH OPTIONS")[1].split(".SH EXIT")[0]))) != options_of(text):
            complain(f"{path.name}: options differ from --help: {has ^ options_of(text)}")
        for command in (["groff", "-ww", "-z", "-man", "-Tutf8"], ["man", "-l", "--warnings", "-E", "UTF-8"],
                        ["mandoc", "-Tlint", "-W", "warning"]):
            if not shutil.which(command[0]):
                continue
            done = run(*command, str(path), env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            said = done.stderr + (done.stdout if command[0] == "mandoc" else "")
            if done.returncode or said:
                complain(f"{' '.join(command)} {path.name}: {said}")


def check_environment(sources, folder):
    known = {name for path in sources.rglob("*.cpp") for name in re.findall(r'"(CROSSLANE_[A-Z_]+)"', path.read_text())} - FOR_TESTS
    settable = {name for name in re.findall(r'set\(\s*"(CROSSLANE_[A-Z_]+)"', (sources / "cli/run/environment.cpp").read_text())}
    settable |= {name for name in known if name.startswith("CROSSLANE_PROFILE") or name == "CROSSLANE_INSTRUMENT"}
    told = set(re.findall(r"\\fB(CROSSLANE_[A-Z_]+)\\fR", (folder / "crosslane.1").read_text()))
    if told != known - settable:
        complain(f"crosslane.1: variables that are told and not read, or the other way: {sorted(told ^ (known - settable))}")


def in_bash(script, words, folder):
    """As bash calls it, with '=' in words of its own."""
    parts = [part for word in words.split(" ") for part in re.split(r"(=)", word) if part] + ([""] if words.endswith(" ") else [])
    done = run("bash", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _crosslane; printf "%s\\n" "${COMPREPLY[@]}"',
               "bash", script, *parts, cwd=folder)
    return done.stdout.splitlines(), done.stderr


def in_fish(script, words, folder):
    done = run("fish", "--no-config", "-c", f"source {script}; complete -C '{words}'", cwd=folder)
    return [line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()], done.stderr


def in_zsh(script, words, folder, wait=0.3):
    """Types the words and a key that lists, on a terminal, which shows nothing while more is typed: after a while, the end."""
    lists = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source $1; zstyle ':completion:*' list-grouped no; LISTMAX=0
zle -C lister list-choices list-them; list-them() { _main_complete; compstate[insert]=; compstate[list]='list force' }
bindkey '^T' lister; print rea''dy"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$2"$'\x14'
sleep $3
zpty -w -n shell $'\x15'"exit"$'\n'
while zpty -r shell line; do print -rn -- $line; done
"""
    done = run("zsh", "-f", "-c", lists, "zsh", script, words, str(wait), cwd=folder, timeout=30, env={**os.environ, "COLUMNS": "200", "TERM": "dumb"})
    before = (re.search(r"[ =]([^ =]*,)[^ ,]*$", words) or ["", ""])[1]  # of a list, whose words are shown alone
    return [w for word in done.stdout.split() for w in (word.rstrip("/"), before + word)], done.stderr


def check_shell(shell, crosslane, helps, completer, folder):
    if not shutil.which(shell):
        print(f"{shell}: is not installed")
        return
    script = folder / f"crosslane.{shell}"
    script.write_text(run(crosslane, "help", "--completion", shell).stdout)
    if (done := run(shell, "-n", str(script))).returncode or done.stderr:
        complain(f"{shell} -n: {done.stderr}")
    text = script.read_text()
    for verb, shown in helps.items():
        for option in options_of(shown):
            name = option.lstrip("-")
            known = rf"(?<![\w-])-(?:l|s) {re.escape(name)}(?![\w-])" if shell == "fish" else rf"(?<![\w-]){re.escape(option)}(?![\w-])"
            if not re.search(known, text):
                complain(f"{script.name}: has no {option}, which {verb} --help shows")
        if verb and shell == "bash" and (offered := set(completer(script, f"crosslane {verb} -", folder)[0])) != options_of(shown):
            complain(f"bash: crosslane {verb} -: differs from --help: {offered ^ options_of(shown)}")
    for words, some, other in OFFERED:
        variants = [words] if shell == "zsh" or not re.search(r"--[\w-]+ \S*$", words) else [words, re.sub(r"(--[\w-]+) (\S*)$", r"\1=\2", words)]
        for typed in variants:
            offered, error = completer(script, typed, folder)
            offered = [word.split("=")[-1] if "=" in typed else word for word in offered]
            if shell == "zsh" and not set(some) <= set(offered):  # a busy machine
                offered, error = completer(script, typed, folder, wait=5)
            if error or not set(some) <= set(offered) or other in offered:
                complain(f"{shell}: {typed}: {offered} {error}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True, type=os.path.abspath)
    parser.add_argument("--sources", required=True, type=Path)
    options = parser.parse_args()
    helps = pages(options.crosslane)
    check_ends(helps)
    check_where(helps)
    folder = Path(tempfile.mkdtemp(prefix="crosslane-help-"))
    for name in ("vector.cl", "vector.s", "vector.toml", "vector.txt"):
        (folder / name).write_text("")
    (folder / "folder").mkdir()
    try:
        made = run(options.crosslane, "help", "--man", str(folder / "man"))
        if made.returncode or made.stderr:
            complain(f"help --man: {made.stderr}")
        check_widths(options.crosslane, helps)
        check_colours(options.crosslane)
        check_manual(helps, folder / "man")
        check_environment(options.sources, folder / "man")
        for shell, completer in (("bash", in_bash), ("fish", in_fish)):
            check_shell(shell, options.crosslane, helps, completer, folder)
        check_shell("zsh", options.crosslane, helps, in_zsh, folder)
    finally:
        shutil.rmtree(folder)
    for problem in problems:
        print(problem)
    print(f"{len(helps)} pages, {sum(len(options_of(text)) for text in helps.values())} options, {len(problems)} problems")
    # So few would be none that were found.
    return 1 if problems or len(helps) < 14 else 0


if __name__ == "__main__":
    sys.exit(main())
