# Makes tests/timing/validate/measured.tsv's rows readable: what others measured on cards, by class and test.
import csv
import pathlib
from dataclasses import dataclass


@dataclass
class Row:
    kind: str  # class of measurements
    card: str  # as `crosslane launch --gpu` names it
    clock: float  # MHz at which it was measured; 0: the card's own
    test: str  # which of tests.py
    arguments: tuple  # of the test
    value: float
    unit: str
    source: str


def measured():
    path = pathlib.Path(__file__).parent / "measured.tsv"
    with path.open() as file:
        for row in csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"):
            yield Row(row["class"], row["card"], float(row["clock"] or 0), row["test"],
                      tuple(row["arguments"].split()), float(row["value"]), row["unit"], row["source"])
