"""Clients that sent requests a short time ago."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.service.fair_queue import RECENT_SECONDS as SECONDS
from binairo_cp.service.fair_queue import RecentClients

REQUESTS = st.lists(st.tuples(st.floats(0, 2 * SECONDS), st.sampled_from("abcd")))


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
    others = [time for name, time in last.items() if name != client and now - time < SECONDS]
    assert recent.has_others(client) == bool(others)
