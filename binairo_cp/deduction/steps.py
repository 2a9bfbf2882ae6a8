"""Steps: cells that a technique fills on a board, with a sentence that explains why."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from binairo_cp.deduction.messages import TEMPLATES
from binairo_cp.deduction.named_rules import NamedRule
from binairo_cp.deduction.position import BrokenRule, PlacedStrip, Values
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.techniques import Deduction, Detail, Level, Technique
from binairo_cp.deduction.wording import (
    After,
    Assigned,
    Cells,
    Conclusion,
    Counted,
    LineNames,
    Number,
    Phrase,
    SignedCells,
    Spans,
    Symbol,
    Term,
    Ways,
    numbered,
    rules_listed,
    technique_name,
)
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
        support: For a smallest explanation: the rules that imply it with the reason.
        lemma: The number of the lemma that it states or uses.
        depth: The number of rounds in which the step is found: for a contradiction those until a
            rule is broken, and one more; for all others 1.
        style: How its sentences are written.
    """

    technique: str
    level: Level
    values: Values = field(hash=False)
    line: str
    reason: tuple[Cell, ...]
    phrase: Phrase = field(hash=False, repr=False)
    compared: tuple[str, ...] = ()
    chain: Chain | None = None
    support: Support | None = None
    lemma: int | None = None
    depth: int = 1
    style: Style = field(default=USUAL, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the technique in the language of the sentences."""
        return technique_name(self.technique, self.style.language)

    @property
    def sentence(self) -> str:
        """The explanation for players, in one or two sentences."""
        lemma = str(self.lemma)
        if self.chain:
            phrase = _with_linked(self.phrase, self.values, self.chain.cell)
            return phrase.sentence(self.style, lemma=lemma)
        templates = self.phrase.templates
        if len({*self.values.values()}) > 1 and (both := f"{templates[-1]}.both") in TEMPLATES:
            templates = (*templates[:-1], both)
        phrase = Phrase(templates, self.phrase.fields)
        return phrase.sentence(self.style, **_filled_fields(self.values), lemma=lemma)

    @property
    def spans(self) -> tuple[tuple[Cell, Cell], ...]:
        """The first and the last of neighbouring cells that the sentence is about."""
        fields = self.phrase.fields
        if isinstance(pairs := fields.get("pairs"), Spans):
            return pairs.spans
        first, last = fields.get("first"), fields.get("last")
        if isinstance(first, Cells) and isinstance(last, Cells):
            return ((first.cells[0], last.cells[0]),)
        return ()

    @property
    def size(self) -> int:
        """The number of steps: this one, and those of its chain."""
        return 1 + (self.chain.size if self.chain else 0)

    def only(self, cells: Container[Cell]) -> Step:
        """The same step for some of its cells."""
        values = {cell: value for cell, value in self.values.items() if cell in cells}
        if len(values) == len(self.values):
            return self
        return replace(self, values=values, phrase=_with_run(self.phrase, values))

    def in_style(self, style: Style) -> Step:
        """The same step with its sentences in a style."""
        chain = self.chain and self.chain.in_style(style)
        support = self.support and self.support.in_style(style)
        return replace(self, chain=chain, support=support, style=style)

    def __str__(self) -> str:
        """The explanation; on further lines the steps of a chain, and the rules of a support."""
        chain = numbered(self.chain) if self.chain else ()
        support = rules_listed(self.support) if self.support else ()
        return "\n".join((self.sentence, *(f"  {line}" for line in (*chain, *support))))

    def __repr__(self) -> str:
        return f"<Step {self.technique}: {self.sentence}>"

    def to_dict(self) -> dict[str, Any]:
        """The fields of an element of ``steps`` in a result record, without its round."""
        from binairo_cp.formats import results

        fields = results.record_of(results.StepRecord, self).to_dict()
        return {name: value for name, value in fields.items() if name != "round"}


MOST_OBVIOUS = 4
"""Of an explanation of so many rules and cells, nobody asks whether there is a smaller one."""


@dataclass(frozen=True, slots=True)
class Support:
    """The rules that imply a step, together with some known cells: its reason, or `cells`.

    No rule and no cell can be dropped.

    Attributes:
        constraints: The rules: single constraints of the puzzle.
        size: The number of rules and cells.
        smallest: Whether it is proved that no smaller set implies any open cell.
        cells: The known cells of the set, if the reason of the step is others.
        style: How its sentence is written.
    """

    constraints: tuple[NamedRule, ...]
    size: int
    smallest: bool
    cells: tuple[Cell, ...] = ()
    style: Style = field(default=USUAL, compare=False, repr=False)

    def in_style(self, style: Style) -> Support:
        """The same support with its sentences in a style."""
        constraints = tuple(replace(constraint, style=style) for constraint in self.constraints)
        return replace(self, constraints=constraints, style=style)

    @property
    def sentence(self) -> str:
        """The size in words."""
        rules = len(self.constraints)
        parts = Counted((("known", self.size - rules), ("rules", rules)))
        template = "size.proved" if self.smallest else "size.found"
        template = template if self.size > MOST_OBVIOUS else "size"
        named = bool(self.cells) and self.style.coordinates != "none"
        phrase = Phrase((template, *("size.cells",) * named), {"known": Cells(self.cells)})
        return phrase.sentence(self.style, size=str(self.size), parts=parts)


@dataclass(frozen=True, slots=True)
class Chain:
    """What follows from a tried value, up to a broken rule.

    Attributes:
        cell: The cell that is tried.
        value: The value that is tried in it.
        steps: The consequences in order; a step may have a chain of its own.
        broken: The rule that they break.
        style: How its sentences are written.
        others: For a lemma: further cells that are tried with it, with their values.
    """

    cell: Cell
    value: str
    steps: tuple[Step, ...]
    broken: BrokenRule
    style: Style = field(default=USUAL, compare=False)
    others: Values = field(default_factory=dict, hash=False)

    def in_style(self, style: Style) -> Chain:
        """The same chain with its sentences in a style."""
        steps = tuple(step.in_style(style) for step in self.steps)
        return replace(self, steps=steps, broken=replace(self.broken, style=style), style=style)

    @property
    def tried(self) -> Values:
        """The tried values."""
        return {self.cell: self.value} | self.others

    @property
    def values(self) -> Values:
        """The tried values and their consequences."""
        return self.tried | values_of(self.steps)

    @property
    def reason(self) -> tuple[Cell, ...]:
        """The cells from which the chain follows, besides the tried one."""
        used = {*self.broken.cells, *(cell for step in self.steps for cell in step.reason)}
        return tuple(sorted(used - self.values.keys()))

    @property
    def lines(self) -> frozenset[str]:
        """The lines that the chain looks at."""
        return lines_of(self.steps, self.broken)

    @property
    def size(self) -> int:
        """The number of steps, with those of chains within the chain."""
        return sum(step.size for step in self.steps)

    @property
    def sentence(self) -> str:
        """What is tried."""
        if self.others:
            assigned = Assigned(tuple(self.tried.items()))
            return Phrase(("lemma.tried",), {"assigned": assigned}).sentence(self.style)
        tried, symbol = Cells((self.cell,)), Symbol(self.value)
        return Phrase(("contradiction",), {"tried": tried, "symbol": symbol}).sentence(self.style)


def values_of(steps: Iterable[Step]) -> Values:
    """What some steps fill."""
    return {cell: value for step in steps for cell, value in step.values.items()}


def lines_of(steps: Iterable[Step], broken: BrokenRule) -> frozenset[str]:
    """The lines that steps to a broken rule look at."""
    return frozenset(
        (
            *broken.lines,
            *(line for step in steps for line in (step.line, *step.compared) if line),
            *(line for step in steps if step.chain for line in step.chain.lines),
        )
    )


def step_of(technique: Technique, line: PlacedStrip, deduction: Deduction) -> Step:
    """Turn a deduction in a line into a step on the board."""
    values = dict(zip(map(line.cell, deduction.places), deduction.values, strict=True))
    others = [PlacedStrip(line.direction, number, line.strip) for number in deduction.others]
    reason = (
        *(line.cell(place) for place in deduction.reason),
        *(other.cell(place) for other in others for place in range(len(line.strip.values))),
    )
    compared = tuple(map(str, others))
    fields: dict[str, Term | str] = {
        "reason": Cells(reason),
        "compared": LineNames(compared, "compared", "or"),
        "line": LineNames((str(line),)),
        "symbol": Symbol(opposite(deduction.values[0])),
        "too_many": Number(line.strip.rules.longest_run + 1),
        **{name: _detail(detail, line) for name, detail in deduction.details},
    }
    phrase = _with_run(Phrase(deduction.templates, fields), values)
    return Step(technique.name, technique.level, values, str(line), reason, phrase, compared)


def refutation(technique: Technique, chain: Chain, values: Values, **more: Term) -> Step:
    """The step that fills what must hold instead; `more` are further fields of its sentence."""
    fault = chain.broken
    fields: dict[str, Term | str] = {
        **fault.fields,
        "then": After(len(chain.steps)),
        "tried": Cells((chain.cell,)),
        "symbol": Symbol(chain.value),
        "value": Symbol(opposite(chain.value)),
    }
    end = "count.now" if fault.kind == "count" and not chain.steps else f"{fault.kind}.then"
    phrase = Phrase((technique.name, end), fields | more)
    return Step(technique.name, technique.level, values, "", chain.reason, phrase, chain=chain)


def _with_linked(phrase: Phrase, values: Values, tried: Cell) -> Phrase:
    """The phrase of a trial, with a sentence about the cells that signs link to the tried one."""
    linked = {cell: values[cell] for cell in sorted(values) if cell != tried}
    if not linked:
        return phrase
    known = set(linked.values())
    fields = _filled_fields(linked)
    fields |= {"linked": Cells(tuple(linked)), "linked_value": Symbol(min(known))}
    del fields["cells"], fields["value"]
    template = "linked.same" if len(known) == 1 else "linked.mixed"
    return Phrase((*phrase.templates, template), {**phrase.fields, **fields})


def _with_run(phrase: Phrase, values: Values) -> Phrase:
    """The phrase with the ends of a run that all cells are outside of; of all runs if none is."""
    runs = phrase.fields.get("runs")
    if not isinstance(runs, Spans):
        return phrase
    outside = [
        (first, last)
        for first, last in runs.spans
        if not any(first <= cell <= last for cell in values)
    ]
    (first, _), *_, (_, last) = 2 * (outside[:1] or [*runs.spans])
    ends = {"first": Cells((first,)), "last": Cells((last,))}
    template = "last one" if outside else "last one.between"
    return Phrase((template,), {**phrase.fields, **ends})


def _filled_fields(values: Values) -> dict[str, Term | str]:
    cells, value = Cells(tuple(values)), Symbol(next(iter(values.values()), ""))
    return {
        "cells": cells,
        "value": value,
        "so": Conclusion(cells, value),
        "zeros": Cells(tuple(cell for cell in values if values[cell] == "0")),
        "ones": Cells(tuple(cell for cell in values if values[cell] == "1")),
    }


def _detail(detail: Detail, line: PlacedStrip) -> Term:
    if isinstance(detail, str):
        return Ways(tuple(detail.split()))
    if isinstance(detail, int):
        return Number(detail)
    spans: list[Any] = [part for part in detail if not isinstance(part, int)]
    if spans and isinstance(spans[0][1], str):
        signs = ((line.cell(place), line.cell(place + 1), sign) for place, sign in spans)
        return SignedCells(tuple(signs))
    if spans:
        return Spans(tuple((line.cell(span[0]), line.cell(span[-1])) for span in spans))
    return Cells(tuple(line.cell(part) for part in detail if isinstance(part, int)))
