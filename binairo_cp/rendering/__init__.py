"""Puzzles on paper and on screens: the terminal, SVG, PNG, PDF, and sheets of steps.

A board is described once, as a short list of shapes (`boards`, `symbols`, `shapes`); `svg`, `pdf`
and `png` paint such lists. `book`, `answers` and `sheet` say what stands where on `pages`;
`terminal` stands apart.
"""
