"""The JSON records of puzzles and the entries that they give, and the validation of all records."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.formats import results, text
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.record_base import Record
from binairo_cp.formats.results import Preset
from binairo_cp.formats.validation import first_error
from binairo_cp.puzzle.board import MAX_SIDE, Board
from binairo_cp.puzzle.rules import PRESETS, Odd, Puzzle, Rules, Sign, rules_for

AnyRecord = TypeVar("AnyRecord")

EXPECTED = "a record with height, width and clues"

_POSITION = re.compile(r"(?P<message>.*) at line (?P<line>[0-9]+) column (?P<column>[0-9]+)")

Side = Annotated[StrictInt, Field(ge=1, le=MAX_SIDE)]
Index = Annotated[StrictInt, Field(ge=0, lt=MAX_SIDE)]
Place = Annotated[list[Index], Field(min_length=2, max_length=2)]
_Sign = tuple[Index, Index, Literal["R", "D"], Literal["=", "x"]]


def _many(description: str | None = None, **options: Any) -> Any:
    # Each of a million wrong elements would be an error, so the first one ends the validation.
    return Field(fail_fast=True, description=description, **options)


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


Point = Annotated[list[float], Field(min_length=2, max_length=2)]


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
    entries: list[Place] = _many("[row, column] of the entries, from 0.")
    confidence: list[float] = _many("The confidence of each cell, row by row.")
    unsure: list[Place] = _many("[row, column] of the cells that are not sure.")
    signs: list[_Sign] = _many()
    sign_confidence: list[float] = _many("The confidence of each of the signs.")
    unsure_signs: list[tuple[Index, Index, Literal["R", "D"]]] = _many(
        "Where a sign stands that is not sure."
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
    corners: list[Point] | None = _many(
        "The corners of a board that is turned or seen at an angle, as such parts: [x, y], "
        "clockwise from the left top one.",
        default=None,
    )


class PuzzleRecord(BaseModel):
    """A puzzle. Unknown fields are ignored."""

    id: str | StrictInt | None = Field(default=None, description="Name of the puzzle.")
    height: Side
    width: Side
    clues: str = Field(
        max_length=MAX_SIDE * MAX_SIDE, description="Row by row: '0', '1', '.' for an open cell."
    )
    signs: list[_Sign] = _many(
        "[row, column, 'R' or 'D', '=' or 'x']: the cell, counted from 0, and its right (R) or "
        "lower (D) neighbour are equal (=) or opposite (x).",
        default=[],
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
        """Accept signs as the manifests of books write them: ``r1c1=r1c2 r2c3xr3c3``."""
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
        return cls.model_validate({"id": id, **puzzle.to_dict()})


def entry(
    validate: Callable[[], PuzzleRecord],
    default_rules: Rules | None,
    source: str,
    *,
    line: int | None = None,
    where: str = "",
    expected: str = "",
) -> Entry:
    """The entry of a record, with its puzzle or its error; `where` begins the message.

    What the message says was expected is `expected`, if `validate` does not say it.
    """
    record = puzzle = error = stated = None
    try:
        record = validate()
        signs = record.sign_values()
        stated = record.stated_rules()
        puzzle = Puzzle(record.board(), stated or rules_for(signs, default_rules), signs)
    except ValidationError as fault:
        error = _invalid(fault, source, line, where)
    except FormatError as fault:
        expected = fault.expected or expected
        error = FormatError(where + fault.message, source=source, line=line, expected=expected)
    except BinairoError as fault:
        cell = getattr(fault, "cell", None)
        error = FormatError(where + str(fault), source=source, line=line, cell=cell)
    name = None if record is None or record.id is None else str(record.id)
    picture = record.picture if record else None
    return Entry(puzzle, error, name, source, line, picture, states_rules=stated is not None)


def syntax_error(message: str, source: str, line: int | None, where: str = "") -> FormatError:
    """The error of a JSON parser, with the position parsed from its message."""
    column = None
    if match := _POSITION.fullmatch(message):
        message, column = match["message"], int(match["column"])
        line = int(match["line"]) if line is None else line
    message = message.replace("EOF while parsing", "the text ends within")
    message = f"{where}invalid JSON: {message}"
    return FormatError(message, source=source, line=line, column=column, expected=EXPECTED)


def _invalid(error: ValidationError, source: str, line: int | None, where: str) -> FormatError:
    """The first error of a record, with its position."""
    place, message = first_error(error)
    if not place and message.startswith("Invalid JSON: "):
        return syntax_error(message.removeprefix("Invalid JSON: "), source, line, where)
    field = f"{place}: " if place else ""
    return FormatError(f"{where}{field}{message}", source=source, line=line, expected=EXPECTED)


# `results` has no types that need pydantic; here they are added.
vars(results).update(
    Place=Place,
    Span=Annotated[list[Place], Field(min_length=2, max_length=2)],
    StatedRules=Annotated[RulesRecord, AfterValidator(RulesRecord.rules)],
    PictureRecord=PictureRecord,
)


def types_of(record: type) -> dict[str, Any]:
    """The types of the fields of a kind of record."""
    if issubclass(record, BaseModel):
        return {name: model_field.annotation for name, model_field in record.model_fields.items()}
    return get_type_hints(record, include_extras=True)


def is_record(kind: Any) -> bool:
    """Whether this is a kind of record."""
    return isinstance(kind, type) and issubclass(kind, Record | BaseModel)


@cache
def adapter(record: type[AnyRecord]) -> TypeAdapter[AnyRecord]:
    """The validation and the JSON Schema of a kind of record."""
    return TypeAdapter(record)
