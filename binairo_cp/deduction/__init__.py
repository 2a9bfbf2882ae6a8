"""Solve as a person does: logical steps with explanations, and grades of difficulty.

`techniques` has the techniques that look at one line; `contradiction` has those that need more.
`driver` applies them from the easiest to the hardest, `steps` explains each step, and
`grading` derives the difficulty of a puzzle. `kernels.deduction` has the techniques in compiled
code, to grade many puzzles.
"""
