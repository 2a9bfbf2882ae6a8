"""What each technique is, in a sentence or two, for the pages that explain techniques."""

from __future__ import annotations

DESCRIPTIONS: dict[str, str] = {
    "pair": "Two neighbours are alike. The cells before and after them have the other symbol.",
    "sandwich": "Two cells are alike, with one cell between them. That cell has the other symbol.",
    "sign": "A sign stands beside a known cell. It determines the cell on its other side.",
    "count": "A line already has all cells of one symbol. Its open cells have the other symbol.",
    "last one": (
        "A line needs one more of a symbol. Where it would leave three of the other symbol in a "
        "row, it can't be."
    ),
    "equal pair": (
        "Two open cells are alike because of a sign. If one symbol does not fit into both, they "
        "have the other."
    ),
    "one of each": (
        "Some open cells must contain one of each symbol. Count them in, and the line may already "
        "have all cells of one symbol."
    ),
    "sign chain": (
        "Signs connect several open cells, so there are only two ways to fill them. One of the two "
        "breaks a rule at once."
    ),
    "projection": (
        "Imagine all ways to complete a line. If a cell has the same symbol in all of them, it has "
        "this symbol."
    ),
    "two open": (
        "A line with two open cells must not become the same as a full line. So they are filled "
        "the other way round."
    ),
    "distinct lines": (
        "Imagine all ways to complete a line that do not repeat a full line. If a cell has the "
        "same symbol in all of them, it has this symbol."
    ),
    "contradiction": (
        "Try a symbol in a cell and follow what it implies. If a rule breaks, the cell has the "
        "other symbol."
    ),
    "nested contradiction": (
        "Try a symbol in a cell, and other symbols on the way. If a rule breaks in each case, the "
        "cell has the other symbol."
    ),
}
"""By the name of the technique, the easiest first."""
