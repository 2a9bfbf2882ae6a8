"""The records of two files in pairs, those of one puzzle together, in bounded memory.

Files in the same order are read side by side. A record whose partner is not there yet waits in a
temporary database, so that what is out of order by a little stays in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import zip_longest

from binairo_cp.batch.results import claims, scratch
from binairo_cp.batch.results.files import Stored

Pair = tuple[Stored | None, Stored | None]
"""A record of the first file and one of the second; None where a puzzle is in one file only."""

_TABLE = """
CREATE TABLE waiting (
    number INTEGER PRIMARY KEY, side INTEGER, same BLOB, puzzle BLOB, board BLOB,
    raw BLOB, source TEXT, line INTEGER)
"""
_PAIRS = """
SELECT max(number) FILTER (WHERE side = 0), max(number) FILTER (WHERE side = 1)
FROM (SELECT number, side, {key} AS key,
             row_number() OVER (PARTITION BY side, {key} ORDER BY number) AS turn FROM waiting)
GROUP BY key, turn HAVING count(*) = 2
"""


def pairs(first: Iterator[Stored], second: Iterator[Stored]) -> Iterator[Pair]:
    """All records of two files, each once.

    Partners have the same size, clues and signs. Those with the same rules and the same name come
    first; of what is left, those with the same rules, and then any. A puzzle that comes several
    times has as many partners, in the order of the files.

    Raises:
        SourceError: there is no room for the temporary database.
    """
    with scratch.database() as opened:
        waiting = _Waiting(opened)
        for both in zip_longest(first, second):
            one, two = both
            if one and two and not waiting.total and _key(one) == _key(two):
                yield one, two
                continue
            for side, each in enumerate(both):
                if each and (partner := waiting.partner(side, each)):
                    yield (partner, each) if side else (each, partner)
        yield from waiting.rest()


def _key(stored: Stored) -> tuple[object, ...]:
    record = stored.record
    return claims.board(record), claims.rules(record), record.id


class _Waiting:
    """The records that have no partner yet."""

    def __init__(self, opened: sqlite3.Connection) -> None:
        self.total = 0
        self._database = opened
        opened.execute(_TABLE)
        opened.execute("CREATE INDEX by_same ON waiting (same, side)")

    def partner(self, side: int, stored: Stored) -> Stored | None:
        """The first record that waits for this one; without one, this one waits."""
        board, rules, id = _key(stored)
        same = claims.digest(board, rules, id)
        asked = "SELECT min(number) FROM waiting WHERE same = ? AND side = ?"
        [number] = self._database.execute(asked, [same, 1 - side]).fetchone()
        if number is not None:
            return self._take(number)
        self._database.execute(
            "INSERT INTO waiting (side, same, puzzle, board, raw, source, line) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [side, same, claims.digest(board, rules), claims.digest(board), *stored[1:]],
        )
        self.total += 1
        return None

    def rest(self) -> Iterator[Pair]:
        """What is left in the end, in pairs where it can be."""
        for key in ("puzzle", "board"):
            self._database.execute("CREATE TEMP TABLE found AS " + _PAIRS.format(key=key))
            for one, two in self._database.execute("SELECT * FROM found ORDER BY 1"):
                yield self._take(one), self._take(two)
            self._database.execute("DROP TABLE found")
        asked = "SELECT raw, source, line FROM waiting WHERE side = ? ORDER BY number"
        yield from ((Stored.of(*place), None) for place in self._database.execute(asked, [0]))
        yield from ((None, Stored.of(*place)) for place in self._database.execute(asked, [1]))

    def _take(self, number: int) -> Stored:
        asked = "SELECT raw, source, line FROM waiting WHERE number = ?"
        place = self._database.execute(asked, [number]).fetchone()
        self._database.execute("DELETE FROM waiting WHERE number = ?", [number])
        self.total -= 1
        return Stored.of(*place)
