"""The legal lines of a length."""

from __future__ import annotations

from typing import Annotated

from binairo_cp.errors import LimitError
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.generate import OddOption
from binairo_cp.puzzle.lines import Lines, legal_lines
from binairo_cp.puzzle.rules import Rules


@feature(
    examples=(
        "[bold]binairo lines 24[/]",
        "[bold]binairo lines 10 --number 0 --number 83[/]",
        "[bold]binairo lines 6 --pattern 1....0 --all[/]",
    )
)
def lines(
    length: Annotated[
        int,
        Option(
            "Length of the lines, in cells.",
            least=1,
            most=255,
            metavar="LENGTH",
            is_positional=True,
        ),
    ],
    *,
    pattern: Annotated[
        str | None, Option("Only lines that match these cells.", metavar="CELLS")
    ] = None,
    longest_run: Annotated[
        int, Option("The most equal cells allowed side by side.", least=1, most=255)
    ] = 2,
    odd: OddOption = "either",
) -> Lines:
    """Count the legal lines of a length, or list some of them.

    The lines are a sequence that can be counted and indexed:

    >>> import binairo_cp as bn
    >>> bn.lines(10).count, bn.lines(10)[83], list(bn.lines(6, pattern="1....0"))
    (84, '1101100100', ['100110', '101010', '101100', '110010', '110100'])

    Raises:
        LimitError: the pattern has another length.
        BoardError: the length is out of range, or the pattern has a character that is not a cell.
        ArgumentError: the length is not an int, or the pattern not a str.
    """
    rules = Rules(longest_run=longest_run, odd=odd)
    legal = legal_lines(length, rules)
    if pattern is None:
        return legal
    if isinstance(pattern, str) and len(pattern) != length:
        raise LimitError(f"the pattern has {len(pattern)} cells; expected {length}")
    return Lines(pattern, rules)
