"""Find the fewest clues that determine each solved board of a size.

Boards of up to 64 cells are words of bits. `board_list` lists all of them, and one of each class of
symmetric boards. A kernel finds the fewest clues of a board: a smallest set of cells that tells it
from every other board of the list. `units` splits the classes into units of work, and `state_file`
stores finished units. `puzzle_counts` counts all sets of cells that determine a board, and the
minimal ones.
"""
