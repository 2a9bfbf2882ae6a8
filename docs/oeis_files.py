"""Write docs/numbers/oeis/, the entries for the OEIS: ``python -m docs.oeis_files``.

The terms are those of the b-files in docs/numbers/, the programs are made of `docs.oeis_terms`, so
neither can drift from the other files. Numbers and dates of entries are given by the OEIS.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from docs import oeis_terms
from docs.number_files import NUMBERS

ENTRIES = NUMBERS / "oeis"

_KNOWN = "A253316"
_LONGEST_DATA = 260

_BOARD = (
    "A board is a matrix of 0 and 1 in which no row or column has three equal neighbors, and each "
    "row and column has as many 0 as 1; such boards are the solutions of Binairo (Takuzu) puzzles."
)
_UNEVEN = (
    "A board is a matrix of 0 and 1 in which no row or column has three equal neighbors, and in "
    "each row and column the numbers of 0 and 1 are equal, or differ by one if their sum is odd."
)
_ONES = (
    "A board is a matrix of 0 and 1 in which no row or column has three equal neighbors, and each "
    "row and column has one more 1 than 0."
)
_DISTINCT = "No two rows are equal, and no two columns."
_DISTINCT_ROWS = "No two rows are equal; columns may be."
_PUZZLE = (
    "A puzzle is a board with some cells left out that only one board completes; its other cells "
    "are its clues. It is irreducible if several boards complete it without any one of its clues."
)
_UP_TO = "Boards that differ by a rotation, a reflection or the exchange of 0 and 1 count once."
_UP_TO_TURNS = "Boards that differ by a rotation or a reflection count once."
_PUZZLES_UP_TO = (
    "Puzzles that differ by a rotation, a reflection or an exchange of 0 and 1 count once."
)

_BY_HALVES = (
    "The census cuts each board in two halves, counts the halves by the numbers of ones in their "
    "columns, and joins them (`binairo census`, docs/census.md)."
)
_LISTED = "a list of all boards, by a search for solutions,"
_BURNSIDE = (
    "Burnside's lemma with the numbers of boards that each symmetry maps to themselves. A search "
    "cell by cell gives the same numbers of these on small boards (docs/numbers.md)."
)
_UP_TO_10 = (
    " For classic boards it does so up to 10 x 10; for 12 x 12 there is no second method but for "
    "the quarter turns."
)
_TWO_SEARCHES = (
    "a(3) by `binairo census 6 --all-puzzles`: the sets of cells that hit all difference sets of "
    "each of 321 classes of boards. A second method confirms it: %s (docs/numbers.md)."
)


@dataclass(frozen=True)
class Sequence:
    """A sequence, and what its entry says of it.

    Attributes:
        file: the name of its b-file, without an ending.
        title: its name.
        comments: what the words in it mean.
        terms: an expression for the first terms.
        evidence: how the others were found, and what confirms them.
        formulas: what is known of the terms.
        keywords: as the OEIS has them.
        number: that of its entry, if there is one.
    """

    file: str
    title: str
    comments: tuple[str, ...]
    terms: str
    evidence: str
    formulas: tuple[str, ...] = ()
    keywords: str = "nonn,hard,more"
    number: str = "A000000"

    @property
    def numbers(self) -> list[int]:
        """The terms, from the b-file."""
        lines = (NUMBERS / f"{self.file}.txt").read_text().splitlines()
        return [int(line.split()[1]) for line in lines]

    @property
    def program(self) -> str:
        """A program that prints the first terms, in plain Python."""
        tree = ast.parse(inspect.getsource(oeis_terms))
        functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
        needed: set[str] = set()
        waiting = [f"[{self.terms}]"]
        while waiting:
            used = {
                each.id for each in ast.walk(ast.parse(waiting.pop())) if isinstance(each, ast.Name)
            }
            new = (used & functions.keys()) - needed
            needed |= new
            waiting += [ast.unparse(functions[name]) for name in new]
        parts = []
        for name, function in functions.items():
            if name in needed:
                # Without docstrings, as short as programs are in the OEIS.
                function.body = [each for each in function.body if not _is_text(each)]
                parts.append(ast.unparse(function))
        return "\n".join(["from itertools import product", *parts, f"print([{self.terms}])"])


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


_SQUARE = "boards(n, n, True, True)"
_N = "for n in (2, 4, 6)"
_SYMMETRIES = "symmetries(n, n)"
_LIST = f"list({_SQUARE})"
_TABLE = "for k in range(2, 6) for r in range(1, k)"

SEQUENCES = (
    Sequence(
        "boards-classic",
        "Number of 2n X 2n binary puzzle (Binairo, Takuzu) boards with distinct rows and columns.",
        (_BOARD, _DISTINCT, "The entry has offset 0 and begins with a(0)."),
        f"count({_SQUARE}) {_N}",
        f"{_BY_HALVES} a(6) agrees with the term that K. Khoruzhii added to A253316 in September "
        "2026; its units are kept in docs/census/12x12-classic.gz.",
        number=_KNOWN,
    ),
    Sequence(
        "boards-plain",
        "Number of 2n X 2n binary matrices with n ones in each row and column and no three equal "
        "neighbors in a line.",
        (_BOARD, "Rows and columns may be equal."),
        f"count(boards(n, n)) {_N}",
        f"{_BY_HALVES} a(6) was known to others before (docs/census.md).",
    ),
    Sequence(
        "boards-distinct-rows",
        "Number of 2n X 2n binary matrices with n ones in each row and column, no three equal "
        "neighbors in a line and no two equal rows.",
        (_BOARD, _DISTINCT_ROWS),
        f"count(boards(n, n, True)) {_N}",
        f"{_BY_HALVES} a(6) was counted twice, with distinct rows and with distinct columns, whose "
        "units differ (docs/census/12x12-rows.gz, 12x12-columns.gz). An independent program "
        "counted forty of the units again, and an estimate agrees.",
    ),
    Sequence(
        "boards-classic-up-to-symmetry",
        "Number of 2n X 2n binary puzzle boards with distinct rows and columns, up to symmetry.",
        (_BOARD, _DISTINCT, _UP_TO),
        f"classes({_SQUARE}, {_SYMMETRIES}) {_N}",
        _BURNSIDE + _UP_TO_10,
    ),
    Sequence(
        "boards-classic-up-to-rotation-and-reflection",
        "Number of 2n X 2n binary puzzle boards with distinct rows and columns, up to rotation and "
        "reflection.",
        (_BOARD, _DISTINCT, _UP_TO_TURNS),
        f"classes({_SQUARE}, symmetries(n, n, swap=False)) {_N}",
        _BURNSIDE + _UP_TO_10,
    ),
    Sequence(
        "boards-plain-up-to-symmetry",
        "Number of 2n X 2n binary matrices with n ones in each row and column and no three equal "
        "neighbors in a line, up to symmetry.",
        (_BOARD, _UP_TO),
        f"classes(boards(n, n), {_SYMMETRIES}) {_N}",
        _BURNSIDE,
    ),
    Sequence(
        "boards-plain-up-to-rotation-and-reflection",
        "Number of 2n X 2n binary matrices with n ones in each row and column and no three equal "
        "neighbors in a line, up to rotation and reflection.",
        (_BOARD, _UP_TO_TURNS),
        f"classes(boards(n, n), symmetries(n, n, swap=False)) {_N}",
        _BURNSIDE,
    ),
    Sequence(
        "boards-distinct-rows-up-to-symmetry",
        "Number of 2n X 2n binary matrices with n ones in each row and column, no three equal "
        "neighbors in a line and no two equal rows, up to symmetry.",
        (
            _BOARD,
            _DISTINCT_ROWS,
            "Boards that differ by a half turn, a reflection that keeps rows rows, or the exchange "
            "of 0 and 1 count once.",
        ),
        f"classes(boards(n, n, True), symmetries(n, n, turns=False)) {_N}",
        _BURNSIDE,
    ),
    Sequence(
        "rectangles-classic",
        "Table read by antidiagonals: T(r, c) is the number of 2r X 2c binary puzzle boards with "
        "distinct rows and columns.",
        (_BOARD, _DISTINCT),
        f"count(boards(2 * r, 2 * (k - r), True, True)) {_TABLE}",
        f"{_BY_HALVES} T(4, 9), the number for 8 x 18, is confirmed by estimates only.",
        ("T(r, c) = T(c, r).",),
        "nonn,tabl,hard",
    ),
    Sequence(
        "rectangles-plain",
        "Table read by antidiagonals: T(r, c) is the number of 2r X 2c binary matrices with r ones "
        "in each column, c ones in each row and no three equal neighbors in a line.",
        (_BOARD, "Rows and columns may be equal."),
        f"count(boards(2 * r, 2 * (k - r))) {_TABLE}",
        f"{_BY_HALVES} T(4, 9) was also counted row by row.",
        ("T(r, c) = T(c, r).",),
        "nonn,tabl,hard",
    ),
    Sequence(
        "rectangles-distinct-rows",
        "Table read by antidiagonals: T(r, c) is the number of 2r X 2c binary matrices with r ones "
        "in each column, c ones in each row, no three equal neighbors in a line and no two equal "
        "rows.",
        (_BOARD, _DISTINCT_ROWS),
        f"count(boards(2 * r, 2 * (k - r), True)) {_TABLE}",
        f"{_BY_HALVES} T(4, 9) was also counted row by row; T(9, 4) is confirmed by an estimate.",
        keywords="nonn,tabl,hard",
    ),
    *(
        Sequence(
            f"odd-squares-{name}",
            "Number of (2n-1) X (2n-1) binary matrices with n ones in each row and column and no "
            f"three equal neighbors in a line{title}.",
            (_ONES, comment),
            f"count(boards(n, n, {arguments}ones=True)) for n in (1, 3, 5, 7)",
            f"a(5) by `binairo census 9 --odd ones`; {again} gives the same number "
            "(docs/numbers.md).",
        )
        for name, title, comment, arguments, again in (
            ("classic", ", with distinct rows and columns", _DISTINCT, "True, True, ", _LISTED),
            ("plain", "", "Rows and columns may be equal.", "", _LISTED),
            (
                "distinct-rows",
                " and no two equal rows",
                _DISTINCT_ROWS,
                "True, ",
                "the census with distinct columns in place of rows",
            ),
        )
    ),
    *(
        Sequence(
            f"all-squares-{name}",
            "Number of n X n binary matrices with no three equal neighbors in a line in which each "
            f"line has as many 0 as 1, or one more or less{title}.",
            (_UNEVEN, comment),
            f"count(boards(n, n{arguments})) for n in range(1, 7)",
            f"{_BY_HALVES} The terms of even n are those of the boards of even sides.",
        )
        for name, title, comment, arguments in (
            ("classic", ", with distinct rows and columns", _DISTINCT, ", True, True"),
            ("plain", "", "Rows and columns may be equal.", ""),
            ("distinct-rows", " and no two equal rows", _DISTINCT_ROWS, ", True"),
        )
    ),
    Sequence(
        "fewest-clues-classic",
        "Fewest clues of a 2n X 2n binary puzzle with exactly one solution.",
        (_BOARD, _DISTINCT, _PUZZLE),
        f"min(numbers_of_clues({_LIST}, False)) for n in (2, 4)",
        "a(3) and a(4) by a search of all classes of boards (`binairo census --fewest`). For a(4), "
        "a search of all 410379200 sets of 6 clues up to symmetry finds no puzzle, and "
        "certificates prove the minimum 7 of 18 boards (docs/numbers.md).",
        ("8 <= a(5) <= 12.",),
    ),
    Sequence(
        "puzzles-classic",
        "Number of 2n X 2n binary puzzles with exactly one solution.",
        (_BOARD, _DISTINCT, _PUZZLE),
        f"puzzles({_LIST}, False) for n in (2, 4)",
        _TWO_SEARCHES % "a model counter, for each class",
    ),
    Sequence(
        "puzzles-classic-up-to-symmetry",
        "Number of 2n X 2n binary puzzles with exactly one solution, up to symmetry.",
        (_BOARD, _DISTINCT, _PUZZLE, _PUZZLES_UP_TO),
        f"puzzles({_LIST}, False, {_SYMMETRIES}) for n in (2, 4)",
        _TWO_SEARCHES % "a model counter, for each class",
    ),
    Sequence(
        "irreducible-puzzles-classic",
        "Number of irreducible 2n X 2n binary puzzles.",
        (_BOARD, _DISTINCT, _PUZZLE),
        f"puzzles({_LIST}, True) for n in (2, 4)",
        _TWO_SEARCHES % "Berge's algorithm, for each class",
    ),
    Sequence(
        "irreducible-puzzles-classic-up-to-symmetry",
        "Number of irreducible 2n X 2n binary puzzles, up to symmetry.",
        (_BOARD, _DISTINCT, _PUZZLE, _PUZZLES_UP_TO),
        f"puzzles({_LIST}, True, {_SYMMETRIES}) for n in (2, 4)",
        _TWO_SEARCHES % "Berge's algorithm, for each class",
    ),
    Sequence(
        "most-clues-of-irreducible-classic",
        "Most clues of an irreducible 2n X 2n binary puzzle.",
        (_BOARD, _DISTINCT, _PUZZLE),
        f"max(numbers_of_clues({_LIST}, True)) for n in (2, 4)",
        _TWO_SEARCHES % "Berge's algorithm, for each class",
    ),
)


def entry(sequence: Sequence) -> str:
    """The entry of a sequence, in the internal format of the OEIS."""
    return "".join(
        f"%{mark} {sequence.number} {line}".rstrip() + "\n" for mark, line in _lines(sequence)
    )


def _lines(sequence: Sequence) -> Iterator[tuple[str, str]]:
    numbers = sequence.numbers
    yield "I", ""
    yield "S", ", ".join(_data(numbers))
    yield "N", sequence.title
    yield from (("C", each) for each in sequence.comments)
    yield "H", f"Table of n, a(n) for n = 1..{len(numbers)} (the b-file: ../{sequence.file}.txt)"
    yield from (("F", each) for each in sequence.formulas)
    for row in _example(sequence):
        yield "e", row
    yield "o", "(Python)"
    yield from (("o", line) for line in sequence.program.splitlines())
    if sequence.number != _KNOWN:
        yield "Y", f"Cf. {_KNOWN}."
    yield "K", sequence.keywords
    first = next((n for n, term in enumerate(numbers, 1) if term > 1), 1)
    yield "O", f"1,{first}"
    yield "A", ""


def _data(numbers: list[int]) -> Iterator[str]:
    length = 0
    for number in numbers:
        length += len(str(number)) + 2
        if length > _LONGEST_DATA:
            return
        yield str(number)


def _example(sequence: Sequence) -> Iterator[str]:
    """The first board of 4 x 4, or of 3 x 3."""
    side = 3 if sequence.file.startswith(("odd", "all")) else 4
    distinct = "plain" not in sequence.file
    ones = sequence.file.startswith("odd")
    board = next(
        oeis_terms.boards(side, side, distinct, distinct and "rows" not in sequence.file, ones)
    )
    yield f"A board of {side} X {side}:"
    yield from ("  " + " ".join(map(str, row)) for row in board)


def readme() -> str:
    """The list of the entries, with the evidence."""
    rows = [
        f"| [{each.file}]({each.file}.txt) | [{len(each.numbers)}](../{each.file}.txt) | "
        f"{len(eval(f'[{each.terms}]', vars(oeis_terms).copy()))} | {each.evidence} |"
        for each in SEQUENCES
    ]
    return _README + "\n".join(rows) + "\n"


_README = """# Entries for the OEIS

A file for each sequence of [../README.md](../README.md), in the internal format of the OEIS:
terms, name, comments, formulas, example, program, cross references, keywords and offset. The number
of the entry, the author and the date are open. The first one is A253316, which exists; the others
were not found where we [searched](../../numbers.md). Look their terms up in the OEIS before you
submit one.

`python -m docs.oeis_files` writes this folder from the b-files. The program of each entry is
complete and in plain Python: the lines `%o` after the first. It prints the first terms in a few
seconds; a test runs all of them.

| entry | terms, with the b-file | by the program | evidence for the others |
|---|---|---|---|
"""


def main() -> int:
    """Write all files."""
    ENTRIES.mkdir(exist_ok=True)
    for each in SEQUENCES:
        (ENTRIES / f"{each.file}.txt").write_text(entry(each))
    (ENTRIES / "README.md").write_text(readme())
    return 0


if __name__ == "__main__":
    sys.exit(main())
