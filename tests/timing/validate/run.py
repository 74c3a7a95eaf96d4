# Runs a test's kernels: by the cycle model, and for the null models with counts of a run that nothing is timed of
# (`crosslane timing --profile`). Which of the three a test hears is the Run's `model`; tests do not know.
import hashlib
import json
import os
import pathlib
import random
import subprocess

MODELS = ("cycles", "roofline", "static")

# Target and compute units of the cards that rows are about.
cards = {"tahiti": ("gfx600", 32), "hawaii": ("gfx701", 44), "r9-290x": ("gfx702", 44), "tonga": ("gfx802", 32),
         "fiji": ("gfx803", 64), "polaris10": ("gfx803", 36), "vega10": ("gfx900", 64), "vega20": ("gfx906", 60), "mi50": ("gfx906", 60), "mi100": ("gfx908", 120),
         "mi210": ("gfx90a", 104), "mi250": ("gfx90a", 104), "mi250x": ("gfx90a", 110)}


class Silent(Exception):
    """A null model does not say what a test asks for."""


class Told(dict):
    """What a null model says, with the names that the cycle model's JSON has."""

    def __missing__(self, key):
        raise Silent(key)


class Run:
    def __init__(self, crosslane, folder, row, model="cycles"):
        self.crosslane, self.folder, self.row, self.model = crosslane, folder, row, model
        self.target, self.units = cards[row.card]
        self.use(self.card_with(clock=row.clock) if row.clock else row.card)

    def use(self, card):
        """What tests run on from here on."""
        self.card = card
        self.timed = ["--time", "--gpu", card, "--time-error", "0"]

    def card_with(self, **parameters):
        """The row's card with other parameters, as `--gpu` takes it."""
        text = f'base = "{self.row.card}"\n' + "".join(f"{k} = {v:g}\n" for k, v in parameters.items())
        path = self.folder / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".toml")
        path.write_text(text)
        return str(path)

    def printed(self, text, suffix, buffer, *arguments, **sizes):
        """What a buffer of u32 holds behind the kernel: a kernel's own clock, of which null models have none."""
        if self.model != "cycles":
            raise Silent("clock")
        path = self.folder / "printed.raw"
        self.call(self.command(text, suffix, *self.timed, *arguments, "--out", f"{buffer}={path}", **sizes))
        data = path.read_bytes()
        return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]

    def launch(self, text, suffix, *arguments, sampled=False, **sizes):
        """The kernel's times and counts. `sampled`: the model may take a part of a large grid for all of it."""
        key = hashlib.sha256(repr((self.card, text, suffix, contents(arguments), sorted(sizes.items()), sampled)).encode()).hexdigest()
        if self.model == "cycles":
            told = self.folder / (key + ".json")
            if not told.exists():  # rows may ask for different figures of one launch
                how = self.timed[:3] if sampled else self.timed
                self.call(self.command(text, suffix, *how, "--json", str(told), *arguments, **sizes))
            return json.loads(told.read_text())["timing"]
        return self.null(self.estimate(key, text, suffix, *arguments, sampled=sampled, **sizes))

    def null(self, estimate):
        kernel, mhz = estimate["kernels"][0], estimate["mhz"]
        run = kernel["run"]
        fixed = run["launch_fixed_us"] if self.model == "roofline" else 0
        us = least(run["roofline_us" if self.model == "roofline" else "static_us"]["us"])
        told = Told(nanoseconds=us * 1e3, launch_nanoseconds=fixed * 1e3, cycles=(us - fixed) * mhz,
                    instructions=run["wave_instructions"], compute_units=self.units, mhz=mhz)
        if self.model == "static":
            told["busy_cycles"] = Told(lds=least(run["cycles"].get("LDS", 0)))
        else:
            told["memory"] = Told(bytes_read=least(run["dram_bytes"] or 0))
        return told

    def estimate(self, key, text, suffix, *arguments, sampled, **sizes):
        """What `crosslane timing` says of a run, which is counted once for both null models."""
        path = self.folder / (key + ".null.json")
        if not path.exists():
            profile = self.folder / "profile.json"
            self.call(self.command(text, suffix, "--profile", "all", *(["--sample", "1%"] if sampled else []), "--json", str(profile), *arguments, **sizes))
            command = [self.crosslane, "timing", str(self.folder / ("k" + suffix)), "--gpu", self.card, "--target", self.target,
                       "--profile", str(profile), "--json"]
            path.write_text(self.call(command))
        return json.loads(path.read_text())[0]

    def command(self, text, suffix, *arguments, **sizes):
        file = self.folder / ("k" + suffix)
        file.write_text(text)
        command = [self.crosslane, "launch", str(file), "--target", self.target, *arguments]
        for name, value in sizes.items():
            command += ["--" + name, str(value)]
        return command

    @staticmethod
    def call(command):
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"CROSSLANE_LINT": "off"})
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def chain(self, count):
        """A file of dwords, each the index of the next one."""
        path = self.folder / "chain.raw"
        path.write_bytes(b"".join((i + 1).to_bytes(4, "little") for i in range(count)))
        return f"@{path}:u32"

    def circle(self, lines, size=64, unit=1):
        """A file of `lines` lines of 64 bytes, whose first dword is the offset of another: one circle through all.
        `size`: of a line, `unit`: bytes that offsets are counted in."""
        order = list(range(1, lines))
        random.Random(1).shuffle(order)
        order = [0] + order
        data = bytearray(lines * size)
        for here, there in zip(order, order[1:] + [0]):
            data[here * size:here * size + 4] = (there * size // unit).to_bytes(4, "little")
        path = self.folder / "circle.raw"
        path.write_bytes(data)
        return f"@{path}:u32"


def least(number):
    """Of a range the least, as for a bound from below."""
    return number[0] if isinstance(number, list) else number


def contents(arguments):
    """Files that arguments name, as what they hold."""
    held = []
    for argument in arguments:
        held.append(argument)
        if argument.startswith("@"):
            held.append(hashlib.sha256(pathlib.Path(argument[1:].rsplit(":", 1)[0]).read_bytes()).hexdigest())
    return held
