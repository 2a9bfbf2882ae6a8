"""Limits of the options for pictures and pages, without heavy imports."""

MOST_PER_PAGE = 100
MOST_MARGIN = 500.0
"""In mm."""

SMALLEST_CELL, LARGEST_CELL = 4, 400
"""In pixels."""
