"""Check the example backend of docs/backends.md: the page shows it, and it meets the contract."""

import re
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from binairo_cp import Puzzle
from binairo_cp.errors import BackendNameError
from binairo_cp.solving import backends
from docs.examples import rows
from tests.solving import test_backends as contract
from tests.support.command_line import call
from tests.support.strategies import examples, puzzles

PAGE = Path(__file__).resolve().parents[2] / "docs/backends.md"

Case = tuple[Callable[..., None], dict[str, object]]


def cases() -> list[Case]:
    found: list[Case] = []
    for test in vars(contract).values():
        marks = getattr(test, "pytestmark", [])
        if contract.every_backend.mark in marks:
            others = [mark.args for mark in marks if mark != contract.every_backend.mark]
            for values in product(*(values for _, values in others)):
                names = [name for name, _ in others]
                found.append((test, dict(zip(names, values, strict=True))))
    return found


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the example as the page describes."""
    row = eval(re.search(r'"rows": (Row\(.*\)),', PAGE.read_text())[1], {"Row": backends.Row})  # type: ignore[index]
    monkeypatch.setitem(sys.modules, "binairo_cp.solving.backends.rows", rows)
    monkeypatch.setitem(backends.TABLE, "rows", row)


def test_the_page_shows_the_file() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert Path(rows.__file__).read_text() in blocks


def test_contract_tests_are_found() -> None:
    assert len(cases()) >= 7


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize(
    ("test", "others"), cases(), ids=lambda each: getattr(each, "__name__", None)
)
def test_the_example_meets_the_contract(test: Callable[..., None], others: dict[str, object]):
    test(rows.Rows(), **others)


@examples(0.8)
@given(puzzles(sides=st.integers(1, 5)))
def test_the_example_agrees_with_clingo(puzzle: Puzzle) -> None:
    expected = contract.oracle(puzzle, 50)
    assume(len(expected) < 50)
    assert contract.boards_of(puzzle, rows.Rows()) == expected


@pytest.mark.usefixtures("named")
def test_the_example_has_a_name() -> None:
    status, out, _ = call("check", "-", "--backend", "rows", input="0..1\n1..0\n0110\n1001\n")
    assert (status, out.splitlines()[0]) == (1, "-: multiple")
    with pytest.raises(BackendNameError, match="rows takes no options"):
        backends.get("rows:fast")
