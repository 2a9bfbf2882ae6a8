"""Generate many puzzles or boards: numbered, distinct on request, in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from binairo_cp.deduction.techniques import Level
from binairo_cp.errors import BinairoError, BudgetExceeded, GenerationError, SolverCrash
from binairo_cp.generation.boards import draw_boards, seed_of
from binairo_cp.generation.puzzles import GeneratedPuzzle, Recipe, generate_puzzles
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.symmetries import canonical_digest
from binairo_cp.solving.backends import Budget, Meter

if TYPE_CHECKING:
    from binairo_cp.formats.results import ResultRecord

_WORK_OF_A_BLOCK = 4_000_000
_MOST_IN_A_BLOCK = 400
_SLOW = 40
_DRAWN_FOR_ONE = 100
_DRAWN_AT_LEAST = 1_000
_TWINS_FOR_ONE = 20
_TWINS_AT_LEAST = 5_000
"""If so many puzzles in a row are twins of earlier ones, there are hardly any others."""


@dataclass(frozen=True, slots=True)
class GenerationSpec:
    """Which puzzles or boards to generate.

    Attributes:
        distinct: skip puzzles that are images of others under a symmetry.
        boards: generate solved boards instead of puzzles.
        graded: add grades to the records.
        levels: several levels, one after the other, each with its number of puzzles; empty for the
            level of the recipe.
    """

    recipe: Recipe
    seed: str
    count: int
    distinct: bool
    boards: bool = False
    graded: bool = False
    levels: tuple[tuple[Level, int], ...] = ()

    def parts(self) -> list[GenerationSpec]:
        """A specification for each level.

        Raises:
            LimitError: there are no puzzles of a level.
        """
        if not self.levels:
            return [self]
        own = replace(self, levels=())
        return [
            replace(own, recipe=replace(self.recipe, level=level), count=number)
            for level, number in self.levels
        ]

    def name(self, number: int) -> str:
        """The id of a puzzle, by its number from 0."""
        recipe = self.recipe
        words = [f"{recipe.height}x{recipe.width}", recipe.level or "", self.seed, number + 1]
        return "-".join(str(word).replace(" ", "-") for word in words if word != "")


_Block = list[tuple[int, GeneratedPuzzle | GenerationError]]
"""The numbers of puzzles, and the puzzles, or why there is none."""

_Work = Callable[[list[int]], "_Block | GenerationError"]


@dataclass
class GenerationState:
    """The state of a run.

    Attributes:
        done: for each level, the puzzles of an earlier run and the number of the next one.
        digests: of the canonical forms of all puzzles, if they must be distinct, and of others
            that they must not be twins of.
        error: why there are fewer puzzles than requested; None if there are not.
    """

    written: int = 0
    done: dict[Level | None, tuple[int, int]] = field(default_factory=dict)
    digests: set[bytes] = field(default_factory=set)
    error: BinairoError | None = None

    def add_record(self, fields: dict[str, Any], spec: GenerationSpec) -> None:
        """Register a puzzle from an earlier run.

        Raises:
            ValidationError, BinairoError: the record does not belong to this run.
        """
        from binairo_cp.formats.schema import PuzzleRecord

        record = PuzzleRecord.model_validate(fields)
        number = str(record.id).rpartition("-")[2]
        own = (part for part in spec.parts() if number.isdecimal())
        part = next((part for part in own if part.name(int(number) - 1) == record.id), None)
        if part is None:
            raise GenerationError(f"{record.id!r} is not the id of a puzzle of this run")
        count, _ = self.done.get(part.recipe.level, (0, 0))
        self.done[part.recipe.level] = count + 1, int(number)
        if spec.distinct:
            puzzle = Puzzle(record.board(), spec.recipe.rules, record.sign_values())
            self.digests.add(canonical_digest(puzzle))


def generated_puzzles(
    spec: GenerationSpec,
    workers: int,
    state: GenerationState,
    on_try: Callable[[int], object] | None = None,
    meter: Meter | None = None,
    seconds: float | None = None,
) -> Iterator[GeneratedPuzzle]:
    """Generate puzzles, each with its id.

    Args:
        spec: which puzzles.
        workers: number of worker processes; 1 for this process.
        state: the puzzles that exist already; gets the reason if there are too few.
        on_try: called with the number of boards tried for a puzzle, if this process generates it.
        meter: the time limit for all, if this process generates the puzzles; None for no limit.
        seconds: the time limit for each puzzle, if there is none for all; None for no limit.

    Raises:
        BudgetExceeded: the time limit for all was reached.
    """
    for part in spec.parts():
        if state.error is None:
            work = partial(_try_block, part, seconds)
            generate_here = partial(work, on_try=on_try, meter=meter)
            yield from _generated_part(part, workers, state, work, generate_here)


def _generated_part(
    spec: GenerationSpec,
    workers: int,
    state: GenerationState,
    work: _Work,
    generate_here: _Work,
) -> Iterator[GeneratedPuzzle]:
    count, first = state.done.get(spec.recipe.level, (0, 0))
    if count == spec.count:
        return
    twins = 0
    for block in _blocks(spec, workers, first, work, generate_here):
        if isinstance(block, BinairoError):
            state.error = block
            return
        for number, generated in block:
            if isinstance(generated, GenerationError):
                state.error = generated
                return
            if spec.distinct:
                digest = canonical_digest(generated.puzzle)
                if digest in state.digests:
                    twins += 1
                    if twins == max(_TWINS_AT_LEAST, _TWINS_FOR_ONE * count):
                        drawn = f"{number + 1:,}, and none among the last {twins:,}"
                        state.error = GenerationError(_too_few(count, drawn))
                        return
                    continue
                twins = 0
                state.digests.add(digest)
            yield replace(generated, id=spec.name(number))
            count += 1
            if count == spec.count:
                return
    state.error = GenerationError(_too_few(count, f"{_most_drawn(spec):,}"))


def _too_few(count: int, drawn: str) -> str:
    return f"found only {count:,} distinct puzzles among {drawn}"


def _nothing_found(recipe: Recipe, number: int, tries: int, seconds: float | None) -> str:
    """Say that all boards for a puzzle failed, or those within the time, and what to do."""
    level = f" of level {recipe.level}" if recipe.level else ""
    what = f"{'irreducible ' * recipe.irreducible}{recipe.height}x{recipe.width} puzzle{level}"
    if recipe.demand is not None:
        what += f" ({recipe.demand})"
    advice = recipe.note or "a larger size, another grade or fewer conditions may help"
    if seconds is not None:
        advice = f"a longer time limit, {advice}" if not recipe.note else advice
    tried = f"{tries:,} board{'s' * (tries != 1)}"
    within = "" if seconds is None else f" in {seconds:g} s"
    return f"found no {what} among {tried}{within} for puzzle {number + 1}; {advice}"


def _most_drawn(spec: GenerationSpec) -> int:
    return spec.count if not spec.distinct else _DRAWN_FOR_ONE * spec.count + _DRAWN_AT_LEAST


def _blocks(
    spec: GenerationSpec,
    workers: int,
    first: int,
    work: _Work,
    generate_here: _Work,
) -> Iterator[_Block | SolverCrash | GenerationError]:
    """The blocks of puzzles from a number on, in order; workers generate them if there are many."""
    numbers = iter(range(first, _most_drawn(spec)))
    # If puzzles must be distinct, more than `count` may be drawn, but this is rare.
    size = min(size_of_block(spec.recipe), spec.count)
    blocks = iter(lambda: list(islice(numbers, size)), [])
    if workers == 1 or spec.count <= size:
        yield from map(generate_here, blocks)
        return
    from binairo_cp.workers import executors

    with executors.WorkerSettings(workers).open(["binairo_cp.generation.puzzles"]) as pool:
        for _, block in executors.map_blocks(pool, work, blocks):
            yield block


def size_of_block(recipe: Recipe) -> int:
    """The number of puzzles for a worker at a time."""
    work = (recipe.height * recipe.width) ** 2 * (_SLOW if recipe.is_slow else 1)
    return max(1, min(_MOST_IN_A_BLOCK, _WORK_OF_A_BLOCK // work))


def _try_block(
    spec: GenerationSpec,
    seconds: float | None,
    numbers: list[int],
    on_try: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> _Block | GenerationError:
    """Generate the puzzles with some numbers; an error is returned, not raised."""
    recipe, generated = spec.recipe, list[GeneratedPuzzle | GenerationError]()
    # Puzzles that take long have a clock each; the others of a block share one.
    parts = [[number] for number in numbers] if recipe.is_slow else [numbers]
    try:
        if spec.boards:
            seeds = [seed_of(spec.seed, number) for number in numbers]
            boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
            generated += (GeneratedPuzzle(Puzzle(board, recipe.rules), board) for board in boards)
        else:
            for part in parts:
                generated += _search(spec, seconds, part, on_try or (lambda _: None), meter)
    except GenerationError as error:
        return error
    return list(zip(numbers, generated, strict=True))


def _search(
    spec: GenerationSpec,
    seconds: float | None,
    numbers: list[int],
    on_try: Callable[[int], object],
    meter: Meter | None,
) -> Iterator[GeneratedPuzzle | GenerationError]:
    """The puzzles with some numbers, or why there is none."""
    recipe, tried, over = spec.recipe, 0, None

    def watch(tries: int) -> None:
        nonlocal tried
        tried = tries
        on_try(tries)

    clock = meter or Meter(Budget(None if seconds is None else seconds * len(numbers)))
    try:
        found = generate_puzzles(recipe, spec.seed, numbers, spec.graded, watch, clock)
    except BudgetExceeded:
        if meter is not None:
            raise
        found, over = [None] * len(numbers), seconds
    for number, puzzle in zip(numbers, found, strict=True):
        yield puzzle or GenerationError(_nothing_found(recipe, number, tried, over))


def record(spec: GenerationSpec, generated: GeneratedPuzzle) -> ResultRecord:
    """The record of a generated puzzle."""
    from binairo_cp.formats.results import ResultRecord

    return ResultRecord.of({"source": f"seed {spec.seed}"} | generated.to_dict())
