"""Draw the pictures of the README and of docs/: ``python -m docs.board_pictures``.

They are the boards of deduction.md and how-it-works.md, a puzzle with its next step and its
solution, and two charts from benchmarks/results.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

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
    drawn["growth.svg"] = growth()
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
    rows = {
        row["tool"]: row for row in _results("against")["irreducible 10x10, distinct lines: filled"]
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


def growth() -> bytes:
    """The time of a check by side and backend: lines on a logarithmic scale of time."""
    tables = _results("growth")
    rows = [
        row
        for title, table in tables.items()
        if title.startswith(("irreducible", "large"))
        for row in table
        if row["unknown"] != row["number"]
    ]
    parts = []
    for power in range(-2, 5):
        y = _height(10.0**power)
        label = f"{10**power} ms" if power < 3 else f"{10 ** (power - 3)} s"
        parts += [
            f'<path d="M{_LABELS} {y}H{_LABELS + 5 * 100}" stroke="#dde3e8"/>',
            f'<text x="{_LABELS - 8}" y="{y + 4}" text-anchor="end" {_STYLE}>{label}</text>',
        ]
    for side in range(20, 101, 20):
        x, y = _LABELS + 5 * side, _height(0.01) + 20
        parts.append(f'<text x="{x}" y="{y}" text-anchor="middle" {_STYLE}>{side}x{side}</text>')
    for place, (backend, ink) in enumerate(_INKS.items()):
        points = [
            f"{_LABELS + 5 * row['side']} {_height(row['median ms'])}"
            for row in rows
            if row["backend"] == backend
        ]
        x, y = _LABELS + 5 * 100 + 12, 30 + place * _ROW
        parts += [
            f'<path d="M{"L".join(points)}" fill="none" stroke="{ink}" stroke-width="2"/>',
            f'<text x="{x}" y="{y}" fill="{ink}" {_STYLE}>{backend}</text>',
        ]
    title = "CPU time of a check by the side of the board (logarithmic)"
    return _svg(_LABELS + 5 * 100 + 110, _height(0.01) + 30, title, *parts)


_INKS = {
    "auto": "#1f5fa8",
    "bitboard": "#b3541e",
    "cpsat": "#2b8a57",
    "backtracking": "#777777",
}


def _height(milliseconds: float) -> float:
    return round(12 + 45 * (4 - math.log10(milliseconds)), 1)


def _results(name: str) -> dict[str, list[dict[str, Any]]]:
    """The tables of a benchmark by title."""
    folder = Path(__file__).parents[1] / "benchmarks/results"
    return json.loads((folder / f"{name}.json").read_text())["tables"]  # type: ignore[no-any-return]


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
