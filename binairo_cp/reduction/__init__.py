"""Reduce and repair puzzles: redundant clues, smallest sets of clues, fewest changes.

`clues` finds redundant clues and irreducible sets of clues, and `fewest` a smallest set. `helpful`
ranks the open cells of a puzzle with several solutions. `repair` finds the fewest clues to add or
drop so that a puzzle becomes unique.
"""
