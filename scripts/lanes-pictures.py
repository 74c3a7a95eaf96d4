#!/usr/bin/env python3
"""Draws the pictures of docs/lanes.md: how data lies in registers and how it moves. No library, no clock: the same files always.

Usage: lanes-pictures.py [--check] [FOLDER]. Writes FOLDER/*.svg (docs/images/lanes); --check compares instead, exit status 1 if any
differs. Every picture brings its own background and follows the reader's light or dark theme. Lane 0 is always at the left.
"""
import sys
from html import escape
from pathlib import Path

# Fill of a cell in the light and in the dark theme: where the data came from.
FILLS = [("#cfe3ff", "#1d4a86"), ("#ffe0b8", "#774a12"), ("#c9efd0", "#1e6637"), ("#ffd3d9", "#7d2a39"),
         ("#e4d6fb", "#533a88"), ("#c4ecef", "#15616a"), ("#f1eab0", "#655e14"), ("#e6dacb", "#594937")]
STYLE = ["text { font: 13px 'DejaVu Sans', Verdana, sans-serif; fill: #1f2328; }",
         ".small { font-size: 11px; } .tiny { font-size: 9px; } .head { font-size: 14px; font-weight: bold; }",
         ".mid { text-anchor: middle; } .end { text-anchor: end; }",
         ".soft { fill: #57606a; } .back { fill: #ffffff; stroke: #d0d7de; } .none { fill: #f0f1f3; }",
         ".cell { stroke: #6e7781; } .line { fill: none; stroke: #6e7781; stroke-width: 1.2; } .tip { fill: #6e7781; }",
         ".frame { fill: none; stroke: #1f2328; stroke-width: 1.6; }"]
DARK = ["text { fill: #e6edf3; } .soft { fill: #9aa4af; } .back { fill: #0d1117; stroke: #30363d; } .none { fill: #21262d; }",
        ".cell { stroke: #8b949e; } .line { stroke: #8b949e; } .tip { fill: #8b949e; } .frame { stroke: #e6edf3; }"]


def number(x):
    return f"{x:.1f}".rstrip("0").rstrip(".")


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def text(self, x, y, text, kind="mid"):
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" class="{kind}">{escape(str(text))}</text>')

    def cell(self, x, y, width, height, colour, text="", kind=""):
        """A box; colour is the number of a fill, or None for don't care and zero."""
        fill = "none" if colour is None else f"f{colour % len(FILLS)}"
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
                          f'class="cell {fill}"/>')
        if str(text):
            self.text(x + width / 2, y + height / 2 + 4, text, f"mid {kind}".strip())

    def row(self, x, y, width, height, cells, kind="small"):
        """Cells (colour, text) side by side."""
        for i, (colour, text) in enumerate(cells):
            self.cell(x + i * width, y, width, height, colour, text, kind)

    def frame(self, x, y, width, height):
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
                          f'class="frame"/>')

    def arrow(self, x0, y0, x1, y1):
        bend = (y1 - y0) * 0.45
        self.parts.append(f'<path class="line" d="M{number(x0)} {number(y0)} C{number(x0)} {number(y0 + bend)} '
                          f'{number(x1)} {number(y1 - 5 - bend)} {number(x1)} {number(y1 - 5)}"/>')
        self.tip(x1, y1, 0, 1)

    def tip(self, x, y, dx, dy):
        points = [(x, y), (x - 6 * dx + 3 * dy, y - 6 * dy + 3 * dx), (x - 6 * dx - 3 * dy, y - 6 * dy - 3 * dx)]
        self.parts.append('<path class="tip" d="M' + " L".join(f"{number(a)} {number(b)}" for a, b in points) + 'Z"/>')

    def right(self, x0, y, x1):
        self.parts.append(f'<path class="line" d="M{number(x0)} {number(y)} H{number(x1 - 5)}"/>')
        self.tip(x1, y, 1, 0)

    def svg(self):
        style = STYLE + [" ".join(f".f{i} {{ fill: {light}; }}" for i, (light, _) in enumerate(FILLS))]
        dark = DARK + [" ".join(f".f{i} {{ fill: {deep}; }}" for i, (_, deep) in enumerate(FILLS))]
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                 f'height="{self.height}" role="img">',
                 f"<title>{escape(self.title)}</title>", "<style>", *style, "@media (prefers-color-scheme: dark) {", *dark, "}",
                 "</style>", f'<rect class="back" x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8"/>',
                 *self.parts, "</svg>"]
        return "\n".join(lines) + "\n"


def moved(p, x, y0, y1, width, sources):
    """An arrow from sources[i] to i, between the edges of two rows."""
    for i, source in enumerate(sources):
        if source is not None:
            p.arrow(x + (source + 0.5) * width, y0, x + (i + 0.5) * width, y1)


def registers():
    p = Picture(880, 330, "A 512-bit register as lanes of 128 bits and as elements of 64, 32, 16 and 8 bits")
    left, wide = 150, 700
    names = ["zmm, 512 bits", "ymm, 256 bits", "lanes, 128 bits", "64 bits", "32 bits", "16 bits", "8 bits"]
    for i, name in enumerate(names):
        y, count = 20 + 38 * i, [1, 2, 4, 8, 16, 32, 64][i]
        p.text(left - 12, y + 19, name, "end")
        for k in range(count):
            colour = k * 4 // count if count >= 4 else 0 if count == 2 and k == 0 else None
            label = k if count <= 32 else ""
            if count == 1:
                label = "zmm0"
            elif count == 2:
                label = ["ymm0: the lower half of zmm0", "has no name of its own"][k]
            elif count == 4:
                label = ["lane 0: xmm0", "lane 1", "lane 2", "lane 3"][k]
            p.cell(left + k * wide / count, y, wide / count, 28, colour, label,
                   "small" if count > 8 else "")
    for k in range(0, 64, 4):
        p.text(left + (k + 0.5) * wide / 64, 290, k, "mid tiny soft")
    p.text(left, 312, "bit 0", "small soft")
    p.text(left + wide, 312, "bit 511", "small soft end")
    p.text(left + wide / 2, 312, "in memory: the lowest address at the left", "small soft mid")
    return p


def lanes_and_across():
    p = Picture(880, 330, "A permute within 128-bit lanes and a permute across them")
    x, w = 40, 50
    start = [(i // 4, i) for i in range(16)]
    for y, head, source in (
            (20, "Within each lane: four indexes for all, as an immediate", lambda i: i // 4 * 4 + (2, 3, 1, 0)[i % 4]),
            (175, "Across lanes: an index for each element, in a register", lambda i: (i * 5 + 3) % 16)):
        p.text(x, y + 12, head, "head")
        p.row(x, y + 24, w, 26, start)
        froms = [source(i) for i in range(16)]
        moved(p, x, y + 50, y + 104, w, froms)
        p.row(x, y + 104, w, 26, [(f // 4, f) for f in froms])
        for lane in range(4):
            p.frame(x + lane * 4 * w, y + 24, 4 * w, 26)
            p.frame(x + lane * 4 * w, y + 104, 4 * w, 26)
    return p


def two_sources():
    p = Picture(880, 250, "A permute of two sources")
    w, x, y = 48, 40, 20
    index = [0, 8, 3, 11, 12, 5, 5, 15]
    p.text(x, y + 12, "first source", "head")
    p.row(x, y + 22, w, 26, [(0, i) for i in range(8)])
    p.text(x + 416, y + 12, "second source: its indexes go on", "head")
    p.row(x + 416, y + 22, w, 26, [(1, i) for i in range(8, 16)])
    mid = x + 208
    for i, f in enumerate(index):
        p.arrow(x + (f + 0.5) * w + (32 if f >= 8 else 0), y + 48, mid + (i + 0.5) * w, y + 122)
    p.row(mid, y + 122, w, 26, [(f // 8, f) for f in index])
    p.row(mid, y + 164, w, 22, [(None, f) for f in index])
    p.text(mid - 12, y + 140, "result", "end")
    p.text(mid - 12, y + 180, "index", "end")
    p.text(mid, y + 210, "A dirty index may have anything above its four lowest bits: the instruction ignores it.", "small soft")
    return p


def compress_expand():
    p = Picture(880, 240, "Compress moves chosen lanes to the front, expand moves the front to chosen lanes")
    w, mask = 46, [1, 0, 1, 1, 0, 0, 1, 0]
    chosen = [i for i in range(8) if mask[i]]
    for x, head in ((40, "compress"), (468, "expand")):
        p.text(x, 32, head, "head")
        p.row(x, 46, w, 26, [(None, m) for m in mask])
        source = [(0, "abcdefgh"[i]) for i in range(8)]
        p.row(x, 84, w, 28, source)
        if head == "compress":
            moved(p, x, 112, 176, w, chosen)
            result = [(0, "abcdefgh"[i]) for i in chosen] + [(None, 0)] * 4
        else:
            order = {lane: k for k, lane in enumerate(chosen)}
            moved(p, x, 112, 176, w, [order.get(i) for i in range(8)])
            result = [(0, "abcd"[order[i]]) if i in order else (None, 0) for i in range(8)]
        p.row(x, 176, w, 28, result)
    p.text(450, 63, "mask", "small soft end")
    p.text(468, 225, "lanes without data: zero, or those of another register", "small soft")
    return p


def grid(p, x, y, side, matrix):
    for r, row in enumerate(matrix):
        for c, (colour, text) in enumerate(row):
            p.cell(x + c * side, y + r * side, side, side, colour, text, "tiny")


def swapped(matrix, d):
    """Blocks of d x d off the diagonal change places: a stage of two-source permutes of rows r and r + d."""
    n = len(matrix)
    return [[matrix[r & ~d | (d if c & d else 0)][c & ~d | (d if r & d else 0)] for c in range(n)] for r in range(n)]


def transpose():
    p = Picture(880, 500, "The transpose of an 8x8 matrix in three stages, in both orders")
    side, x0 = 21, 36
    for top, head, order in ((20, "small to big: neighbours first, whole lanes last", (1, 2, 4)),
                             (262, "big to small", (4, 2, 1))):
        p.text(x0, top + 12, head, "head")
        matrix = [[(r, f"{r}{c}") for c in range(8)] for r in range(8)]
        for stage in range(4):
            x = x0 + stage * 215
            if stage:
                d = order[stage - 1]
                matrix = swapped(matrix, d)
                p.right(x - 42, top + 28 + 4 * side, x - 8)
                p.text(x - 25, top + 20 + 4 * side, f"{d}", "mid small")
                p.text(x + 4 * side, top + 46 + 8 * side, f"rows {d} apart: 8 permutes", "mid small soft")
            else:
                p.text(x + 4 * side, top + 46 + 8 * side, "cell rc: row r, column c", "mid small soft")
            grid(p, x, top + 28, side, matrix)
    return p


def transpose_reduce():
    p = Picture(880, 348, "Transpose and reduce at once: 14 permutes instead of 24 for eight sums of eight")
    side, y0 = 22, 52
    stages = [[[{(r, c)} for c in range(8)] for r in range(8)]]
    d = 1
    while len(stages[-1]) > 1:  # pairs of registers are mixed and added: half of the registers, twice the data sets in each
        rows, out = stages[-1], []
        for i in range(0, len(rows), 2):
            a, b = rows[i], rows[i + 1]
            out.append([(a if not c & d else b)[c] | (a if not c & d else b)[c ^ d] for c in range(8)])
        stages.append(out)
        d *= 2
    heads = ["8 data sets of 8", "8 permutes, 4 adds", "4 permutes, 2 adds", "2 permutes, 1 add"]
    for s, rows in enumerate(stages):
        x = 36 + s * 215
        p.text(x + 4 * side, 34, heads[s], "mid")
        top = y0 + (8 - len(rows)) * side / 2 * 1.15
        for r, row in enumerate(rows):
            for c, members in enumerate(row):
                sets = {m[0] for m in members}
                assert len(sets) == 1
                p.cell(x + c * side, top + r * side * 1.15, side, side, sets.pop(), len(members), "tiny")
        if s:
            p.right(x - 36, y0 + 4 * side * 1.15, x - 8)
    p.text(440, 286, "A colour is a data set, the number in a cell how many of its eight elements are in the sum.", "mid small soft")
    p.text(440, 306, "8 + 4 + 2 = 14 permutes. Transposed first and added after, it is three stages of 8: 24.", "mid small soft")
    p.text(440, 326, "If the operation commutes, one of the two permutes before each addition is a blend: 7 permutes and 7 blends.",
           "mid small soft")
    return p


def wide_shift():
    p = Picture(880, 300, "A shift of 512 bits as one number")
    x, w, keep = 130, 88, 22 / 64
    p.text(x, 28, "Right by 42 bits, in elements of 64", "head")
    p.text(x - 12, 62, "v", "end")
    p.row(x, 44, w, 28, [(i, f"q{i}") for i in range(8)], "")
    moved(p, x, 72, 120, w, [i + 1 if i < 7 else None for i in range(8)])
    p.text(x - 12, 138, "valignq", "end")
    p.row(x, 120, w, 28, [(i + 1, f"q{i + 1}") if i < 7 else (None, 0) for i in range(8)], "")
    p.text(x - 12, 210, "vpshldq", "end")
    for i in range(8):
        left = x + i * w
        p.cell(left, 192, w * keep, 28, i, "22", "small")
        p.cell(left + w * keep, 192, w * (1 - keep), 28, i + 1 if i < 7 else None, "42" if i < 7 else "0", "small")
        p.frame(left, 192, w, 28)
        p.arrow(left + w * 0.66, 148, left + w * 0.66, 192)
    p.text(x, 246, "Each element of the result: the upper 22 bits of its own element, then the lower 42 of the next.", "small soft")
    p.text(x, 266, "Counts from 64 on move whole elements first; without VBMI2 two shifts and an OR replace vpshldq.", "small soft")
    return p


def fields():
    p = Picture(880, 400, "Arrays of structures of three fields become three arrays, by blends and one permute for each")
    w, h, lanes, letters = 29, 27, 8, "xyz"
    memory = [[((8 * r + lane) % 3, (8 * r + lane) // 3) for lane in range(lanes)] for r in range(3)]
    collected = [[next(row[lane] for row in memory if row[lane][0] == f) for lane in range(lanes)] for f in range(3)]
    result = [[next(e for e in collected[f] if e[1] == i) for i in range(lanes)] for f in range(3)]
    xs = (32, 324, 616)
    for x, head, rows in zip(xs, ("three registers of memory", "blends: one field in each", "permutes: in order"),
                             (memory, collected, result)):
        p.text(x, 32, head, "head")
        for r, row in enumerate(rows):
            p.row(x, 50 + r * 42, w, h, [(f, f"{letters[f]}{i}") for f, i in row])
    for x in xs[1:]:
        p.right(x - 50, 50 + 42 + h / 2, x - 10)
    p.text(32, 208, "Why it works: 3 is prime to the number of lanes, so the elements of one field sit in lanes that are all different.",
           "small soft")
    p.text(32, 228, "Blends keep lanes and cost little; one permute for each field sorts. Back: the same steps in reverse.", "small soft")
    p.text(32, 268, "x, of all three registers", "head")
    for r, row in enumerate(memory):
        for lane, (f, i) in enumerate(row):
            if f == 0:
                p.arrow(32 + (r * 8 + lane + 0.5) * w + r * 30, 312, 32 + (i + 0.5) * w + 262, 364)
        p.row(32 + r * (8 * w + 30), 285, w, h, [(f if f == 0 else None, f"{letters[f]}{i}") for f, i in row])
    p.row(32 + 262, 364, w, h, [(0, f"x{i}") for i in range(8)])
    return p


def row_mirror():
    p = Picture(880, 330, "DPP row_mirror of 64 GPU lanes is one permute of four registers")
    x, w = 32, 51
    p.text(x, 30, "v_mov_b32_dpp v1, v0 row_mirror: lane i of a row of 16 reads lane 15 - i", "head")
    p.row(x, 44, w, 26, [(i // 4, i) for i in range(16)])
    moved(p, x, 70, 146, w, [15 - i for i in range(16)])
    p.row(x, 146, w, 26, [((15 - i) // 4, 15 - i) for i in range(16)])
    p.text(x, 206, "A wave is four rows: four zmm registers, one vpermd each, all by the same index (WaveMove::in_row)", "head")
    for r in range(4):
        left = x + r * 207
        for lane in range(16):
            p.cell(left + lane * 12.2, 222, 12.2, 22, lane // 4)
            p.cell(left + lane * 12.2, 274, 12.2, 22, (15 - lane) // 4)
        p.frame(left, 222, 16 * 12.2, 22)
        p.frame(left, 274, 16 * 12.2, 22)
        p.arrow(left + 8 * 12.2, 244, left + 8 * 12.2, 274)
        p.text(left + 8 * 12.2, 316, f"lanes {16 * r} to {16 * r + 15}", "mid small soft")
    return p


PICTURES = {"registers": registers, "lanes-and-across": lanes_and_across, "two-sources": two_sources,
            "compress-expand": compress_expand, "transpose": transpose, "transpose-reduce": transpose_reduce,
            "wide-shift": wide_shift, "fields": fields, "row-mirror": row_mirror}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    check = len(arguments) < len(sys.argv) - 1
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1] / "docs" / "images" / "lanes"
    drawn = {f"{name}.svg": draw().svg() for name, draw in PICTURES.items()}
    if not check:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in drawn.items():
            (folder / name).write_text(text)
        return
    there = {path.name: path.read_text() for path in folder.glob("*.svg")}
    stale = sorted(name for name in drawn.keys() | there.keys() if drawn.get(name) != there.get(name))
    if stale:
        sys.exit(f"{folder}: {', '.join(stale)}: not what scripts/lanes-pictures.py draws; run it")


if __name__ == "__main__":
    main()
