"""Limit the connections of clients in number, size and time.

If there are too many, the oldest idle connection is closed. If an address has too many and none of
them is idle, its oldest connection whose request body is still arriving is closed. So idle and slow
connections can't lock out other clients, and health checks are always answered.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Protocol

from binairo_cp.service.clients import client_of_address


class Connection(Protocol):
    """A connection of a client."""

    address: str

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""

    @property
    def is_receiving(self) -> bool:
        """Whether the body of a request is still arriving."""

    def drop(self) -> None:
        """Close it."""


class Connections:
    """The open connections: at most `maximum`, and of each address `max_per_address`.

    An IPv6 network of 64 bits counts as one address, since one client usually has all of it.

    `proxies` are addresses shared by many clients, for which only `maximum` applies.

    Uvicorn's `limit_concurrency` would also refuse health checks, and clients with few connections
    (`test_many_connections_of_an_address_leave_room_for_health`).
    """

    def __init__(self, maximum: int, max_per_address: int, proxies: Container[str] = ()) -> None:
        self._maximum = maximum
        self._max_per_address = max_per_address
        self._proxies = proxies
        self._count = 0
        # The connections of each address, the oldest first. The dicts serve as ordered sets.
        self._by_address: dict[str, dict[Connection, None]] = {}

    def group_of(self, address: str) -> str:
        """What the connections of an address are counted by."""
        return address if address in self._proxies else client_of_address(address)

    def add(self, connection: Connection) -> None:
        """Register a new connection, and close another one if there are too many."""
        self._by_address.setdefault(connection.address, {})[connection] = None
        self._count += 1
        if (dropped := next(self._droppable(connection), None)) is not None:
            self.remove(dropped)
            dropped.drop()

    def _droppable(self, new: Connection) -> Iterator[Connection]:
        """The connections that can be closed to make room for a new one, the first one first."""
        if self._address_is_over_limit(new.address):
            others = [each for each in self._by_address[new.address] if each is not new]
            yield from (each for each in others if each.is_idle)
            yield from (each for each in others if each.is_receiving)
        elif self._count > self._maximum:
            for group in sorted(self._by_address.values(), key=len, reverse=True):
                yield from (each for each in group if each is not new and each.is_idle)

    def remove(self, connection: Connection) -> None:
        """Unregister a closed connection. May be called more than once."""
        group = self._by_address.get(connection.address, {})
        if connection in group:
            del group[connection]
            self._count -= 1
            if not group:
                del self._by_address[connection.address]

    def is_over_limit(self, connection: Connection) -> bool:
        """Whether there are too many connections, and no other one could be closed."""
        return self._count > self._maximum or self._address_is_over_limit(connection.address)

    def _address_is_over_limit(self, address: str) -> bool:
        count = len(self._by_address.get(address, ()))
        return count > self._max_per_address and address not in self._proxies
