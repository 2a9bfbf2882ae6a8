"""Steps: cells that a technique fills on a board, with a sentence that explains why."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from binairo_cp.deduction.faults import Fault
from binairo_cp.deduction.position import PlacedStrip, Values
from binairo_cp.deduction.techniques import Deduction, Detail, Level, Technique
from binairo_cp.deduction.wording import Phrase, Words, a_nth, cardinal, listed, numbered
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
        phrase: The explanation for players, as a template and its fields.
        compared: The full lines that the line must differ from, if that is a reason.
        chain: For a trial: what follows from the wrong value, up to the broken rule.
    """

    technique: str
    level: Level
    values: Values = field(hash=False)
    line: str
    reason: tuple[Cell, ...]
    phrase: Phrase = field(hash=False, repr=False)
    compared: tuple[str, ...] = ()
    chain: Chain | None = None

    @property
    def sentence(self) -> str:
        """The explanation for players, in one or two sentences."""
        assignments = (
            Phrase(("assignment",), {"cell": str(cell), "value": value}).sentence()
            for cell, value in self.values.items()
        )
        return self.phrase.sentence(
            cells=listed(self.values),
            value=next(iter(self.values.values())),
            result=listed(assignments),
        )

    def only(self, cells: Container[Cell]) -> Step:
        """The same step for some of its cells."""
        values = {cell: value for cell, value in self.values.items() if cell in cells}
        return self if len(values) == len(self.values) else replace(self, values=values)

    def __str__(self) -> str:
        """The explanation, and for a trial the numbered steps of its chain on further lines."""
        chain = numbered(self.chain) if self.chain else ()
        return "\n".join((self.sentence, *(f"  {line}" for line in chain)))

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
            **({"compared": list(self.compared)} if self.compared else {}),
            "reason": list(map(list, self.reason)),
            "sentence": self.sentence,
            **({"chain": self.chain.to_dict()} if self.chain else {}),
        }


@dataclass(frozen=True, slots=True)
class Chain:
    """What follows from a tried value, up to a broken rule.

    Attributes:
        cell: The cell that is tried.
        value: The value that is tried in it.
        steps: The consequences in order; a step may have a chain of its own.
        broken: The rule that they break.
    """

    cell: Cell
    value: str
    steps: tuple[Step, ...]
    broken: Fault

    @property
    def values(self) -> Values:
        """The tried value and its consequences."""
        return {self.cell: self.value} | {
            cell: value for step in self.steps for cell, value in step.values.items()
        }

    @property
    def reason(self) -> tuple[Cell, ...]:
        """The cells from which the chain follows, besides the tried one."""
        used = {*self.broken.cells, *(cell for step in self.steps for cell in step.reason)}
        return tuple(sorted(used - self.values.keys()))

    @property
    def lines(self) -> frozenset[str]:
        """The lines that the chain looks at."""
        return frozenset(
            (
                *self.broken.lines,
                *(line for step in self.steps for line in (step.line, *step.compared) if line),
                *(line for step in self.steps if step.chain for line in step.chain.lines),
            )
        )

    @property
    def size(self) -> int:
        """The number of steps, with those of chains within the chain."""
        return sum(1 + (step.chain.size if step.chain else 0) for step in self.steps)

    @property
    def sentence(self) -> str:
        """What is tried."""
        fields = {"tried": str(self.cell), "symbol": self.value}
        return Phrase(("contradiction",), fields).sentence()

    def to_dict(self) -> dict[str, Any]:
        """The field ``chain`` of a step in a result record."""
        return {
            "cell": list(self.cell),
            "value": self.value,
            "sentence": self.sentence,
            "steps": [step.to_dict() for step in self.steps],
            "broken": self.broken.to_dict(),
        }


def step_of(technique: Technique, line: PlacedStrip, deduction: Deduction) -> Step:
    """Turn a deduction in a line into a step on the board."""
    values = {
        line.cell(place): value
        for place, value in zip(deduction.places, deduction.values, strict=True)
    }
    others = [PlacedStrip(line.direction, number, line.strip) for number in deduction.others]
    reason = (
        *(line.cell(place) for place in deduction.reason),
        *(other.cell(place) for other in others for place in range(len(line.strip.values))),
    )
    compared = tuple(map(str, others))
    phrase = Phrase((deduction.template,), _fields(line, deduction, reason, compared))
    return Step(technique.name, technique.level, values, str(line), reason, phrase, compared)


def refutation(technique: Technique, chain: Chain, values: Values, **more: str) -> Step:
    """Turn a chain into the step that fills what must hold instead.

    Args:
        technique: The technique that has found the chain.
        chain: The chain.
        values: The cells to fill.
        more: Further fields of the sentence of the technique.
    """
    fault, steps = chain.broken, chain.steps
    fields = fault.fields | {"steps": cardinal(len(steps))} | more
    fields |= {"tried": str(chain.cell), "symbol": chain.value}
    phrase = Phrase((technique.name, f"{fault.kind}.{'later' if steps else 'now'}"), fields)
    return Step(technique.name, technique.level, values, "", chain.reason, phrase, chain=chain)


def _fields(
    line: PlacedStrip, deduction: Deduction, reason: tuple[Cell, ...], compared: tuple[str, ...]
) -> dict[str, str]:
    """The fields of the sentence of a technique, without those for the cells that it fills."""
    longest = line.strip.rules.longest_run
    fields: dict[str, str] = {
        "reason": listed(reason),
        "compared": listed(compared, "or"),
        "line": str(line),
        "Line": str(line).capitalize(),
        "symbol": "10"[int(deduction.values[0])],
        "a_third": a_nth(longest + 1),
        "too_many": cardinal(longest + 1),
    }
    return fields | {name: _detail(detail, line) for name, detail in deduction.details}


def _detail(detail: Detail, line: PlacedStrip) -> str:
    """A further field of a sentence in words."""
    if isinstance(detail, str):
        return listed(detail.split(), "or") if " " in detail else Words(detail, 1)
    if isinstance(detail, int):
        return cardinal(detail)
    return listed(
        line.cell(each) if isinstance(each, int) else _span(each, line) for each in detail
    )


def _span(places: Iterable[int], line: PlacedStrip) -> str:
    """The first and the last cell of consecutive places."""
    first, *_, last = map(line.cell, places)
    return Phrase(("span",), {"first": str(first), "last": str(last)}).sentence()
