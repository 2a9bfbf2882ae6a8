"""Write what is wrong with a collection as a page of HTML, with pictures of the worst puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from binairo_cp.batch.audit.collection import Audited
from binairo_cp.errors import SourceError, WrongSolution
from binairo_cp.formats import FormatLike, Tally, read_blocks
from binairo_cp.formats.output_files import open_output
from binairo_cp.puzzle.rules import Puzzle, Rules

MOST_PICTURES = 100

_BLOCK = 1_000

_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Audit</title>
<meta name="viewport" content="width=device-width">
<style>
body { font: 16px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
pre { white-space: pre-wrap }
figure { display: inline-block; margin: 1em; vertical-align: top; max-width: 28em }
figcaption { overflow-wrap: anywhere }
</style></head><body><h1>Audit</h1>
"""


def write_report(
    out: str,
    found: Audited,
    files: list[str | SourceError],
    format: FormatLike,
    rules: Rules | None,
) -> None:
    """Write a report about the puzzles of some files, which are read again for the pictures.

    Args:
        out: the file to write.
        found: what `audit_files` found.
        files: the same files, and so are what is stated about them and the rules.
        format: as above.
        rules: as above.

    Raises:
        SourceError: the file can't be written.
    """
    worst = found.worst(MOST_PICTURES)
    puzzles = dict(_puzzles_at(set(worst), files, format, rules))
    with open_output(out) as write:
        write(f"{_HEAD}<pre>{escape(str(found))}</pre>\n")
        for place in worst:
            picture = puzzles[place]._repr_html_() if place in puzzles else ""
            caption = escape(found.in_words(place))
            write(f"<figure>{picture}<figcaption>{caption}</figcaption></figure>\n")
        write("</body></html>\n")


def _puzzles_at(
    places: set[int], files: list[str | SourceError], format: FormatLike, rules: Rules | None
) -> Iterator[tuple[int, Puzzle]]:
    """The puzzles at some places of the run, of those that can be read."""
    before, last = 0, max(places, default=-1)
    for block in read_blocks(files, lambda: _BLOCK, format, rules, Tally(), lambda _: None):
        if before > last:
            return
        end = before + len(block)
        if not places.isdisjoint(range(before, end)):
            for place, entry in enumerate(block, before):
                puzzle = entry.puzzle
                if isinstance(entry.error, WrongSolution) and isinstance(
                    entry.error.puzzle, Puzzle
                ):
                    puzzle = entry.error.puzzle
                if place in places and puzzle:
                    yield place, puzzle
        before = end
