"""How a person solves: what follows on a board, why, and how hard that is to see.

`techniques` are the ways to see something in a line. `chains` and `contradiction` need more than a
line. `driver` goes from the cheapest to the dearest, `steps` say why, `grading` says how hard it
was.
`kernel` has the techniques for lines as compiled code, for many puzzles.
"""
