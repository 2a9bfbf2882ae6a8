"""A feature is one function: its signature states its options, and everything else is derived.

The command line (`cli.derived`), the HTTP bodies (`service.bodies`), the tools of MCP, the menus of
the page and the "Args" of the docstring come from `options_of`. A parameter is annotated with an
`Option`; if only Python has it, a text describes it instead::

    @feature(title="Count solutions")
    def count(
        puzzle: OnePuzzle,
        *,
        limit: Annotated[int | None, Option("Stop after this many solutions.", least=1)] = 1000,
        time_limit: Annotated[float | None, "seconds; None for no limit"] = None,
    ) -> Outcome:
        '''Count the solutions of each puzzle, up to a limit.'''
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from inspect import Parameter, cleandoc, formatannotation, signature
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints_of

from binairo_cp.errors import OptionError
from binairo_cp.features.arguments import PuzzleLike, RulesLike

if TYPE_CHECKING:
    from binairo_cp.batch.analyses import Analysis
    from binairo_cp.batch.tasks import Task
    from binairo_cp.solving.solutions import Reasons, Verb

REQUIRED: Any = Parameter.empty
"""The default of an option that has none."""

_ORDER = (
    *("solve", "check", "count", "hint", "explain", "grade", "judge"),
    *("clues", "fewest", "repair"),
)
_LONGEST_SHOWN = 40
_WIDTH = 96

AFunction = TypeVar("AFunction", bound=Callable[..., Any])


class Option(NamedTuple):
    """What an option needs besides its name, type and default.

    Attributes:
        help: what it does, in one or two sentences.
        absent: what happens without it, if the default value does not show it.
        type: its type on the command line and over HTTP, if a Python function takes more.
        in_python: what else a Python function takes, in a sentence.
        longest: the most characters allowed.
        schema: JSON schema of its values, if the type is not enough.
        flags: its names on the command line, if they differ from the parameter.
        is_positional: it is a positional argument without a flag.
        is_board: its value is the cells of a board. The command line also takes a file with the
            board; over HTTP the option belongs to one puzzle, and is not in the query string.
        is_repeatable: the command line takes it several times, and joins the values with commas.
        unit: what the command line counts, such as 1024 for an option in bytes that takes KiB.
        on_command_line: the command line has it.
        over_http: the service has it.
    """

    help: str
    absent: str = ""
    type: Any = None
    in_python: str = ""
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    schema: dict[str, Any] | None = None
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str | None = None
    is_positional: bool = False
    is_board: bool = False
    is_repeatable: bool = False
    unit: int = 1
    on_command_line: bool = True
    over_http: bool = True

    def help_with_default(self, absent: str | None = None) -> str:
        """The help, with what happens without the option (by default `self.absent`)."""
        default = self.absent if absent is None else absent
        return f"{self.help} If absent: {default}." if default else self.help


class OptionField(NamedTuple):
    """An option of a feature; its default is `REQUIRED` if it has none."""

    name: str
    type: Any
    default: Any
    option: Option


class Feature(NamedTuple):
    """A function, and what else the derived forms need.

    Attributes:
        function: the function. The first paragraph of its docstring is the help of its command and
            of its route.
        title: its name in the page's menu for files of puzzles; empty if the menu does not have it.
        examples: command lines for the help, each with an explanation after it if it needs one.
        tool: what it does, for clients of MCP; empty if it is no tool there.
        check: called with all options; raises `OptionError` if they can't be combined.
        verb: the search that it does for each puzzle of a file; empty if its answers are no result
            records.
        analysis: what it finds out about each puzzle after the search.
        explains_conflicts: records of puzzles without a solution say which clues conflict.
    """

    function: Callable[..., Any]
    title: str = ""
    examples: tuple[str, ...] = ()
    tool: str = ""
    check: Callable[..., object] | None = None
    verb: Verb | Literal[""] = ""
    analysis: Analysis | None = None
    explains_conflicts: bool = True

    @property
    def help(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join((self.function.__doc__ or "").partition("\n\n")[0].split())

    def completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """All options: those that are given, and the defaults of the others.

        Raises:
            OptionError: they can't be combined.
        """
        options = {field.name: field.default for field in options_of(self.function)} | given
        if self.check:
            self.check(**options)
        return options


_FEATURES: dict[str, Feature] = {}
_options: dict[Any, tuple[OptionField, ...]] = {}


def feature(**attributes: Any) -> Callable[[AFunction], AFunction]:
    """Register a function as a feature, with these attributes of `Feature`."""

    def register(function: AFunction) -> AFunction:
        _FEATURES[function.__name__] = Feature(function, **attributes)
        return function

    return register


def described(function: AFunction) -> AFunction:
    """The function of a feature, for `help`: plain annotations, and "Args" in the docstring.

    This takes longer than to import its module, so it waits until somebody uses the function.
    """
    if function in _options or function.__name__ not in _FEATURES:
        return function
    texts: dict[str, str] = {}
    options = []
    for parameter in signature(function).parameters.values():
        kind = parameter.annotation
        kind = eval(kind, function.__globals__) if isinstance(kind, str) else kind
        if get_origin(kind) is not Annotated:
            continue
        function.__annotations__[parameter.name] = _in_words(kind.__origin__)
        about = kind.__metadata__[0]
        if isinstance(about, Option):
            kind = about.type or kind.__origin__
            options.append(OptionField(parameter.name, kind, parameter.default, about))
            about = _described(options[-1])
        texts[parameter.name] = about
    _options[function] = tuple(options)
    if function.__doc__:
        function.__doc__ = _with_arguments(cleandoc(function.__doc__), texts)
    return function


def _in_words(kind: Any) -> str:
    """A type as the source of a function would state it."""
    text = formatannotation(kind)
    for name, alias in (("PuzzleLike", PuzzleLike), ("RulesLike", RulesLike)):
        text = text.replace(formatannotation(alias), name)
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)
    return re.sub(r"^Optional\[(.*)\]$", r"\1 | None", text)


def _described(field: OptionField) -> str:
    """The help of an option for Python, with the words that it takes."""
    text = re.sub("--([a-z]+)", r"`\1`", field.option.help_with_default())
    words = _words(field.type)
    if any(word not in text for word in words):
        text += f" One of {', '.join(words)}."
    return f"{text} {field.option.in_python}".rstrip()


def _words(kind: Any) -> list[str]:
    return [word for one in _kinds(kind) if get_origin(one) is Literal for word in get_args(one)]


def _with_arguments(doc: str, texts: dict[str, str]) -> str:
    """A docstring with a section about the arguments, before what it returns or raises."""
    section = "\n".join(["Args:", *(_wrapped(f"{name}: {text}") for name, text in texts.items())])
    places = [place for word in ("Returns", "Raises") if (place := doc.find(f"\n{word}:\n")) >= 0]
    place = min(places, default=len(doc))
    return f"{doc[:place].rstrip()}\n\n{section}\n{doc[place:]}"


def _wrapped(text: str) -> str:
    """An entry of a section of a docstring. `textwrap` would take most of the time of `--help`."""
    lines = ["   "]
    for word in text.split():
        if len(lines[-1]) + len(word) < _WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{' ' * 8}{word}")
    return "\n".join(lines)


@cache
def _load() -> None:
    """Import all modules of this package, which register their features."""
    package = __name__.rpartition(".")[0]
    for name in sorted(os.listdir(os.path.dirname(__file__))):
        if name.endswith(".py") and name != "__init__.py":
            import_module(f"{package}.{name.removesuffix('.py')}")


def features() -> dict[str, Feature]:
    """All features by name, in the order of the help."""
    _load()
    names = [name for name in _ORDER if name in _FEATURES]
    return {name: _FEATURES[name] for name in [*names, *sorted(_FEATURES.keys() - set(names))]}


def feature_named(name: str) -> Feature:
    """One of `features`. A service calls this for each request."""
    if name not in _FEATURES:
        _load()
    return _FEATURES[name]


def feature_of(function: Callable[..., Any]) -> Feature:
    """What a function was registered with."""
    return _FEATURES[function.__name__]


def checked(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a feature, some of them given, checked as everywhere.

    Values that only Python has are left to the function, and so are its other arguments.

    Raises:
        OptionError: one is out of bounds or of another type, or they can't be combined.
    """
    fields = [option for option in options_of(function) if option.name in given]
    for field in fields:
        value = given[field.name]
        if not field.option.type or isinstance(value, str | int | float):
            check_value(field, value)
    return feature_of(function).completed({field.name: given[field.name] for field in fields})


def record_features() -> dict[str, Feature]:
    """The features that result records answer, one for each puzzle."""
    return {name: row for name, row in features().items() if row.verb}


def task_of(
    name: str,
    options: dict[str, Any] | None = None,
    *,
    time_limit: float | None = None,
    reasons: Reasons | None = None,
) -> Task:
    """The task of a feature that result records answer.

    The time limit is in seconds for each puzzle. `reasons` says which minimal conflict `check`
    looks for, if the options do not.

    Raises:
        OptionError: the options can't be combined.
    """
    # Imported here because it loads pydantic.
    from binairo_cp.batch.tasks import Task

    feature = feature_named(name)
    given = feature.completed(options or {})
    rules = given.pop("rules")
    analysis = feature.analysis
    if analysis and not given.get(analysis.only_if, True):
        analysis = None
    is_search = "backend" in given
    return Task(
        feature.verb or "check",
        **({key: given[key] for key in ("backend", "cross_check", "limit")} if is_search else {}),
        time_limit=time_limit,
        both_readings=rules == "both",
        reasons=(given.get("reasons") or reasons) if feature.explains_conflicts else "none",
        analyses=(replace(analysis, options=given),) if analysis else (),
    )


def options_of(statement: Any) -> tuple[OptionField, ...]:
    """The options that a feature's function states, or a dataclass, in order."""
    # Reading type hints takes as long as all else that the service does for a small request.
    if statement not in _options:
        if is_dataclass(statement):
            _options[statement] = tuple(_read(statement))
        else:
            described(statement)
    return _options[statement]


def _read(statement: Any) -> Iterator[OptionField]:
    hints = hints_of(statement, include_extras=True)
    for field in fields(statement):
        kind, option = hints[field.name].__origin__, hints[field.name].__metadata__[0]
        default = REQUIRED if field.default is MISSING else field.default
        yield OptionField(field.name, kind, default, option)


def help_of(statement: Any, name: str) -> str:
    """The help of an option, with what happens without it."""
    option = next(option.option for option in options_of(statement) if option.name == name)
    return option.help_with_default()


def check_value(field: OptionField, value: object) -> None:
    """Check the value of an option.

    Raises:
        OptionError: it is out of bounds, or of another type.
    """
    if value is None and type(None) in get_args(field.type):
        return
    if expected := _expected(value, field.type, field.option):
        text = repr(value)
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
        raise OptionError(field.name, f"expected {expected}, not {shown}")


def _kinds(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _expected(value: object, kind: Any, option: Option) -> str | None:
    """What an option expects, if a value is something else; None if the value is right."""
    kinds, words = _kinds(kind), _words(kind)
    types = tuple(kind for kind in kinds if isinstance(kind, type) and kind is not type(None))
    if value in words and isinstance(value, str):
        return None
    # True and False are numbers in Python, but not here.
    if isinstance(value, bool) and bool not in types:
        types = ()
    if not isinstance(value, (*types, int) if float in types else types):
        named = [*(_TYPE_NAMES[one] for one in types or kinds if one in _TYPE_NAMES), *words]
        return f"one of {', '.join(named)}" if len(words) > 1 else " or ".join(named)
    if isinstance(value, int | float):
        if option.least is not None and not value >= option.least:
            return f"{option.least:,} or more"
        if option.most is not None and not value <= option.most:
            return f"{option.most:,} or less"
        return None
    if isinstance(value, str) and option.longest is not None and len(value) > option.longest:
        return f"at most {option.longest} characters"
    return None


_TYPE_NAMES: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
}
