"""Explanations, verdicts, grades and redundant clues; the editor and its analysis."""

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
    page.press("Close")
    page.press("Show solution")
    page.message("exactly one solution", "#answer")
    page.board_is(SOLUTION)
    page.press("Close")
    page.board_is(board)


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


def test_undo_in_the_editor_survives_a_reload(page: Player) -> None:
    page.new_board(4)
    page.cell(0, "#edit-board").press("1")
    page.cell(0, "#edit-board").press("=")
    page.press("Clear")
    page.reload()
    page.open_tab("Edit")
    page.cell(0, "#edit-board").wait_for()
    page.press("Undo")
    page.board_is("1" + "." * 15, "#edit-board")
    page.count_is("#edit-board .sign", 1)
    page.press("Undo")
    page.press("Undo")
    page.board_is("." * 16, "#edit-board")
    page.press("Undo")
    page.count_is("#edit-board .cell", 36)  # the board before the new one


def test_the_editor_analyses_every_change(page: Player) -> None:
    page.new_board(4)
    page.live("Several solutions", "72")
    page.cell(0, "#edit-board").press("1")
    page.cell(3, "#edit-board").press("0")
    page.board_is("1..0" + "." * 12, "#edit-board")
    page.press("Make unique")
    page.message("the puzzle is unique", "#edit-message")
    page.live("Unique", "1")
    page.message("Beginner|Easy", "#live-grade")
    clues = page.cells("#edit-board")
    page.press("Undo")
    page.board_is("1..0" + "." * 12, "#edit-board")
    page.press("Redo")
    page.press("Play")
    page.board_is(clues)


def test_the_editor_adds_signs(page: Player) -> None:
    page.new_board(4)
    page.cell(0, "#edit-board").focus()
    for key in ("=", "X", "ArrowRight", "x"):
        page.keyboard.press(key)
    label = "row 1, column 1: empty, equal to the right one, opposite of the lower one"
    page.label_is(0, label, "#edit-board")
    page.count_is("#edit-board .sign", 3)
    page.keyboard.press("x")
    page.count_is("#edit-board .sign", 2)
    page.press("Signs")
    box = page.box(page.cell(5, "#edit-board"))
    before = page.cell(5, "#edit-board").get_attribute("aria-label")
    for more in (", equal to the right one", ", opposite of the right one", ""):
        page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
        page.label_is(5, before + more, "#edit-board")
    page.board_is("." * 16, "#edit-board")


def test_contradictions_are_shown_while_editing(page: Player) -> None:
    page.new_board(4)
    for index in (0, 1, 2):
        page.cell(index, "#edit-board").press("0")
    page.locator("#live[data-verdict=none]").wait_for()
    page.live("No solution", "0")
    page.lit_is("wrong", [0, 1, 2], "#edit-board")
    words = "These clues contradict each other: r1c1 = 0, r1c2 = 0 and r1c3 = 0"
    page.message(words, "#live-why")
    page.cell(0, "#edit-board").press("1")
    page.locator("#live[data-verdict=multiple]").wait_for()
    page.text_is("#live-why", "")


def test_the_fewest_clues(page: Player, server: Server) -> None:
    page.paste(grid(SOLUTION[:-4] + "...."))
    page.edit_copy()
    page.press("Fewest clues")
    page.message("of the clues are enough. This is the minimum.", "#edit-message")
    least = server.post("/v1/fewest", puzzle=SOLUTION[:-4] + "....").json()["fewest"]["at_most"]
    page.is_so(lambda: 36 - page.cells("#edit-board").count("."), least)
    page.live("Unique", "1")


def test_late_responses_are_dropped(page: Player) -> None:
    page.new_board(4)
    page.live("Several solutions", "72")
    page.evaluate(
        """() => {
            const usual = window.fetch;
            const late = '{"verdict": "unique", "count": 1, "complete": true}';
            const answer = () => new Response(late);
            window.fetch = (path, options) => path !== "v1/check" || window.heldAnswer
                ? usual(path, options)
                : new Promise((resolve) => { window.heldAnswer = () => resolve(answer()); });
        }"""
    )
    page.cell(0, "#edit-board").press("1")
    page.becomes("Boolean(window.heldAnswer)")
    page.cell(0, "#edit-board").press("Backspace")
    page.live("Several solutions", "72")
    page.evaluate("window.heldAnswer()")
    page.wait_for_timeout(300)
    page.live("Several solutions", "72")
