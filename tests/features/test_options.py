"""HTTP has the options of the features, and all refuse what can not be."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated, get_args

import pytest
import typer

from binairo_cp.cli import derived
from binairo_cp.errors import OptionError
from binairo_cp.features.encode import Balance
from binairo_cp.features.feature import REQUIRED, Option, features
from binairo_cp.service import bodies
from binairo_cp.solving.encodings.cnf import BALANCE
from tests.support.command_line import call


@pytest.mark.parametrize("name", [name for name in bodies.BODIES if name != "analysis"])
def test_http_has_all_options(name: str) -> None:
    body = bodies.BODIES[name]
    for each in features()[name].options:
        key = name, each.name
        if not each.option.over_http:
            assert each.name not in body.model_fields
            continue
        field = body.model_fields[each.name]
        different = bodies._OVERRIDES.get(key, {})
        if each.default is REQUIRED:
            assert field.is_required()
        else:
            assert field.default == different.get("default", each.default)
        bounds = {type(each).__name__: each for each in field.metadata}
        for word, limit in (("Ge", each.option.least), ("Le", each.option.most)):
            found = bounds.get(word)
            assert (getattr(found, word.lower()) if found else None) == limit


def test_choices_are_those_of_the_tables() -> None:
    """The option repeats these, since their tables need libraries that the help must not load."""
    assert set(get_args(Balance)) == set(BALANCE)


@dataclasses.dataclass(frozen=True)
class Toy:
    """A request class that is not registered."""

    pieces: Annotated[int | None, Option("How many pieces.", absent="all", least=1, most=9)] = None
    name: Annotated[int | str, Option("A name.", metavar="NAME")] = "toy"
    loud: Annotated[bool, Option("Say it loudly.")] = False

    def __post_init__(self) -> None:
        if self.name == "bad":
            raise OptionError("name", "can't be bad, with", "loud")


def test_a_command_gets_the_options_of_its_request() -> None:
    def toy(request: Toy, more: int = 3) -> None:
        seen.append((request, more))

    seen: list[tuple[Toy, int]] = []
    command = derived.takes_options(toy)
    command(pieces=2, name="x", loud=True, more=4)
    assert seen == [(Toy(2, "x", loud=True), 4)]
    parameters = inspect.signature(command).parameters
    assert set(parameters) == {"pieces", "name", "loud", "more"}
    (pieces,) = parameters["pieces"].annotation.__metadata__
    assert (pieces.min, pieces.max, pieces.metavar) == (1, 9, "N")
    assert pieces.help == r"How many pieces.  \[default: all]"
    assert parameters["loud"].annotation.__metadata__[0].metavar == ""
    with pytest.raises(typer.BadParameter, match="can't be bad, with --loud") as error:
        command(name="bad", pieces=None, loud=False)
    assert error.value.param_hint == "--name"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["generate", "6x"], "SIZE: '6x'; expected a whole number, or rows x columns"),
        (["generate", "6", "--clues", "few"], "--clues: 'few'; expected a number, or fewest"),
        (["generate", "6", "--seed", "\n"], "--seed: expected 1 to 100 characters"),
        (["board", "ten"], "SIZE: 'ten'; expected a whole number"),
        (["encode", "-", "--to", "dzn", "--unique", "auto"], "--unique: dzn is data"),
        (["render", "-", "--hint", "--steps"], "--steps: can't be used with --hint"),
    ],
)
def test_what_can_not_be_is_refused(arguments: list[str], expected: str) -> None:
    status, out, err = call(*arguments, input="....\n")
    assert (status, out) == (2, "")
    assert expected in " ".join(err.replace("│", " ").split())
