"""Random boards and puzzles.

`boards` draws solved boards with one of three methods: `listing` enumerates all boards of a small
size, `rows` fills a board row by row, and `gibbs` randomizes it further by Gibbs sampling.
`puzzles` draws a board and removes clues (`clue_removal`).
"""
