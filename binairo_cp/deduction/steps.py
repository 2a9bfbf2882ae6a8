"""Steps: cells that a technique fills on a board, with a sentence that explains why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from binairo_cp.deduction.position import PlacedStrip, Values
from binairo_cp.deduction.techniques import Deduction, Level, Technique
from binairo_cp.deduction.wording import cardinal, one_more
from binairo_cp.puzzle.board import Cell
from binairo_cp.puzzle.html import Sentences


@dataclass(frozen=True, slots=True)
class Step(Sentences):
    """A logical step.

    Attributes:
        technique: The name of the technique.
        level: The level of the technique.
        values: The cells that the step fills, with their values.
        line: The line that it looks at, such as ``row 3``; empty if it is not about one line.
        reason: The cells that it follows from.
        sentence: The explanation for players.
    """

    technique: str
    level: Level
    values: Values = field(hash=False)
    line: str
    reason: tuple[Cell, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Step {self.technique}: {self.sentence}>"

    def to_dict(self) -> dict[str, Any]:
        """The fields of an element of ``steps`` in a result record, without its round."""
        return {
            "technique": self.technique,
            "level": self.level,
            "cells": list(map(list, self.values)),
            "values": "".join(self.values.values()),
            **({"line": self.line} if self.line else {}),
            "reason": list(map(list, self.reason)),
            "sentence": self.sentence,
        }


def step_of(technique: Technique, line: PlacedStrip, deduction: Deduction) -> Step:
    """Turn a deduction in a line into a step on the board."""
    values = {
        line.cell(place): value
        for place, value in zip(deduction.places, deduction.values, strict=True)
    }
    reason = tuple(line.cell(place) for place in deduction.reason)
    sentence = technique.sentence.format(**_fields(line, deduction, values, reason))
    return Step(technique.name, technique.level, values, str(line), reason, sentence)


def _fields(
    line: PlacedStrip, deduction: Deduction, values: Values, reason: tuple[Cell, ...]
) -> dict[str, str]:
    """The fields of the sentence of a technique."""
    value, longest = deduction.values[0], line.strip.rules.longest_run
    symbol = "10"[int(value)]
    fields = {
        "cells": cells_named(values),
        "are": "is" if len(values) == 1 else "are",
        "assignments": listed([f"{cell} is {each}" for cell, each in values.items()]),
        "reason": cells_named(reason),
        "reason_are": {1: "is", 2: "are both"}.get(len(reason), "are all"),
        "them": "it" if len(reason) == 1 else "them",
        "line": str(line),
        "Line": str(line).capitalize(),
        "other": "" if deduction.other is None else f"{line.direction} {deduction.other + 1}",
        "value": value,
        "symbol": symbol,
        "one_more": one_more(longest, symbol),
        "too_many": cardinal(longest + 1),
    }
    for name, text in deduction.fields:
        fields[name] = text.format(**fields)
    for name, spans in deduction.spans:
        fields[name] = listed([_span_named(span, line) for span in spans])
    return fields


def cells_named(cells: Values | tuple[Cell, ...]) -> str:
    """List cells in words."""
    return listed(list(map(str, cells)))


def listed(words: list[str]) -> str:
    """List words with commas and a final "and"."""
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _span_named(span: tuple[int, ...], line: PlacedStrip) -> str:
    """The first and the last cell of consecutive places."""
    return f"{line.cell(span[0])}-{line.cell(span[-1])}"
