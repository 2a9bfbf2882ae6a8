"""Faults: rules that the values of some cells break, and how a player would say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.wording import Cells, Lines, Number, Phrase, Symbol, Term
from binairo_cp.puzzle.board import Cell
from binairo_cp.puzzle.rules import RuleName

FaultKind = Literal["run", "count", "sign", "identical"]

RULES: dict[FaultKind, RuleName] = {
    "run": "no triple",
    "count": "balance",
    "sign": "sign",
    "identical": "distinct lines",
}
"""The rule that each kind of fault breaks."""


def rule_record(
    kind: FaultKind, lines: tuple[str, ...], cells: tuple[Cell, ...], sentence: str
) -> dict[str, Any]:
    """A rule about some lines and cells, as in a result record."""
    return {
        "rule": RULES[kind],
        "lines": list(lines),
        "cells": list(map(list, cells)),
        "sentence": sentence,
    }


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken rule.

    Attributes:
        kind: Which rule is broken, and the name of its sentence in `messages.TEMPLATES`.
        lines: The line that breaks it, or the two lines that are the same.
        cells: The cells that break it.
        symbol: The symbol that there is too much of, or the relation of the sign.
        most: How many of it there may be.
        style: How its sentence is written.
    """

    kind: FaultKind
    lines: tuple[str, ...]
    cells: tuple[Cell, ...]
    symbol: str = ""
    most: int = 0
    style: Style = field(default=USUAL, compare=False)

    @property
    def fields(self) -> dict[str, Term | str]:
        """The fields of its sentences."""
        return {
            "line": Lines(self.lines[:1], "broken"),
            "lines": Lines(self.lines, "lines"),
            "number": Number(len(self.cells)),
            "broken": Symbol(self.symbol),
            "relation": self.symbol,
            "most": Number(self.most),
            "broken_cells": Cells(self.cells),
        }

    @property
    def sentence(self) -> str:
        """What is wrong."""
        return Phrase((self.kind,), self.fields).sentence(self.style)

    @property
    def mistake(self) -> Phrase:
        """The same about a board that somebody fills."""
        return Phrase((f"mistake.{self.kind}",), self.fields)

    def to_dict(self) -> dict[str, Any]:
        """The field ``broken`` of a chain in a result record."""
        return rule_record(self.kind, self.lines, self.cells, self.sentence)
