"""Draw puzzles: in the terminal, as SVG, PNG, PDF and HTML, and as sheets of steps.

`boards` and `shapes` turn a board into a short list of shapes; `svg`, `pdf` and `png`
paint such lists. `documents` and `book` say what stands on the pages that `pdf` typesets.
`terminal` writes text directly.
"""
