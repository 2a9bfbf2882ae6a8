"""Write result records as text, as one line each, or as NDJSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from binairo_cp.formats.record_base import to_json
from binairo_cp.formats.results import (
    CluesRecord,
    FewestRecord,
    Finding,
    GradeRecord,
    RepairRecord,
    ResultRecord,
    StepRecord,
)
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.solving.solutions import Verb, Verdict

Form = Literal["text", "line", "ndjson"]

_DIFFERS, _SAME = "^", " "
_MOST_CELLS_NAMED = 24
_MOST_WAYS_NAMED = 12
_STOPPED = "time limit reached"


class Reader(NamedTuple):
    """What is known about who reads the text of a record.

    Attributes:
        has_one: there is a single puzzle, which needs no number.
        options: those of the analyses, for a terminal, which shows boards; None elsewhere.
        width: that of the terminal, where sentences are broken between words.
    """

    has_one: bool = False
    options: Mapping[str, Any] | None = None
    width: int = 80


ANYBODY = Reader()


def written(record: ResultRecord, form: Form, verb: Verb, reader: Reader = ANYBODY) -> str:
    """A record as text, including the line end."""
    if form == "ndjson":
        return record.to_json() + "\n"
    if not (record.id.isprintable() and record.source.isprintable()):
        record = replace(record, id=printable(record.id), source=printable(record.source))
    if form == "line":
        return _line(record, verb)
    if reader.has_one and record.id == "1":
        record = replace(record, id="", line=record.line if record.error else None)
    if verb == "solve":  # The solutions in the text format, after the verdict as a comment.
        boards = record.solutions or ([record.solution] if record.solution else [])
        text = "".join(f"# {line}\n" for line in _text(record, verb).splitlines())
        text += "".join(f"{_grid(record, board)}\n\n" for board in boards)
    else:
        text = _text(record, verb, reader)
    if reader.options is None:
        return text
    lines = (_wrapped(line, reader.width) for line in text.splitlines(keepends=True))
    return "".join(lines) + _drawn(record, reader.options)


def _wrapped(line: str, width: int) -> str:
    """A line of a terminal, broken between words; rows of boards stay as they are."""
    if len(line) <= width or not any(map(str.isalpha, line)):
        return line
    # Imported here, because most output goes to files.
    from textwrap import TextWrapper

    wrapper = TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    wrapper.subsequent_indent = line[: len(line) - len(line.lstrip("# "))] + "  "
    return wrapper.fill(line) + "\n"


def one_word(level: str) -> str:
    """A level without blanks."""
    return level.replace(" ", "-")


def printable(text: str) -> str:
    """The text with control characters escaped, so that it can't change the terminal."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def _line(record: ResultRecord, verb: Verb) -> str:
    """``solution verdict id``, with ``-`` for the solution if there is none."""
    verdict: str = record.verdict
    if record.answered is not None and not record.error:
        return f"{_clue_line(record)} {record.id}".rstrip() + "\n"
    if verb == "count" and record.count is not None:
        verdict = f"{record.count}{'' if record.complete else '+'}"
    elif record.grade:
        verdict = one_word(record.grade.level)
    elif record.judgements is not None:
        judged = ",".join(judgement.judged for judgement in record.judgements)
        verdict = "mistake" if record.mistake else judged or verdict
    why = f" {place(record)}{record.error.kind}: {one_line(record)}" if record.error else ""
    return f"{record.solution or '-'} {verdict} {record.id}".rstrip() + why + "\n"


def _text(record: ResultRecord, verb: Verb, reader: Reader = ANYBODY) -> str:
    head = f"{place(record)}{record.id}{': ' * bool(record.id)}"
    if record.error:
        message = "\n".join(map(printable, record.error.message.splitlines()))
        # The message of an addition that failed begins with the verdict.
        verdict = "" if message.startswith(f"{record.verdict}, ") else f"{record.verdict}: "
        return f"{head}{verdict}{message}\n"
    if record.readings:
        verdicts = (
            f"{name} {_verdict(reading, verb)}" for name, reading in record.readings.items()
        )
        return f"{head}{', '.join(verdicts)}\n"
    if record.answered is not None:
        return f"{head}{_verdict(record, verb)}{_clue_text(record)}"
    if record.mistake:
        return f"{head}{_verdict(record, verb)}\n  {record.mistake.sentence}\n"
    if record.judgements is not None:
        return f"{head}{_verdict(record, verb)}\n{_judged(record)}"
    if record.grade or record.steps is not None:
        is_told = reader.options is not None and record.steps is None
        graded = ""
        if grade := record.grade:
            graded = _graded_in_words(grade, reader) if is_told else _graded(record, grade)
        return f"{head}{_verdict(record, verb)}{graded}\n{_path(record)}"
    kept = f", certificate in {printable(record.certificate)}" if record.certificate else ""
    said = "".join(
        f"  {name}: {printable(to_json(getattr(record, name)))}\n"
        for name, field in ResultRecord.__dataclass_fields__.items()
        if field.metadata.get("said") and getattr(record, name) is not None
    )
    return f"{head}{_verdict(record, verb)}{kept}\n{_reasons(record)}{said}"


def _judged(record: ResultRecord) -> str:
    from binairo_cp.deduction.messages import JUDGED
    from binairo_cp.deduction.wording import said, summary

    lines, language = [], record.language or "en"
    for judgement in record.judgements or ():
        is_forced = judgement.technique and judgement.judged == "forced"
        by = f" ({_named(judgement.technique or '', record)})" if is_forced else ""
        why = (f": {judgement.sentence}" if judgement.sentence else "").replace("\n", "\n  ")
        move = judgement.move or f"{Cell(*judgement.cell)}={judgement.value}"
        lines.append(f"  {move}: {said(JUDGED[judgement.judged], language)}{by}{why}\n")
    filled = summary("filled", 0, language, filled=record.filled, to_fill=record.to_fill)
    easy = summary("beginner", len(record.beginner_moves or ()), language)
    easy = "" if record.filled == record.to_fill else f"; {easy}"
    lines.append(f"  {filled}{easy}\n")
    return "".join(lines)


def _graded(record: ResultRecord, grade: GradeRecord) -> str:
    # Imported here and below, because most records have no grades or steps.
    from binairo_cp.deduction.grading import placed_by
    from binairo_cp.deduction.wording import said, summary
    from binairo_cp.rendering.texts import LEVELS

    language = record.language or "en"
    path = [(step.technique, len(step.cells)) for step in record.steps or ()]
    placed = placed_by(path) if path else grade.placed
    used = ", ".join(f"{_named(name, record)} {number}" for name, number in placed.items())
    more = summary("rounds", grade.rounds, language)
    more += f", {summary('narrowest', grade.narrowest, language)}" if grade.narrowest else ""
    more += f"; {summary('left', grade.left, language)}" if grade.left else ""
    more += f"; {summary('score', grade.score, language)}"
    if grade.longest_chain is not None:
        more += f"; {summary('chain', grade.longest_chain, language)}"
    if grade.over:
        more += f"; {summary('over', 0, language)}: {', '.join(grade.over)}"
    other = f"; {grade.published.scale}: {grade.published.level}" if grade.published else ""
    level = said(LEVELS[grade.level], language)
    return f", {level}: {used or summary('nothing', 0, language)}; {more}{other}"


def _graded_in_words(grade: GradeRecord, reader: Reader) -> str:
    used = [f"{name} {number}" for name, number in grade.placed.items()]
    rounds = f"{grade.rounds} round{'s' * (grade.rounds != 1)}"
    cells = sum(grade.placed.values())
    lines = [f"Logic fills {cells} cells in {rounds}: {', '.join(used)}."] if used else []
    if grade.narrowest:
        follow = "cell follows" if grade.narrowest == 1 else "cells follow"
        lines.append(f"At the narrowest place, only {grade.narrowest} {follow}.")
    if grade.left:
        lines.append(f"{grade.left} more cells need nested contradictions.")
    if grade.longest_chain:
        lines.append(f"The longest chain that refutes a value has {grade.longest_chain} steps.")
    if grade.over:
        lines.append(f"It exceeds: {', '.join(grade.over)}.")
    if grade.published:
        lines.append(f"In {grade.published.scale} its level is {grade.published.level}.")
    if reader.has_one:
        lines.append("The score estimates the time for a person: a usual 6x6 Tango has 100.")
    return f", {grade.level} (score {grade.score:.0f})" + "".join(f"\n  {line}" for line in lines)


def _drawn(record: ResultRecord, options: Mapping[str, Any]) -> str:
    """The board that a hint or redundant clues are about, with these marked; or nothing."""
    is_hint = record.mistake is not None or (record.steps is not None and "best" in options)
    if not (is_hint and record.grade is None) and not (record.needs and record.needs.spare):
        return ""
    if record.height is None or record.width is None or record.clues is None:
        return ""
    # Imported here, because other records need no pictures.
    from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Sign
    from binairo_cp.rendering.boards import Highlights, View
    from binairo_cp.rendering.terminal import draw

    clues = Board(record.height, record.width, record.clues)
    begun = options.get("board") or record.clues
    both = zip(record.clues, begun, strict=True)
    board = replace(clues, cells="".join(cell if clue == "." else clue for clue, cell in both))
    filled: dict[Cell, str] = {}
    reason: set[Cell] = set()
    for step in record.steps or ():
        filled |= {Cell(*cell): value for cell, value in zip(step.cells, step.values, strict=True)}
        reason |= {Cell(*cell) for cell in step.reason}
    for place in record.needs.spare if record.needs else ():
        filled[Cell(*place)] = clues[Cell(*place)]
    broken = frozenset(Cell(*cell) for cell in record.mistake.cells) if record.mistake else ()
    signs = tuple(Sign(*sign) for sign in record.signs or ())  # type: ignore[arg-type]  # they were checked
    marks = Highlights(filled, frozenset(reason), frozenset(), broken=frozenset(broken))
    view = View(Puzzle(clues, CLASSIC, signs), board, highlights=marks)
    style = {name: options[name] for name in ("symbols", "coordinates") if name in options}
    text = draw(replace(view, **style), colour=not os.environ.get("NO_COLOR"))
    return "".join(f"  {line}\n" for line in text.splitlines())


def _named(technique: str, record: ResultRecord) -> str:
    if record.language is None:
        return technique
    from binairo_cp.deduction.wording import technique_name

    return technique_name(technique, record.language)


def _path(record: ResultRecord) -> str:
    lines = [line for step in record.steps or [] for line in _step(step)]
    if record.broken:
        lines.append(f"  {record.broken.sentence}\n")
    is_ended = record.broken or record.steps_stopped_by
    if is_ended or (record.steps is not None and not record.steps):
        from binairo_cp.deduction.hints import closing_sentence
        from binairo_cp.deduction.styles import Style

        end = "refuted" if record.broken else "stopped" if is_ended else "no step"
        lines.append(f"  {closing_sentence(end, Style(record.language or 'en'))}\n")
    return "".join(lines)


def _step(step: StepRecord) -> Iterator[str]:
    yield f"  [{step.name or step.technique}] {step.sentence}\n"
    from binairo_cp.deduction.wording import numbered, rules_listed

    if step.chain:
        yield from (f"    {line}\n" for line in numbered(step.chain))
    if step.support:
        yield from (f"    {line}\n" for line in rules_listed(step.support))


def place(record: ResultRecord) -> str:
    """The position of the puzzle or of its error: file, line, column."""
    line, column = record.line, None
    if record.error and record.error.line:
        line, column = record.error.line, record.error.column
    parts = [record.source, line, column]
    return "".join(f"{part}:" for part in parts if part) + " " * bool(record.source)


def _verdict(finding: Finding, verb: Verb) -> str:
    if verb == "count" and finding.count is not None:
        number = f"{finding.count} solution{'s' * (finding.count != 1)}"
        return number if finding.complete else f"at least {number} ({_stopped(finding)})"
    if finding.verdict is Verdict.UNKNOWN:
        if finding.note:
            return f"unknown ({finding.note})"
        at_least = "; it has a solution" if finding.solution else ""
        return f"unknown ({_stopped(finding)}{at_least})"
    return f"{finding.verdict} ({finding.note})" if finding.note else str(finding.verdict)


def _stopped(finding: Finding) -> str:
    return {"limit": "limit reached", "time": "time limit reached"}.get(
        finding.stopped_by or "", "work limit reached"
    )


def _reasons(record: ResultRecord) -> str:
    lines = []
    if record.second_solution and record.solution and record.differences:
        first, second = (
            _grid(record, cells).splitlines() for cells in (record.solution, record.second_solution)
        )
        different = {tuple(cell) for cell in record.differences}
        for row, (one, two) in enumerate(zip(first, second, strict=True)):
            marks = "".join(_DIFFERS if (row, k) in different else _SAME for k in range(len(one)))
            lines += [f"  {one}   {two}"]
            lines += [f"  {marks}   {marks}".rstrip()] * bool(marks.strip())
    if record.backbone:
        board = _grid(record, record.backbone).splitlines()
        lines += ["  the same in all solutions:", *(f"  {line}" for line in board)]
    if record.contradiction is not None:
        # Imported here, because it loads solvers.
        from binairo_cp.solving.minimal_conflicts import conflict_in_words

        cells = [Cell(*place) for place in record.contradiction]
        lines.append(f"  {conflict_in_words(cells, record.contradiction_reason)}")
    return "".join(f"{line}\n" for line in lines)


def _grid(record: ResultRecord, cells: str) -> str:
    return str(Board(record.height or 1, record.width or 1, cells))


def one_line(record: ResultRecord) -> str:
    """The error message of a record on one line; empty without an error."""
    return printable(" ".join(record.error.message.split())) if record.error else ""


def _cells_of(finding: Finding) -> str | None:
    if finding.needs:
        return finding.needs.irreducible
    if finding.fewest:
        return finding.fewest.puzzle
    return finding.repair.puzzle if finding.repair else None


def _clue_line(record: ResultRecord) -> str:
    """The puzzle and its number of clues, or of those that were added (+) or dropped (-).

    If the number is not proved to be the minimum, a lower bound comes first: ``12..13``.
    """
    cells = _cells_of(record)
    if cells is None or record.height is None or record.width is None:
        return f"- {record.verdict}"
    size = "" if record.height == record.width else f"{record.height}x{record.width}:"
    if repair := record.repair:
        bound = "" if repair.proved else f"{repair.at_least}.."
        changes = len(repair.dropped or repair.added)
        return f"{size}{cells} {'-' if repair.dropped else '+'}{bound}{changes}"
    number = _clue_count(cells)
    bound = f"{record.fewest.at_least}.." if record.fewest and not record.fewest.proved else ""
    return f"{size}{cells} {bound}{number}"


def _clue_text(record: ResultRecord) -> str:
    summary, lines = "", list[str]()
    if record.needs:
        summary, lines = _needs(record, record.needs)
    elif record.helpful is not None:
        summary, lines = _helpful(record)
    elif record.fewest:
        fewest, all_clues = record.fewest, f"its {_clue_count(record.clues or '')} clues"
        of = "all cells" if fewest.among == "all cells" else all_clues
        summary = f"{fewest.at_most} of {of} are enough ({_bound(fewest)})"
    elif record.repair:
        summary, lines = _repair(record, record.repair)
    elif record.verdict is not Verdict.UNKNOWN:
        summary = _nothing(record)
    cells = _cells_of(record)
    if cells and cells != record.clues:
        lines += str(Board(record.height or 1, record.width or 1, cells)).splitlines()
    return f"{', ' * bool(summary)}{summary}\n" + "".join(f"  {line}\n" for line in lines)


def _nothing(record: ResultRecord) -> str:
    if not record.answered:
        return _STOPPED
    if record.contradiction is not None:
        return "the rules and signs allow no solution, even without clues"
    return "so no subset of its clues is enough" if record.verdict is Verdict.MULTIPLE else ""


def _needs(record: ResultRecord, needs: CluesRecord) -> tuple[str, list[str]]:
    clues = len(needs.needed) + len(needs.spare)
    if not needs.spare:
        return f"none of its {clues} clues can be removed", []
    sets = f"{needs.sets} set{'s' * (needs.sets != 1)}"
    more = "" if needs.all_found else ", perhaps more"
    number = "1" if len(needs.spare) == 1 else f"each of {len(needs.spare)}"
    return (
        f"{number} of its {clues} clues can be removed",
        [
            f"removable: {_cells(needs.spare)}",
            f"needed: {_cells(needs.needed) or 'none'}",
            f"irreducible: {sets} of clues{more}; the smallest has "
            f"{_clue_count(needs.irreducible)} clues:",
        ],
    )


def _helpful(record: ResultRecord) -> tuple[str, list[str]]:
    # Imported here, because few records have such values.
    from binairo_cp.reduction.helpful import HelpfulValue

    found = record.helpful or []
    lines = [
        str(HelpfulValue(Cell(*clue.cell), clue.value, clue.leaves, clue.follow)) for clue in found
    ]
    number = f"{record.count} solutions" if record.complete else "too many solutions to count"
    return number, lines if record.answered else [*lines, f"({_STOPPED})"]


def _repair(record: ResultRecord, repair: RepairRecord) -> tuple[str, list[str]]:
    if not repair.dropped and not repair.added:
        return "nothing to repair", []
    board = Board(record.height or 1, record.width or 1, repair.puzzle)
    if repair.dropped:
        summary = f"without {_cells(repair.dropped)} it is {repair.verdict} ({_bound(repair)})"
        return summary, list(_other_ways(repair))
    named = repair.added[:_MOST_CELLS_NAMED]
    added = ", ".join(f"{Cell(*cell)} = {board[cell[0], cell[1]]}" for cell in named)
    more = len(repair.added) - len(named)
    added += f" and {more} more" * (more > 0)
    scopes = {"any": "for any solution", "given": "for this solution"}
    scope = scopes[repair.for_solution or "any"]
    return f"with {added} it is unique ({_bound(repair)}, {scope})", []


def _bound(found: FewestRecord | RepairRecord) -> str:
    return "proved minimum" if found.proved else f"{_STOPPED}; at least {found.at_least} are needed"


def _other_ways(repair: RepairRecord) -> Iterator[str]:
    ways = repair.ways or []
    others = [way for way in ways if way != repair.dropped]
    if others:
        named = "; ".join(map(_cells, others[:_MOST_WAYS_NAMED]))
        more = f"; {len(others) - _MOST_WAYS_NAMED} more" * (len(others) > _MOST_WAYS_NAMED)
        unique = f"{repair.ways_unique or 0} of {len(ways)} ways leave one solution"
        yield f"or without: {named}{more} ({unique})"


def _clue_count(cells: str) -> int:
    return len(cells) - cells.count(".")


def _cells(places: list[list[int]]) -> str:
    named = " ".join(str(Cell(*place)) for place in places[:_MOST_CELLS_NAMED])
    more = len(places) - _MOST_CELLS_NAMED
    return f"{named} and {more} more" if more > 0 else named
