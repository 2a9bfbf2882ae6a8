"""Count all solved boards of a size.

A board is cut after its middle row. Its halves fall into classes by the number of ones in each
column, and the boards of each class are counted separately: `sizes` defines the classes, and
`units` lists the halves of a class and counts the pairs that make a board. `counting` adds up the
classes, `unit_files` stores finished ones, and `predicting` predicts time and memory. `orbits`
counts boards up to symmetry, and `estimating` estimates counts that are out of reach.
`fewest_clues` finds the fewest clues of each board, and `puzzle_counts` counts all puzzles.
"""
