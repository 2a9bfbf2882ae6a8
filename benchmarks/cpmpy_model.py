"""Binairo as a CPMpy user would write it, for its default solver, CP-SAT."""

from __future__ import annotations

from itertools import combinations

import cpmpy as cp

from binairo_cp import Puzzle


def model(puzzle: Puzzle) -> tuple[cp.Model, cp.expressions.variables.NDVarArray]:
    """The model of a puzzle, and its cells by row and column."""
    board, rules = puzzle.board, puzzle.rules
    cells = cp.boolvar(shape=(board.height, board.width), name="cell")
    made = cp.Model()
    for cell, value in board.clues():
        made += cells[cell.row, cell.column] == (value == "1")
    for row, column, direction, relation in puzzle.signs:
        one = cells[row, column]
        other = cells[row, column + 1] if direction == "R" else cells[row + 1, column]
        made += (one == other) if relation == "=" else (one != other)
    for lines in (list(cells), list(cells.T)):
        for line in lines:
            allowed = rules.ones(len(line))
            made += [cp.sum(line) >= allowed[0], cp.sum(line) <= allowed[-1]]
            window = rules.longest_run + 1
            for begin in range(len(line) - window + 1):
                inside = cp.sum(line[begin : begin + window])
                made += [inside >= 1, inside < window]
        if rules.distinct_lines:
            for line, another in combinations(lines, 2):
                made += cp.any(line != another)
    return made, cells
