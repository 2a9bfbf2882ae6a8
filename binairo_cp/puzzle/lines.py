"""Legal lines: count, rank and unrank the completions of a partly filled line.

A legal line is balanced and has no run of equal cells that is too long. The rule of distinct lines
concerns several lines and is ignored here. The lines are not enumerated: a dynamic program over
(position, ones so far, symbol of the run that begins there) counts the completions of a prefix. The
counts are enough to find the k-th line and the number of a line. Time and memory are proportional
to the square of the length, independent of the longest run. All integers are exact.

Counting shows at once that some sizes have no board, which a search takes very long to show.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from binairo_cp.errors import ArgumentError, BoardError
from binairo_cp.puzzle.board import MAX_SIDE, OPEN, SYMBOLS
from binairo_cp.puzzle.rules import CLASSIC, Rules

Ways = list[list[list[int]]]

_FEW_LINES_UP_TO = 16
"""Of longer lines, more are legal than a board can have lines, if runs of two are legal."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The legal lines that complete a pattern, in lexicographic order, numbered from 0.

    ``Lines("." * 10)`` are the legal lines of length 10, ``Lines("0..1")`` those that begin with
    0 and end with 1. ``lines[k]`` is the k-th line, ``lines.index(line)`` its number, and
    ``line in lines`` tests membership. Iteration yields each line once. `count` is the number of
    lines; ``len(lines)`` is the same, but raises OverflowError beyond a machine word.

    Attributes:
        pattern: 1 to 255 characters of ``01.``, with ``.`` for open cells.
        rules: only `balanced`, `odd` and `longest_run` are used.

    Raises:
        BoardError: an invalid pattern.
        ArgumentError: the pattern or the rules have the wrong type.
    """

    pattern: str
    rules: Rules = CLASSIC
    # _ways[symbol][position][ones]: number of ways to fill the line from `position` on, if a run of
    # `symbol` begins there and `ones` ones precede it.
    _ways: Ways = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str):
            raise ArgumentError.of("pattern", "a str of '0', '1' and '.'", self.pattern)
        if not isinstance(self.rules, Rules):
            raise ArgumentError.of("rules", "Rules, such as UNRULY", self.rules)
        if not 1 <= len(self.pattern) <= MAX_SIDE or set(self.pattern) - set(SYMBOLS + OPEN):
            raise BoardError(f"a line is 1 to {MAX_SIDE} cells of '0', '1' or '.'")
        object.__setattr__(self, "_ways", _count_ways(self.pattern, self.rules))

    @property
    def count(self) -> int:
        """The exact number of legal lines that complete the pattern."""
        return self._ways[0][0][0] + self._ways[1][0][0]

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    def __getitem__(self, number: int) -> str:
        """The line with a number, counted from 0, or from the end if negative.

        Raises:
            IndexError: there is no line with that number.
            ArgumentError: the number is not an int.
        """
        if not isinstance(number, int):
            raise ArgumentError.of("number", "an int (itertools.islice takes several)", number)
        rest = number if number >= 0 else number + self.count
        if not 0 <= rest < self.count:
            raise IndexError(f"there are {self.count} lines, numbered from 0; no number {number}")
        prefix = ""
        while len(prefix) < len(self.pattern):
            zeros = self._completions(prefix + "0")
            if rest < zeros:
                prefix += "0"
            else:
                rest -= zeros
                prefix += "1"
        return prefix

    def index(self, line: str) -> int:
        """The number of a line.

        Raises:
            ValueError: it is not one of these lines.
        """
        if line not in self:
            raise ValueError(f"{line!r} is not a legal line that completes {self.pattern!r}")
        return sum(
            self._completions(line[:place] + "0")
            for place, value in enumerate(line)
            if value == "1"
        )

    def __contains__(self, line: object) -> bool:
        if not isinstance(line, str) or len(line) != len(self.pattern):
            return False
        return set(line) <= set(SYMBOLS) and self._completions(line) > 0

    def __iter__(self) -> Iterator[str]:
        prefixes = [""]
        while prefixes:
            prefix = prefixes.pop()
            if len(prefix) == len(self.pattern):
                yield prefix
                continue
            # Push 1 before 0, so that 0 is popped first.
            prefixes += [prefix + s for s in "10" if self._completions(prefix + s)]

    def random(self, rng: random.Random) -> str:
        """Draw a line uniformly at random.

        Raises:
            IndexError: there are no lines.
        """
        if not self:
            raise IndexError(f"no legal line completes {self.pattern!r}")
        return self[rng.randrange(self.count)]

    def _completions(self, prefix: str) -> int:
        """The number of lines that begin with a prefix of at least one cell."""
        longest = self.rules.longest_run
        has_long_run = any(symbol * (longest + 1) in prefix for symbol in SYMBOLS)
        if has_long_run or not _fits(prefix, self.pattern):
            return 0
        last, length, ones = prefix[-1], len(prefix), prefix.count("1")
        other = self._ways[SYMBOLS.index(last) ^ 1]
        room = longest - length + len(prefix.rstrip(last))
        total = 0
        for more in range(room + 1):
            end = length + more
            if end > len(self.pattern) or not _fits(last * more, self.pattern[length:end]):
                break
            total += other[end][ones + more * int(last)]
        return total


def legal_lines(length: int, rules: Rules = CLASSIC) -> Lines:
    """The legal lines of a length from 1 to 255 cells.

    >>> legal_lines(10).count, legal_lines(4)[0]
    (84, '0011')

    Raises:
        BoardError: the length is out of range.
        ArgumentError: the length is not an int.
    """
    if not isinstance(length, int):
        raise ArgumentError.of("length", "an int", length)
    return Lines(OPEN * min(length, MAX_SIDE + 1), rules)


def _count_ways(pattern: str, rules: Rules) -> Ways:
    """Fill the table of `Lines` from the end of the line to its beginning.

    The entry for a run of s at position p is a sum over the possible lengths of the run: the ways
    to continue with a run of the other symbol after it. The sum for position p + 1 has the same
    terms except two: the run of length 1 is added, and the run that became too long is removed. So
    each entry takes three additions, independent of the longest run.
    """
    length, longest = len(pattern), rules.longest_run
    width = length + 2
    ways: Ways = [[[0] * width for _ in range(length + 1)] for _ in SYMBOLS]
    for ones in rules.ones(length):
        ways[0][length][ones] = ways[1][length][ones] = 1
    reach = dict.fromkeys(SYMBOLS, 0)
    for place in reversed(range(length)):
        for value, symbol in enumerate(SYMBOLS):
            # Number of consecutive cells from here on that can be this symbol.
            reach[symbol] = reach[symbol] + 1 if pattern[place] in (symbol, OPEN) else 0
            if not reach[symbol]:
                continue
            here, after = ways[value][place], ways[value ^ 1]
            longer = reach[symbol] > 1
            too_long = reach[symbol] > longest
            for ones in range(place + 1):
                count = after[place + 1][ones + value]
                if longer:
                    count += ways[value][place + 1][ones + value]
                if too_long:
                    count -= after[place + 1 + longest][ones + value * (1 + longest)]
                here[ones] = count
    return ways


def _fits(line: str, pattern: str) -> bool:
    return all(p in (value, OPEN) for value, p in zip(line, pattern, strict=False))


@lru_cache(maxsize=256)
def why_impossible(height: int, width: int, rules: Rules) -> str | None:
    """Why there is no board of a size, if counting shows it: too few different lines, or rows that
    need other numbers of ones than the columns. If it is None, there may still be no board.
    """
    for name, number, length in (("rows", height, width), ("columns", width, height)):
        if rules.distinct_lines and (length <= _FEW_LINES_UP_TO or rules.longest_run <= 1):
            possible = legal_lines(length, rules).count
            if possible < number:
                return f"only {possible} different {name} are possible, not {number}"
    rows = [height * ones for ones in rules.ones(width)]
    columns = [width * ones for ones in rules.ones(height)]
    if rows[-1] < columns[0] or columns[-1] < rows[0]:
        # Only lines with a fixed number of ones can differ that much.
        return f"the rows need {rows[0]} ones, the columns {columns[0]}"
    return None
