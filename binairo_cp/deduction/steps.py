"""Steps: what follows on a board, by which technique, and why in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.deduction.position import PlacedStrip, Values
from binairo_cp.deduction.techniques import Deduced, Level, Technique
from binairo_cp.puzzle.board import Cell


@dataclass(frozen=True, slots=True)
class Step:
    """Something that follows.

    Attributes:
        technique: how it is seen.
        level: how hard that is.
        values: the cells that are filled by it, with their values.
        line: the line that it is seen in, such as ``row 3``; empty if in none.
        reason: the cells that it follows from.
        sentence: why, for people.
    """

    technique: str
    level: Level
    values: Values
    line: str
    reason: tuple[Cell, ...]
    sentence: str


def step_of(technique: Technique, line: PlacedStrip, deduced: Deduced) -> Step:
    """What follows in a line, as a step on the board."""
    values = {
        line.cell(place): value for place, value in zip(deduced.places, deduced.values, strict=True)
    }
    reason = tuple(line.cell(place) for place in deduced.reason)
    words = dict(deduced.words)
    for name in ("run", "pairs"):
        if name in words:
            words[name] = _named(words[name], line)
    value = deduced.values[0]
    other = "" if deduced.other is None else f"{line.direction} {deduced.other + 1}"
    sentence = technique.sentence.format(
        **({"number": "", "run": "", "pairs": "", "sign": "", "why": ""} | words),
        cells=cells_named(values),
        are="is" if len(values) == 1 else "are",
        reason=cells_named(reason),
        line=str(line),
        Line=str(line).capitalize(),
        other=other,
        value=value,
        symbol=_symbol(technique, line, deduced),
    )
    return Step(technique.name, technique.level, values, str(line), reason, sentence)


def cells_named(cells: Values | tuple[Cell, ...]) -> str:
    """Cells as words."""
    *first, last = map(str, cells) if cells else [""]
    return f"{', '.join(first)} and {last}" if first else last


def _symbol(technique: Technique, line: PlacedStrip, deduced: Deduced) -> str:
    """The symbol that the sentence speaks of: the other one, or that of the cell beside a sign."""
    if technique.name == "sign":
        return line.strip.values[deduced.reason[0]]
    return "10"[int(deduced.values[0])]


def _named(spans: str, line: PlacedStrip) -> str:
    """Spans of places, as techniques tell them, with the names of the cells."""
    return " and ".join(
        "-".join(str(line.cell(int(place))) for place in (span.split(",")[0], span.split(",")[-1]))
        for span in spans.split(" and ")
    )
