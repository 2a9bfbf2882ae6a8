"""The puzzles of a dataset as tasks for a model: a question, an answer, and a score from 0 to 1.

The entries have the form of those of reasoning-gym. Scores come from `bn.judge`: a transcript of
moves gets 1 for each forced one, 1/2 for a guess that is right, and loses 1 for a wrong one, all
divided by the number of open cells. So does a board, cell by cell in the order of the solving path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import binairo_cp as bn

_QUESTION = """Fill the open cells (.) of this {height}x{width} board with 0 and 1. Each row and \
each column has as many 0 as 1, and no three equal symbols side by side.{distinct}

{board}{signs}

Answer with the full board, one row per line, or with moves such as r1c4=1, one after the other.
"""
_DISTINCT = " No two rows are equal, and no two columns."


@dataclass(frozen=True)
class Tasks:
    """The tasks of a split.

    Attributes:
        rows: the rows of the dataset, as dictionaries.
    """

    rows: list[dict[str, Any]]

    @classmethod
    def of(cls, folder: Path, split: str = "train") -> Tasks:
        """Read the Parquet files of a split."""
        import pyarrow.parquet as pq

        return cls(pq.read_table(folder / "data" / split).to_pylist())

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> dict[str, Any]:
        """A task: ``question``, ``answer`` and ``metadata``, which is the row of the dataset."""
        row = self.rows[number]
        question = _QUESTION.format(
            height=row["height"],
            width=row["width"],
            distinct=_DISTINCT if row["rules"] == "classic" else "",
            board=_in_lines(row["puzzle"], row["width"]),
            signs="".join(map(_in_words, row["signs"])),
        )
        answer = _in_lines(row["solution"], row["width"])
        return {"question": question, "answer": answer, "metadata": row}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """The score of an answer: 1 for the solution, 0 for a text that is no answer."""
        row = entry["metadata"]
        cells = re.sub(r"[\s`]", "", answer or "")
        if cells == row["solution"]:
            return 1.0
        board = bn.Board(row["height"], row["width"], row["puzzle"])
        signs = tuple(bn.Sign(*each.values()) for each in row["signs"])
        puzzle = bn.Puzzle(board, getattr(bn, row["rules"].upper()), signs)
        moves: Any = answer or ""
        if re.fullmatch(r"[01.]+", cells) and len(cells) == len(row["puzzle"]):
            path = [cell for each in row["steps"] for cell in each["cells"]]
            path += [cell for cell, clue in enumerate(row["puzzle"]) if clue != cells[cell] != "."]
            moves = [
                (*divmod(cell, row["width"]), int(cells[cell]))
                for cell in dict.fromkeys(path)
                if cells[cell] != "."
            ]
        try:
            return bn.judge(puzzle, None, moves).credit
        except bn.BinairoError:
            return 0.0


def _in_words(sign: dict[str, Any]) -> str:
    """A line about a sign between two cells."""
    row, column = sign["row"] + 1, sign["column"] + 1
    after = (row, column + 1) if sign["direction"] == "R" else (row + 1, column)
    relation = "equals" if sign["relation"] == "=" else "differs from"
    return f"\nr{row}c{column} {relation} r{after[0]}c{after[1]}."


def _in_lines(cells: str, width: int) -> str:
    return "\n".join(cells[k : k + width] for k in range(0, len(cells), width))
