"""Explanations, verdicts, grades and redundant clues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from binairo_cp import Board, Puzzle
from binairo_cp.puzzle import rules
from tests.support.pages import (
    CLUES,
    MULTIPLE,
    SOLUTION,
    cell,
    cells,
    choose,
    grid,
    hint,
    lit,
    message,
    paste,
    press,
    until,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_explanations_go_step_by_step(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    press(page, "Explain")
    page.locator("#step").wait_for()
    assert page.get_attribute("#step", "max") == str(len(steps))
    for number in (1, len(steps) // 2, len(steps)):
        page.locator("#step").fill(str(number))
        step = steps[number - 1]
        assert step["sentence"] in page.inner_text("#answer")
        assert lit(page, "target") == [row * 6 + column for row, column in step["cells"]]
        known = sum(len(each["cells"]) for each in steps[:number])
        assert cells(page).count(".") == CLUES.count(".") - known
    assert cells(page) == SOLUTION
    page.locator("#step").press("Home")
    press(page, "Next")
    assert "Step 1 of" in page.inner_text("#answer")
    cell(page, 0).click()
    press(page, "Close")
    assert cells(page) == CLUES, "the game is as it was"


def test_contradictions_are_played_part_by_part(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    number = next(n for n, step in enumerate(steps, 1) if "chain" in step)
    chain = steps[number - 1]["chain"]
    press(page, "Explain")
    page.locator("#step").fill(str(number - 1))
    before = cells(page)
    tried = chain["cell"][0] * 6 + chain["cell"][1]
    press(page, "Next")
    assert lit(page, "tried") == [tried]
    assert cells(page)[tried] == chain["value"]
    supposed = 1
    for part, step in enumerate(chain["steps"], 1):
        press(page, "Next")
        assert step["sentence"] in page.inner_text("#answer [aria-live]")
        places = sorted(row * 6 + column for row, column in step["cells"])
        assert lit(page, "target") == places
        assert {cell(page, k).locator(".number").inner_text() for k in places} == {str(part)}
        assert len(lit(page, "supposed")) == supposed
        supposed += len(places)
    press(page, "Next")
    assert lit(page, "wrong") == sorted(
        row * 6 + column for row, column in chain["broken"]["cells"]
    )
    assert chain["broken"]["sentence"] in page.inner_text("#answer [aria-current]")
    press(page, "Next")
    assert f"Step {number} of {len(steps)}\n" in page.inner_text("#answer")
    assert lit(page, "target") == [tried]
    assert cells(page)[tried] != chain["value"]
    for _ in range(len(chain["steps"]) + 3):
        press(page, "Back")
    assert cells(page) == before


def test_the_chain_of_a_hint_is_played(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    begun = list(CLUES)
    for step in steps:
        if "chain" in step:
            break
        for (row, column), value in zip(step["cells"], step["values"], strict=True):
            begun[row * 6 + column] = value
    paste(page, grid("".join(begun)))
    hint(page)
    press(page, "Show why")
    assert lit(page, "tried")
    for _ in range(len(step["chain"]["steps"]) + 2):
        press(page, "Next")
    press(page, "Apply")
    assert cells(page).count(".") == begun.count(".") - 1


def test_explanations_start_from_the_board(page: Page, server: Server) -> None:
    cell(page, 0).click()
    press(page, "Explain")
    message(page, "r1c1 is wrong", "#answer")
    assert lit(page, "wrong") == [0]
    cell(page, 0).click()
    board = cells(page)
    assert board == "1" + CLUES[1:]
    for button, start in ("Explain", board), ("From the start", CLUES), ("From my board", board):
        press(page, button)
        message(page, "Step 1 of", "#answer")
        steps = server.post("/v1/explain", puzzle=CLUES, board=start).json()["steps"]
        until(page, "last => document.querySelector('#step')?.max === last", str(len(steps)))


def test_two_solutions_are_shown_side_by_side(page: Page) -> None:
    paste(page, grid(MULTIPLE))
    press(page, "Check uniqueness")
    page.locator("#answer .pair").wait_for()
    first, second = (cells(page, f"#answer figure:nth-child({number})") for number in (1, 2))
    differing = [place for place in range(16) if first[place] != second[place]]
    assert differing
    for number, board in ((1, first), (2, second)):
        assert rules.violations(Puzzle(Board(4, 4, MULTIPLE)), Board(4, 4, board)) == []
        assert lit(page, "differs", f"#answer figure:nth-child({number})") == differing


def test_redundant_clues(page: Page, server: Server) -> None:
    more = CLUES[:-1] + SOLUTION[-1]
    paste(page, grid(more))
    press(page, "Find redundant clues")
    message(page, "clues can be removed", "#answer")
    needs = server.post("/v1/clues", puzzle=more).json()["needs"]
    assert lit(page, "spare") == [row * 6 + column for row, column in needs["spare"]]
    press(page, "Play with these")
    assert cells(page) == needs["irreducible"]
    paste(page, grid(MULTIPLE))
    press(page, "Find redundant clues")
    message(page, "r3c1 = 1", "#answer")


def test_smallest_explanations_list_their_rules(page: Page, server: Server) -> None:
    hint(page)
    assert page.locator(".support").count() == 0
    # A hint that is shown is asked for again.
    choose(page, "steps", "best")
    page.locator("#message .support").wait_for()
    (step,) = server.post("/v1/hint", puzzle=CLUES, best=True, coordinates="none").json()["steps"]
    # Screen readers get the cell too.
    assert page.inner_text("#message p:first-child").startswith(step["sentence"])
    assert_rules(page, "#message", step)
    page.reload()
    page.locator("#board .cell").first.wait_for()
    press(page, "Explain")
    page.locator("#answer .support").wait_for()
    step, *_ = server.post("/v1/explain", puzzle=CLUES, best=True).json()["steps"]
    assert page.inner_text("#answer .sentence").endswith(step["sentence"])
    assert_rules(page, "#answer", step)


def assert_rules(page: Page, place: str, step: dict[str, Any]) -> None:
    """The size of a smallest explanation, and its rules."""
    support = step["support"]
    assert page.inner_text(f"{place} .support p") == support["sentence"]
    rules = [rule["sentence"] for rule in support["constraints"]]
    assert page.locator(f"{place} .support li").all_inner_texts() == rules
