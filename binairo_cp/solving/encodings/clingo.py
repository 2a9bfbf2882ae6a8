"""Write a puzzle as facts for clingo and models/binairo.lp."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.solving.encodings.heading import Export, heading

_DIRECTIONS = {"R": "right", "D": "down"}
_RELATIONS = {"=": "equal", "x": "opposite"}


def write(export: Export) -> Iterator[str]:
    """Write a puzzle as facts, with its rules as constants."""
    board, rules = export.puzzle.board, export.puzzle.rules
    yield from heading(export, "%")
    yield "% clingo binairo.lp THIS 0   (cells count from 0)\n"
    yield f"#const balanced={int(rules.balanced)}. [override]\n"
    yield f"#const odd={rules.odd}. [override]\n"
    yield f"#const longest_run={rules.longest_run}. [override]\n"
    yield f"#const distinct_lines={int(rules.distinct_lines)}. [override]\n"
    yield f"height({board.height}). width({board.width}).\n"
    for (row, column), value in board.clues():
        yield f"clue({row},{column},{value}).\n"
    for sign in export.puzzle.signs:
        words = _DIRECTIONS[sign.direction], _RELATIONS[sign.relation]
        yield f"sign({sign.row},{sign.column},{words[0]},{words[1]}).\n"
    if export.blocked:
        cells = (f"cell({row},{column},{value})" for (row, column), value in export.blocked.clues())
        yield f":- {', '.join(cells)}.\n"
