"""The options that state a demand on the solving path: `generate` and `filter` share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.features.feature import Option

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand

DEMAND = "Solving path"
_LONGEST = 300

Needs = Annotated[
    str | list[str] | None,
    Option(
        "Techniques that must fill cells, as binairo grade reports: pair, sandwich, sign, count, "
        "last-one, equal-pair, one-of-each, sign-chain, projection, two-open, distinct-lines, "
        "contradiction, nested-contradiction. pair:3 is for at least 3 cells, pair:3..5 for 3 to "
        "5.",
        type=str | None,
        in_python="Or a list of names.",
        longest=_LONGEST,
        metavar="TECHNIQUE,...",
        panel=DEMAND,
    ),
]
Without = Annotated[
    str | list[str] | None,
    Option(
        "Techniques that must fill no cell.",
        type=str | None,
        in_python="Or a list of names.",
        longest=_LONGEST,
        metavar="TECHNIQUE,...",
        panel=DEMAND,
    ),
]
Score = Annotated[
    str | tuple[float, float] | None,
    Option(
        "The least and the greatest score, as in 400..600; either may be absent.",
        type=str | None,
        in_python="Or a pair of numbers.",
        longest=_LONGEST,
        metavar="A..B",
        panel=DEMAND,
    ),
]

LongestChain = Annotated[
    int | None,
    Option(
        "The most steps of a chain that refutes a tried value, as binairo explain shows it.",
        absent="any number",
        least=0,
        panel=DEMAND,
    ),
]
MostTrials = Annotated[
    int | None,
    Option(
        "The most cells that are filled by trying a value.",
        absent="any number",
        least=0,
        panel=DEMAND,
    ),
]

_OPTIONS = ("needs", "without", "score", "longest_chain", "most_trials")


def demand_of(options: Mapping[str, Any], levels: str | None = None) -> Demand | None:
    """The demand that some of the options state, and names of levels; None if there is none.

    Raises:
        OptionError: one of them can't be read.
    """
    given = {name: options[name] for name in _OPTIONS if options.get(name) is not None}
    if not given and levels is None:
        return None
    # Imported here, because the techniques take time to load.
    from binairo_cp.deduction import demands

    return demands.demand_of(levels=levels, **given)
