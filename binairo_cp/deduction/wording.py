"""All sentences about steps and mistakes, and the words in them.

Each template is a whole sentence, so that another language is another table. ``{cells:is|are}``
chooses a form by the number of the cells; a third form is for three and more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, Self

TEMPLATES = {
    "pair": (
        "{reason} {reason:is|are both|are all} {symbol}. {a_third} {symbol} would make "
        "{too_many} in a row, so {cells} {cells:is|are} {value}."
    ),
    "sandwich": "{reason} {reason:is|are both|are all} {symbol}, so {cells} is {value}.",
    "sign.=": (
        "{reason} and {cells} are joined by =, and {reason} is {value}, so {cells} is {value} too."
    ),
    "sign.x": (
        "{reason} and {cells} are joined by x, and {reason} is {symbol}, so {cells} is {value}."
    ),
    "count.none": "{Line} can't have any {symbol}s, so {cells} {cells:is|are} {value}.",
    "count.one": "{Line} already has its only {symbol}, so {cells} {cells:is|are} {value}.",
    "count.two": "{Line} already has both of its {symbol}s, so {cells} {cells:is|are} {value}.",
    "count.all": (
        "{Line} already has all {most} of its {symbol}s, so {cells} {cells:is|are} {value}."
    ),
    "count.most": (
        "{Line} already has {most} {most:{symbol}|{symbol}s} and can't have more, so {cells} "
        "{cells:is|are} {value}."
    ),
    "last one": (
        "{Line} has room for only one more {symbol}. In {cells}, it would leave {too_many} "
        "{value}s in a row from {first} to {last}, so {cells} is {value}."
    ),
    "equal pair.run": (
        "{pair} are joined by =. Two more {symbol}s would make {too_many} in a row with "
        "{reason}, so {cells} {cells:is|are} {value}."
    ),
    "equal pair.alone": (
        "{pair} are joined by =. Two {symbol}s would make {too_many} in a row, so {cells} "
        "{cells:is|are} {value}."
    ),
    "equal pair.count": (
        "{pair} are joined by =, but {line} has room for only one more {symbol}, so {cells} "
        "{cells:is|are} {value}."
    ),
    "one of each.one": (
        "{pairs} must {pairs:hold|each hold} one 0 and one 1. That gives {line} its only "
        "{symbol}, so {cells} {cells:is|are} {value}."
    ),
    "one of each.two": (
        "{pairs} must {pairs:hold|each hold} one 0 and one 1. That gives {line} both of its "
        "{symbol}s, so {cells} {cells:is|are} {value}."
    ),
    "one of each.all": (
        "{pairs} must {pairs:hold|each hold} one 0 and one 1. That gives {line} all {most} of"
        " its {symbol}s, so {cells} {cells:is|are} {value}."
    ),
    "one of each.most": (
        "{pairs} must {pairs:hold|each hold} one 0 and one 1. That gives {line} {most} {symbol}s, "
        "and it can't have more, so {cells} {cells:is|are} {value}."
    ),
    "projection.one": (
        "The only way to complete {line} is {ways}, so {cells} {cells:is|are} {value}."
    ),
    "projection.some": (
        "{Line} can only be {ways}. In {ways:it|both|all of them}, {cells} {cells:is|are} {value}."
    ),
    "projection.many": (
        "{Line} can be completed in many ways, and in all of them {cells} {cells:is|are} {value}."
    ),
    "two open": (
        "{both} can only be {order} or {other_order}. With {order}, {line} would be the same "
        "as {compared}, so they are {other_order}."
    ),
    "distinct lines.some": (
        "If {cells} were {symbol}, {line} could only be {ways}, the same as "
        "{compared}. So {cells} is {value}."
    ),
    "distinct lines.many": (
        "If {cells} were {symbol}, {line} would be the same as another full line, however it "
        "is completed. So {cells} is {value}."
    ),
    # Trials: what is tried, then how it fails.
    "sign chain": "Signs link {linked}. Suppose {tried} is {symbol}.",
    "contradiction": "Suppose {tried} is {symbol}.",
    "nested contradiction": (
        "Suppose {tried} is {symbol}. On the way, {others:another value is tried and fails|"
        "{others} other values are tried and fail}."
    ),
    "run.now": "Then {line} would have {number} {broken}s in a row, so {result}.",
    "count.now": (
        "Then {line} would have {number} {broken}{number:|s}, but at most {most} {most:is|are} "
        "allowed, so {result}."
    ),
    "sign.now": "Then the sign {relation} between {broken_cells} would be wrong, so {result}.",
    "identical.now": "Then {lines} would be the same, so {result}.",
    "run.later": (
        "After {steps:one step|{steps} steps}, {line} would have {number} {broken}s in a row,"
        " so {result}."
    ),
    "count.later": (
        "After {steps:one step|{steps} steps}, {line} would have {number} {broken}{number:|s}, but "
        "at most {most} {most:is|are} allowed, so {result}."
    ),
    "sign.later": (
        "After {steps:one step|{steps} steps}, the sign {relation} between {broken_cells} "
        "would be wrong, so {result}."
    ),
    "identical.later": (
        "After {steps:one step|{steps} steps}, {lines} would be the same, so {result}."
    ),
    # The broken rule at the end of a chain.
    "run": "Now {line} has {number} {broken}s in a row: {broken_cells}.",
    "count": (
        "Now {line} has {number} {broken}{number:|s}, but at most {most} {most:is|are} allowed."
    ),
    "sign": "Now the sign {relation} between {broken_cells} is wrong.",
    "identical": "Now {lines} are the same.",
    # Mistakes on a board.
    "mistake.run": "{Line} has {number} {broken}s in a row: {broken_cells}.",
    "mistake.count": (
        "{Line} has {number} {broken}{number:|s}, but at most {most} {most:is|are} allowed."
    ),
    "mistake.sign": "The sign {relation} between {broken_cells} is wrong.",
    "mistake.identical": "{Lines} are the same.",
    "wrong": "{cell} is wrong.",
    "wrong.more": "{cell} is wrong, and {others} more.",
    "no solution": "The filled cells have no solution.",
    # Parts of lists.
    "assignment": "{cell} is {value}",
    "span": "{first}-{last}",
    "and": "{first} and {last}",
    "or": "{first} or {last}",
}

_CARDINALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


class Words(str):
    """A text about some things, with their number: ``{cells:is|are}`` is the form for it."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, text: str, number: int) -> Self:
        words = super().__new__(cls, text)
        words.number = number
        return words

    def __format__(self, forms: str) -> str:
        if not forms:
            return str(self)
        each = forms.split("|")
        return each[min(self.number, len(each)) - 1]

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (str(self), self.number)


class Phrase(NamedTuple):
    """The names of templates, for one sentence after the other, and their fields."""

    templates: tuple[str, ...]
    fields: dict[str, str]

    def sentence(self, **more: str) -> str:
        """The sentences, with further fields."""
        fields = self.fields | more
        return " ".join(TEMPLATES[name].format_map(fields) for name in self.templates)


def listed(words: Iterable[object], joined: str = "and") -> Words:
    """List words with commas, and with a final "and" or "or"."""
    each = list(map(str, words))
    if len(each) < 2:
        return Words("".join(each), len(each))
    *first, last = each
    return Words(TEMPLATES[joined].format(first=", ".join(first), last=last), len(each))


class Chain(Protocol):
    """A chain, or its record: steps with sentences, which may have chains, and what they break."""

    @property
    def steps(self) -> Sequence[Any]: ...

    @property
    def broken(self) -> Any: ...


def numbered(chain: Chain, prefix: str = "") -> Iterator[str]:
    """Yield a line of text for each step of a chain and for the broken rule, numbered from 1."""
    for number, step in enumerate(chain.steps, 1):
        yield f"{prefix}{number}. {step.sentence}"
        if step.chain:
            yield from numbered(step.chain, f"{prefix}{number}.")
    yield f"{prefix}{len(chain.steps) + 1}. {chain.broken.sentence}"


def cardinal(number: int) -> Words:
    """A number in words up to twenty, and in digits above."""
    return Words(_CARDINALS[number] if number < len(_CARDINALS) else str(number), number)


def a_nth(number: int) -> str:
    """Such as ``A third``; in digits from 11 on, such as ``An 11th``."""
    if number <= len(_ORDINALS):
        ordinal = _ORDINALS[number - 1]
        return f"An {ordinal}" if ordinal[0] == "e" else f"A {ordinal}"
    is_teen = 11 <= number % 100 <= 13
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    # Eight, eleven and eighteen, and what begins with eighty or eight hundred.
    article = "An" if str(number)[0] == "8" or number in (11, 18) else "A"
    return f"{article} {number}{ending}"
