"""The JSON records for puzzles and results.

They are public. `RESULT_VERSION` increases when a field changes its meaning or is removed. New
fields may be added at any time. ``binairo schema`` prints the JSON Schema.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

import orjson
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from binairo_cp.formats import text
from binairo_cp.puzzle.board import MAX_SIDE, Board
from binairo_cp.puzzle.rules import PRESETS, Odd, Puzzle, Rules, Sign
from binairo_cp.solving.solutions import Verdict

RESULT_VERSION: Literal[1] = 1
"""The `schema_version` of every record."""

Side = Annotated[StrictInt, Field(ge=1, le=MAX_SIDE)]
Index = Annotated[StrictInt, Field(ge=0, lt=MAX_SIDE)]
Place = Annotated[list[Index], Field(min_length=2, max_length=2)]
Preset = Literal["classic", "unruly", "plus", "tango"]


class RulesRecord(BaseModel):
    """The fields of `rules.Rules`; missing fields are as in classic."""

    model_config = ConfigDict(extra="forbid")

    balanced: StrictBool = True
    longest_run: Side = 2
    distinct_lines: StrictBool = True
    odd: Odd = "either"

    def rules(self) -> Rules:
        """Convert to `Rules`."""
        return Rules(**self.model_dump())


class SymbolRecord(BaseModel):
    """What a symbol in a picture looks like."""

    colour: str = Field(description="As #rrggbb.")
    shape: Literal["solid", "hollow", "open"] = Field(
        description="hollow: with a hole in the middle; solid: a full disk or square; else open."
    )


class PictureRecord(BaseModel):
    """What was read from a picture. A confidence is from 0 to 1; below 0.5, nothing is sure."""

    height: Side
    width: Side
    board: str = Field(description="The clues and the entries of the player, row by row.")
    entries: list[Place] = Field(description="[row, column] of the entries, from 0.")
    confidence: list[float] = Field(description="The confidence of each cell, row by row.")
    unsure: list[Place] = Field(description="[row, column] of the cells that are not sure.")
    signs: list[tuple[Index, Index, Literal["R", "D"], Literal["=", "x"]]]
    sign_confidence: list[float] = Field(description="The confidence of each of the signs.")
    unsure_signs: list[tuple[Index, Index, Literal["R", "D"]]] = Field(
        description="Where a sign stands that is not sure."
    )
    symbols: dict[Literal["0", "1"], SymbolRecord] = Field(
        description="What 0 and 1 look like; a symbol that the picture lacks is absent."
    )
    one: str = Field(description="How 1 was told from 0; empty without symbols.")
    note: str = Field(default="", description="How an unfamiliar sign was understood.")
    box: Annotated[list[float], Field(min_length=4, max_length=4)] = Field(
        description="Left, top, right and bottom of the board, as parts of the picture's width and "
        "height."
    )


class PuzzleRecord(BaseModel):
    """A puzzle. Unknown fields are ignored."""

    id: str | StrictInt | None = Field(default=None, description="Name of the puzzle.")
    height: Side
    width: Side
    clues: str = Field(
        max_length=MAX_SIDE * MAX_SIDE, description="Row by row: '0', '1', '.' for an open cell."
    )
    signs: list[tuple[Index, Index, Literal["R", "D"], Literal["=", "x"]]] = Field(
        default=[],
        description="[row, column, 'R' or 'D', '=' or 'x']: the cell, counted from 0, and its "
        "right (R) or lower (D) neighbour are equal (=) or opposite (x).",
    )
    rules: Preset | RulesRecord | None = Field(
        default=None,
        description="A preset or fields. Default: plus for puzzles with signs, otherwise classic.",
    )
    distinct_lines: StrictBool | None = Field(
        default=None,
        description="Short for classic (true) or unruly (false) rules if `rules` is absent.",
    )
    picture: PictureRecord | None = Field(
        default=None, description="What was read, if the puzzle comes from a picture."
    )

    @field_validator("signs", mode="before")
    @classmethod
    def _read_signs(cls, value: object) -> object:
        """Accept signs as lists of `rendering.sidecar` write them: ``r1c1=r1c2 r2c3xr3c3``."""
        return [tuple(sign) for sign in text.signs_of(value)] if isinstance(value, str) else value

    @field_validator("rules", mode="before")
    @classmethod
    def _read_rules(cls, value: object) -> object:
        """Accept rules without a name as such lists write them: ``balanced=yes longest_run=3``."""
        return asdict(text.rules_of(value)) if isinstance(value, str) and "=" in value else value

    @field_validator("picture", mode="wrap")
    @classmethod
    def _read_picture(cls, value: object, validate: ValidatorFunctionWrapHandler) -> object:
        """Pass over fields of other programs that have the same name."""
        try:
            return validate(value)
        except ValidationError:
            return None

    def stated_rules(self) -> Rules | None:
        """The rules that the record states; None if it states none."""
        if isinstance(self.rules, RulesRecord):
            return self.rules.rules()
        if self.rules is not None:
            return PRESETS[self.rules]
        return None if self.distinct_lines is None else Rules(distinct_lines=self.distinct_lines)

    def board(self) -> Board:
        """The board with the clues.

        Raises:
            BoardError: the number of clues, or one of them, is wrong.
        """
        return Board(self.height, self.width, self.clues)

    def sign_values(self) -> tuple[Sign, ...]:
        """The signs as `Sign` values."""
        return tuple(Sign(*sign) for sign in self.signs)

    @classmethod
    def of(cls, puzzle: Puzzle, id: str | None = None) -> PuzzleRecord:
        """The record of a puzzle with its rules."""
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
    """The rules of a puzzle in a record: the name of a preset, or the fields."""
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
    """The error of a puzzle or of a source."""

    kind: str = Field(description="Kind of error: the `kind` of a class in binairo_cp.errors.")
    message: str
    line: int | None = Field(default=None, description="Line in the source, counted from 1.")
    column: int | None = Field(default=None, description="Column in the line, counted from 1.")


Level = Literal["beginner", "easy", "medium", "hard", "expert", "beyond logic"]


class BrokenRecord(BaseModel):
    """The rule that a chain breaks in the end."""

    rule: Literal["balance", "no triple", "distinct lines", "sign"]
    lines: list[str] = Field(
        description="The row or column that breaks it, counted from 1, or the two that are equal."
    )
    cells: list[Place] = Field(description="The cells that break it.")
    sentence: str


class ChainRecord(BaseModel):
    """What follows from a tried value, up to a broken rule."""

    cell: Place = Field(description="The cell that is tried.")
    value: Literal["0", "1"] = Field(description="The value that is tried in it.")
    sentence: str
    steps: list[ConsequenceRecord] = Field(description="The consequences, in order.")
    broken: BrokenRecord


class ConsequenceRecord(BaseModel):
    """The cells that a technique fills, and the reason."""

    technique: str
    name: str | None = Field(
        default=None,
        description="The name of the technique in the language of the sentences; absent if that "
        "is English.",
    )
    level: Level
    cells: list[Place] = Field(description="[row, column] of the filled cells, from 0.")
    values: str = Field(description="Their values, in the same order.")
    line: str | None = Field(
        default=None, description="Row or column where the step is seen, counted from 1."
    )
    compared: list[str] | None = Field(
        default=None, description="The full rows or columns that `line` must differ from."
    )
    reason: list[Place] = Field(
        description="The cells that the step follows from; they imply it by the rules."
    )
    spans: list[Annotated[list[Place], Field(min_length=2, max_length=2)]] | None = Field(
        default=None,
        description="First and last cell of neighbours that the sentence is about, such as a pair "
        "that must hold one of each symbol.",
    )
    sentence: str
    chain: ChainRecord | None = Field(
        default=None, description="With trials: what follows from the wrong value."
    )


# The two refer to each other.
ChainRecord.model_rebuild()


class RuleRecord(BaseModel):
    """One constraint of a puzzle."""

    rule: Literal["balance", "no triple", "distinct lines", "sign"]
    lines: list[str] = Field(
        description="The row or column that it is about, counted from 1, or the two that differ."
    )
    cells: list[Place] = Field(description="The cells that it is about; none for whole lines.")
    sentence: str


class SupportRecord(BaseModel):
    """The rules that imply a step, together with its reason. None of them can be dropped."""

    constraints: list[RuleRecord]
    size: int = Field(description="Number of rules and cells.")
    smallest: bool = Field(
        description="Whether it is proved that no smaller set implies any open cell."
    )
    sentence: str


class StepRecord(ConsequenceRecord):
    """A logical step."""

    round: int = Field(
        description="Number of the round, from 1. A round is all that one technique finds at once."
    )
    support: SupportRecord | None = Field(
        default=None, description="With --best: the rules of the smallest explanation."
    )


class MistakeRecord(BaseModel):
    """A mistake on a partly solved board."""

    cells: list[Place]
    sentence: str


class JudgementRecord(BaseModel):
    """What is to be said of a move of a player."""

    cell: Place
    value: str
    judged: Literal["forced", "consistent", "guess", "wrong", "known"] = Field(
        description="forced: a technique gives it; consistent: other solutions have another value; "
        "guess: right, but no technique gives it; wrong; known: the cell has this value already."
    )
    technique: str | None = Field(
        default=None, description="The technique that forces it, or that refutes a wrong value."
    )
    level: Level | None = None
    sentence: str | None = Field(default=None, description="Why it is forced or wrong.")


class BeginnerMoveRecord(BaseModel):
    """A move that a technique for beginners gives."""

    cell: Place
    value: str
    technique: str


class PublishedRecord(BaseModel):
    """The level of a puzzle on the scale of a publisher."""

    scale: str
    level: str = Field(description="Name of the level, or 'beyond' the hardest one.")


class GradeRecord(BaseModel):
    """The difficulty of a puzzle for a person."""

    level: Level = Field(
        description="Level of the hardest technique needed; beyond logic if cells are left."
    )
    hardest: str | None = Field(default=None, description="The hardest technique needed.")
    placed: dict[str, int] = Field(description="Number of cells that each technique filled.")
    rounds: int = Field(description="Number of rounds.")
    narrowest: int = Field(
        description="Fewest cells filled in one round, not counting the last round."
    )
    left: int = Field(description="Number of cells that need nested contradictions.")
    score: float | None = Field(
        default=None,
        description="About the time that a person needs, without a unit. Older records have none.",
    )
    published: PublishedRecord | None = Field(
        default=None, description="With --scale: the level by the names of a publisher."
    )


class CluesRecord(BaseModel):
    """The needed and the redundant clues of a unique puzzle."""

    needed: list[Place] = Field(
        description="Clues that are needed: without any one of them the puzzle is not unique."
    )
    spare: list[Place] = Field(
        description="Redundant clues: without any one of them the puzzle is still unique."
    )
    irreducible: str = Field(
        description="The smallest irreducible puzzle found: its cells row by row."
    )
    sets: int = Field(description="Number of irreducible sets of clues found.")
    all_found: bool = Field(description="Whether these are all irreducible sets.")


class HelpRecord(BaseModel):
    """The effect of one more clue on a puzzle with several solutions."""

    cell: Place
    value: Literal["0", "1"]
    leaves: int | None = Field(
        default=None, description="Number of solutions left; absent if there are too many."
    )
    follow: int = Field(description="Number of other open cells whose value is then determined.")


class FewestRecord(BaseModel):
    """The fewest clues that determine the solution."""

    puzzle: str = Field(description="The best puzzle found: its cells row by row.")
    at_least: int = Field(description="Proved lower bound of the number of clues.")
    at_most: int = Field(description="Number of clues of `puzzle`.")
    proved: bool = Field(description="Whether `at_least` and `at_most` are equal.")
    among: Literal["clues", "all cells"] = Field(
        description="Candidates: the clues of the puzzle, or all cells of its solution."
    )


class RepairRecord(BaseModel):
    """A puzzle changed so that it has exactly one solution, or at least one."""

    puzzle: str = Field(description="The changed puzzle: its cells row by row.")
    verdict: Verdict = Field(description="Verdict of the changed puzzle.")
    solution: str | None = Field(default=None, description="A solution of the changed puzzle.")
    added: list[Place] = Field(description="Open cells that became clues.")
    dropped: list[Place] = Field(description="Clues that were removed.")
    at_least: int = Field(description="Proved lower bound of the number of changes.")
    proved: bool = Field(description="Whether the repair has as few changes as `at_least`.")
    for_solution: Literal["any", "given"] | None = Field(
        default=None,
        description="For added clues: the bounds hold for any solution, or for the given solution.",
    )
    ways: list[list[Place]] | None = Field(
        default=None, description="All smallest sets of clues to drop that were found."
    )
    ways_unique: int | None = Field(
        default=None, description="Number of `ways` that are known to leave one solution."
    )


class Finding(BaseModel):
    """The result for a puzzle under one set of rules."""

    rules: Preset | RulesRecord | None = Field(
        default=None, description="The rules that this result is for."
    )
    verdict: Verdict
    solution: str | None = Field(default=None, description="Row by row, '0' and '1'.")
    second_solution: str | None = Field(
        default=None, description="With the verdict 'multiple': another solution."
    )
    solutions: list[str] | None = Field(
        default=None, description="The solutions, up to the requested limit."
    )
    differences: list[Place] | None = Field(
        default=None,
        description="[row, column] of the cells in which the two solutions differ, from 0.",
    )
    count: int | None = Field(default=None, description="Number of solutions found.")
    complete: bool | None = Field(default=None, description="Whether these are all solutions.")
    stopped_by: Literal["limit", "time", "work"] | None = Field(
        default=None, description="The limit that ended the search, if it is not complete."
    )
    note: str | None = Field(
        default=None, description="Details of the reason why the result is unknown."
    )
    contradiction: list[Place] | None = Field(
        default=None,
        description="With the verdict 'none': [row, column], from 0, of clues that already "
        "contradict the rules; empty if the rules and signs contradict each other.",
    )
    contradiction_irreducible: bool | None = Field(
        default=None,
        description="Whether the conflict is irreducible: without any one of its clues, the others "
        "do not contradict the rules.",
    )
    contradiction_smallest: bool | None = Field(
        default=None, description="Whether no smaller set of clues contradicts the rules."
    )
    contradiction_stopped_by: Literal["time", "work"] | None = Field(
        default=None,
        description="The limit that ended the search for a conflict early. Smaller conflicts may "
        "exist.",
    )
    backbone: str | None = Field(
        default=None,
        description="The cells that are the same in all solutions, '.' for the others.",
    )
    backbone_complete: bool | None = Field(
        default=None, description="Whether each '.' in `backbone` is known to vary."
    )
    grade: GradeRecord | None = None
    language: Literal["de", "es", "fr", "ja", "nl"] | None = Field(
        default=None, description="Language of the sentences; absent if it is English."
    )
    steps: list[StepRecord] | None = Field(
        default=None, description="The next logical step, or all steps."
    )
    mistake: MistakeRecord | None = Field(
        default=None, description="The first mistake on the given board."
    )
    judgements: list[JudgementRecord] | None = Field(
        default=None, description="What is to be said of each move."
    )
    filled: int | None = Field(
        default=None, description="Number of cells without a clue that are filled after the moves."
    )
    to_fill: int | None = Field(default=None, description="Number of cells without a clue.")
    credit: float | None = Field(
        default=None,
        description="For each cell to fill: 1 for a forced or consistent move, 0.5 for a guess, -1 "
        "for a wrong one; from 0 to 1.",
    )
    beginner_moves: list[BeginnerMoveRecord] | None = Field(
        default=None, description="What a beginner could fill in after the moves."
    )
    needs: CluesRecord | None = None
    helpful: list[HelpRecord] | None = Field(
        default=None,
        description="Clues that help most to make the puzzle unique, the best first.",
    )
    fewest: FewestRecord | None = None
    repair: RepairRecord | None = None
    answered: bool | None = Field(
        default=None, description="Whether the request about clues has a proved answer."
    )
    certificate: str | None = Field(default=None, description="Path of the certificate.")
    backend: str | None = Field(default=None, description="The backend that decided the puzzle.")
    seconds: float | None = Field(default=None, description="Time in seconds.")


class Origin(BaseModel):
    """The puzzle of a result and its source. Results can be read as puzzles again."""

    schema_version: Literal[1] = RESULT_VERSION
    id: str
    source: str
    line: int | None = Field(
        default=None, description="First line of the puzzle in the source, from 1."
    )
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    signs: list[tuple[int, int, str, str]] | None = None
    picture: PictureRecord | None = Field(
        default=None, description="What was read, if the puzzle comes from a picture."
    )


class ResultRecord(Finding, Origin):
    """The result of one puzzle: a line of the NDJSON output. Fields that don't apply are absent."""

    readings: dict[Literal["classic", "unruly"], Finding] | None = Field(
        default=None,
        description="With --rules both: the results with distinct lines (classic) and without "
        "(unruly). The record itself repeats the result for its `rules`.",
    )
    error: ErrorRecord | None = None

    def to_json(self) -> str:
        """One line of JSON, in the order of the fields, without absent fields."""
        return self.model_dump_json(exclude_none=True)


class CheckerRecord(BaseModel):
    """The answer of a proof checker."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="own, dratify, acl2, or the name of a program.")
    version: str | None = Field(default=None, description="Absent if it is unknown.")
    accepts: bool
    reason: str | None = Field(default=None, description="Why it rejects the proof.")

    def __str__(self) -> str:
        return f"{self.name} {self.version}" if self.version else self.name


class VerificationRecord(BaseModel):
    """The result of checking a certificate."""

    schema_version: Literal[1] = RESULT_VERSION
    certificate: str = Field(description="Path of the folder or zip file.")
    valid: bool | None = Field(description="Whether it holds; null if it could not be decided.")
    claim: Literal["unique", "multiple", "none", "count", "fewest"] | None = None
    id: str | None = None
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    rules: Preset | RulesRecord | None = None
    solutions: list[str] | None = Field(
        default=None, description="The solutions; absent if their number is certified."
    )
    count: int | None = Field(default=None, description="The certified number of solutions.")
    conflict: str | None = Field(
        default=None,
        description="A board with clues that contradict each other; without any one of them, "
        "there is a solution for the others.",
    )
    fewest: str | None = Field(
        default=None,
        description="A board with so few clues that no fewer make the puzzle unique.",
    )
    findings: dict[str, str] | None = Field(
        default=None, description="The results of the checks in words, by what was checked."
    )
    checkers: list[CheckerRecord] | None = Field(
        default=None, description="The checkers of the proof, and their answers."
    )
    error: ErrorRecord | None = None

    def to_json(self) -> str:
        """One line of JSON. `valid` is included even if it is null."""
        return orjson.dumps(self.model_dump(exclude_none=True) | {"valid": self.valid}).decode()


class SideRecord(BaseModel):
    """The result of a puzzle in one of two compared files."""

    source: str = Field(description="The result file.")
    line: int = Field(description="Line or row in the file, from 1.")
    id: str
    rules: Preset | RulesRecord | None = None
    verdict: Verdict
    solution: str | None = None
    count: int | None = None
    complete: bool | None = None
    level: Level | None = None
    readings: dict[Literal["classic", "unruly"], Verdict] | None = Field(
        default=None, description="The verdicts of a record of --rules both."
    )
    asked: dict[str, str] | None = Field(
        default=None, description="The fields requested with --field, each as JSON."
    )
    backend: str | None = None
    error: str | None = Field(default=None, description="The kind of error.")


class DifferenceRecord(BaseModel):
    """A puzzle with different results in two files."""

    schema_version: Literal[1] = RESULT_VERSION
    kind: Literal["contradiction", "changed", "known", "only"] = Field(
        description="contradiction: they can't both be right; changed: other values differ; "
        "known: only one file has an answer; only: the puzzle is in one file only."
    )
    height: int | None = None
    width: int | None = None
    clues: str | None = None
    signs: list[tuple[int, int, str, str]] | None = None
    differs: list[str] = Field(description="The fields that differ.")
    first: SideRecord | None = None
    second: SideRecord | None = None

    def to_json(self) -> str:
        """One line of JSON without absent fields."""
        return self.model_dump_json(exclude_none=True)
