# Errors of the cycle model and of the null models against what was measured, class by class.
import statistics
from dataclasses import dataclass, field

from run import MODELS

# What is asked of a class at least, and aimed at: per cent, of which average.
GOALS = {
    "rate": (5, 3, "mean"), "issue": (5, 3, "mean"), "L1 loads": (10, 2, "mean"), "L1 strides": (10, 5, "mean"),
    "L1 typed loads": (10, 2, "mean"), "L1 images": (10, 2, "mean"),
    "launch": (10, 5, "mean"), "dependent": (10, 5, "mean"), "latency": (15, 5, "mean"), "clock": (15, 5, "mean"),
    "bandwidth": (15, 8, "mean"), "copies": (20, 10, "median"), "copies compiled": (20, 10, "median"), "Laplacian time": (25, 15, "mean"),
    "Laplacian fetch": (25, 5, "mean"), "Laplacian L2 hits": (25, 5, "mean"),
}
# A null model claims the same as the cycle model where they are this near, of what was measured.
SAME = 0.05


@dataclass
class Result:
    row: object
    values: dict  # of MODELS; None: it does not say

    def error(self, model="cycles"):
        value = self.values.get(model)
        return None if value is None else 100 * abs(value - self.row.value) / self.row.value


@dataclass
class Verdict:
    """Of a null model: its mean error and the cycle model's over the rows where they claim different things."""
    rows: int = 0
    null: float = 0
    cycles: float = 0

    def text(self):
        if not self.rows:
            return "-"
        rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
        return f"{'yes' if self.cycles <= self.null / 2 else 'no'} ({rows}: {percent(self.cycles)} of {percent(self.null)})"


@dataclass
class Class:
    name: str
    results: list = field(default_factory=list)

    def errors(self, model="cycles"):
        return [e for e in (r.error(model) for r in self.results) if e is not None]

    def mean(self, model="cycles"):
        errors = self.errors(model)
        return statistics.fmean(errors) if errors else None

    def median(self):
        return statistics.median(self.errors())

    def weighted(self, model="cycles"):
        """Sum of differences by sum of what was measured, of each unit; units count by their rows."""
        units = {}
        for r in self.results:
            if r.values.get(model) is not None:
                units.setdefault(r.row.unit, []).append((abs(r.values[model] - r.row.value), r.row.value))
        rows = sum(len(u) for u in units.values())
        return sum(100 * sum(d for d, _ in u) / sum(v for _, v in u) * len(u) for u in units.values()) / rows if rows else None

    def worst(self, model="cycles"):
        return max(self.errors(model), default=None)

    def against(self, null):
        both = [r for r in self.results if r.values.get(null) is not None and
                abs(r.values[null] - r.values["cycles"]) > SAME * r.row.value]
        if not both:
            return Verdict()
        return Verdict(len(both), statistics.fmean(r.error(null) for r in both), statistics.fmean(r.error() for r in both))

    def order(self):
        """Of pairs that were measured more than SAME apart: all, and those that the model puts in the same order."""
        pairs = [(a, b) for i, a in enumerate(self.results) for b in self.results[:i]
                 if abs(a.row.value - b.row.value) > SAME * max(a.row.value, b.row.value)]
        return len(pairs), sum((a.row.value > b.row.value) == (a.values["cycles"] > b.values["cycles"]) for a, b in pairs)

    def goal(self):
        """Text, and whether it is reached; None: none is set."""
        if self.name not in GOALS:
            return "-", None
        least, aim, which = GOALS[self.name]
        value = self.median() if which == "median" else self.mean()
        return f"{least} % {which}: {'reached' if value <= least else 'missed'}" + (f", aim {aim} % too" if value <= aim else ""), value <= least


def percent(x):
    return "-" if x is None else f"{x:.1f} %" if x < 1000 else "> 1000 %"


def classes(results):
    by_name = {}
    for r in results:
        by_name.setdefault(r.row.kind, Class(r.row.kind)).results.append(r)
    return list(by_name.values())


NULLS = MODELS[1:]
