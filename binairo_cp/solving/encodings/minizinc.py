"""Write a puzzle as data for MiniZinc and models/binairo.mzn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from binairo_cp.errors import ExportError
from binairo_cp.solving.encodings.heading import Export, heading

_SYMBOLS = {"0": " 0", "1": " 1", ".": "-1"}
_DIRECTIONS = {"R": "right", "D": "down"}
_RELATIONS = {"=": "equal", "x": "opposite"}


def write(export: Export) -> Iterator[str]:
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
