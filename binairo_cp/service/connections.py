"""The open connections, and how many there may be: in all, and of one address.

Where there are too many, the oldest without a request makes room. If an address has too many, its
oldest request whose body is still arriving makes room too. So idle and slow connections keep nobody
out, and requests for the server's health are answered.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol


class Connection(Protocol):
    """A connection of a client."""

    address: str

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered."""

    @property
    def is_receiving(self) -> bool:
        """Whether the body of a request is still arriving."""

    def drop(self) -> None:
        """Close it."""


class Connections:
    """The connections that are open.

    Args:
        most: how many there may be.
        most_of_one: how many of one address.
        proxies: addresses that many clients share, for which only `most` counts.
    """

    def __init__(self, most: int, most_of_one: int, proxies: Container[str] = ()) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._proxies = proxies
        self._number = 0
        # The connections of an address, the oldest first; the values mean nothing.
        self._of: dict[str, dict[Connection, None]] = {}

    def add(self, connection: Connection) -> None:
        """Note a new connection, and make room for it if that can be."""
        self._of.setdefault(connection.address, {})[connection] = None
        self._number += 1
        if self._is_one_too_many(connection.address):
            group = self._of[connection.address]
            if not self._drop_idle(group, connection):
                self._drop_receiving(group, connection)
        elif self._number > self._most:
            for group in sorted(self._of.values(), key=len, reverse=True):
                if self._drop_idle(group, connection):
                    return

    def remove(self, connection: Connection) -> None:
        """Note that a connection is no more; again if need be."""
        group = self._of.get(connection.address, {})
        if connection in group:
            del group[connection]
            self._number -= 1
            if not group:
                del self._of[connection.address]

    def is_crowded(self, connection: Connection) -> bool:
        """Whether there are too many, and all the others have requests."""
        return self._number > self._most or self._is_one_too_many(connection.address)

    def _is_one_too_many(self, address: str) -> bool:
        return len(self._of.get(address, ())) > self._most_of_one and address not in self._proxies

    def _drop_idle(self, group: dict[Connection, None], but: Connection) -> bool:
        return self._drop(next((each for each in group if each is not but and each.is_idle), None))

    def _drop_receiving(self, group: dict[Connection, None], but: Connection) -> bool:
        slow = (each for each in group if each is not but and each.is_receiving)
        return self._drop(next(slow, None))

    def _drop(self, found: Connection | None) -> bool:
        if found is None:
            return False
        self.remove(found)
        found.drop()
        return True
