"""What is asked of puzzles over HTTP: the bodies of requests, and the options in their queries.

Options are called as those of the command line.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema

from binairo_cp.batch.reasoning import Logic
from binairo_cp.batch.studies import Study
from binairo_cp.batch.tasks import Task
from binairo_cp.formats.schema import Preset, PuzzleRecord
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.rules import PRESETS, Rules
from binairo_cp.solving.solutions import Reasons, Verb

FormatName = Literal["auto", "text", "line", "json", "ndjson", "task", "unruly", "janko", "csv"]
BackendName = Literal["auto", "bitboard", "pysat", "cpsat", "backtracking"]
"""No external programs: what comes over HTTP starts none."""

_CELLS = Field(default=None, max_length=MAX_SIDE * MAX_SIDE, description="Cells, row by row.")
_MOST_LIMIT = 1_000_000_000


def _without_default(schema: dict[str, Any]) -> None:
    """What must not be null has no null as its default."""
    del schema["default"]


PuzzleIn = Annotated[
    Annotated[PuzzleRecord, Tag("record")] | Annotated[str, Tag("text")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "record"),
]
"""A record, or a text in any format: a grid, a line, an id."""


class TimeLimit(BaseModel):
    """How long a request may work."""

    model_config = ConfigDict(extra="forbid")

    time_limit: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Seconds for all of the request; the server's own limit is the most.",
    )


class Options(TimeLimit):
    """What can be said about any request, in its body or its query."""

    format: FormatName = Field(default="auto", description="The format of puzzles that are text.")
    rules: Preset | None = Field(
        default=None,
        description="The rules of puzzles that state none; if absent: plus for puzzles with signs, "
        "or classic.",
    )

    @property
    def asked_rules(self) -> Rules | None:
        """The rules of puzzles that state none."""
        return PRESETS.get(self.rules or "")


class Ask(Options):
    """A request about puzzles: `puzzle` or `puzzles`."""

    puzzle: PuzzleIn | SkipJsonSchema[None] = Field(
        default=None, description="One puzzle.", json_schema_extra=_without_default
    )
    puzzles: list[PuzzleIn] | str | SkipJsonSchema[None] = Field(
        default=None,
        description="Several: a list, or a text with any number of them.",
        json_schema_extra=_without_default,
    )
    single_only: ClassVar[tuple[str, ...]] = ()
    """Options that are about one puzzle."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Says what `_check_puzzles` checks."""
        told = handler(schema)
        several: dict[str, Any] = {"required": ["puzzles"]}
        if cls.single_only:
            several["properties"] = {name: {"type": "null"} for name in cls.single_only}
        handler.resolve_ref_schema(told)["oneOf"] = [{"required": ["puzzle"]}, several]
        return told

    @model_validator(mode="after")
    def _check_puzzles(self) -> Self:
        given = self.model_fields_set & {"puzzle", "puzzles"}
        if len(given) != 1 or None in (getattr(self, name) for name in given):
            raise ValueError("expected either puzzle or puzzles, and not null")
        for name in self.single_only:
            if self.puzzle is None and getattr(self, name) is not None:
                raise ValueError(f"{name} is about one puzzle; expected puzzle, not puzzles")
        return self


class TaskAsk(Ask):
    """A request that is answered by result records."""

    search: ClassVar[Verb] = "check"

    @property
    def logic(self) -> Logic | None:
        """What a person would see, if that is asked."""
        return None

    @property
    def study(self) -> Study | None:
        """What is asked about clues, if anything."""
        return None

    def task(self) -> Task:
        """What a worker is to do with each puzzle."""
        return Task(self.search, reasons=self._reasons, logic=self.logic, study=self.study)

    @property
    def _reasons(self) -> Reasons:
        """Which contradicting clues are looked for: of many puzzles those that are soon found."""
        if self.study is not None:
            return "none"
        return "quick" if self.puzzle is None else "smallest"


class _Searching(TaskAsk):
    rules: Preset | Literal["both"] | None = Field(  # type: ignore[assignment]  # one word more
        default=None,
        description="As elsewhere; both: decide all puzzles with distinct lines and without.",
    )
    backend: BackendName = Field(default="auto", description="Who answers.")
    cross_check: BackendName | None = Field(
        default=None, description="A second backend, which must agree."
    )

    def task(self) -> Task:
        """With what is said about the search."""
        return Task(
            self.search,
            self.backend,
            self.cross_check,
            getattr(self, "limit", None),
            both_readings=self.rules == "both",
            backbone=getattr(self, "backbone", False),
            reasons=getattr(self, "reasons", None) or self._reasons,
        )


class SolveAsk(_Searching):
    """Solutions of puzzles."""

    search = "solve"
    limit: int = Field(default=1, ge=1, le=_MOST_LIMIT, description="How many solutions.")


class CheckAsk(_Searching):
    """Whether puzzles have exactly one solution."""

    backbone: bool = Field(
        default=False, description="Tell which cells all solutions share, where there are several."
    )
    reasons: Reasons | None = Field(
        default=None,
        description="Which contradicting clues to look for where there is no solution: none, quick "
        "(a set of which no clue can be left out) or smallest; if absent: smallest for `puzzle`, "
        "quick for `puzzles`.",
    )


class CountAsk(_Searching):
    """How many solutions puzzles have."""

    search = "count"
    limit: int | None = Field(
        default=None, ge=1, le=_MOST_LIMIT, description="Stop after that many solutions."
    )


class HintAsk(TaskAsk):
    """The next step that a person could take, or where a board is wrong."""

    single_only = ("board",)
    board: str | None = _CELLS

    @property
    def logic(self) -> Logic:
        """The next step."""
        return Logic("hint", self.board)


class ExplainAsk(HintAsk):
    """All steps to the solution."""

    @property
    def logic(self) -> Logic:
        """All steps."""
        return Logic("explain", self.board)


class GradeAsk(TaskAsk):
    """How hard puzzles are for a person."""

    @property
    def logic(self) -> Logic:
        """The grade."""
        return Logic("grade")


class CluesAsk(TaskAsk):
    """Which clues may go; of several solutions, what would help."""

    limit: int = Field(
        default=1_000, ge=1, le=1_000_000, description="Stop after so many irreducible sets."
    )

    @property
    def study(self) -> Study:
        """The clues."""
        return Study("clues", limit=self.limit)


class FewestAsk(TaskAsk):
    """The fewest clues that keep the solution the only one."""

    all_cells: bool = Field(default=False, description="Choose among all cells of the solution.")

    @property
    def study(self) -> Study:
        """The fewest clues."""
        return Study("fewest", self.all_cells)


class RepairAsk(TaskAsk):
    """The fewest changes that make puzzles unique."""

    single_only = ("solution",)
    solution: str | None = _CELLS

    @property
    def study(self) -> Study:
        """The changes."""
        return Study("repair", solution=self.solution)


TASKS: dict[str, type[TaskAsk]] = {
    "solve": SolveAsk,
    "check": CheckAsk,
    "count": CountAsk,
    "hint": HintAsk,
    "explain": ExplainAsk,
    "grade": GradeAsk,
    "clues": CluesAsk,
    "fewest": FewestAsk,
    "repair": RepairAsk,
}
"""The requests that result records answer, by the last word of their route."""


def options_of(ask: type[BaseModel]) -> dict[str, Any]:
    """The fields of a request that its query may have too: those that are one word or number."""
    return {
        name: field for name, field in ask.model_fields.items() if name not in ("puzzle", "puzzles")
    }
