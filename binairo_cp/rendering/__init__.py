"""Draw puzzles: in the terminal, as SVG, PNG, PDF and HTML, and as sheets of steps.

`boards`, `symbols` and `shapes` turn a board into a short list of shapes; `svg`, `pdf` and `png`
paint such lists. `book`, `answers` and `sheet` lay out `pages`. `terminal` writes text directly.
"""
