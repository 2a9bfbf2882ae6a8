"""Random mutations of seeds, without coverage feedback."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tests.fuzz.targets import Target

Change = Callable[[bytearray, random.Random, Target], object]


def inputs(target: Target, seed: int) -> Iterator[bytes]:
    """The seeds of a target, then endless random mutations."""
    yield from target.seeds
    rng = random.Random(seed)
    while True:
        data = bytearray(rng.choice(target.seeds))
        for _ in range(rng.choice((1, 1, 2, 3, 6))):
            rng.choice(_CHANGES)(data, rng, target)
        yield bytes(data[: target.longest])


def _span(data: bytearray, rng: random.Random) -> slice:
    start = rng.randrange(len(data) + 1)
    return slice(start, min(len(data), start + rng.choice((1, 1, 2, 4, 16, 64, 1 << 12))))


def _flip(data: bytearray, rng: random.Random, _: Target) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _put_byte(data: bytearray, rng: random.Random, _: Target) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.choice(
            b"\0\n\r\t 019.xX=:,;#-{}[]\"'\\\x7f\x80\xff\xef"
        )


def _insert_word(data: bytearray, rng: random.Random, target: Target) -> None:
    place = rng.randrange(len(data) + 1)
    data[place:place] = rng.choice(target.words or (b"0", b"1", b"\n"))


def _put_word(data: bytearray, rng: random.Random, target: Target) -> None:
    data[_span(data, rng)] = rng.choice(target.words or (b"0", b"1", b"\n"))


def _delete(data: bytearray, rng: random.Random, _: Target) -> None:
    del data[_span(data, rng)]


def _repeat(data: bytearray, rng: random.Random, target: Target) -> None:
    span = _span(data, rng)
    more = data[span] * rng.choice((1, 2, 3, 50))
    data[span.stop : span.stop] = more[: target.longest]


def _move(data: bytearray, rng: random.Random, _: Target) -> None:
    span = _span(data, rng)
    taken = data[span]
    del data[span]
    place = rng.randrange(len(data) + 1)
    data[place:place] = taken


def _cross(data: bytearray, rng: random.Random, target: Target) -> None:
    other = rng.choice(target.seeds)
    data[rng.randrange(len(data) + 1) :] = other[rng.randrange(len(other) + 1) :]


_CHANGES: tuple[Change, ...] = (
    _flip,
    _put_byte,
    _insert_word,
    _put_word,
    _delete,
    _repeat,
    _move,
    _cross,
)
