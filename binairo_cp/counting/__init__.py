"""Count all solved boards of a size.

A board is cut after its middle row. Its halves fall into classes by the number of ones in each
column, and the boards of each class are counted separately: `sizes` defines the classes, `units`
lists the halves of a class, counts the pairs that make a board, and stores finished ones, and
`counting` adds up the classes. `census_runs` puts these together, with workers.
"""
