"""Explanations, verdicts, grades and redundant clues."""

from __future__ import annotations

import re
from typing import Any

import pytest

from binairo_cp import Board, Puzzle
from binairo_cp.puzzle import rules
from tests.support.pages import CLUES, MULTIPLE, SOLUTION, Player, grid
from tests.support.serving import Server

pytestmark = pytest.mark.slow


def test_explanations_go_step_by_step(page: Player, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    page.press("Explain")
    page.locator(f"#step[max='{len(steps)}']").wait_for()
    for number in (1, len(steps) // 2, len(steps)):
        page.locator("#step").fill(str(number))
        step = steps[number - 1]
        page.message(re.escape(step["sentence"]), "#answer")
        page.lit_is("target", places(step))
        known = sum(len(each["cells"]) for each in steps[:number])
        page.is_so(lambda: page.cells().count("."), CLUES.count(".") - known)
    page.board_is(SOLUTION)
    page.locator("#step").press("Home")
    page.press("Next")
    page.message("Step 1 of", "#answer")
    page.cell(0).click()
    page.press("Close")
    page.board_is(CLUES)  # the game is as it was


def places(step: dict[str, Any]) -> list[int]:
    return sorted(row * 6 + column for row, column in step["cells"])


def test_contradictions_are_played_part_by_part(page: Player, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    number = next(n for n, step in enumerate(steps, 1) if "chain" in step)
    chain = steps[number - 1]["chain"]
    page.press("Explain")
    page.locator("#step").fill(str(number - 1))
    page.message(f"Step {number - 1} of {len(steps)}", "#answer")
    before = page.cells()
    tried = chain["cell"][0] * 6 + chain["cell"][1]
    page.press("Next")
    page.lit_is("tried", [tried])
    page.is_so(lambda: page.cells()[tried], chain["value"])
    supposed = 1
    for part, step in enumerate(chain["steps"], 1):
        page.press("Next")
        page.message(re.escape(step["sentence"]), "#answer [aria-live]")
        page.lit_is("target", places(step))
        numbers = {page.cell(k).locator(".number").inner_text() for k in places(step)}
        assert numbers == {str(part)}
        assert len(page.lit("supposed")) == supposed
        supposed += len(step["cells"])
    page.press("Next")
    page.lit_is("wrong", places(chain["broken"]))
    page.message(re.escape(chain["broken"]["sentence"]), "#answer [aria-current]")
    page.press("Next")
    page.message(f"Step {number} of {len(steps)}", "#answer")
    page.lit_is("target", [tried])
    page.is_so(lambda: page.cells()[tried] != chain["value"])
    for _ in range(len(chain["steps"]) + 3):
        page.press("Back")
    page.board_is(before)


def test_the_chain_of_a_hint_is_played(page: Player, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    begun = list(CLUES)
    for step in steps:
        if "chain" in step:
            break
        for place, value in zip(places(step), step["values"], strict=True):
            begun[place] = value
    page.paste(grid("".join(begun)))
    page.board_is("".join(begun))
    page.hint()
    page.press("Show why")
    page.is_so(lambda: len(page.lit("tried")), 1)
    for _ in range(len(step["chain"]["steps"]) + 2):
        page.press("Next")
    page.press("Apply")
    page.is_so(lambda: page.cells().count("."), begun.count(".") - 1)


def test_explanations_start_from_the_board(page: Player, server: Server) -> None:
    page.cell(0).click()
    page.press("Explain")
    page.message("r1c1 is wrong", "#answer")
    page.lit_is("wrong", [0])
    page.cell(0).click()
    board = "1" + CLUES[1:]
    page.board_is(board)
    for button, start in ("Explain", board), ("From the start", CLUES), ("From my board", board):
        page.press(button)
        page.message("Step 1 of", "#answer")
        steps = server.post("/v1/explain", puzzle=CLUES, board=start).json()["steps"]
        page.locator(f"#step[max='{len(steps)}']").wait_for()


def test_two_solutions_are_shown_side_by_side(page: Player) -> None:
    page.paste(grid(MULTIPLE))
    page.press("Check uniqueness")
    page.locator("#answer .pair").wait_for()
    first, second = (page.cells(f"#answer figure:nth-child({number})") for number in (1, 2))
    differing = [place for place in range(16) if first[place] != second[place]]
    assert differing
    for number, board in ((1, first), (2, second)):
        assert rules.violations(Puzzle(Board(4, 4, MULTIPLE)), Board(4, 4, board)) == []
        page.lit_is("differs", differing, f"#answer figure:nth-child({number})")


def test_redundant_clues(page: Player, server: Server) -> None:
    more = CLUES[:-1] + SOLUTION[-1]
    page.paste(grid(more))
    page.press("Find redundant clues")
    page.message("clues can be removed", "#answer")
    needs = server.post("/v1/clues", puzzle=more).json()["needs"]
    page.lit_is("spare", [row * 6 + column for row, column in needs["spare"]])
    page.press("Play with these")
    page.board_is(needs["irreducible"])
    page.paste(grid(MULTIPLE))
    page.press("Find redundant clues")
    page.message("r3c1 = 1", "#answer")


def test_smallest_explanations_list_their_rules(page: Player, server: Server) -> None:
    page.hint()
    page.count_is(".support", 0)
    # A hint that is shown is asked for again.
    page.choose("steps", "best")
    (step,) = server.post("/v1/hint", puzzle=CLUES, best=True, coordinates="none").json()["steps"]
    has_rules(page, "#message", step)
    page.reload()
    page.press("Explain")
    step, *_ = server.post("/v1/explain", puzzle=CLUES, best=True).json()["steps"]
    has_rules(page, "#answer", step)


def has_rules(page: Player, place: str, step: dict[str, Any]) -> None:
    """A smallest explanation, its size, and its rules."""
    support = step["support"]
    page.text_is(f"{place} .support p", support["sentence"])
    page.message(re.escape(step["sentence"]), place)
    rules = [rule["sentence"] for rule in support["constraints"]]
    page.is_so(page.locator(f"{place} .support li").all_inner_texts, rules)
