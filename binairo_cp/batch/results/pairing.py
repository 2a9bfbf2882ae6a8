"""Pair the records of two files by puzzle, in bounded memory.

The files are read side by side. A record without a partner so far waits in a temporary database,
which stays in memory if the files have nearly the same order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import zip_longest

from binairo_cp.batch.results import claims, scratch
from binairo_cp.batch.results.files import Stored

Pair = tuple[Stored | None, Stored | None]
"""A record of the first file and one of the second; None if only one file has the puzzle."""

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
    """All records of two files, each in exactly one pair.

    Partners have the same size, clues and signs. Partners with the same rules and id are preferred,
    then partners with the same rules. If a puzzle occurs several times, its records are paired in
    the order of the files.

    Raises:
        SourceError: the temporary folder is full.
    """
    with scratch.database() as database:
        waiting = _Waiting(database)
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
    """The records that have no partner so far."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.total = 0
        self._database = database
        database.execute(_TABLE)
        database.execute("CREATE INDEX by_same ON waiting (same, side)")

    def partner(self, side: int, stored: Stored) -> Stored | None:
        """The first waiting partner of a record; None if there is none, and the record waits."""
        board, rules, id = _key(stored)
        same = claims.digest(board, rules, id)
        query = "SELECT min(number) FROM waiting WHERE same = ? AND side = ?"
        [number] = self._database.execute(query, [same, 1 - side]).fetchone()
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
        """The waiting records after the end of both files, in pairs where possible."""
        for key in ("puzzle", "board"):
            self._database.execute("CREATE TEMP TABLE found AS " + _PAIRS.format(key=key))
            for one, two in self._database.execute("SELECT * FROM found ORDER BY 1"):
                yield self._take(one), self._take(two)
            self._database.execute("DROP TABLE found")
        query = "SELECT raw, source, line FROM waiting WHERE side = ? ORDER BY number"
        yield from ((Stored.of(*place), None) for place in self._database.execute(query, [0]))
        yield from ((None, Stored.of(*place)) for place in self._database.execute(query, [1]))

    def _take(self, number: int) -> Stored:
        query = "SELECT raw, source, line FROM waiting WHERE number = ?"
        place = self._database.execute(query, [number]).fetchone()
        self._database.execute("DELETE FROM waiting WHERE number = ?", [number])
        self.total -= 1
        return Stored.of(*place)
