"""Flat JSON records, whole and damaged, and slices of bytes copied."""

import json
import random
from typing import Any

import numpy as np

from binairo_cp.formats import columnar
from binairo_cp.puzzle.slices import Slices, joined

RECORDS = 1500
QUICK_RECORDS = 100


def results() -> dict[str, Any]:
    """What is found in each record, and the joined columns."""
    return quick() | {"records": _found(range(RECORDS)), "joined": _joined()}


def quick() -> dict[str, Any]:
    """A part of the results."""
    return {"first": _found(range(QUICK_RECORDS))}


def _found(seeds: range) -> list[list[int]]:
    lines = [_line(seed) for seed in seeds]
    data = np.frombuffer(b"\n".join(lines) + b"\n", np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    found = columnar.find_flat(data, starts, ends)
    return [
        [int(column[k]) if found.heights[k] else 0 for column in found] for k in range(len(lines))
    ]


def _line(seed: int) -> bytes:
    rng = random.Random(seed)
    height, width = rng.choice([(4, 4), (6, 6), (6, 8), (10, 10), (1, 1), (100, 2)])
    fields: dict[str, Any] = {
        "height": height,
        "width": width,
        "clues": "".join(rng.choices("01.", k=height * width)),
    }
    more: dict[str, Any] = {
        "id": rng.choice(["a", " b", 17, -3, None, "x" * 30, 1.5, "é"]),
        "rules": rng.choice(["classic", "unruly", "tango", "odd", None, "nope"]),
        "distinct_lines": rng.choice([True, False, None, 1]),
        "signs": rng.choice([[], [], ["a"], ""]),
        "note": rng.choice(["text", 1e9, -0.5, {"a": 1}, [1], 'q"uote']),
        "clues2": 3,
    }
    for name in rng.sample(sorted(more), rng.randint(0, 4)):
        fields[name] = more[name]
    names = rng.sample(sorted(fields), len(fields))
    separators = rng.choice([(",", ":"), (", ", ": "), (" ,\t", " : ")])
    line = json.dumps({name: fields[name] for name in names}, separators=separators).encode()
    if rng.random() < 0.3:
        place = rng.randrange(len(line))
        line = line[:place] + bytes([rng.randrange(32, 127)]) + line[place + rng.randint(0, 1) :]
    return line + rng.choice([b"", b"", b"\r", b" "])


def _joined() -> list[str]:
    rng = random.Random(1)
    columns = [
        Slices.of([bytes(rng.choices(b"abc.", k=rng.randint(0, 9))) for _ in range(50)])
        for _ in range(4)
    ]
    return [each.decode() for each in joined(columns).tolist()]
