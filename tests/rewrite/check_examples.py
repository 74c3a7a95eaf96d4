#!/usr/bin/env python3
"""Instruments the kernels of examples/README.md and runs them as it says, with probes and without.

    check_examples.py CROSSLANE [--target GPU ...] [--only TEXT] PROBES [--and PROBES]...
        PROBES: [--probe divergence,blocks] [--at PLACES] [--reach DWORDS] [--shuffle N] [--may-refuse TEXT] ...

Each is compiled and profiled once, and instrumented and run once for each PROBES.
With probes: the same bytes in every buffer, and the counters of every wavefront what `--profile branches --per-wave`
counts of the original, those of every block and the lanes of every instruction what `--profile all` does, and so the
addresses of every access; times of
loops lie within their waves', and loops are entered where the profile has rounds; what probes/count_lanes.s, .cl and .hip and
probes/lines.cl count at --at is what the profile has there. Without (--probe none), and with what is dead
overwritten (--probe poison): the same bytes. And
--strip gives the code object back byte for byte.
"""
import argparse, itertools, json, os, re, shlex, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def commands(source=EXAMPLES / "README.md"):
    """Launches of the examples; or those that the comments of a source name, of that source."""
    for line in Path(source).read_text().splitlines():
        if re.match(r"(//\s+)?crosslane launch ", line):
            words = shlex.split(line.lstrip("/ "))[2:]
            yield [str(Path(source).resolve().parent / words[0]), *words[1:]]


def without(words, *options):
    """The words without options that take a value, or those that begin with `--name=`."""
    out, skip = [], False
    for w in words:
        if skip:
            skip = False
        elif w in options:
            skip = True
        elif not any(w.startswith(o + "=") for o in options):
            out.append(w)
    return out


def run(words):
    try:
        p = subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=EXAMPLES)
    except subprocess.TimeoutExpired:
        return 124, "", "takes more than 300 s"
    return p.returncode, p.stdout, p.stderr


def buffers(words):
    return [m.group(1) for w in words if (m := re.match(r"(\w+)=[a-z0-9]*\[", w))]


class Case:
    """A launch on a target: compiled and run without probes by prepare(), and with some by check()."""

    def __init__(self, crosslane, words, target, folder):
        self.crosslane, self.target, self.folder = crosslane, target, folder
        self.file = words[0]
        self.compiled = [w for w in words if w.startswith("--clang")]
        self.words = [w for w in without(words[1:], "--target", "--expect", "--print", "--out", "--profile")
                      if w not in self.compiled]
        self.name = f"{target} {' '.join([Path(words[0]).name, *words[1:5]])}"
        self.words += ["--threads", "1"]  # what comes first is the same each time
        self.places = {b: 0 for b in buffers(words)}

    def path(self, name):
        return os.path.join(self.folder, name)

    def outs(self, prefix):
        return [w for b in self.places for w in ("--out", f"{b}={self.path(prefix + b + '.raw')}")]

    def prepare(self):
        """Why it cannot be, or nothing."""
        rc, _, err = run([self.crosslane, "instrument", self.file, "--target", self.target, *self.compiled, "--probe", "none",
                          "-o", self.path("copied.co")])
        if rc:
            return f"skipped: {err.strip().splitlines()[0] if err.strip() else rc}"
        rc, _, err = run([self.crosslane, "instrument", "--strip", self.path("copied.co"), "-o", self.path("plain.co")])
        if rc:
            return f"FAILED to strip: {err.strip()}"
        rc, _, err = run([self.crosslane, "launch", self.path("plain.co"), *self.words, *self.outs("plain_"),
                          "--json", self.path("profile.json"), "--profile", "all", "--per-wave"])
        if rc:
            return f"skipped: {err.strip().splitlines()[0] if err.strip() else rc}"
        self.profile = json.loads(Path(self.path("profile.json")).read_text())["kernels"][0]
        return ""

    def check(self, probes):
        self.o, x = probes, self.crosslane
        reach = ["--branch-reach", str(self.o.reach)] if self.o.reach else []
        reach += ["--shuffle", str(self.o.shuffle)] if self.o.shuffle else []
        at = ["--at", self.o.at] if self.o.at else []
        at += ["--trace-bytes", self.o.trace_bytes] if self.o.trace_bytes else []
        rc, out, err = run([x, "instrument", self.path("plain.co"), "--probe", self.o.probe, *at, "-o",
                            self.path("probed.co"), "--json", *reach])
        if rc and "no kernel can be instrumented: " in err:
            return f"REFUSED: {err.strip().split('instrumented: ')[-1]}"
        if rc:
            return f"FAILED to instrument: {err.strip()}"
        self.partly = any(k.get("calls_to_uninstrumented") for k in json.loads(out)["kernels"])
        run([x, "instrument", "--strip", self.path("probed.co"), "-o", self.path("stripped.co")])
        if Path(self.path("plain.co")).read_bytes() != Path(self.path("stripped.co")).read_bytes():
            return "FAILED: --strip does not give the file back"
        refused = [k for k in json.loads(out)["kernels"] if not k["instrumented"]]
        kernel = self.words[self.words.index("--kernel") + 1] if "--kernel" in self.words else None
        for k in refused:
            if kernel is None or kernel in k["kernel"]:
                return f"REFUSED: {k['why_not']}"
        counters = [] if self.o.probe in ("none", "poison") else ["--counters", self.path("counters.json")]
        rc, _, err = run([x, "launch", self.path("probed.co"), *self.words, *self.outs("probed_"), *counters])
        if rc:
            return f"FAILED: {err.strip()}"
        for b in self.places:
            if Path(self.path(f"plain_{b}.raw")).read_bytes() != Path(self.path(f"probed_{b}.raw")).read_bytes():
                return f"FAILED: buffer {b} differs"
        return self.compare() if counters else "same"

    def compare(self):
        profile, counters = self.profile, json.loads(Path(self.path("counters.json")).read_text())
        if counters["waves_recorded"] != counters["waves_in_all"]:
            return f"FAILED: {counters['waves_recorded']} of {counters['waves_in_all']} waves recorded"
        instructions = profile["instructions"]
        if self.partly:  # what calls through pointers run is not counted
            executions = {i["address"]: i["executions"] for i in instructions}
            less = [b for b in counters.get("blocks", []) if b["executions"] > executions.get(b["address"], 0)]
            return f"FAILED: more than in the profile: {less}" if less else "same"
        wrong = []
        document = self.o.probe.startswith("document-")  # counts s_*_saveexec_b64, and the branch behind it
        if "divergence" in self.o.probe or document:
            counted = {(s["function"], s["offset"]) for s in counters["branches"]}
            wanted = {}
            for w in profile.get("waves_branches", []):
                i = instructions[w["instruction"]]
                if document and "saveexec" not in i["text"] and (i["function"], i["offset"]) not in counted:
                    continue
                wanted[tuple(w["workgroup"]), w["wave"], i["function"], i["offset"]] = \
                    (w["executions"], w["agreements"])
            have, sites = {}, counters["branches"]
            for w in counters.get("waves", []):
                s = sites[w["branch"]]
                have[tuple(w["workgroup"]), w["wave"], s["function"], s["offset"]] = \
                    (w["executions"], w["agreements"])
            if wanted != have:
                for key in sorted(set(wanted) | set(have), key=str):
                    if wanted.get(key) != have.get(key):
                        wrong.append(f"{key}: {wanted.get(key)} in the profile, {have.get(key)} by probes")
            totals = {(i["function"], i["offset"]): i["branch"] for i in instructions if "branch" in i}
            for s in sites:
                t = totals.get((s["function"], s["offset"]), {"executions": 0, "all": 0, "none": 0})
                if (s["executions"], s["all"], s["none"]) != (t["executions"], t["all"], t["none"]):
                    wrong.append(f"{s['function']}+{s['offset']}: {t} in the profile, {s} by probes")
        if "blocks" in self.o.probe:
            executions = {i["address"]: i["executions"] for i in instructions}
            for b in counters["blocks"]:
                if executions.get(b["address"], 0) != b["executions"]:
                    wrong.append(f"block {b['address']}: {executions.get(b['address'], 0)} in the profile, "
                                 f"{b['executions']} by probes")
        if "lanes" in self.o.probe.split(","):
            lanes = {int(i["address"], 16): i.get("lanes", 0) for i in instructions}
            addresses = sorted(lanes)
            for r in counters["lanes"]:
                if (begin := int(r["address"], 16)) in lanes:
                    first = addresses.index(begin)
                    wrong += [f"lanes at {a:#x}: {lanes[a]} in the profile, {r['lanes']} by probes"
                              for a in addresses[first:first + r["instructions"]] if lanes[a] != r["lanes"]]
        if "time" in self.o.probe:
            executions = {i["address"]: i["executions"] for i in instructions}
            for n, l in enumerate(counters["time"]["loops"]):
                rounds = executions.get(l["address"], 0)
                if l["entries"] > rounds or (rounds and not l["entries"]):
                    wrong.append(f"loop {l['address']} entered {l['entries']} times, {rounds} rounds in the profile")
                if l["cycles"] != sum(w["loop_cycles"][n] for w in counters["time"]["waves"]):
                    wrong.append(f"loop {l['address']}: its cycles are not those of its waves")
            for w in counters["time"]["waves"]:
                if not w["begin"] < w["end"] or any(c > w["end"] - w["begin"] for c in w["loop_cycles"]):
                    wrong.append(f"times of a wave: {w}")
        if "memory" in self.o.probe.split(","):
            wrong += self.compare_memory(counters["memory"], instructions)
        if "probes/lines.cl" in self.o.probe:
            wrong += self.compare_lines(counters["user"]["places"], instructions)
        elif re.search(r"\.(cl|hip)\b", self.o.probe):  # count_lanes: what runs without lanes is not counted
            by_address = {i["address"]: i for i in instructions}
            for p in counters["user"]["places"]:
                i = by_address.get(p["address"], {})
                waves, lanes, full = p["values"]
                at = p["at"] in ("block", "branch", "memory", "line")
                if at and (lanes != i.get("lanes", 0) or waves > i.get("executions", 0)):
                    wrong.append(f"{p} by a user's probe, {i} in the profile")
                if not full <= waves <= lanes <= 64 * waves:
                    wrong.append(f"{p}: no such waves")
        elif self.o.at:  # probes/count_lanes.s
            by_address = {i["address"]: i for i in instructions}
            for p in counters["user"]["places"]:
                i = by_address.get(p["address"], {})
                if p["at"] in ("block", "branch", "memory", "line") and \
                        p["values"][:2] != [i.get("executions", 0), i.get("lanes", 0)]:
                    wrong.append(f"{p} by a user's probe, {i} in the profile")
            edges = [p for p in counters["user"]["places"] if p["at"] == "edge"]
            for a in {p["address"] for p in edges}:  # both ways of a branch
                n = sum(p["values"][0] for p in edges if p["address"] == a)
                if n != by_address.get(a, {}).get("executions", 0):
                    wrong.append(f"edges of {a}: {n}")
            # Kernels that share code have each an entry; this launch goes in by one of them.
            ends = [p for p in counters["user"]["places"] if p["at"] == "exit" or
                    (p["at"] == "entry" and by_address.get(p["address"], {}).get("executions", 0))]
            if "entry" in self.o.at.split(",") and not any(p["at"] == "entry" for p in ends):
                wrong.append("no entry that a wave went in by")
            wrong += [f"{p} of {profile['waves']} waves" for p in ends if p["values"][0] != profile["waves"]]
        return "FAILED: " + "\n  ".join(wrong[:6] + [f"{len(wrong)} in all"]) if wrong else "same"

    def compare_lines(self, places, instructions):
        """Lines that lanes' addresses lie in are those of the memory view, where nothing else is accessed."""
        wrong, compared, by_address = [], 0, {i["address"]: i for i in instructions}
        for p in places:
            i = by_address.get(p["address"], {})
            views = i.get("memory", [])
            if len(views) != 1 or views[0]["space"] != "global" or not re.match(r"global_|flat_|.* addr64", i["text"]):
                continue
            v, compared = views[0], compared + 1
            if i["text"].startswith("flat_") and v["lanes"] != i["lanes"]:
                continue  # some are in LDS
            if p["values"] != [v["requests"], v["lines"]]:
                wrong.append(f"{p} by a user's probe, {v} in the profile")
        return wrong + ([] if compared or not any("memory" in i for i in instructions) else ["nothing was compared"])

    def compare_memory(self, memory, instructions):
        """Each access of global memory and of the scalar cache: requests, lanes and lines of the memory view, and its
        example lane by lane; of LDS executions and lanes."""
        if self.o.full and memory["traced"] < memory["accesses"]:
            return []  # there was no room
        if memory["traced"] != memory["accesses"]:
            return [f"{memory['traced']} of {memory['accesses']} traced"]
        wrong, by_address, untraced = [], {i["address"]: i for i in instructions}, set(memory["untraced"])
        seen = {m["address"] for m in memory["instructions"]}
        wrong += [f"{i['address']} {i['text']} is not traced" for i in instructions
                  if i["address"] in untraced and not re.match(r"scratch_|image_|\w+_format_", i["text"])]
        wrong += [f"{i['address']} {i['text']} is not known" for i in instructions
                  if i.get("memory") and i["address"] not in seen | untraced]
        traces, shift = {}, None
        for w in memory["waves"]:
            for e in w["trace"]:
                lanes = [n for n in range(64) if int(e["lanes"], 16) >> n & 1]
                key = tuple(w["workgroup"]), w["wave"], memory["instructions"][e["instruction"]]["address"]
                traces.setdefault(key, []).append(dict(zip(lanes, e["addresses"])))
        for m in memory["instructions"]:
            i = by_address.get(m["address"], {})
            views = i.get("memory", [])
            if not views:
                if m["lanes"] != (i.get("lanes", 0) if m["text"].startswith(("ds_", "flat_")) else 0):
                    wrong.append(f"{m}, and in the profile {i.get('lanes')} lanes")
                continue
            if len(views) > 1 or views[0]["space"] == "scratch":
                continue
            v = views[0]
            reaches_lds = m["text"].startswith("flat_") and m["lanes"] > v["lanes"]  # that is not in the view
            if not reaches_lds and any(m[k] != v[k] for k in ("requests", "lanes", "lines")):
                wrong.append(f"{m}, and in the profile {({k: v[k] for k in ('requests', 'lanes', 'lines')})}")
            worst = v.get("worst")
            if not worst or "base" not in worst:
                continue
            base = int(worst["base"], 16)
            wanted = {n: base + o for n, o in enumerate(worst["offsets"]) if o is not None}
            have = traces.get((tuple(worst["workgroup"]), worst["wave"], m["address"]), [])
            # Where the code is longer all lies some pages further on, all buffers as many.
            if shift is None or v["space"] == "scalar":
                n = next(iter(wanted))
                shifts = {e[n] - wanted[n] for e in have if n in e}
            else:
                shifts = {shift}
            if reaches_lds:
                have = [{n: a for n, a in e.items() if n in wanted} for e in have]
            found = [d for d in shifts if d % 4096 == 0 and {n: a + d for n, a in wanted.items()} in have]
            if len(found) == 1 and v["space"] != "scalar":
                shift = found[0]
            if not found:
                wrong.append(f"{m['text']} at {m['address']}: no entry has the addresses {worst}; {have[:1]}")
        return wrong


def probes_parser():
    """Options of one set of probes: what is instrumented, and how the copy is laid out."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--probe", default="divergence,blocks")
    parser.add_argument("--at", default="", help="with --probe probes/count_lanes.s and the like: where")
    parser.add_argument("--reach", type=int)
    parser.add_argument("--shuffle", type=int, help="code in another order, with s_nop in it")
    parser.add_argument("--trace-bytes", help="with --probe memory")
    parser.add_argument("--full", action="store_true", help="with --trace-bytes: it may be too little")
    parser.add_argument("--may-refuse", default="\0", metavar="TEXT", help="reasons with this in them are none to fail")
    return parser


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, parents=[probes_parser()])
    parser.add_argument("crosslane")
    parser.add_argument("--target", action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--source", action="append", help="instead of the examples: what the comments of this say")
    parser.add_argument("--jobs", type=int, default=2)
    groups = [list(words) for is_and, words in itertools.groupby(sys.argv[1:], lambda word: word == "--and") if not is_and]
    options = parser.parse_args(groups[0])
    sets = [options] + [probes_parser().parse_args(words) for words in groups[1:]]
    crosslane = os.path.abspath(options.crosslane)

    def one(work):
        words, target = work
        with tempfile.TemporaryDirectory() as folder:
            case = Case(crosslane, words, target, folder)
            why = case.prepare()
            return case.name, [why or case.check(probes) for probes in sets]

    work = [(words, target) for target in options.target or ["gfx900"]
            for source in options.source or [EXAMPLES / "README.md"] for words in commands(source)
            if options.only in " ".join(words) and "relay" not in words]  # it spins: no two runs are the same
    failed, same = [0] * len(sets), [0] * len(sets)
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, verdicts in pool.map(one, work):
            for n, (probes, verdict) in enumerate(zip(sets, verdicts)):
                failed[n] += verdict.startswith(("FAILED", "REFUSED")) and probes.may_refuse not in verdict
                same[n] += verdict == "same"
                if verdict != "same":
                    print(f"{name}, {' '.join(groups[n]) if n else probes.probe}: {verdict}")
    for n, probes in enumerate(sets):
        print(f"{probes.probe}: {same[n]} of {len(work)} the same, {failed[n]} failed, "
              f"{len(work) - same[n] - failed[n]} are refused or cannot run on their target")
    return 0 if all(same) and not any(failed) else 1


if __name__ == "__main__":
    sys.exit(main())
