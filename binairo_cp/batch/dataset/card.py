"""The card of a dataset: README.md with YAML, as Hugging Face reads it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from binairo_cp.batch.dataset.recipe import DatasetPlan
from binairo_cp.batch.dataset.rows import DatasetRecord
from binairo_cp.deduction.techniques import LEVELS

CARD = "README.md"
COLUMNS = ["level", "score", "clue_count"]

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")

_MEANINGS = {
    "id": "Size, level, seed and number of the puzzle in its seed.",
    "puzzle": "The cells row by row: `0`, `1`, `.` for an open cell.",
    "solution": "The only solution, in the same form.",
    "height": "Number of rows.",
    "width": "Number of columns.",
    "rules": "`classic` (rows and columns are distinct), `unruly` (they may repeat), `plus` or "
    "`tango` (with signs); other rules as JSON.",
    "signs": "Signs between cells: row and column from 0, `R` or `D` for the right or lower "
    "neighbour, `=` or `x`.",
    "level": "Level of the hardest technique needed: beginner, easy, medium, hard, expert, or "
    "beyond logic if some cells need nested contradictions.",
    "score": "About the time that a person needs, in no particular unit.",
    "steps": "The solving path: each element has the easiest technique that finds anything, and "
    "all cells that it fills, as places in `puzzle` from 0. Empty cells are left for a puzzle "
    "beyond logic.",
    "clue_count": "Number of clues.",
    "canonical_hash": "The same for puzzles that differ only by a rotation, a reflection or a "
    "swap of 0 and 1. No two puzzles of the dataset have the same one.",
    "seed": "Seed of the set.",
}

_RULES = """A Binairo puzzle (also Takuzu or Binary Puzzle) is a board with some cells filled by 0
and 1. Fill the others so that each row and column has as many 0 as 1, no three equal symbols stand
side by side in a row or column, and, under the classic rules, no two rows and no two columns are
equal."""


@dataclass
class SetFacts:
    """What the rows of a set have."""

    levels: Counter[str] = field(default_factory=Counter)
    clues: Counter[int] = field(default_factory=Counter)
    score: float = 0.0

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add some rows."""
        for row in rows:
            self.levels[row["level"]] += 1
            self.clues[row["clue_count"]] += 1
            self.score += row["score"]


def text(plan: DatasetPlan, facts: list[SetFacts]) -> str:
    """The card; it depends on the recipe and the rows only."""
    return "\n".join([*_head(plan), *_body(plan, facts)]) + "\n"


def _head(plan: DatasetPlan) -> Iterator[str]:
    recipe = plan.recipe
    inner, ending = ("data", "parquet") if "parquet" in recipe.formats else ("ndjson", "ndjson")
    size = _SIZES[max(0, min(len(str(recipe.total)) - 3, len(_SIZES) - 1))]
    yield from ("---", f"pretty_name: {json.dumps(recipe.name)}", f"license: {recipe.license}")
    yield from ("tags:", "- puzzles", "- binairo", "- takuzu", "- reasoning")
    yield from ("size_categories:", f"- {size}")
    yield from ("configs:", "- config_name: default", "  data_files:")
    for split in _splits(plan):
        yield f"  - split: {split}"
        yield f"    path: {inner}/{split}/*.{ending}"
    yield "---"


def _splits(plan: DatasetPlan) -> Counter[str]:
    splits: Counter[str] = Counter()
    for shard in plan.shards:
        splits[shard.split] += shard.count
    return splits


def _body(plan: DatasetPlan, facts: list[SetFacts]) -> Iterator[str]:
    recipe = plan.recipe
    yield f"\n# {recipe.name}\n"
    if recipe.description:
        yield f"{recipe.description.strip()}\n"
    yield f"{recipe.total:,} Binairo puzzles, each with exactly one solution. {_RULES}\n"
    yield (
        "No two puzzles are the same up to rotation, reflection and a swap of 0 and 1, neither "
        "within nor across splits. Different puzzles may share a solution, in particular on small "
        "boards.\n"
    )
    yield "## Puzzles\n"
    yield "| set | size | rules | clues | mean score | puzzles | levels |"
    yield "|---|---|---|---|---|---|---|"
    for each, fact in zip(plan.sets, facts, strict=True):
        kind = recipe.puzzles[each.number - 1]
        levels = ", ".join(
            f"{level} {fact.levels[level]:,}" for level in LEVELS if fact.levels[level]
        )
        clues = f"{min(fact.clues)} to {max(fact.clues)}"
        size = f"{each.spec.recipe.height}x{each.spec.recipe.width}"
        demand = each.spec.recipe.demand
        rules = f"{kind.rules}{', irreducible' * kind.irreducible}{f', {demand}' if demand else ''}"
        mean = fact.score / each.spec.count
        yield (
            f"| {each.number} | {size} | {rules} | {clues} | {mean:,.1f} | "
            f"{each.spec.count:,} | {levels} |"
        )
    yield "\n| split | puzzles |\n|---|---|"
    yield from (f"| {split} | {number:,} |" for split, number in _splits(plan).items())
    yield "\n## Columns\n\n| column | meaning |\n|---|---|"
    yield from (f"| `{name}` | {_MEANINGS[name]} |" for name in DatasetRecord.model_fields)
    yield from _use(plan)


def _use(plan: DatasetPlan) -> Iterator[str]:
    yield """
## How it was made

`binairo dataset recipe.toml` drew solved boards at random, removed clues, and graded the puzzles by
their solving paths. The recipe is part of the dataset; the same version of the program makes the
same files from it.

    sha256sum --check --quiet SHA256SUMS     # are the files as they were written?"""
    patterns = [
        f"{'data' if each == 'parquet' else each}/*/*.{each}" for each in plan.recipe.formats
    ]
    yield f"    binairo audit '{patterns[0]}'     # are the puzzles as stated here?"
    if plan.recipe.certificates:
        yield (
            "\nThe folder `certificates` has a proof for each puzzle that it has no other "
            "solution; `binairo verify` checks it without a solver."
        )
