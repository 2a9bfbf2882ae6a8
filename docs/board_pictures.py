"""Draw the pictures of the README and of docs/: ``python -m docs.board_pictures``.

They are the boards of deduction.md and how-it-works.md, a puzzle with its next step and its
solution, and a chart of the speed of several tools from benchmarks/results.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import binairo_cp as bn

FOLDER = Path(__file__).parent / "boards"
CELL = 26
PUZZLE = "..10.....0.11...0....11..0...10....."

TECHNIQUES = {
    "pair": "11.1.........1.0....0..01..........0",
    "sandwich": "1101.........1.0....0..01..........0",
    "count": "110100.0...101.0.11001.010..0101..10",
    "last one": "110100.0...1.1.0.1..0..01....1.....0",
    "two open": ".1001...101.0011011.010.1..0100..101",
    "distinct lines": "..10...101..101010010101..01.0..101.",
}
"""A board for each technique, on which it gives the next step."""


TOOLS = {
    "binairo_cp": "auto",
    "puzzlekit": "puzzlekit",
    "clingo": "clingo",
    "cpmpy": "cpmpy",
    "MiniZinc": "minizinc",
}
"""The tools of the chart, and their names in the results."""

_ROW, _LABELS, _WIDTH, _FIGURES = 26, 92, 430, 96
_STYLE = 'font-family="\'DejaVu Sans\',Verdana,Arial,sans-serif" font-size="13"'
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def name_of(technique: str) -> str:
    """The file of a technique."""
    return f"{technique.replace(' ', '-')}.svg"


def pictures() -> dict[str, bytes]:
    """All pictures by name."""
    drawn = {
        name_of(technique): bn.render(board, to="svg", hint=True, cell=CELL).encode()
        for technique, board in TECHNIQUES.items()
    }
    drawn["front.svg"] = front()
    drawn["speed.svg"] = speed()
    drawn["puzzle.svg"] = bn.render(PUZZLE, to="svg", cell=CELL).encode()
    drawn["solution.svg"] = bn.render(PUZZLE, to="svg", solution=True, cell=CELL).encode()
    return drawn


def front() -> bytes:
    """A puzzle with its next step, an arrow, and its solution."""
    boards = [
        bn.render(PUZZLE, to="svg", hint=True, cell=CELL),
        bn.render(PUZZLE, to="svg", solution=True, cell=CELL),
    ]
    sizes = [tuple(map(float, _SIZE.search(board).groups())) for board in boards]  # type: ignore[union-attr]
    gap, height = 70.0, max(size[1] for size in sizes)
    middle = sizes[0][0] + gap / 2
    width = sizes[0][0] + gap + sizes[1][0]
    first, second = (board.partition("?>\n")[2] for board in boards)
    across = sizes[1][1] / 2
    return _svg(
        width,
        height,
        "A puzzle with its next step, and its solution",
        first,
        f'<path d="M{middle - 20} {across}h34" stroke="#555" stroke-width="3"/>',
        f'<path d="M{middle + 12} {across - 8}l14 8l-14 8z" fill="#555"/>',
        second.replace("<svg ", f'<svg x="{width - sizes[1][0]}" ', 1),
    )


def speed() -> bytes:
    """Puzzles per second of several tools: bars on a logarithmic scale."""
    results = json.loads(
        (Path(__file__).parents[1] / "benchmarks/results/against.json").read_text()
    )
    rows = {
        row["tool"]: row for row in results["tables"]["irreducible 10x10, distinct lines: filled"]
    }
    rates = {name: 1000 / rows[tool]["median ms"] for name, tool in TOOLS.items()}
    most = math.log10(max(rates.values()))
    parts = []
    for place, (name, rate) in enumerate(rates.items()):
        y = place * _ROW + 4
        bar = round((_WIDTH - _LABELS - _FIGURES) * math.log10(rate) / most, 1)
        ink = "#1f5fa8" if place == 0 else "#9aa7b4"
        parts += [
            f'<text x="{_LABELS - 8}" y="{y + 14}" text-anchor="end" {_STYLE}>{name}</text>',
            f'<rect x="{_LABELS}" y="{y}" width="{bar}" height="{_ROW - 8}" fill="{ink}"/>',
            f'<text x="{_LABELS + bar + 6}" y="{y + 14}" {_STYLE}>{_rounded(rate):,}</text>',
        ]
    title = "10x10 puzzles solved per second, one at a time (logarithmic)"
    return _svg(_WIDTH, len(rates) * _ROW + 4, title, *parts)


def _rounded(rate: float) -> int:
    """The third digit is noise."""
    return int(round(rate, 1 - int(math.log10(rate))))


def _svg(width: float, height: float, title: str, *parts: str) -> bytes:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
    background = '<rect width="100%" height="100%" fill="#ffffff"/>'
    whole = [f'{opening} role="img">', f"<title>{title}</title>", background, *parts, "</svg>\n"]
    return "\n".join(whole).encode()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in pictures().items():
        (FOLDER / name).write_bytes(content)
