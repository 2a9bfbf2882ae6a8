"""Columns of texts about compact results: one string for each puzzle, as slices of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.batch.compact_results import Group
from binairo_cp.formats.slices import Numbers, Slices, decimals, joined, starts_of

Flags = npt.NDArray[np.bool_]


def same(text: str, group: Group) -> Slices:
    """The same text for all puzzles."""
    return Slices.of([text.encode()]).take(np.zeros(len(group), np.int64))


def choose(texts: Sequence[str], chosen: npt.NDArray[Any]) -> Slices:
    """One of some texts for each puzzle, by its number; flags count as 0 and 1."""
    return Slices.of([text.encode() for text in texts]).take(chosen.astype(np.int64))


def ids_or_numbers(ids: Slices, numbers: Numbers) -> list[Slices]:
    """The ids; the number of a puzzle that has none."""
    has_id = ids.lengths > 0
    if not has_id.any():
        return [decimals(numbers)]
    return [ids] if has_id.all() else [ids, decimals(numbers).only(~has_id)]


def pairs_of_differences(group: Group, has_second: Flags) -> Slices:
    """The cells in which two solutions differ, as ``[0,1],[2,3]``; empty without two."""
    first, second = group.solutions
    _, height, width = first.shape
    differs = (first != second) & has_second[:, None, None]
    places = np.flatnonzero(differs) % (height * width)
    cells = Slices.of([f"[{k // width},{k % width}],".encode() for k in range(height * width)])
    texts = joined([cells.take(places)])
    # The pairs of a puzzle are together. The comma after the last one is left out.
    owners = np.flatnonzero(differs) // (height * width)
    lengths = np.bincount(owners, texts.lengths, len(group)).astype(np.int64)
    return Slices(texts.data, starts_of(lengths), np.maximum(lengths - 1, 0))


def contains_any(ids: Slices, characters: str) -> bool:
    """Whether one of some ASCII characters occurs in the ids."""
    # Their bytes alone: the ids of a block are parts of all its bytes.
    return bool(np.isin(joined([ids]).data, list(characters.encode())).any())


def begins(columns: Sequence[Slices], places: Numbers) -> Iterator[Numbers]:
    """Where the strings of each column begin, if those of the first begin at `places`."""
    for column in columns:
        yield places
        places = places + column.lengths
