"""Numbers in words, for the sentences of steps."""

from __future__ import annotations

_CARDINALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


def cardinal(number: int) -> str:
    """A number in words up to twenty, and in digits above."""
    return _CARDINALS[number] if number < len(_CARDINALS) else str(number)


def amount(number: int, symbol: str) -> str:
    """A number of symbols, such as ``three 1s``."""
    return f"{cardinal(number)} {symbol}{'s' * (number != 1)}"


def one_more(number: int, symbol: str) -> str:
    """One more symbol than a number, such as ``A third 1`` for two."""
    if number >= len(_ORDINALS):
        return f"One more {symbol}"
    ordinal = _ORDINALS[number]
    return f"{'An' if ordinal[0] == 'e' else 'A'} {ordinal} {symbol}"
