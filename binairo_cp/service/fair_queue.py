"""A queue that shares workers fairly between clients: weighted fair queueing.

Each client has a clock of the worker time that it used. The client whose clock is behind goes
first. The possible cost of a request is charged when it starts; the real cost replaces it when it
ends. The virtual time is the clock of a client that always got its share: it advances by the cost
of each request, divided by the number of active clients. A client that comes back starts at the
virtual time, so it can't save up shares, and what it used in excess is not forgotten at once.

See Demers, Keshav and Shenker, "Analysis and simulation of a fair queueing algorithm" (1989). If
the queue is full, the client with the most waiting requests loses its latest one (McKenney,
"Stochastic fairness queueing", 1990).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

Item = TypeVar("Item")

MAX_REMEMBERED = 10_000
"""Maximum number of clients whose clock is kept although they have no request."""

RECENT_SECONDS = 10.0
"""How long a client counts after its last request."""


@dataclass(slots=True, eq=False)
class Ticket(Generic[Item]):
    """A request in the queue, or one that was started.

    Attributes:
        item: what the owner of the queue needs to start it.
        number: its position in the order of arrival.
        is_started: it left the queue to be started, and has not ended.
    """

    client: str
    cost: float
    item: Item
    number: int
    is_waiting: bool = True
    is_started: bool = False


@dataclass(slots=True)
class _Client(Generic[Item]):
    clock: float
    waiting: deque[Ticket[Item]] = field(default_factory=deque)
    running: int = 0


class FairQueue(Generic[Item]):
    """Requests that wait for workers, up to `capacity` of them, and the shares of their clients."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._virtual = 0.0
        self._active: dict[str, _Client[Item]] = {}
        # Clients without requests that used more than their share, the longest idle first.
        self._idle: OrderedDict[str, float] = OrderedDict()
        self._waiting = self._pushed = 0

    def __len__(self) -> int:
        return self._waiting

    @property
    def remembered(self) -> int:
        """The number of clients that the queue knows."""
        return len(self._active) + len(self._idle)

    def running(self, client: str) -> int:
        """The number of started requests of a client that have not ended."""
        known = self._active.get(client)
        return known.running if known else 0

    def push(self, client: str, cost: float, item: Item) -> Ticket[Item]:
        """Add a request at the end of its client's queue."""
        self._pushed += 1
        ticket = Ticket(client, cost, item, self._pushed)
        if client not in self._active:
            clock = max(self._virtual, self._idle.pop(client, self._virtual))
            self._active[client] = _Client(clock)
        self._active[client].waiting.append(ticket)
        self._waiting += 1
        return ticket

    def evict(self) -> Ticket[Item] | None:
        """If too many requests wait, remove the latest one of the client with the most.

        Among equals, it is the latest request, so that a crowd of new clients displaces nobody.
        """
        if self._waiting <= self._capacity:
            return None
        crowds = (state.waiting for state in self._active.values() if state.waiting)
        ticket = max(crowds, key=lambda waiting: (len(waiting), waiting[-1].number))[-1]
        self.remove(ticket)
        return ticket

    def remove(self, ticket: Ticket[Item]) -> None:
        """Remove a waiting request."""
        self._active[ticket.client].waiting.remove(ticket)
        self._waiting -= 1
        ticket.is_waiting = False
        self._leave(ticket.client)

    def pop(
        self, may_start: Callable[[Ticket[Item]], bool] = lambda _: True
    ) -> Ticket[Item] | None:
        """Start the first request that may start, of the client whose clock is most behind."""
        # The sort is stable: among equal clocks, the client served least recently is first.
        clients = sorted(self._active.values(), key=lambda state: state.clock)
        waiting = (ticket for state in clients for ticket in state.waiting)
        ticket = next(filter(may_start, waiting), None)
        if ticket is None:
            return None
        state = self._active[ticket.client]
        state.waiting.remove(ticket)
        self._waiting -= 1
        state.running += 1
        state.clock += ticket.cost
        ticket.is_waiting, ticket.is_started = False, True
        # Among clients with equal clocks, the one that was not served for the longest time is next.
        self._active[ticket.client] = self._active.pop(ticket.client)
        return ticket

    def settle(self, ticket: Ticket[Item], cost: float) -> None:
        """End a started request, and charge its real cost instead of the possible one."""
        state = self._active[ticket.client]
        self._virtual += cost / len(self._active)
        state.running -= 1
        state.clock += cost - ticket.cost
        ticket.is_started = False
        self._leave(ticket.client)

    def _leave(self, client: str) -> None:
        """Forget a client without requests, unless it used more than its share."""
        state = self._active[client]
        if state.waiting or state.running:
            return
        del self._active[client]
        if not self._active:
            # Nobody waits, so nobody was put at a disadvantage.
            self._idle.clear()
            self._virtual = 0.0
        elif state.clock > self._virtual:
            self._idle[client] = state.clock
        while self._idle and (
            len(self._idle) > MAX_REMEMBERED or next(iter(self._idle.values())) <= self._virtual
        ):
            self._idle.popitem(last=False)


class RecentClients:
    """The two clients that sent requests last."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._times: dict[str, float] = {}

    def note(self, client: str) -> None:
        """Record that a client sends a request now."""
        self._times.pop(client, None)
        self._times[client] = self._clock()
        if len(self._times) > 2:
            del self._times[next(iter(self._times))]

    def has_others(self, client: str) -> bool:
        """Whether another client sent a request a short time ago."""
        since = self._clock() - RECENT_SECONDS
        return any(name != client and time > since for name, time in self._times.items())
