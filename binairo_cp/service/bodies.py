"""The bodies and queries of HTTP requests, as pydantic models.

Their options are those of `commands.requests`, and so are names, defaults and bounds; `_DIFFERENT`
lists what is not the same over HTTP.
"""

from __future__ import annotations

from dataclasses import MISSING
from typing import Annotated, Any, ClassVar, Literal, Self, cast, get_args

from pydantic import (
    BaseModel,
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
from pydantic_core import CoreSchema

from binairo_cp.batch.tasks import Task
from binairo_cp.commands import requests
from binairo_cp.commands.generate import GenerationSpec, draw_seed, spec_of
from binairo_cp.commands.requests import FormatName, GenerateRequest, PuzzleRequest
from binairo_cp.commands.tasks import task_of
from binairo_cp.formats.schema import Preset, PuzzleRecord
from binairo_cp.puzzle.rules import PRESETS, Rules

BackendName = Literal["auto", "bitboard", "pysat", "cpsat", "backtracking"]
"""No external programs: what comes over HTTP starts none."""


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


class PuzzleBody(Options):
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

    request_type: ClassVar[type[PuzzleRequest]] = PuzzleRequest

    @property
    def request(self) -> PuzzleRequest:
        """The request without its puzzles.

        Raises:
            OptionError: some of it can't be together.
        """
        return self.request_type(**_values(self, self.request_type))

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


class TaskBody(PuzzleBody):
    """A request that result records answer."""

    def task(self) -> Task:
        """What a worker is to do with each puzzle."""
        # Of many puzzles those contradicting clues are reported that are found soon.
        return task_of(self.request, reasons="quick" if self.puzzle is None else "smallest")


class EncodeBody(PuzzleBody):
    """A request for files for solvers."""

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        if cast("Any", self).unique not in (None, "auto") and self.puzzle is None:
            raise ValueError("a solution is that of one puzzle; expected puzzle, not puzzles")
        return self


class GenerateBody(TimeLimit):
    """A request for puzzles; its seed is drawn here if it has none."""

    seed: StrictInt | str | None = Field(
        default=None,
        union_mode="left_to_right",
        validate_default=True,
        description=requests.described(GenerateRequest, "seed"),
    )

    @field_validator("seed")
    @classmethod
    def _drawn(cls, seed: int | str | None) -> str:
        return str(draw_seed() if seed is None else seed)

    @property
    def request(self) -> GenerateRequest:
        """The request.

        Raises:
            OptionError: the size or the seed is none.
        """
        return GenerateRequest(**_values(self, GenerateRequest))

    def order(self, *, graded: bool = True) -> GenerationSpec:
        """What is to be made.

        Raises:
            LimitError: there can be no such puzzles.
            OptionError: the size or the seed is none.
        """
        return spec_of(self.request, graded=graded)


_UNBOUNDED = "until the time limit"
_DIFFERENT: dict[tuple[str, str], dict[str, Any]] = {
    ("solve", "backend"): {"type": BackendName},
    ("check", "backend"): {"type": BackendName},
    ("count", "backend"): {"type": BackendName},
    ("solve", "cross_check"): {"type": BackendName | None},
    ("check", "cross_check"): {"type": BackendName | None},
    ("count", "cross_check"): {"type": BackendName | None},
    ("count", "limit"): {"default": None, "absent": _UNBOUNDED},
    ("generate", "size"): {"type": StrictInt | str},
    ("encode", "to"): {"type": requests.Target, "default": "dimacs"},
    ("convert", "to"): {"type": requests.PuzzleFormat, "default": "text"},
    ("render", "to"): {"type": requests.Picture, "default": "svg"},
}
"""What differs over HTTP, by command and option: no external programs, nothing from a file's name,
and no limit of counts but the server's own."""

_COMMAND_LINE_ONLY = {("check", "limit")}
"""`count` does that over HTTP."""


def _body(command: str, base: type[BaseModel], **words: Any) -> Any:
    """The model of the requests for a command."""
    request = requests.REQUESTS[command]
    made: dict[str, Any] = {}
    for stated in requests.options_of(request):
        key = command, stated.name
        is_inherited = stated.name in base.model_fields and stated.type == (
            requests.PresetName | None
        )
        if key in _COMMAND_LINE_ONLY or is_inherited or stated.name == "seed":
            continue
        made[stated.name] = _field(stated, _DIFFERENT.get(key, {}))
    namespace = {"request_type": request, **words} if issubclass(base, PuzzleBody) else words
    named = type(f"{command.title()}Base", (base,), {"__module__": __name__, **namespace})
    return create_model(
        f"{command.title()}Request", __base__=named, __doc__=request.__doc__, **made
    )


def _field(stated: requests.Stated, different: dict[str, Any]) -> tuple[Any, Any]:
    """An option as pydantic takes it."""
    option = stated.option
    default = different.get("default", stated.default)
    absent = different.get("absent", option.absent if default is None else "")
    kind = different.get("type", stated.type)
    if option.schema:
        kind = Annotated[kind, WithJsonSchema(option.schema)]
    known: dict[str, Any] = {"ge": option.least, "le": option.most, "max_length": option.longest}
    if float in (stated.type, *get_args(stated.type)):
        known["allow_inf_nan"] = False
    bounds = {name: value for name, value in known.items() if value is not None}
    given = ... if default is MISSING else default
    return kind, Field(default=given, description=option.described(absent), **bounds)


def _values(body: BaseModel, request: type[Any]) -> dict[str, Any]:
    """The options that a body has."""
    return {
        stated.name: getattr(body, stated.name)
        for stated in requests.options_of(request)
        if stated.name in type(body).model_fields
    }


_SINGLE = {"hint": ("board",), "explain": ("board",), "repair": ("solution",)}
TASKS: dict[str, type[TaskBody]] = {
    name: _body(name, TaskBody, single_only=_SINGLE.get(name, ())) for name in requests.TASKS
}
"""The requests that result records answer, by the last word of their route."""

ENCODE: type[EncodeBody] = _body("encode", EncodeBody)
CONVERT: type[PuzzleBody] = _body("convert", PuzzleBody)
CERTIFY: type[PuzzleBody] = _body("certify", PuzzleBody)
RENDER: type[PuzzleBody] = _body("render", PuzzleBody)
GENERATE: type[GenerateBody] = _body("generate", GenerateBody)
