"""The JSON records of results.

They are public, as those of puzzles in `schema` are. `RESULT_VERSION` increases when a field
changes its meaning or is removed. New fields may be added at any time. ``binairo schema`` prints
the JSON Schema.

`record_of` makes them of results: a field has the value of the attribute of the same name, or what
its `of` finds. So a record is stated once.

`schema` adds the types that only type checkers find here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from binairo_cp.formats.record_base import Record, about, maybe
from binairo_cp.formats.record_base import record_of as record_of
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    PictureRecord = Any
    Place = list[int]
    Span = list[Place]
    StatedRules = Rules

RESULT_VERSION: Literal[1] = 1
"""The `schema_version` of every record."""

Preset = Literal["classic", "unruly", "plus", "tango"]


def stated(puzzle: Puzzle) -> Preset | Rules:
    """The rules of a puzzle in a record: the name of a preset, or the fields."""
    return puzzle.rules_name or puzzle.rules  # type: ignore[return-value]  # names of PRESETS


class ErrorRecord(Record):
    """The error of a puzzle or of a source."""

    kind: str = about("Kind of error: the `kind` of a class in binairo_cp.errors.")
    message: str
    line: int | None = maybe("Line in the source, counted from 1.")
    column: int | None = maybe("Column in the line, counted from 1.")


Level = Literal["beginner", "easy", "medium", "hard", "expert", "beyond logic"]


class BrokenRecord(Record):
    """The rule that is broken in the end."""

    rule: Literal["balance", "no triple", "distinct lines", "sign", "lemma"]
    lemma: int | None = maybe("With the rule 'lemma': the number of the lemma.")
    lines: list[str] = about(
        "The row or column that breaks it, counted from 1, or the two that are equal."
    )
    cells: list[Place] = about("The cells that break it.")
    sentence: str


class ChainRecord(Record):
    """What follows from a tried value, up to a broken rule."""

    cell: Place = about("The cell that is tried.")
    value: Literal["0", "1"] = about("The value that is tried in it.")
    others: list[Place] | None = maybe("With a lemma: further cells that are tried with it.")
    other_values: str | None = maybe(
        "The values that are tried in `others`, in the same order.",
        of=lambda chain: "".join(chain.others.values()),
    )
    sentence: str
    steps: list[ConsequenceRecord] = about("The consequences, in order.")
    broken: BrokenRecord


class ConsequenceRecord(Record):
    """The cells that a technique fills, and the reason."""

    technique: str
    name: str | None = maybe(
        "The name of the technique in the language of the sentences; absent if that is English.",
        of=lambda step: step.name if step.style.language != "en" else None,
    )
    level: Level
    cells: list[Place] = about(
        "[row, column] of the filled cells, from 0; none for a lemma.", of="values"
    )
    values: str = about(
        "Their values, in the same order.", of=lambda step: "".join(step.values.values())
    )
    lemma: int | None = maybe(
        "Number, from 1, of the lemma that the step states (with a chain: the values tried in it "
        "can't hold together) or uses."
    )
    line: str | None = maybe("Row or column where the step is seen, counted from 1.")
    compared: list[str] | None = maybe("The full rows or columns that `line` must differ from.")
    reason: list[Place] = about("The cells that the step follows from; they imply it by the rules.")
    spans: list[Span] | None = maybe(
        "First and last cell of neighbours that the sentence is about, such as a pair that must "
        "hold one of each symbol."
    )
    sentence: str
    chain: ChainRecord | None = maybe("With trials: what follows from the wrong value.")


class RuleRecord(Record):
    """One constraint of a puzzle."""

    rule: Literal["balance", "no triple", "distinct lines", "sign"]
    lines: list[str] = about(
        "The row or column that it is about, counted from 1, or the two that differ."
    )
    cells: list[Place] = about("The cells that it is about; none for whole lines.")
    sentence: str


class SupportRecord(Record):
    """The rules that imply a step, together with its reason or `cells`. None can be dropped."""

    constraints: list[RuleRecord]
    size: int = about("Number of rules and cells.")
    smallest: bool = about("Whether it is proved that no smaller set implies any open cell.")
    sentence: str
    cells: list[Place] | None = maybe("The known cells, if the reason of the step is others.")


class StepRecord(ConsequenceRecord):
    """A logical step."""

    round: int = about("Number of the step, from 1.", of=lambda _: 1)
    support: SupportRecord | None = maybe("With --best: the rules of the smallest explanation.")


class MistakeRecord(Record):
    """A mistake on a partly solved board."""

    cells: list[Place]
    sentence: str


class JudgementRecord(Record):
    """What is to be said of a move of a player."""

    move: str | None = maybe(
        "The move, if sentences name cells in another way than r1c4.",
        of=lambda found: found._move if found.style.coordinates == "a1" else None,
    )
    cell: Place
    value: str
    judged: Literal["forced", "consistent", "guess", "wrong", "known"] = about(
        "forced: a technique gives it; consistent: other solutions have another value; guess: "
        "right, but no technique gives it; wrong; known: the cell has this value already."
    )
    technique: str | None = maybe(
        "The technique that forces it, or that refutes a wrong value.",
        of=lambda found: found.technique and found.technique.name,
    )
    level: Level | None = maybe(of=lambda found: found.technique and found.technique.level)
    sentence: str | None = maybe("Why it is forced or wrong.")


class BeginnerMoveRecord(Record):
    """A move that a technique for beginners gives."""

    cell: Place
    value: str
    technique: str


class PublishedRecord(Record):
    """The level of a puzzle on the scale of a publisher."""

    scale: str
    level: str = about("Name of the level, or 'beyond' the hardest one.")


class GradeRecord(Record):
    """The difficulty of a puzzle for a person."""

    level: Level = about("Level of the hardest technique needed; beyond logic if cells are left.")
    hardest: str | None = maybe("The hardest technique needed.")
    placed: dict[str, int] = about(
        "Number of cells that each technique filled; with limits, in the path of explain."
    )
    rounds: int = about("Number of rounds.")
    narrowest: int = about("Fewest cells filled in one round, not counting the last round.")
    left: int = about("Number of cells that need nested contradictions.")
    score: float = about(
        "About the time that a person needs: a typical 6x6 Tango of LinkedIn has 100."
    )
    published: PublishedRecord | None = maybe(
        "With --scale: the level by the names of a publisher."
    )
    longest_chain: int | None = maybe(
        "With --longest-chain: the most steps of a chain in the path of explain."
    )
    over: list[Literal["longest-chain", "most-trials"]] | None = maybe(
        "The limits that the path of explain exceeds, if it does."
    )


class CluesRecord(Record):
    """The needed and the redundant clues of a unique puzzle."""

    needed: list[Place] = about(
        "Clues that are needed: without any one of them the puzzle is not unique."
    )
    spare: list[Place] = about(
        "Redundant clues: without any one of them the puzzle is still unique."
    )
    irreducible: str = about(
        "The smallest irreducible puzzle found: its cells row by row.", of="irreducible.board.cells"
    )
    sets: int = about("Number of irreducible sets of clues found.")
    all_found: bool = about("Whether these are all irreducible sets.")


class HelpRecord(Record):
    """The effect of one more clue on a puzzle with several solutions."""

    cell: Place
    value: Literal["0", "1"]
    leaves: int | None = maybe("Number of solutions left; absent if there are too many.")
    follow: int = about("Number of other open cells whose value is then determined.")


class FewestRecord(Record):
    """The fewest clues that determine the solution."""

    puzzle: str = about("The best puzzle found: its cells row by row.", of="puzzle.board.cells")
    at_least: int = about("Proved lower bound of the number of clues.")
    at_most: int = about("Number of clues of `puzzle`.")
    proved: bool = about("Whether `at_least` and `at_most` are equal.")
    among: Literal["clues", "all cells"] = about(
        "Candidates: the clues of the puzzle, or all cells of its solution."
    )


class RepairRecord(Record):
    """A puzzle changed so that it has exactly one solution, or at least one."""

    puzzle: str = about("The changed puzzle: its cells row by row.", of="puzzle.board.cells")
    verdict: Verdict = about("Verdict of the changed puzzle.")
    solution: str | None = maybe(
        "A solution of the changed puzzle.",
        of=lambda found: found.solution and found.solution.cells,
    )
    added: list[Place] = about("Open cells that became clues.")
    dropped: list[Place] = about("Clues that were removed.")
    at_least: int = about("Proved lower bound of the number of changes.")
    proved: bool = about("Whether the repair has as few changes as `at_least`.")
    for_solution: Literal["any", "given"] | None = maybe(
        "For added clues: the bounds hold for any solution, or for the given solution."
    )
    ways: list[list[Place]] | None = maybe("All smallest sets of clues to drop that were found.")
    ways_unique: int | None = maybe(
        "Number of `ways` that are known to leave one solution.",
        of=lambda found: found.ways_unique if found.ways else None,
    )


class SearchRecord(Record):
    """What solve, check and count find."""

    rules: Preset | StatedRules | None = maybe("The rules that this result is for.")
    verdict: Verdict
    solution: str | None = maybe("Row by row, '0' and '1'.")
    second_solution: str | None = maybe("With the verdict 'multiple': another solution.")
    solutions: list[str] | None = maybe("The solutions, up to the requested limit.")
    differences: list[Place] | None = maybe(
        "[row, column] of the cells in which the two solutions differ, from 0."
    )
    count: int | None = maybe("Number of solutions found.")
    complete: bool | None = maybe("Whether these are all solutions.")
    stopped_by: Literal["limit", "time", "work"] | None = maybe(
        "The limit that ended the search, if it is not complete."
    )
    note: str | None = maybe(
        "Why the result is unknown, or which clues a MaxSAT solver's board breaks."
    )
    contradiction: list[Place] | None = maybe(
        "With the verdict 'none': [row, column], from 0, of clues that already contradict the "
        "rules; empty if the rules and signs contradict each other."
    )
    contradiction_reason: str | None = maybe(
        "Why no board of this size exists, if counting lines or ones shows it."
    )
    contradiction_irreducible: bool | None = maybe(
        "Whether the conflict is irreducible: without any one of its clues, the others do not "
        "contradict the rules."
    )
    contradiction_smallest: bool | None = maybe(
        "Whether no smaller set of clues contradicts the rules."
    )
    contradiction_stopped_by: Literal["time", "work"] | None = maybe(
        "The limit that ended the search for a conflict early. Smaller conflicts may exist."
    )
    backbone: str | None = maybe(
        "The cells that are the same in all solutions, '.' for the others."
    )
    backbone_complete: bool | None = maybe("Whether each '.' in `backbone` is known to vary.")


def _numbered(found: Any) -> list[StepRecord] | None:
    """The steps of an explanation, or the step of a hint."""
    if found.mistake:
        return None
    steps = found.steps if hasattr(found, "steps") else filter(None, [found.step])
    records = [record_of(StepRecord, step) for step in steps]
    for number, step in enumerate(records, 1):
        step.round = number
    return records


class ExplainedRecord(Record):
    """What hint, explain and grade find."""

    grade: GradeRecord | None = maybe(of=lambda found: getattr(found, "grade", None))
    language: Literal["de", "es", "fr", "ja", "nl"] | None = maybe(
        "Language of the sentences; absent if it is English.", of=lambda _: None
    )
    steps: list[StepRecord] | None = maybe("The next logical step, or all steps.", of=_numbered)
    broken: BrokenRecord | None = maybe(
        "With the verdict 'none': the rule that the steps break in the end.",
        of=lambda found: getattr(found, "broken", None),
    )
    steps_stopped_by: Literal["work"] | None = maybe(
        "With explain: the limit that ended the search for lemmas, and so the steps, early.",
        of=lambda found: "work" if getattr(found, "is_stopped", False) else None,
    )
    mistake: MistakeRecord | None = maybe("The first mistake on the given board.")


def _unless_mistaken(name: str) -> Callable[[Any], Any]:
    return lambda found: None if found.mistake else getattr(found, name)


def _beginner_moves(found: Any) -> list[BeginnerMoveRecord] | None:
    if found.mistake:
        return None
    return [
        BeginnerMoveRecord(cell=list(cell), value=value, technique=step.technique)
        for step in found.beginner
        for cell, value in sorted(step.values.items())
    ]


class JudgedRecord(Record):
    """What judge finds. If the board has a mistake, no move is judged."""

    mistake: MistakeRecord | None = maybe("The first mistake on the given board.")
    judgements: list[JudgementRecord] | None = maybe(
        "What is to be said of each move.", of=lambda found: list(found.moves)
    )
    filled: int | None = maybe(
        "Number of cells without a clue that are filled after the moves.",
        of=_unless_mistaken("filled"),
    )
    to_fill: int | None = maybe("Number of cells without a clue.", of=_unless_mistaken("to_fill"))
    credit: float | None = maybe(
        "For each cell to fill: 1 for a forced or consistent move, 0.5 for a guess, -1 for a "
        "wrong one; from 0 to 1.",
        of=_unless_mistaken("credit"),
    )
    beginner_moves: list[BeginnerMoveRecord] | None = maybe(
        "What a beginner could fill in after the moves.", of=_beginner_moves
    )


class NeededRecord(Record):
    """What clues, fewest and repair find."""

    needs: CluesRecord | None = None
    helpful: list[HelpRecord] | None = maybe(
        "Clues that help most to make the puzzle unique, the best first."
    )
    fewest: FewestRecord | None = None
    repair: RepairRecord | None = None
    answered: bool | None = maybe("Whether the request about clues has a proved answer.")


class DecidedRecord(Record):
    """Who decided the puzzle, and where the proof is."""

    certificate: str | None = maybe("Path of the certificate.")
    backend: str | None = maybe("The backend that decided the puzzle.")
    seconds: float | None = maybe("Time in seconds.")


class Finding(DecidedRecord, NeededRecord, JudgedRecord, ExplainedRecord, SearchRecord):
    """The result for a puzzle under one set of rules."""


class Origin(Record):
    """The puzzle of a result and its source. Results can be read as puzzles again."""

    schema_version: Literal[1] = RESULT_VERSION
    id: str
    source: str
    line: int | None = maybe("First line of the puzzle in the source, from 1.")
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    signs: list[tuple[int, int, str, str]] | None = None
    picture: PictureRecord | None = maybe("What was read, if the puzzle comes from a picture.")


class ResultRecord(Finding, Origin):
    """The result of one puzzle: a line of the NDJSON output. Fields that don't apply are absent."""

    readings: dict[Literal["classic", "unruly"], Finding] | None = maybe(
        "With --rules both: the results with distinct lines (classic) and without (unruly). The "
        "record itself repeats the result for its `rules`."
    )
    error: ErrorRecord | None = None


class CheckerRecord(Record):
    """The answer of a proof checker."""

    name: str = about("own or acl2.")
    version: str | None = maybe("Absent if it is unknown.")
    accepts: bool
    reason: str | None = maybe("Why it rejects the proof.")

    def __str__(self) -> str:
        return f"{self.name} {self.version}" if self.version else self.name


class VerificationRecord(Record):
    """The result of checking a certificate."""

    schema_version: Literal[1] = RESULT_VERSION
    certificate: str = about("Path of the folder or zip file.")
    valid: bool | None = about("Whether it holds; null if it could not be decided.")
    claim: Literal["unique", "multiple", "none"] | None = None
    id: str | None = None
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    rules: Preset | StatedRules | None = None
    solutions: list[str] | None = maybe("The solutions.")
    conflict: str | None = maybe(
        "A board with clues that contradict each other; without any one of them, there is a "
        "solution for the others."
    )
    findings: dict[str, str] | None = maybe(
        "The results of the checks in words, by what was checked."
    )
    checkers: list[CheckerRecord] | None = maybe("The checkers of the proof, and their answers.")
    error: ErrorRecord | None = None

    def present(self) -> dict[str, Any]:
        """The fields that are not absent. `valid` is included even if it is None."""
        return super().present() | {"valid": self.valid}
