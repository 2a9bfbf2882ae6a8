"""A feature is one function: its options, its docstring and its command come from its signature."""

import inspect
from typing import Annotated, Any, Literal

import pytest
import typer

from binairo_cp.cli import derived
from binairo_cp.errors import OptionError
from binairo_cp.features import feature as registry
from binairo_cp.features.feature import Option, feature


def _refuse(*, pieces: int | None, loud: bool, **_: Any) -> None:
    if loud and pieces is None:
        raise OptionError("loud", "needs", "pieces")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    registry.features()  # or modules that are loaded meanwhile would register in the copy
    monkeypatch.setattr(registry, "_FEATURES", dict(registry._FEATURES))

    @feature(title="A toy", check=_refuse)
    def toy(
        puzzle: Annotated[Any, "what to play with"],
        *,
        size: Annotated[int, Option("Its size.", is_positional=True)],
        pieces: Annotated[
            int | None, Option("How many pieces.", absent="all", least=1, most=9)
        ] = None,
        mood: Annotated[
            Literal["glad", "sad"] | Any, Option("Its mood.", type=Literal["glad", "sad"])
        ] = "glad",
        loud: Annotated[bool, Option("Say it loudly.")] = False,
        time_limit: Annotated[float | None, "seconds; None for no limit"] = None,
    ) -> str:
        """Play with a toy,
        as people do.

        >>> 1
        1

        Raises:
            ToyError: it broke.
        """
        return ""

    return registry.described(toy)


def test_help_shows_plain_types_and_describes_each_argument(toy: Any) -> None:
    assert inspect.signature(toy).parameters["pieces"].annotation == "int | None"
    assert "Option(" not in str(inspect.signature(toy))
    before, _, rest = inspect.getdoc(toy).partition("Args:\n")  # type: ignore[union-attr]  # it has one
    arguments, _, after = rest.partition("\n\n")
    assert before.endswith("1\n\n")
    assert arguments.splitlines() == [
        "    puzzle: what to play with",
        "    size: Its size.",
        "    pieces: How many pieces. If absent: all.",
        "    mood: Its mood. One of glad, sad.",
        "    loud: Say it loudly.",
        "    time_limit: seconds; None for no limit",
    ]
    assert after.startswith("Raises:\n")


@pytest.mark.parametrize(("given", "expected"), [
    ({"pieces": 10}, "pieces: expected 9 or less, not 10"),
    ({"pieces": True}, "pieces: expected a whole number, not True"),
    ({"mood": "bad"}, "mood: expected one of glad, sad, not 'bad'"),
    ({"loud": 1}, "loud: expected True or False, not 1"),
])  # fmt: skip
def test_values_out_of_bounds_are_refused(toy: Any, given: dict[str, Any], expected: str) -> None:
    with pytest.raises(OptionError, match=expected):
        registry.checked(toy, given)


def test_a_command_gets_the_options_of_a_feature(toy: Any) -> None:
    def play(options: dict[str, Any], more: int = 3) -> None:
        seen.append((registry.features()["toy"].completed(options), more))

    play.__annotations__["options"] = Annotated[derived.Options, toy]
    seen: list[Any] = []
    command = derived.takes_options(play)
    parameters = inspect.signature(command).parameters
    assert set(parameters) == {"size", "pieces", "mood", "loud", "more"}
    (pieces,) = parameters["pieces"].annotation.__metadata__
    assert (pieces.min, pieces.max, pieces.metavar) == (1, 9, "N")
    assert pieces.help == r"How many pieces.  \[default: all]"
    assert parameters["loud"].annotation.__metadata__[0].metavar == ""
    command(size=1, pieces=2, mood="sad", loud=True, more=4)
    assert seen == [({"size": 1, "pieces": 2, "mood": "sad", "loud": True}, 4)]
    with pytest.raises(typer.BadParameter, match="needs --pieces") as error:
        command(size=1, pieces=None, mood="sad", loud=True)
    assert error.value.param_hint == "--loud"
