"""Write puzzles as data for clingo and MiniZinc, which they read with the models in `models/`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from binairo_cp.errors import ExportError
from binairo_cp.solving.encodings import Export, heading

_DIRECTIONS = {"R": "right", "D": "down"}
_RELATIONS = {"=": "equal", "x": "opposite"}

_SYMBOLS = {"0": " 0", "1": " 1", ".": "-1"}


def write_clingo(export: Export) -> Iterator[str]:
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


def write_minizinc(export: Export) -> Iterator[str]:
    """Write a puzzle and its rules as data.

    Raises:
        ExportError: there is a solution to block, which data can't express.
    """
    if export.blocked:
        raise ExportError("dzn is data, which can't block a solution; choose another format")
    board, rules, signs = export.puzzle.board, export.puzzle.rules, export.puzzle.signs
    yield from heading(export, "%")
    yield f"height = {board.height};\nwidth = {board.width};\n"
    rows = (", ".join(_SYMBOLS[value] for value in row) for row in board.rows)
    clues = "\n         | ".join(rows)
    yield f"clues = [| {clues} |];\n"
    yield f"sign_row = {_array(sign.row + 1 for sign in signs)};\n"
    yield f"sign_column = {_array(sign.column + 1 for sign in signs)};\n"
    yield f"sign_direction = {_array(_DIRECTIONS[sign.direction] for sign in signs)};\n"
    yield f"sign_relation = {_array(_RELATIONS[sign.relation] for sign in signs)};\n"
    yield f"balanced = {str(rules.balanced).lower()};\nodd = {rules.odd};\n"
    yield f"longest_run = {rules.longest_run};\n"
    yield f"distinct_lines = {str(rules.distinct_lines).lower()};\n"


def _array(items: Iterable[object]) -> str:
    return f"[{', '.join(map(str, items))}]"
