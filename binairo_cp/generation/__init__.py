"""Boards and puzzles that nobody has seen: solved boards drawn at random, and clues of them.

`rows` fills a board row by row, `gibbs` makes it forget how, `listing` has all boards of a small
size by number, `boards` chooses between them.
"""
