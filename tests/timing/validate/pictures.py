# A class of measurements as a picture: measured against modelled on log axes, with the null models. No library, no clock:
# the same rows give the same file. What lies beyond the axes stands at their edge.
import math
from html import escape

WIDTH, HEIGHT, LEFT, TOP, SIDE = 620, 470, 70, 40, 360
STYLE = """text { font: 12px 'DejaVu Sans', Verdana, sans-serif; fill: #1f2328; } .head { font-size: 14px; font-weight: bold; }
.mid { text-anchor: middle; } .end { text-anchor: end; } .soft { fill: #57606a; }
.back { fill: #ffffff; stroke: #d0d7de; } .axis { fill: none; stroke: #6e7781; } .grid { stroke: #d0d7de; stroke-width: 0.6; }
.same { stroke: #1f2328; } .near { stroke: #6e7781; stroke-dasharray: 4 3; }
.cycles { fill: #0969da; } .roofline { fill: none; stroke: #bc4c00; stroke-width: 1.4; } .static { fill: none; stroke: #2da44e; stroke-width: 1.4; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .soft { fill: #9aa4af; } .back { fill: #0d1117; stroke: #30363d; } .axis { stroke: #8b949e; }
.grid { stroke: #30363d; } .same { stroke: #e6edf3; } .near { stroke: #8b949e; } .cycles { fill: #58a6ff; }
.roofline { stroke: #f0883e; } .static { stroke: #56d364; }
}"""
NAMES = {"cycles": "cycle model", "roofline": "roofline and launch", "static": "static costs times counts"}


def number(x):
    return f"{x:.1f}".rstrip("0").rstrip(".")


def mark(model, x, y):
    x, y = number(x), number(y)
    if model == "cycles":
        return f'<circle class="cycles" cx="{x}" cy="{y}" r="3"/>'
    if model == "roofline":
        return f'<path class="roofline" d="M{x} {y} m-4 -4 l8 8 m-8 0 l8 -8"/>'
    return f'<path class="static" d="M{x} {y} m-4 3 h8 l-4 -7 z"/>'


def ticks(low, high):
    """Of powers of ten, or of 1, 2 and 5 times those where they are few."""
    steps = (1,) if high / low > 300 else (1, 2, 5)
    first = math.floor(math.log10(low))
    all_ticks = (s * 10.0**e for e in range(first, math.ceil(math.log10(high)) + 1) for s in steps)
    return [t for t in all_ticks if low <= t <= high]


def picture(name, results):
    sure = [v for r in results for v in (r.row.value, r.values["cycles"]) if v > 0]
    low, high = min(sure) / 1.4, max(sure) * 1.4
    scale = SIDE / math.log(high / low)

    def place(value):
        return min(max(math.log(max(value, 1e-30) / low) * scale, 0), SIDE)

    def at(measured, modelled):
        return LEFT + place(measured), TOP + SIDE - place(modelled)

    parts = []
    for t in ticks(low, high):
        x, y = at(t, t)
        parts.append(f'<path class="grid" d="M{number(x)} {TOP} V{TOP + SIDE} M{LEFT} {number(y)} H{LEFT + SIDE}"/>')
        parts.append(f'<text class="mid soft" x="{number(x)}" y="{TOP + SIDE + 16}">{t:g}</text>')
        parts.append(f'<text class="end soft" x="{LEFT - 6}" y="{number(y + 4)}">{t:g}</text>')
    for factor, kind in ((1, "same"), (1.25, "near"), (0.8, "near")):
        a, b = max(low, low / factor), min(high, high / factor)
        (x0, y0), (x1, y1) = at(a, a * factor), at(b, b * factor)
        parts.append(f'<path class="{kind}" d="M{number(x0)} {number(y0)} L{number(x1)} {number(y1)}"/>')
    models = [m for m in ("roofline", "static", "cycles") if any(r.values.get(m) is not None for r in results)]
    for model in models:
        parts += [mark(model, *at(r.row.value, r.values[model])) for r in results if r.values.get(model) is not None]
    for i, model in enumerate(reversed(models)):
        parts.append(mark(model, LEFT + SIDE + 18, TOP + 14 + 20 * i))
        parts.append(f'<text x="{LEFT + SIDE + 28}" y="{TOP + 18 + 20 * i}">{NAMES[model]}</text>')
    y = TOP + 30 + 20 * len(models)
    parts.append(f'<path class="near" d="M{LEFT + SIDE + 10} {y} h16"/><text x="{LEFT + SIDE + 30}" y="{y + 4}">25 % more, 20 % less</text>')
    units = sorted({r.row.unit for r in results})
    title = f"{name}: measured and modelled"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>", f"<style>\n{STYLE}\n</style>",
        f'<rect class="back" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
        f'<text class="head" x="{LEFT}" y="26">{escape(name)}, {escape(" and ".join(units))}</text>',
        f'<rect class="axis" x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>', *parts,
        f'<text class="mid" x="{LEFT + SIDE / 2:g}" y="{TOP + SIDE + 40}">measured</text>',
        f'<text class="mid" transform="translate(18 {TOP + SIDE / 2:g}) rotate(-90)">modelled</text>', "</svg>", ""])
