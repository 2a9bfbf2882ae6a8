"""The menus of the web page, from the tables of the package.

In the page, a comment ``<!-- menu: NAME -->`` stands for the options of a menu.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import NamedTuple, get_args

from binairo_cp.deduction.styles import LANGUAGES
from binairo_cp.features.feature import options_of, record_features
from binairo_cp.features.generate import generate
from binairo_cp.formats import FORMATS
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.solving.encodings import TARGETS


class Choice(NamedTuple):
    """An option of a menu: its value, its text, and whether it is chosen at first."""

    value: str
    text: str
    is_selected: bool = False

    def html(self) -> str:
        selected = " selected" if self.is_selected else ""
        return f'<option value="{escape(self.value)}"{selected}>{escape(self.text)}</option>'


def _rules() -> Iterator[Choice]:
    return (Choice(name, _RULES.get(name, _capitalized(name))) for name in PRESETS)


def _grades() -> Iterator[Choice]:
    (kind,) = (each.type for each in options_of(generate) if each.name == "grade")
    return (Choice(name, _capitalized(name), name == "medium") for name in get_args(kind))


def _commands() -> Iterator[Choice]:
    for name, feature in record_features().items():
        if feature.title:
            yield Choice(name, feature.title, name == "grade")


def _languages() -> Iterator[Choice]:
    return (Choice(name, title) for name, title in LANGUAGES.items())


def _formats() -> Iterator[Choice]:
    return (Choice(f"convert:{name}", each.title) for name, each in FORMATS.items())


def _targets() -> Iterator[Choice]:
    return (Choice(f"encode:{name}", each.title) for name, each in TARGETS.items())


_RULES = {"classic": "Binairo", "plus": "Binairo+"}
"""The presets that have another name on the page."""


def _capitalized(name: str) -> str:
    return name.replace("-", " ").capitalize()


MENUS: dict[str, Callable[[], Iterator[Choice]]] = {
    "rules": _rules,
    "grades": _grades,
    "commands": _commands,
    "languages": _languages,
    "formats": _formats,
    "targets": _targets,
}
"""The menus by name."""

_PLACE = re.compile(r"<!-- menu: (\w+) -->")


def filled(page: str) -> str:
    """A page with the options of its menus."""
    return _PLACE.sub(lambda place: "".join(each.html() for each in MENUS[place[1]]()), page)
