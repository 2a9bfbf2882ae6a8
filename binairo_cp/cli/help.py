"""What `--help` shows: commands in groups, the options that most people need, and one-word types.

`--help-all` shows the other options too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args, get_origin

GROUPS = {
    "Solve": "solve check count",
    "Explain": "hint explain grade judge",
    "Improve": "clues fewest repair audit",
    "Make": "generate board dataset",
    "Print": "render book",
    "Convert": "convert filter encode decode schema",
    "Prove and count": "certify verify census lines",
    "Serve": "serve page api-key mcp",
}
"""The commands in the order of `binairo --help`, which names `help` at its end."""

_RARE = {
    *("workers", "memory_limit", "cluster", "resume", "columns", "sat_exit", "cross_check"),
    *("size", "backbone", "certify", "draw", "longest_chain", "most_trials"),
    *("method", "tries", "distinct", "odd", "irreducible"),
    *("font", "cell", "margin", "not_unique", "per_page", "ids"),
    *("drain", "grace", "body", "upload", "side", "spare_workers", "queue"),
    *("jobs", "jobs_waiting", "job_bytes", "stored_bytes", "keep", "cors", "embed_origins"),
    *("trusted_proxies", "log_level", "database"),
    *("coordinates", "solver", "results", "language", "limit", "reasons"),
    *("subject", "printer", "bleed", "notes", "certificates", "template", "order", "answers"),
    *("exclude", "solution"),
}
"""Options that only `--help-all` shows, whatever the command."""

_LAST = ("to", "out", "quiet")
_OTHERS = "Others"

_ONE_OF = "One of "
DEFAULT = r"  \[default: "
"""How a help says what holds without the option."""

_WIDEST_CHOICES = 13
_MOST_LISTED = 6
_LONGEST_DEFAULT = 20
_LONGEST_TEXT = 70
_WIDEST_SUMMARY = 66
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z-])")


def grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """The commands by group, without `help`; those that no group names come last."""
    groups = {group: listed.split() for group, listed in GROUPS.items()}
    known = {name for listed in groups.values() for name in listed} | {"help"}
    return groups | {_OTHERS: [name for name in names if name not in known]}


def is_rare(option: Any) -> bool:
    """Whether only `--help-all` shows an option."""
    if option.hidden or option.param_type_name == "argument":
        return False
    # For the texts that are read; elsewhere it says which symbols are shown.
    return option.name in _RARE or (
        option.name == "symbols" and option.rich_help_panel in ("Input", "Explanations")
    )


def place(option: Any) -> int:
    """The order of the options in a short help: what most commands have comes last."""
    return _LAST.index(option.name) + 1 if option.name in _LAST else 0


@contextmanager
def changed(command: Any, parameters: list[Any]) -> Iterator[None]:
    """Restore the options of a command, and their order, after its help is written."""
    order, before = command.params, [dict(vars(parameter)) for parameter in parameters]
    try:
        yield
    finally:
        command.params = order
        for parameter, attributes in zip(parameters, before, strict=True):
            vars(parameter).clear()
            vars(parameter).update(attributes)


def shorten(parameters: list[Any]) -> int:
    """Show usual options in one group with one sentence each.

    Returns:
        The number of options that are left out.
    """
    rare = [parameter for parameter in parameters if is_rare(parameter)]
    for parameter in parameters:
        parameter.hidden |= parameter in rare or parameter.name == "help"
        parameter.rich_help_panel = None
        parameter.help = _short(parameter)
        parameter.show_default = False
        parameter._get_number_range_help_str = lambda: None
    return len(rare)


def lengthen(parameters: Iterable[Any]) -> None:
    """Show all options but `--help`, with the bounds of numbers as `1..512`."""
    for parameter in parameters:
        parameter.hidden |= parameter.name == "help"
        if (least := getattr(parameter, "min", None)) is not None:
            text = f"from {least}" if parameter.max is None else f"{least}..{parameter.max}"
            parameter._get_number_range_help_str = lambda text=text: text


def _short(parameter: Any) -> str:
    """The beginning of a help, the words that can be chosen, and a short default."""
    text, _, default = (parameter.help or "").partition(DEFAULT)
    text = _SENTENCE_END.split(text)[0]
    if len(text) > _LONGEST_TEXT:
        text = re.split("[:;] ", text)[0].rstrip(".") + "."
    described = getattr(parameter, "type_descriptor", None)
    words = choices(described.annotation) if described else []
    if "|" not in (parameter.metavar or "") and any(word not in text for word in words):
        more = " or another" if len(words) > _MOST_LISTED else ""
        text += f" {_ONE_OF}{', '.join(words[:_MOST_LISTED])}{more}."
    if not default and parameter.show_default and parameter.default not in (None, ""):
        number = isinstance(parameter.default, float)
        default = f"{parameter.default:g}]" if number else f"{parameter.default}]"
    return text + (f" {DEFAULT.strip()} {default}" if 0 < len(default) <= _LONGEST_DEFAULT else "")


def ending(rare: int) -> str:
    """The last line of the help of a command."""
    others = f" --help-all explains {rare} more." if rare else ""
    return f"-h and --help show this message.{others}"


def summary(text: str) -> str:
    """The first paragraph of a help in one line, as a list of commands shows it."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    for end in ("(?<=\\.) ", "[:;] "):
        if len(paragraph) > _WIDEST_SUMMARY:
            paragraph = re.split(end, paragraph)[0].rstrip(".") + "."
    return paragraph


def choices(kind: Any) -> list[str]:
    """The words that an option takes; empty if it takes others too."""
    kinds = [part for part in (get_args(kind) or (kind,)) if part is not type(None)]
    literal = [kind] if get_origin(kind) is Literal else kinds
    if any(get_origin(part) is not Literal for part in literal):
        return []
    return [str(word) for part in literal for word in get_args(part)]


def metavar_and_help(words: list[str], help: str) -> tuple[str, str]:
    """How an option with choices is shown: they must not break inside a word."""
    joined = "|".join(words)
    if len(joined) <= _WIDEST_CHOICES:
        return joined, help
    missing = any(word not in help for word in words)
    return "NAME", f"{help} {_ONE_OF}{', '.join(words)}." if missing else help
