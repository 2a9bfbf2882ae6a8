"""Which clues a puzzle needs: which may go, how few suffice, and how to mend a puzzle.

`clues` looks at each clue and at the irreducible sets of them, `fewest` for a smallest set,
`helping` at the open cells of a puzzle with several solutions, `repair` for the fewest cells to
add or to drop so that a puzzle has one solution.
"""
