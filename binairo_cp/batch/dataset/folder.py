"""The rows of a dataset, and its folder: files, checksums and a card, as Hugging Face reads it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from binairo_cp.batch.dataset.recipe import DatasetPlan, SetPlan, Shard
from binairo_cp.deduction.grading import grade_each
from binairo_cp.deduction.hints import steps_of
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import SourceError
from binairo_cp.formats.output_files import PARTIAL, Buffer, open_binary_output, open_utf8_output
from binairo_cp.formats.results import Level, Preset, stated
from binairo_cp.formats.runs import RunRecord
from binairo_cp.formats.schema import Index, RulesRecord, Side
from binairo_cp.generation.puzzles import GeneratedPuzzle, generate_puzzles
from binairo_cp.json_library import orjson
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.symmetries import canonical_digest
from binairo_cp.solving.backends import UNLIMITED, Meter

RUN, JOURNAL = "dataset.run", "dataset.journal"
_CHECKSUMS, _RECIPE = "SHA256SUMS", "recipe.toml"
_CARD = "README.md"
_COLUMNS = ["level", "score", "clue_count"]


class PathStep(BaseModel):
    """A step of the path."""

    technique: str
    cells: list[int] = Field(description="Places in `puzzle`, from 0.")


class DatasetRecord(BaseModel):
    """A row of a dataset."""

    id: str
    puzzle: str = Field(description="Row by row: '0', '1', '.' for an open cell.")
    solution: str
    height: Side
    width: Side
    rules: Preset | RulesRecord
    signs: list[tuple[Index, Index, Literal["R", "D"], Literal["=", "x"]]]
    level: Level
    score: float
    steps: list[PathStep]
    clue_count: int
    canonical_hash: str
    seed: str


class DatasetRow(NamedTuple):
    """A row as a worker makes it.

    Attributes:
        digest: the same for twins.
        text: the row as a line of JSON in UTF-8.
    """

    digest: bytes
    text: bytes


@dataclass(frozen=True, slots=True)
class RowWork:
    """The function that a worker calls for some numbers of a set; `paths` asks for the steps."""

    of: SetPlan
    paths: bool

    def __call__(self, numbers: list[int]) -> list[DatasetRow]:
        """The rows of the puzzles that were found."""
        generated = generate_puzzles(self.of.spec.recipe, self.of.spec.seed, numbers, graded=False)
        return self.rows(numbers, generated)

    def rows(self, numbers: list[int], generated: list[GeneratedPuzzle | None]) -> list[DatasetRow]:
        """The rows of puzzles with some numbers."""
        found = [(n, drawn) for n, drawn in zip(numbers, generated, strict=True) if drawn]
        grades = grade_each([drawn.puzzle for _, drawn in found])
        rows = []
        for (number, drawn), grade in zip(found, grades, strict=True):
            puzzle, board = drawn.puzzle, drawn.puzzle.board
            rules = stated(puzzle)
            digest = canonical_digest(puzzle)
            record = DatasetRecord(
                id=self.of.spec.name(number),
                puzzle=board.cells,
                solution=drawn.solution.cells,
                height=board.height,
                width=board.width,
                rules=rules if isinstance(rules, str) else RulesRecord(**asdict(rules)),
                signs=list(puzzle.signs),
                level=grade.level,
                score=grade.score,
                steps=_path(puzzle) if self.paths else [],
                clue_count=len(board.cells) - board.cells.count("."),
                canonical_hash=digest.hex(),
                seed=self.of.spec.seed,
            )
            rows.append(DatasetRow(digest, record.model_dump_json().encode() + b"\n"))
        return rows


def _path(puzzle: Puzzle) -> list[PathStep]:
    """The steps that `explain` shows, up to nested contradictions."""
    place = puzzle.board.place
    steps = takewhile(
        lambda step: step.level != LEVELS[-1], steps_of(puzzle, None, Meter(UNLIMITED))
    )
    return [
        PathStep(technique=step.technique, cells=sorted(map(place, step.values))) for step in steps
    ]


def number_of(id: str) -> int:
    """The number of the puzzle in its seed, from 0."""
    return int(id.rpartition("-")[2]) - 1


@dataclass(frozen=True, slots=True)
class DatasetFolder:
    """The folder of a dataset.

    Attributes:
        recipe: the text of its recipe.
        exclude: files with puzzles of which none may be a twin.
    """

    path: Path
    plan: DatasetPlan
    recipe: bytes
    exclude: Sequence[str] = ()

    @property
    def _record(self) -> RunRecord:
        return RunRecord.of({}, [*self.exclude])

    def check(self, resume: bool) -> None:
        """Check that the folder is empty, or that of the same recipe.

        Raises:
            SourceError: it is not.
        """
        name = str(self.path)
        if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
            return
        if not self.path.is_dir():
            raise SourceError(name, "can't be written: it is not a folder")
        if not resume:
            raise SourceError(
                name, "is not empty; continue a run with --resume, or choose another --out"
            )
        kept = self.path / _RECIPE
        if kept.exists() and kept.read_bytes() != self.recipe:
            raise SourceError(
                name, f"can't resume: its {_RECIPE} differs from the recipe (also in comments)"
            )
        if (self.path / RUN).exists():
            before = RunRecord.model_validate_json((self.path / RUN).read_bytes())
            if change := self._record.difference(before):
                raise SourceError(name, f"can't resume: the earlier run had {change}")
        elif not kept.exists() and any(
            path.name != JOURNAL and not path.name.endswith(PARTIAL) for path in self.path.iterdir()
        ):  # a run that was killed early leaves only these
            raise SourceError(name, "can't resume: it is not empty, and holds no dataset")

    def begin(self) -> None:
        """Write what identifies the run."""
        self.write(RUN, self._record.model_dump_json().encode())
        self.write(_RECIPE, self.recipe)

    def file(self, shard: Shard) -> Path:
        """The file of a shard."""
        return self.path / "data" / shard.split / f"{shard.name}.{self.plan.recipe.format}"

    def columns(self, shard: Shard, names: list[str]) -> Iterator[dict[str, Any]]:
        """Some columns of a finished shard."""
        path = self.file(shard)
        if self.plan.recipe.format == "parquet":
            from binairo_cp.formats.parquet import chosen_columns

            yield from chosen_columns(str(path), names)
            return
        with path.open("rb") as file:
            for line in file:
                row = orjson.loads(line)
                yield {name: row[name] for name in names}

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        with open_binary_output(str(self.path / name)) as write:
            write(content)

    def write_shard(self, shard: Shard, pieces: Callable[[], Iterator[Buffer]]) -> None:
        """Write the file of a shard; `pieces` yields its rows, in pieces of whole lines."""
        path = self.file(shard)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_utf8_output(str(path), DatasetRecord) as write:
            for lines in pieces():
                write(lines)

    def finish(self) -> None:
        """Write the card and the checksums; remove what a killed run left."""
        for path in self.path.rglob(f"*{PARTIAL}"):
            path.unlink()
        facts = [_SetFacts() for _ in self.plan.sets]
        for shard in self.plan.shards:
            facts[shard.of.number - 1].add(self.columns(shard, _COLUMNS))
        # The card depends on the recipe and the rows only.
        card = [*_head(self.plan), *_body(self.plan, facts), ""]
        self.write(_CARD, "\n".join(card).encode())
        sums = []
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if path.is_file() and name not in (RUN, JOURNAL, _CHECKSUMS):
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                sums.append(f"{digest}  {name}\n")
        self.write(_CHECKSUMS, "".join(sums).encode())
        for name in (JOURNAL, RUN):
            (self.path / name).unlink(missing_ok=True)


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
    "score": "About the time that a person needs: a typical 6x6 Tango of LinkedIn has 100.",
    "steps": "The path that `binairo explain` shows: each technique and the cells that it "
    "fills, as places in `puzzle` from 0. Empty cells are left for a puzzle beyond logic. None if "
    "the recipe has `paths = false`.",
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
class _SetFacts:
    levels: Counter[str] = field(default_factory=Counter)
    clues: Counter[int] = field(default_factory=Counter)
    score: float = 0.0

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add some rows."""
        for row in rows:
            self.levels[row["level"]] += 1
            self.clues[row["clue_count"]] += 1
            self.score += row["score"]


def _head(plan: DatasetPlan) -> Iterator[str]:
    recipe = plan.recipe
    size = _SIZES[max(0, min(len(str(recipe.total)) - 3, len(_SIZES) - 1))]
    yield from ("---", f"pretty_name: {json.dumps(recipe.name)}", f"license: {recipe.license}")
    yield from ("tags:", "- puzzles", "- binairo", "- takuzu", "- reasoning")
    yield from ("size_categories:", f"- {size}")
    yield from ("configs:", "- config_name: default", "  data_files:")
    for split in _splits(plan):
        yield f"  - split: {split}"
        yield f"    path: data/{split}/*.{recipe.format}"
    yield "---"


def _splits(plan: DatasetPlan) -> Counter[str]:
    splits: Counter[str] = Counter()
    for shard in plan.shards:
        splits[shard.split] += shard.count
    return splits


def _body(plan: DatasetPlan, facts: list[_SetFacts]) -> Iterator[str]:
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
    for set_plan, fact in zip(plan.sets, facts, strict=True):
        kind = recipe.puzzles[set_plan.number - 1]
        levels = ", ".join(
            f"{level} {fact.levels[level]:,}" for level in LEVELS if fact.levels[level]
        )
        clues = f"{min(fact.clues)} to {max(fact.clues)}"
        size = f"{set_plan.spec.recipe.height}x{set_plan.spec.recipe.width}"
        demand = set_plan.spec.recipe.demand
        rules = f"{kind.rules}{', irreducible' * kind.irreducible}{f', {demand}' if demand else ''}"
        mean = fact.score / set_plan.spec.count
        yield (
            f"| {set_plan.number} | {size} | {rules} | {clues} | {mean:,.1f} | "
            f"{set_plan.spec.count:,} | {levels} |"
        )
    yield "\n| split | puzzles |\n|---|---|"
    yield from (f"| {split} | {number:,} |" for split, number in _splits(plan).items())
    yield "\n## Columns\n\n| column | meaning |\n|---|---|"
    yield from (f"| `{name}` | {_MEANINGS[name]} |" for name in DatasetRecord.model_fields)
    yield f"""
## How it was made

`binairo dataset recipe.toml` drew solved boards at random, removed clues, and graded the puzzles by
their solving paths. The recipe is part of the dataset; the same version of the program makes the
same files from it.

    sha256sum --check --quiet SHA256SUMS     # are the files as they were written?
    binairo audit 'data/*/*.{recipe.format}'     # are the puzzles as stated here?"""
