"""The bounds of what may be asked of pictures."""

MOST_PER_PAGE = 100
MOST_MARGIN = 500.0
"""In mm."""

SMALLEST_CELL, LARGEST_CELL = 4, 400
"""In pixels."""
