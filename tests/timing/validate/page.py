# docs/timing-validation.md and its pictures.
import pathlib

from judge import NULLS, SAME, percent
from pictures import picture

ABOUT = f"""# The cycle model against measurements of cards

What others measured, and what [the cycle model](timing-model.md) says of kernels of the same patterns: `make validate-timing` runs them and writes this page.
The measurements are in `tests/timing/validate/measured.tsv`, the kernels in `tests.py` beside it; both say whose they are.

Beside it stand two **null models**, of `crosslane timing --profile` ([timing.md](timing.md#with-a-profile)): *roofline*, the largest of arithmetic, DRAM traffic and launches, where caches
keep all, and *static*, costs of instructions times how often they ran. They know no queues and no caches. Where the cycle model claims something else than one of them (they differ by more than {100 * SAME:g} % of
what was measured), it is to have at most half of its error; the last columns say whether it does, in the rows where they differ. A dash: they agree, or the null model has no word on it.

*Weighted* is the sum of differences by the sum of what was measured, so that large values count more. Each picture has all rows of its class; what is beyond its axes stands at their edge.

"""

ORDERED = ("Laplacian time",)


def file_name(name):
    return name.lower().replace(" ", "-") + ".svg"


def shown(value):
    return "-" if value is None else f"{value:.4g}"


def summary(classes):
    text = "| class | rows | mean error | weighted | median | worst | goal | roofline | static | half of roofline's? | half of static's? |\n"
    text += "|---|---:|---:|---:|---:|---:|---|---:|---:|---|---|\n"
    for c in classes:
        text += (f"| {c.name} | {len(c.results)} | {percent(c.mean())} | {percent(c.weighted())} | {percent(c.median())} | "
                 f"{percent(c.worst())} | {c.goal()[0]} | {' | '.join(percent(c.mean(n)) for n in NULLS)} | "
                 f"{' | '.join(c.against(n).text() for n in NULLS)} |\n")
    return text


def section(c, images, notes):
    text = f"\n## {c.name}\n\n![{c.name}: measured and modelled]({images}/{file_name(c.name)})\n\n"
    if c.name in notes:
        text += notes[c.name] + "\n\n"
    if c.name in ORDERED:
        pairs, right = c.order()
        text += f"In the order measured: {right} of {pairs} pairs that are more than {100 * SAME:g} % apart.\n\n"
    text += "| card | test | measured | modelled | | error | roofline | static |\n|---|---|---:|---:|---|---:|---:|---:|\n"
    for r in c.results:
        clock = f" at {r.row.clock:g} MHz" if r.row.clock else ""
        text += (f"| {r.row.card}{clock} | {r.row.test} {' '.join(r.row.arguments)} | {shown(r.row.value)} | {shown(r.values['cycles'])} | "
                 f"{r.row.unit} | {percent(r.error())} | {' | '.join(shown(r.values[n]) for n in NULLS)} |\n")
    return text


def write(classes, path, notes):
    """The page at `path`, its pictures in images/timing beside it."""
    path = pathlib.Path(path)
    images = path.parent / "images" / "timing"
    images.mkdir(parents=True, exist_ok=True)
    for c in classes:
        (images / file_name(c.name)).write_text(picture(c.name, c.results))
    path.write_text(ABOUT + summary(classes) + "".join(section(c, "images/timing", notes) for c in classes))
