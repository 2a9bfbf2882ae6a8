import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.service import clients, fair_queue
from binairo_cp.service.fair_queue import RECENT_SECONDS, FairQueue, RecentClients, Ticket
from tests.service.test_hostile_clients import HARD
from tests.service.test_jobs import until
from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import PATIENCE, Server, serving
from tests.support.strategies import examples

COSTS = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0])
CLIENTS = st.sampled_from("abcde")


class Busy:
    """Clients that always have waiting requests, and one worker."""

    def __init__(self, costs: dict[str, tuple[float, float]]) -> None:
        self.queue: FairQueue[None] = FairQueue(1_000)
        self.costs = costs
        for client in costs:
            self.push(client)
        self.used = dict.fromkeys(costs, 0.0)

    def push(self, client: str) -> None:
        self.queue.push(client, self.costs[client][0], None)

    def step(self) -> str:
        ticket = self.queue.pop()
        assert ticket is not None
        self.push(ticket.client)
        cost = self.costs[ticket.client][1]
        self.queue.settle(ticket, cost)
        self.used[ticket.client] += cost
        return ticket.client


@given(st.dictionaries(CLIENTS, st.tuples(COSTS, COSTS), min_size=2), st.integers(1, 200))
def test_busy_clients_get_the_same_worker_time(costs: dict[str, tuple[float, float]], steps: int):
    busy = Busy(costs)
    most = max(real for _, real in costs.values())
    for _ in range(steps):
        busy.step()
        used = [busy.used[client] for client in costs]
        assert max(used) - min(used) <= most


@given(COSTS, COSTS)
def test_the_number_of_requests_is_inversely_proportional_to_their_cost(one: float, other: float):
    busy = Busy({"a": (1.0, one), "b": (1.0, other)})
    served = Counter(busy.step() for _ in range(2_000))
    assert abs(served["a"] * one - served["b"] * other) <= max(one, other)


@given(st.integers(1, 20), COSTS)
@examples(0.5)
def test_new_clients_without_end_starve_nobody(newcomers: int, cost: float) -> None:
    """Each turn new clients arrive, as from a botnet; a client with a debt gets its turn anyway."""
    capacity, debt = 8, 10.0
    queue: FairQueue[None] = FairQueue(capacity)
    queue.push("patient", debt, None)
    first = queue.pop()
    assert first
    patient = queue.push("patient", 1.0, None)
    queue.settle(first, debt)
    turns = 0
    while patient.is_waiting:
        for number in range(newcomers):
            queue.push(f"new {turns} {number}", cost, None)
            assert queue.evict() is not patient
        started = queue.pop()
        assert started
        queue.settle(started, cost)
        turns += 1
        assert turns <= (capacity + 2) * debt / cost + capacity


@given(st.lists(st.tuples(st.sampled_from(["push", "pop", "settle", "remove"]), CLIENTS, COSTS)))
def test_the_queue_keeps_count_and_forgets_clients(steps: list[tuple[str, str, float]]) -> None:
    queue: FairQueue[int] = FairQueue(5)
    waiting: list[Ticket[int]] = []
    running: list[Ticket[int]] = []
    for number, (step, client, cost) in enumerate(steps):
        if step == "push":
            waiting.append(queue.push(client, cost, number))
            if evicted := queue.evict():
                lengths = Counter(each.client for each in waiting)
                assert lengths[evicted.client] == max(lengths.values())
                waiting.remove(evicted)
        elif step == "pop":
            ticket = queue.pop()
            assert (ticket is None) == (not waiting)
            if ticket:
                first = next(each for each in waiting if each.client == ticket.client)
                assert ticket is first
                waiting.remove(ticket)
                running.append(ticket)
        elif step == "settle" and running:
            queue.settle(running.pop(), cost)
        elif step == "remove" and waiting:
            queue.remove(waiting.pop())
        assert len(queue) == len(waiting) <= 5
        assert queue.running("a") == sum(each.client == "a" for each in running)
    for each in waiting:
        queue.remove(each)
    for each in running:
        queue.settle(each, 1.0)
    assert queue.remembered == 0


def test_a_full_queue_takes_from_the_client_with_the_most_requests() -> None:
    queue: FairQueue[str] = FairQueue(3)
    greedy = [queue.push("greedy", 1.0, "greedy") for _ in range(3)]
    assert queue.evict() is None
    polite = queue.push("polite", 1.0, "polite")
    assert queue.evict() is greedy[-1]
    assert polite.is_waiting
    assert not greedy[-1].is_waiting
    again = queue.push("greedy", 1.0, "greedy")
    assert queue.evict() is again


def test_a_client_whose_turn_may_not_come_is_skipped() -> None:
    queue: FairQueue[None] = FairQueue(10)
    queue.push("held", 1.0, None)
    other = queue.push("other", 5.0, None)
    assert queue.pop(lambda ticket: ticket.client != "held") is other
    assert queue.pop(lambda ticket: ticket.client != "held") is None


def test_what_a_client_used_in_excess_is_remembered_while_others_are_active() -> None:
    queue: FairQueue[None] = FairQueue(10)
    queue.push("busy", 1.0, None)
    queue.push("greedy", 1.0, None)
    first, second = queue.pop(), queue.pop()
    assert second
    greedy = first if first.client == "greedy" else second
    queue.settle(greedy, 100.0)
    late, fresh = queue.push("greedy", 1.0, None), queue.push("fresh", 1.0, None)
    assert queue.pop() is fresh
    assert queue.pop() is late


def test_a_million_clients_need_bounded_memory() -> None:
    queue: FairQueue[None] = FairQueue(10)
    queue.push("anchor", 1.0, None)
    for number in range(3 * fair_queue.MAX_REMEMBERED):
        queue.push(f"client {number}", 1.0, None)
        ticket = queue.pop(lambda ticket: ticket.client != "anchor")
        assert ticket
        queue.settle(ticket, 5.0)
    assert queue.remembered <= fair_queue.MAX_REMEMBERED + 1


REQUESTS = st.lists(st.tuples(st.floats(0, 2 * RECENT_SECONDS), st.sampled_from("abcd")))


@given(REQUESTS, st.sampled_from("abcde"))
def test_others_are_those_with_a_request_in_the_last_seconds(
    requests: list[tuple[float, str]], client: str
) -> None:
    now = 0.0
    recent = RecentClients(lambda: now)
    last: dict[str, float] = {}
    for seconds, name in requests:
        now += seconds
        recent.note(name)
        last[name] = now
    now += 1.0
    others = [time for name, time in last.items() if name != client and now - time < RECENT_SECONDS]
    assert recent.has_others(client) == bool(others)


def busy(client: httpx.Client) -> int:
    """The number of requests in workers."""
    lines = client.get("/metrics").text.splitlines()
    line = next(each for each in lines if each.startswith('binairo_pool_busy{pool="general"}'))
    return int(float(line.split()[1]))


@contextmanager
def two_clients(folder: Path, *options: str) -> Iterator[tuple[Server, httpx.Client, httpx.Client]]:
    """A server with two clients, which it knows by their keys."""
    secrets, lines = zip(*map(clients.new_key, ("greedy", "polite")), strict=True)
    (folder / "keys.txt").write_text("\n".join(lines))
    keyed = ("--api-keys", str(folder / "keys.txt"))
    with serving(folder / "data", *options, *keyed) as server:
        greedy, polite = (
            httpx.Client(
                base_url=server.url, timeout=PATIENCE, headers={"Authorization": f"Bearer {each}"}
            )
            for each in secrets
        )
        yield server, greedy, polite
        greedy.close()
        polite.close()


@pytest.mark.slow
def test_a_greedy_client_leaves_room_for_others(tmp_path: Path) -> None:
    options = ("--workers", "1", "--queue", "2", "--time-limit", "3600")
    with two_clients(tmp_path, *options) as (server, greedy, polite):
        statuses: list[int] = []

        def send_hard() -> None:
            with suppress(httpx.TransportError):
                statuses.append(greedy.post("/v1/check", json=HARD).status_code)

        def send(route: str, **body: Any) -> httpx.Response:
            response = polite.post(f"/v1/{route}", json=body)
            assert response.status_code == 200, response.text
            return response

        crowd = [threading.Thread(target=send_hard) for _ in range(5)]
        for each in crowd:
            each.start()
        # One runs; two wait; the others are refused, although a worker is free.
        until(lambda: statuses.count(503) >= 2 and busy(polite) == 1)
        assert send("convert", puzzle=UNIQUE, to="line").text.split()[0]
        assert send("generate", size=6, seed=1).json()["complete"]
        assert send("check", puzzle=UNIQUE).json()["solution"] == KNOWN
        assert 200 not in statuses
        assert 'binairo_pool_wait_seconds_count{pool="general",route="/v1/generate"} 1.0' in (
            polite.get("/metrics").text
        )
        # Its request would run for an hour.
        server.process.kill()
        for each in crowd:
            each.join(PATIENCE)


@pytest.mark.slow
def test_a_client_leaves_a_worker_to_others_while_they_send_requests(tmp_path: Path) -> None:
    with two_clients(tmp_path, "--workers", "2") as (server, greedy, polite):

        def send_hard() -> None:
            with suppress(httpx.TransportError):
                while True:  # until the server is killed
                    greedy.post("/v1/check", json=HARD | {"time_limit": 2})

        crowd = [threading.Thread(target=send_hard) for _ in range(4)]
        for each in crowd:
            each.start()
        until(lambda: busy(polite) == 2)

        # From now on, another client sends requests.
        def busy_then() -> int:
            assert polite.post("/v1/generate", json={"size": 6}).status_code == 200
            return busy(polite)

        until(lambda: busy_then() == 1)
        assert max(busy_then() for _ in range(20)) == 1
        server.process.kill()
        for each in crowd:
            each.join(PATIENCE)
