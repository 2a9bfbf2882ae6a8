"""The drawn boards of the docs, and the picture of the web page."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops

import binairo_cp as bn
from docs import board_pictures, screenshots
from tests.support.pages import chromium

_CLEAR = 60
_MOST_CHANGED = 0.04
"""The share of pixels that may differ clearly: fonts and small changes, but not another page."""


@pytest.mark.parametrize("technique", board_pictures.TECHNIQUES)
def test_each_board_shows_its_technique(technique: str) -> None:
    hint = bn.hint(board_pictures.TECHNIQUES[technique])
    assert hint.step.technique == technique


def test_the_drawn_boards_are_up_to_date() -> None:
    kept = {path.name: path.read_bytes() for path in board_pictures.FOLDER.glob("*.svg")}
    assert kept == board_pictures.pictures(), "run python -m docs.board_pictures"


@pytest.mark.slow
def test_the_picture_of_the_page_looks_like_the_page() -> None:
    with chromium() as browser:
        now = screenshots.page_with_hint(browser).convert("L")
    with Image.open(screenshots.PICTURE) as kept:
        assert kept.size == now.size
        changed = ImageChops.difference(now, kept.convert("L")).histogram()[_CLEAR:]
    assert sum(changed) <= _MOST_CHANGED * now.width * now.height, "run make screenshots"
