"""Generate boards or puzzles and write them to a file or to standard output."""

from __future__ import annotations

import hashlib
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from binairo_cp import formats
from binairo_cp.commands.requests import BoardRequest, GenerateRequest
from binairo_cp.errors import BinairoError, GenerationError, SolverCrash, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import open_output
from binairo_cp.generation import puzzles as recipes
from binairo_cp.generation.boards import draw_boards, seed_of
from binairo_cp.generation.puzzles import GeneratedPuzzle, Recipe
from binairo_cp.puzzle.rules import PRESETS, Puzzle, Rules
from binairo_cp.puzzle.symmetries import canonical
from binairo_cp.solving.backends import Meter
from binairo_cp.workers import progress
from binairo_cp.workers.resource_limits import cores

if TYPE_CHECKING:
    from binairo_cp.deduction.techniques import Level
    from binairo_cp.formats.schema import ResultRecord

_WORK_OF_A_BLOCK = 4_000_000
_MOST_IN_A_BLOCK = 400
_SLOW = 40
_DRAWN_FOR_ONE = 100
_DRAWN_AT_LEAST = 1_000
_CELLS_A_SIGN = 6
_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class GenerationSpec:
    """Which puzzles or boards to generate.

    Attributes:
        recipe: the kind of puzzles.
        seed: the random seed, any text.
        count: the number of puzzles.
        distinct: skip puzzles that are images of others under a symmetry.
        boards: generate solved boards instead of puzzles.
        graded: add grades to the records.
    """

    recipe: Recipe
    seed: str
    count: int
    distinct: bool
    boards: bool = False
    graded: bool = False

    def name(self, number: int) -> str:
        """The id of a puzzle, by its number from 0."""
        recipe = self.recipe
        words = [f"{recipe.height}x{recipe.width}", recipe.level or "", self.seed, number + 1]
        return "-".join(str(word).replace(" ", "-") for word in words if word != "")


@dataclass(frozen=True, slots=True)
class _Block:
    """The puzzles with some numbers; None where no puzzle was found."""

    numbers: list[int]
    generated: list[GeneratedPuzzle | None]


def spec_of(request: BoardRequest, *, graded: bool = False) -> GenerationSpec:
    """The specification for a request of puzzles or solved boards.

    Raises:
        LimitError: no puzzle can meet the request.
    """
    height, width = request.sides
    seed = str(draw_seed() if request.seed is None else request.seed)
    recipe = Recipe(height, width, rules_of(request), method=request.method)
    if not isinstance(request, GenerateRequest):
        return GenerationSpec(recipe, seed, request.count, request.distinct, boards=True)
    signs = request.signs
    if signs is None:
        signs = height * width // _CELLS_A_SIGN if request.rules in ("plus", "tango") else 0
    recipe = replace(
        recipe,
        level=None if request.grade == "any" else cast("Level", request.grade.replace("-", " ")),
        clues=request.clues,
        pattern=request.symmetry,
        signs=signs,
        irreducible=request.irreducible,
        tries=request.tries,
    )
    return GenerationSpec(recipe, seed, request.count, request.distinct, graded=graded)


def rules_of(request: BoardRequest) -> Rules:
    """The rules of the requested boards."""
    return replace(PRESETS[request.rules], odd=request.odd)


def draw_seed() -> int:
    """A random seed."""
    return secrets.randbelow(1 << 32)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How to generate puzzles, and where to write them.

    Attributes:
        workers: number of worker processes; None for one per core.
        format: a name of `formats.FORMATS`.
        out: a file; None for standard output.
        resume: continue with the records in `out`, if there are any, and flush new ones to disk
            every `resume` seconds; None starts anew. For NDJSON only.
        quiet: print neither progress nor a summary.
        on_puzzle: called with the number of puzzles after each one.
    """

    workers: int | None
    format: str
    out: str | None
    resume: float | None = None
    quiet: bool = False
    on_puzzle: Callable[[int], object] | None = None


def generate_puzzles(
    spec: GenerationSpec, output: OutputOptions, state: GenerationState | None = None
) -> bool:
    """Generate puzzles and write them.

    Args:
        spec: which puzzles.
        output: how to generate them, and where to write them.
        state: updated with the number of puzzles, and the reason if there are too few.

    Returns:
        Whether all requested puzzles were generated.

    Raises:
        SourceError: the file can't be written or resumed.
        FormatError: the format can't express the puzzles.
        LimitError: there is no solved board of the size.
    """
    started = perf_counter()
    state = state or GenerationState()
    if spec.recipe.note and not output.quiet:
        tries = f"trying up to {spec.recipe.tries:,} boards for each"
        print(f"binairo: {spec.recipe.note}; {tries}", file=sys.stderr)
    with ExitStack() as stack:
        write = stack.enter_context(_destination(spec, output, state))
        # On a terminal, the puzzles themselves show the progress.
        is_seen = progress.is_terminal(output.out)
        show = stack.enter_context(progress.bar(output.quiet or is_seen))
        before = state.written
        show(before, spec.count, "")

        def show_tries(tries: int) -> None:
            text = f"{state.written:,} generated, {tries:,} boards tried for the next"
            show(state.written, spec.count, text)

        def reported_puzzles() -> Iterator[GeneratedPuzzle]:
            for generated in generated_puzzles(spec, output.workers or cores(), state, show_tries):
                yield generated
                state.written += 1
                if output.on_puzzle:
                    output.on_puzzle(state.written)
                rate = (state.written - before) / (perf_counter() - started)
                text = f"{state.written:,} generated, {rate:,.0f} a second"
                show(state.written, spec.count, text)

        for text in _texts(spec, reported_puzzles(), output.format):
            write(text)
    if state.error:
        print(f"binairo: {state.error}", file=sys.stderr)
    if not output.quiet:
        seconds = perf_counter() - started
        what = "board" if spec.boards else "puzzle"
        number = f"{state.written} {what}{'s' * (state.written != 1)}"
        print(f"{number} of seed {spec.seed} in {seconds:.2f} s", file=sys.stderr)
    return state.written == spec.count


@contextmanager
def _destination(
    spec: GenerationSpec, output: OutputOptions, state: GenerationState
) -> Iterator[Callable[[str], object]]:
    """Open the output; yields the function that writes text.

    If the run is resumed, the state gets the puzzles of the earlier run.
    """
    if output.format != "ndjson":
        with open_output(output.out) as write:
            yield write
        return
    # Imported here and below, because most runs write no records and need one process.
    from pydantic import ValidationError

    from binairo_cp.batch import resuming
    from binairo_cp.batch.summaries import Summary
    from binairo_cp.formats.runs import RunRecord
    from binairo_cp.formats.schema import PuzzleRecord, ResultRecord

    if output.resume is None or output.out is None:
        with open_output(output.out, PuzzleRecord if spec.boards else ResultRecord) as write:
            yield write
        return
    identity = {each.name: str(getattr(spec, each.name)) for each in fields(spec)}
    describe = partial(RunRecord.of, identity, [])
    with resuming.open_results(
        output.out, describe, Summary("check"), output.resume, ordered=True
    ) as results:
        state.written = results.done
        for each in results.records():
            try:
                state.add_record(each, spec)
            except (ValidationError, BinairoError) as error:
                message = (
                    f"can't resume: it has a record that this run can't have generated: {each}"
                )
                raise SourceError(output.out, message[:_LONGEST_MESSAGE]) from error
        if results.done and not output.quiet:
            print(f"binairo: resuming; {results.done} puzzles are done", file=sys.stderr)
        yield lambda text: results.append(text.encode())


@dataclass
class GenerationState:
    """The state of a run.

    Attributes:
        written: number of puzzles written.
        next_number: the number of the next puzzle to generate.
        digests: of the canonical forms of all puzzles, if they must be distinct.
        error: why there are fewer puzzles than requested; None if there are not.
    """

    written: int = 0
    next_number: int = 0
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
        if not number.isdecimal() or spec.name(int(number) - 1) != record.id:
            raise GenerationError(f"{record.id!r} is not the id of a puzzle of this run")
        self.next_number = int(number)
        if spec.distinct:
            puzzle = Puzzle(record.board(), spec.recipe.rules, record.sign_values())
            self.digests.add(_digest(puzzle))


def generated_puzzles(
    spec: GenerationSpec,
    workers: int,
    state: GenerationState,
    on_try: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> Iterator[GeneratedPuzzle]:
    """Generate puzzles, each with its id.

    Args:
        spec: which puzzles.
        workers: number of worker processes; 1 for this process.
        state: the puzzles that exist already; gets the reason if there are too few.
        on_try: called with the number of boards tried for a puzzle, if this process generates it.
        meter: the time limit, if this process generates the puzzles; None for no limit.

    Raises:
        BudgetExceeded: the time limit was reached.
    """
    count = state.written
    if count == spec.count:
        return
    generate_here = partial(_try_block, spec, on_try=on_try, meter=meter)
    for block in _blocks(spec, workers, state.next_number, generate_here):
        if isinstance(block, BinairoError):
            state.error = block
            return
        for number, generated in zip(block.numbers, block.generated, strict=True):
            if generated is None:
                note = f"; {spec.recipe.note}" if spec.recipe.note else ""
                state.error = GenerationError(
                    f"found no such puzzle in {spec.recipe.tries:,} tries: "
                    f"{spec.name(number)}{note}"
                )
                return
            if spec.distinct:
                digest = _digest(generated.puzzle)
                if digest in state.digests:
                    continue
                state.digests.add(digest)
            yield replace(generated, id=spec.name(number))
            count += 1
            if count == spec.count:
                return
    state.error = GenerationError(f"found only {count} distinct puzzles among {_most_drawn(spec)}")


def _most_drawn(spec: GenerationSpec) -> int:
    return spec.count if not spec.distinct else _DRAWN_FOR_ONE * spec.count + _DRAWN_AT_LEAST


def _digest(puzzle: Puzzle) -> bytes:
    return hashlib.sha256(str(canonical(puzzle)).encode()).digest()[:16]


def _blocks(
    spec: GenerationSpec,
    workers: int,
    first: int,
    generate_here: Callable[[list[int]], _Block | GenerationError],
) -> Iterator[_Block | SolverCrash | GenerationError]:
    """The blocks of puzzles from a number on, in order; workers generate them if there are many."""
    numbers = iter(range(first, _most_drawn(spec)))
    # If puzzles must be distinct, more than `count` may be drawn, but this is rare.
    size = min(_size_of_block(spec.recipe), spec.count)
    blocks = iter(lambda: list(islice(numbers, size)), [])
    if workers == 1 or spec.count <= size:
        yield from map(generate_here, blocks)
        return
    from binairo_cp.workers import executors

    work = partial(_try_block, spec)
    with executors.WorkerSettings(workers).open(["binairo_cp.generation.puzzles"]) as pool:
        for _, block in executors.map_blocks(pool, work, blocks):
            yield block


def _size_of_block(recipe: Recipe) -> int:
    work = (recipe.height * recipe.width) ** 2 * (_SLOW if recipe.is_slow else 1)
    return max(1, min(_MOST_IN_A_BLOCK, _WORK_OF_A_BLOCK // work))


def _try_block(
    spec: GenerationSpec,
    numbers: list[int],
    on_try: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> _Block | GenerationError:
    """Generate the puzzles with some numbers; an error is returned, not raised."""
    try:
        return _generate_block(spec, numbers, on_try, meter)
    except GenerationError as error:
        return error


def _generate_block(
    spec: GenerationSpec,
    numbers: list[int],
    on_try: Callable[[int], object] | None,
    meter: Meter | None,
) -> _Block:
    if spec.boards:
        recipe = spec.recipe
        seeds = [seed_of(spec.seed, number) for number in numbers]
        boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
        return _Block(
            numbers, [GeneratedPuzzle(Puzzle(board, recipe.rules), board) for board in boards]
        )
    return _Block(
        numbers,
        recipes.generate_puzzles(spec.recipe, spec.seed, numbers, spec.graded, on_try, meter),
    )


def _texts(spec: GenerationSpec, puzzles: Iterator[GeneratedPuzzle], format: str) -> Iterator[str]:
    """The puzzles as text; records also have the solution and the grade."""
    if format == "ndjson" and not spec.boards:
        for generated in puzzles:
            yield f"{record(spec, generated).to_json()}\n"
    else:
        entries = (Entry(generated.puzzle, id=generated.id) for generated in puzzles)
        yield from formats.write(entries, format)


def record(spec: GenerationSpec, generated: GeneratedPuzzle) -> ResultRecord:
    """The record of a generated puzzle."""
    from binairo_cp.formats.schema import ResultRecord

    return ResultRecord.model_validate({"source": f"seed {spec.seed}"} | generated.to_dict())
