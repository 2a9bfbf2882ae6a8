"""Pydantic models of the bodies and query strings of requests.

The models are derived from the features, with the same names, defaults and bounds. `_OVERRIDES`
lists what differs over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self, cast, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    StrictInt,
    Tag,
    WithJsonSchema,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema, to_json

from binairo_cp import formats
from binairo_cp.batch.book_recipe import BookRecipe
from binairo_cp.batch.tasks import Task
from binairo_cp.features.book import order_of
from binairo_cp.features.convert import FormatName
from binairo_cp.features.feature import (
    REQUIRED,
    OptionField,
    feature_named,
    help_of,
    options_of,
    record_features,
    task_of,
)
from binairo_cp.features.generate import count_of, draw_seed, generate, spec_of
from binairo_cp.features.options import SIZE_HELP, SYMBOLS_HELP, PresetName
from binairo_cp.formats import Choices
from binairo_cp.formats.results import Preset
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.formats.shapes import is_free
from binairo_cp.generation.runs import GenerationSpec
from binairo_cp.puzzle.rules import PRESETS, Rules
from binairo_cp.rendering.shapes import Form
from binairo_cp.service.files import BookForm, BookSpec
from binairo_cp.solving.backends import TABLE
from binairo_cp.solving.solutions import Reasons

BackendName: Any = Literal[tuple(TABLE)]
"""A request over HTTP must not start programs."""


_SMALL = ("solve", "check", "count", "hint", "grade")
_LONG_OPTIONS = ("backbone", "best")


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


PuzzleIn = Annotated[
    Annotated[PuzzleRecord, Tag("record")]
    | Annotated[str, Tag("text")]
    | Annotated[str, Tag("rows"), WithJsonSchema({"type": "array", "items": {}})],
    Discriminator(lambda value: "text" if isinstance(value, str) else "record"),
    BeforeValidator(lambda value: to_json(value).decode() if is_free(value) else value),
]
"""A record, or text in any format: a grid, a line or a game id. JSON of other shapes, such as
a list of rows, is validated as text."""


class TimeLimit(BaseModel):
    """The option that every request has, and the feature that it is about."""

    model_config = ConfigDict(extra="forbid")

    time_limit: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Seconds for the whole request, up to the server's maximum.",
    )
    command: ClassVar[str]

    @cached_property
    def request(self) -> dict[str, Any]:
        """All options of the feature.

        Raises:
            OptionError: they can't be combined.
        """
        feature = feature_named(self.command)
        names = (field.name for field in options_of(feature.function))
        own = type(self).model_fields
        return feature.completed({name: getattr(self, name) for name in names if name in own})


class Options(TimeLimit):
    """Options of all requests with puzzles, in the body or in the query string."""

    format: FormatName = Field(default="auto", description="Format of puzzles given as text.")
    size: Annotated[str, Field(pattern=r"^[0-9]{1,3}(x[0-9]{1,3})?$")] | None = Field(
        default=None, description=SIZE_HELP
    )
    symbols: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description=SYMBOLS_HELP
    )
    rules: Preset | None = Field(
        default=None,
        description="Rules for puzzles that don't state any (default: plus for puzzles with signs, "
        "classic for others).",
    )

    @cached_property
    def requested_rules(self) -> Rules | None:
        """The rules for puzzles that don't state any."""
        return PRESETS.get(self.rules or "")

    @cached_property
    def stated(self) -> Choices:
        """What is stated about puzzles given as text.

        Raises:
            OptionError: the size or the symbols are not valid.
        """
        # Some requests have an option of this name for the symbols that are written.
        is_own = type(self).model_fields["symbols"].description == SYMBOLS_HELP
        return formats.stated(self.format, self.size, self.symbols if is_own else None)

    @model_validator(mode="after")
    def _check_stated(self) -> Self:
        self.stated  # noqa: B018  # it checks the size and the symbols
        return self


class PuzzleBody(Options):
    """A request with `puzzle` or `puzzles`."""

    puzzle: PuzzleIn | SkipJsonSchema[None] = Field(
        default=None, description="One puzzle.", json_schema_extra=_without_default
    )
    puzzles: list[PuzzleIn] | str | SkipJsonSchema[None] = Field(
        default=None,
        description="Several puzzles: a list, or a text with any number of puzzles.",
        json_schema_extra=_without_default,
    )
    single_only: ClassVar[tuple[str, ...]] = ()
    """Options that require `puzzle`."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe in the schema what `_check_puzzles` checks."""
        json_schema = handler(schema)
        several: dict[str, Any] = {"required": ["puzzles"]}
        if cls.single_only:
            several["properties"] = {name: {"type": "null"} for name in cls.single_only}
        handler.resolve_ref_schema(json_schema)["oneOf"] = [{"required": ["puzzle"]}, several]
        return json_schema

    @model_validator(mode="after")
    def _check_puzzles(self) -> Self:
        present = self.model_fields_set & {"puzzle", "puzzles"}
        if len(present) != 1 or None in (getattr(self, name) for name in present):
            raise ValueError("expected either puzzle or puzzles, and not null")
        for name in self.single_only:
            if self.puzzle is None and getattr(self, name) is not None:
                raise ValueError(f"{name} needs a single puzzle; expected puzzle, not puzzles")
        return self


class TaskBody(PuzzleBody):
    """A request that is answered with result records."""

    @cached_property
    def task(self) -> Task:
        """What a worker does with each puzzle."""
        reasons: Reasons = "none" if self.puzzle is None else "smallest"
        return task_of(self.command, self.request, reasons=reasons)

    @cached_property
    def is_small(self) -> bool:
        """Whether a puzzle in a small body probably takes a fraction of a second."""
        is_long = any(self.request.get(name) for name in _LONG_OPTIONS)
        return self.command in _SMALL and self.task.uses_bitboard and not is_long


class EncodeBody(PuzzleBody):
    """A request for files for solvers."""

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        if cast("Any", self).unique not in (None, "auto") and self.puzzle is None:
            raise ValueError(
                "unique with cells needs a single puzzle; expected puzzle, not puzzles"
            )
        return self


class GenerateBody(TimeLimit):
    """A request for new puzzles. Without a seed, a random seed is drawn on validation."""

    seed: str | StrictInt | None = Field(
        default=None,
        union_mode="left_to_right",
        validate_default=True,
        description=help_of(generate, "seed"),
    )

    @field_validator("seed")
    @classmethod
    def _draw_seed(cls, seed: int | str | None) -> str:
        return str(draw_seed() if seed is None else seed)

    def order(self, *, graded: bool = True) -> GenerationSpec:
        """What to generate.

        Raises:
            LimitError: there are no such puzzles.
            OptionError: the size or the seed is not valid.
        """
        return spec_of(self.request, graded=graded)

    @property
    def total(self) -> int:
        """The number of puzzles."""
        return count_of(self.request)

    @property
    def sizes(self) -> dict[str, int | str]:
        """The sizes of the boards, by their JSON pointers."""
        return {"/size": self.request["size"]}


class BookBody(TimeLimit):
    """A request for a book of new puzzles."""

    recipe: BookRecipe = Field(description="Which puzzles, and how they are drawn.")
    to: BookForm = Field(
        default="pdf",
        description="The book (pdf), or the book and the list of its puzzles as JSON (zip).",
    )

    @property
    def specification(self) -> BookSpec:
        """What to make."""
        return BookSpec(order_of(self.recipe), self.request, self.to)

    @property
    def total(self) -> int:
        """The number of puzzles."""
        return sum(puzzle.count for puzzle in self.recipe.puzzles)

    @property
    def sizes(self) -> dict[str, int | str]:
        """The sizes of the boards, by their JSON pointers."""
        sets = enumerate(self.recipe.puzzles)
        return {f"/recipe/puzzles/{number}/size": stated.size for number, stated in sets}


def boards_of(name: str) -> Iterator[str]:
    """The options of a request whose values are as long as a puzzle."""
    return (
        field.name for field in options_of(feature_named(name).function) if field.option.is_board
    )


_UNBOUNDED = "until the time limit"
_OVERRIDES: dict[tuple[str, str], dict[str, Any]] = {
    **{
        (name, option): {"type": kind}
        for name in record_features()
        for option, kind in (("backend", BackendName), ("cross_check", BackendName | None))
    },
    ("count", "limit"): {"default": None, "absent": _UNBOUNDED},
    ("generate", "size"): {"type": StrictInt | str},
    ("render", "to"): {"type": Form, "default": "svg"},
}
"""What differs over HTTP, by command and option: no format derived from the
name of a file, and no limit for counts except the server's own."""


def _body(command: str, base: type[BaseModel], **attributes: Any) -> Any:
    feature = feature_named(command)
    fields: dict[str, Any] = {}
    for field in options_of(feature.function):
        is_inherited = field.name in base.model_fields and field.type == (PresetName | None)
        if field.option.over_http and not is_inherited and field.name != "seed":
            fields[field.name] = field_of(field, _OVERRIDES.get((command, field.name), {}))
    attributes |= {"__module__": __name__, "command": command}
    named_base = type(f"{command.title()}Base", (base,), attributes)
    name = f"{command.title()}Request"
    return create_model(name, __base__=named_base, __doc__=feature.help, **fields)


def field_of(field: OptionField, overrides: dict[str, Any]) -> tuple[Any, Any]:
    """The type and the pydantic field of an option.

    `overrides` says what differs over HTTP: a type, a default, what happens without the option.
    """
    option = field.option
    default = overrides.get("default", field.default)
    absent = overrides.get("absent", option.absent if default is None else "")
    annotation = overrides.get("type", field.type)
    if option.schema:
        annotation = Annotated[annotation, WithJsonSchema(option.schema)]
    bounds: dict[str, Any] = {"ge": option.least, "le": option.most, "max_length": option.longest}
    if float in (field.type, *get_args(field.type)):
        bounds["allow_inf_nan"] = False
    bounds = {name: value for name, value in bounds.items() if value is not None}
    field_default = ... if default is REQUIRED else default
    return annotation, Field(
        default=field_default, description=option.help_with_default(absent), **bounds
    )


TASKS: dict[str, type[TaskBody]] = {
    name: _body(name, TaskBody, single_only=tuple(boards_of(name))) for name in record_features()
}
"""Models of the requests answered with result records, by the last part of the path."""

ENCODE: type[EncodeBody] = _body("encode", EncodeBody)
CONVERT: type[PuzzleBody] = _body("convert", PuzzleBody)
CERTIFY: type[PuzzleBody] = _body("certify", PuzzleBody)
RENDER: type[PuzzleBody] = _body("render", PuzzleBody)
GENERATE: type[GenerateBody] = _body("generate", GenerateBody)
BOOK: type[BookBody] = _body("book", BookBody)

BODIES: dict[str, type[BaseModel]] = {
    **TASKS,
    "encode": ENCODE,
    "convert": CONVERT,
    "certify": CERTIFY,
    "render": RENDER,
    "generate": GENERATE,
    "book": BOOK,
}
"""The models of all requests, by the last part of the path."""
