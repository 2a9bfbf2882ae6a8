"""Write result records as text, as one line each, or as NDJSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from binairo_cp.batch import clue_reports
from binairo_cp.formats.schema import Finding, ResultRecord, StepRecord
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.solving.solutions import Verb, Verdict, conflict_in_words

Form = Literal["text", "line", "ndjson"]

_DIFFERS, _SAME = "^", " "


def writer(form: Form, verb: Verb) -> Callable[[ResultRecord], str]:
    """The function that writes a record as text, including the line end."""
    if form == "ndjson":
        return lambda record: record.to_json() + "\n"
    if form == "line":
        return lambda record: _line(_printable(record), verb)
    if verb == "solve":
        return lambda record: _solved_text(_printable(record))
    return lambda record: _text(_printable(record), verb)


def one_word(level: str) -> str:
    """A level without blanks."""
    return level.replace(" ", "-")


def printable(text: str) -> str:
    """The text with control characters escaped, so that it can't change the terminal."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def _printable(record: ResultRecord) -> ResultRecord:
    """The record with control characters in its id and source escaped."""
    if record.id.isprintable() and record.source.isprintable():
        return record
    shown = {"id": printable(record.id), "source": printable(record.source)}
    return record.model_copy(update=shown)


def _line(record: ResultRecord, verb: Verb) -> str:
    """``solution verdict id``, with ``-`` for the solution if there is none."""
    verdict: str = record.verdict
    if record.answered is not None and not record.error:
        return f"{clue_reports.line(record)} {record.id}".rstrip() + "\n"
    if verb == "count" and record.count is not None:
        verdict = f"{record.count}{'' if record.complete else '+'}"
    elif record.grade:
        verdict = one_word(record.grade.level)
    why = f" {place(record)}{record.error.kind}: {one_line(record)}" if record.error else ""
    return f"{record.solution or '-'} {verdict} {record.id}".rstrip() + why + "\n"


def _text(record: ResultRecord, verb: Verb) -> str:
    head = f"{place(record)}{record.id}{': ' * bool(record.id)}"
    if record.error:
        message = "\n".join(map(printable, record.error.message.splitlines()))
        # The message of an addition that failed begins with the verdict.
        verdict = "" if message.startswith(f"{record.verdict}, ") else f"{record.verdict}: "
        return f"{head}{verdict}{message}\n"
    if record.readings:
        verdicts = (f"{name} {_verdict(each, verb)}" for name, each in record.readings.items())
        return f"{head}{', '.join(verdicts)}\n"
    if record.answered is not None:
        return f"{head}{_verdict(record, verb)}{clue_reports.text(record)}"
    if record.grade or record.steps is not None or record.mistake:
        return f"{head}{_verdict(record, verb)}{_graded(record)}\n{_path(record)}"
    kept = f", certificate in {printable(record.certificate)}" if record.certificate else ""
    return f"{head}{_verdict(record, verb)}{kept}\n{_reasons(record)}"


def _graded(record: ResultRecord) -> str:
    grade = record.grade
    if grade is None:
        return ""
    used = ", ".join(f"{_named(name, record)} {number}" for name, number in grade.placed.items())
    left = f"; {grade.left} cells left" if grade.left else ""
    narrow = f", {grade.narrowest} at the narrowest" if grade.narrowest else ""
    score = "" if grade.score is None else f"; score {grade.score:.0f}"
    path = f"{grade.rounds} round{'s' * (grade.rounds != 1)}{narrow}{left}"
    other = f"; {grade.published.scale}: {grade.published.level}" if grade.published else ""
    return f", {grade.level}: {used or 'nothing to do'}; {path}{score}{other}"


def _named(technique: str, record: ResultRecord) -> str:
    """The name of a technique in the language of a record."""
    if record.language is None:
        return technique
    from binairo_cp.deduction.wording import technique_name

    return technique_name(technique, record.language)


def _path(record: ResultRecord) -> str:
    if record.mistake:
        return f"  {record.mistake.sentence}\n"
    if record.steps is not None and not record.steps:
        # Imported here and below, because most records have no steps.
        from binairo_cp.deduction.hints import closing_sentence
        from binairo_cp.deduction.styles import Style

        return f"  {closing_sentence('no step', Style(record.language or 'en'))}\n"
    return "".join(line for step in record.steps or [] for line in _step(step))


def _step(step: StepRecord) -> Iterator[str]:
    yield f"  [{step.name or step.technique}] {step.sentence}\n"
    from binairo_cp.deduction.wording import numbered, rules_listed

    if step.chain:
        yield from (f"    {line}\n" for line in numbered(step.chain))
    if step.support:
        yield from (f"    {line}\n" for line in rules_listed(step.support))


def _solved_text(record: ResultRecord) -> str:
    """Solutions in the text format, after the verdict as a comment."""
    boards = record.solutions or ([record.solution] if record.solution else [])
    comment = "".join(f"# {line}\n" for line in _text(record, "solve").splitlines())
    return comment + "".join(f"{_grid(record, board)}\n\n" for board in boards)


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
    return str(finding.verdict)


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
        cells = [Cell(*place) for place in record.contradiction]
        lines.append(f"  {conflict_in_words(cells)}")
    return "".join(f"{line}\n" for line in lines)


def _grid(record: ResultRecord, cells: str) -> str:
    return str(Board(record.height or 1, record.width or 1, cells))


def one_line(record: ResultRecord) -> str:
    """The error message of a record on one line; empty without an error."""
    return printable(" ".join(record.error.message.split())) if record.error else ""
