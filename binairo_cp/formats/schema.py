"""The records of the outside world: puzzles as they come in, results as they go out.

Both are public. `RESULT_VERSION` goes up when a field changes its meaning or goes away; a new field
may come at any time. ``binairo schema`` prints their JSON Schema.
"""

from __future__ import annotations

from typing import Annotated, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from binairo_cp.puzzle.board import MAX_SIDE, Board
from binairo_cp.puzzle.rules import PRESETS, Odd, Puzzle, Rules, Sign
from binairo_cp.solving.solutions import Verdict

RESULT_VERSION: Literal[1] = 1
"""What `schema_version` says in every record."""

Side = Annotated[StrictInt, Field(ge=1, le=MAX_SIDE)]
Index = Annotated[StrictInt, Field(ge=0, lt=MAX_SIDE)]
Place = Annotated[list[Index], Field(min_length=2, max_length=2)]
Preset = Literal["classic", "unruly", "plus", "tango"]


class RulesRecord(BaseModel):
    """The fields of `rules.Rules`; those left out are as in classic."""

    model_config = ConfigDict(extra="forbid")

    balanced: StrictBool = True
    longest_run: Side = 2
    distinct_lines: StrictBool = True
    odd: Odd = "either"

    def rules(self) -> Rules:
        """As a value of the package."""
        return Rules(**self.model_dump())


class PuzzleRecord(BaseModel):
    """A puzzle. Other fields than these are passed over."""

    id: str | StrictInt | None = Field(default=None, description="Its name.")
    height: Side
    width: Side
    clues: str = Field(
        max_length=MAX_SIDE * MAX_SIDE, description="Row by row: '0', '1', '.' for an open cell."
    )
    signs: list[tuple[Index, Index, Literal["R", "D"], Literal["=", "x"]]] = Field(
        default=[],
        description="[row, column, 'R' or 'D', '=' or 'x']: that cell, counted from 0, and its "
        "right or lower neighbour are equal, or opposite.",
    )
    rules: Preset | RulesRecord | None = Field(
        default=None,
        description="A preset, or fields; if absent: plus for a puzzle with signs, or classic.",
    )
    distinct_lines: StrictBool | None = Field(
        default=None, description="Short for classic or unruly rules, where `rules` is absent."
    )

    def stated_rules(self) -> Rules | None:
        """What the record says of its rules, if anything."""
        if isinstance(self.rules, RulesRecord):
            return self.rules.rules()
        if self.rules is not None:
            return PRESETS[self.rules]
        return None if self.distinct_lines is None else Rules(distinct_lines=self.distinct_lines)

    def board(self) -> Board:
        """The clues on their board.

        Raises:
            BoardError: the number of clues, or one of them, is wrong.
        """
        return Board(self.height, self.width, self.clues)

    def sign_values(self) -> tuple[Sign, ...]:
        """The signs as values of the package."""
        return tuple(Sign(*sign) for sign in self.signs)

    @classmethod
    def of(cls, puzzle: Puzzle, id: str | None = None) -> PuzzleRecord:
        """The record of a puzzle, with its rules stated."""
        board, rules = puzzle.board, stated(puzzle)
        signs = [tuple(sign) for sign in puzzle.signs]
        return cls.model_validate(
            {
                "id": id,
                "height": board.height,
                "width": board.width,
                "clues": board.cells,
                "signs": signs,
                "rules": rules if isinstance(rules, str) else rules.model_dump(),
            }
        )


def stated(puzzle: Puzzle) -> Preset | RulesRecord:
    """The rules of a puzzle as a record says them: by name where they have one."""
    rules = puzzle.rules
    if name := puzzle.rules_name:
        return name  # type: ignore[return-value]  # the names are those of PRESETS
    return RulesRecord(
        balanced=rules.balanced,
        longest_run=rules.longest_run,
        distinct_lines=rules.distinct_lines,
        odd=rules.odd,
    )


class ErrorRecord(BaseModel):
    """What went wrong with one puzzle, or with a whole source."""

    kind: str = Field(description="Which error, by the words of binairo_cp.errors.")
    message: str
    line: int | None = Field(default=None, description="Where in the source, counted from 1.")
    column: int | None = Field(default=None, description="Where in the line, counted from 1.")


Level = Literal["beginner", "easy", "medium", "hard", "expert", "beyond logic"]


class StepRecord(BaseModel):
    """Something that follows on a board, and why."""

    round: int = Field(
        description="What one technique shows at once is a round: which it is, from 1."
    )
    technique: str
    level: Level
    cells: list[Place] = Field(description="[row, column], from 0, of the cells that are filled.")
    values: str = Field(description="Their values, in the same order.")
    line: str | None = Field(default=None, description="In which line it is seen, counted from 1.")
    reason: list[Place] = Field(description="The cells that it follows from.")
    sentence: str


class MistakeRecord(BaseModel):
    """Where a board that somebody fills is wrong."""

    cells: list[Place]
    sentence: str


class GradeRecord(BaseModel):
    """How hard a puzzle is for a person."""

    level: Level = Field(
        description="That of the hardest technique; beyond logic if cells are left."
    )
    hardest: str | None = Field(default=None, description="The hardest technique needed.")
    placed: dict[str, int] = Field(description="How many cells each technique filled.")
    rounds: int = Field(description="How often the cheapest technique was looked for.")
    narrowest: int = Field(description="How many cells the poorest round filled, but the last.")
    left: int = Field(description="How many cells resist all but nested contradictions.")


class CluesRecord(BaseModel):
    """Which clues a puzzle with one solution needs."""

    needed: list[Place] = Field(description="Without any one of these there are other solutions.")
    spare: list[Place] = Field(description="Each of these may go alone.")
    irreducible: str = Field(
        description="The cells, row by row, with the fewest clues of the sets that were found of "
        "which no clue can go."
    )
    sets: int = Field(description="How many such sets were found.")
    all_found: bool = Field(description="There are no others.")


class HelpRecord(BaseModel):
    """What a value in an open cell of a puzzle with several solutions would bring."""

    cell: Place
    value: Literal["0", "1"]
    leaves: int | None = Field(
        default=None, description="How many solutions are left; absent if there are too many."
    )
    follow: int = Field(description="How many other open cells then have one value.")


class FewestRecord(BaseModel):
    """The fewest clues that keep the solution the only one."""

    puzzle: str = Field(description="The cells, row by row, with the fewest clues found.")
    at_least: int = Field(description="Fewer clues than this are not enough.")
    at_most: int = Field(description="How many clues `puzzle` has.")
    proved: bool = Field(description="The two are the same.")
    among: Literal["clues", "all cells"] = Field(description="Where they were chosen from.")


class RepairRecord(BaseModel):
    """A puzzle changed so that it has one solution, or at least one."""

    puzzle: str = Field(description="Its cells, row by row, after the change.")
    verdict: Verdict = Field(description="What it is now.")
    solution: str | None = Field(default=None, description="Its solution, or one of them.")
    added: list[Place] = Field(description="The open cells that got a value.")
    dropped: list[Place] = Field(description="The clues that were taken away.")
    at_least: int = Field(description="With fewer changes it can't be done.")
    proved: bool = Field(description="It has as few changes as that.")
    for_solution: Literal["any", "given"] | None = Field(
        default=None,
        description="Of cells to add: the bounds hold whichever solution stays, or for that given.",
    )
    ways: list[list[Place]] | None = Field(
        default=None, description="All smallest sets of clues to drop that were found."
    )
    ways_unique: int | None = Field(
        default=None, description="How many of them are known to leave one solution."
    )


class Finding(BaseModel):
    """What was found out about a puzzle under one reading of the rules."""

    rules: Preset | RulesRecord | None = Field(
        default=None, description="The rules it was decided under."
    )
    verdict: Verdict
    solution: str | None = Field(default=None, description="Row by row, '0' and '1'.")
    second_solution: str | None = Field(
        default=None, description="The witness of a verdict 'multiple'."
    )
    solutions: list[str] | None = Field(
        default=None, description="All that were asked for by a limit."
    )
    differences: list[Place] | None = Field(
        default=None,
        description="[row, column], from 0, of the cells in which the two solutions differ.",
    )
    count: int | None = Field(default=None, description="How many solutions were found.")
    complete: bool | None = Field(default=None, description="There are no other solutions.")
    stopped_by: Literal["limit", "time", "work"] | None = Field(
        default=None, description="What ended the search, if it is not complete."
    )
    note: str | None = Field(
        default=None, description="Why it is unknown, where there is more to it."
    )
    contradiction: list[Place] | None = Field(
        default=None,
        description="With the verdict 'none': [row, column], from 0, of clues that already "
        "contradict the rules; empty if the rules and signs do so by themselves.",
    )
    contradiction_irreducible: bool | None = Field(
        default=None, description="Without any one of these clues, the others don't contradict."
    )
    contradiction_smallest: bool | None = Field(
        default=None, description="No smaller set of clues contradicts the rules."
    )
    contradiction_stopped_by: Literal["time", "work"] | None = Field(
        default=None,
        description="What ended the search for contradicting clues early; there may be smaller "
        "sets than the one found, if any was.",
    )
    backbone: str | None = Field(
        default=None,
        description="The cells that are the same in all solutions, '.' for the others.",
    )
    backbone_complete: bool | None = Field(
        default=None, description="Each cell that is '.' in `backbone` is known to vary."
    )
    grade: GradeRecord | None = None
    steps: list[StepRecord] | None = Field(
        default=None, description="The next step, or all of them, as a person would go on."
    )
    mistake: MistakeRecord | None = Field(
        default=None, description="Where the board that was given is wrong."
    )
    needs: CluesRecord | None = None
    helpful: list[HelpRecord] | None = Field(
        default=None,
        description="Values that would help most to make the puzzle unique, the best first.",
    )
    fewest: FewestRecord | None = None
    repair: RepairRecord | None = None
    answered: bool | None = Field(
        default=None, description="What was asked about the clues is known and proved."
    )
    certificate: str | None = Field(default=None, description="Where its certificate is.")
    backend: str | None = Field(default=None, description="Who answered.")
    seconds: float | None = Field(default=None, description="How long it took.")


class Origin(BaseModel):
    """Which puzzle a result is about; the puzzle itself too, so that results read as puzzles."""

    schema_version: Literal[1] = RESULT_VERSION
    id: str
    source: str
    line: int | None = Field(
        default=None, description="Where in the source the puzzle begins, from 1."
    )
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    signs: list[tuple[int, int, str, str]] | None = None


class ResultRecord(Finding, Origin):
    """What became of one puzzle: a line of the NDJSON output. Absent is what does not apply."""

    readings: dict[Literal["classic", "unruly"], Finding] | None = Field(
        default=None,
        description="With --rules both: with distinct lines (classic) and without (unruly). The "
        "fields of the record itself are those of the reading that `rules` names.",
    )
    error: ErrorRecord | None = None

    def to_json(self) -> str:
        """One line of JSON, in the order of the fields, without those that are absent."""
        return self.model_dump_json(exclude_none=True)


class VerificationRecord(BaseModel):
    """What became of a certificate when it was checked."""

    schema_version: Literal[1] = RESULT_VERSION
    certificate: str = Field(description="The folder or the zip.")
    valid: bool | None = Field(description="null if it could not be decided.")
    claim: Literal["unique", "multiple", "none"] | None = None
    id: str | None = None
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    rules: Preset | RulesRecord | None = None
    solutions: list[str] | None = None
    findings: dict[str, str] | None = Field(
        default=None, description="What was checked, in words, by what it was checked of."
    )
    error: ErrorRecord | None = None

    def to_json(self) -> str:
        """One line of JSON; `valid` is there even if it is null."""
        return orjson.dumps(self.model_dump(exclude_none=True) | {"valid": self.valid}).decode()


class SideRecord(BaseModel):
    """What one of two files says of a puzzle."""

    source: str = Field(description="The file of results.")
    line: int = Field(description="Which line or row of it, from 1.")
    id: str
    rules: Preset | RulesRecord | None = None
    verdict: Verdict
    solution: str | None = None
    count: int | None = None
    complete: bool | None = None
    level: Level | None = None
    readings: dict[Literal["classic", "unruly"], Verdict] | None = Field(
        default=None, description="The verdict under each, of records of --rules both."
    )
    asked: dict[str, str] | None = Field(
        default=None, description="The fields asked for by --field, each as JSON."
    )
    backend: str | None = None
    error: str | None = Field(default=None, description="What kind of error it is.")


class DifferenceRecord(BaseModel):
    """A puzzle of which two files of results do not say the same."""

    schema_version: Literal[1] = RESULT_VERSION
    kind: Literal["contradiction", "changed", "known", "only"] = Field(
        description="contradiction: not both can be right; changed: they say something else; "
        "known: one knows what the other does not; only: it is in one file only."
    )
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    signs: list[tuple[int, int, str, str]] | None = None
    differs: list[str] = Field(description="The fields that are not the same.")
    first: SideRecord | None = None
    second: SideRecord | None = None

    def to_json(self) -> str:
        """One line of JSON, without what is absent."""
        return self.model_dump_json(exclude_none=True)
