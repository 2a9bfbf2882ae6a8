"""One run of making boards or puzzles at the command line: a recipe in, a file of puzzles out."""

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

from pydantic import ValidationError

from binairo_cp import formats
from binairo_cp.batch import resuming
from binairo_cp.batch.explanations import grade_record
from binairo_cp.batch.summaries import Summary
from binairo_cp.commands.requests import BoardRequest, GenerateRequest
from binairo_cp.errors import BinairoError, GenerationError, SolverCrash, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.runs import RunRecord
from binairo_cp.formats.schema import PuzzleRecord, ResultRecord, stated
from binairo_cp.generation.boards import draw_boards
from binairo_cp.generation.puzzles import Made, Recipe, make
from binairo_cp.generation.randomness import seed_of
from binairo_cp.puzzle.rules import PRESETS, Puzzle, Rules
from binairo_cp.puzzle.symmetries import canonical
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers import executors, progress

if TYPE_CHECKING:
    from binairo_cp.deduction.techniques import Level

_WORK_OF_A_BLOCK = 4_000_000
_MOST_IN_A_BLOCK = 400
_SLOW = 40
_DRAWN_FOR_ONE = 100
_DRAWN_AT_LEAST = 1_000
_CELLS_A_SIGN = 6
_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class GenerationSpec:
    """What is made.

    Attributes:
        recipe: the kind of puzzles.
        seed: of all of them, any text.
        count: how many.
        distinct: none is the image of another.
        boards: only the solved boards of the recipe, all cells of which are clues.
        graded: the grades are state too.
    """

    recipe: Recipe
    seed: str
    count: int
    distinct: bool
    boards: bool = False
    graded: bool = False

    def name(self, number: int) -> str:
        """The id of a puzzle."""
        recipe = self.recipe
        words = [f"{recipe.height}x{recipe.width}", recipe.level or "", self.seed, number + 1]
        return "-".join(str(word).replace(" ", "-") for word in words if word != "")


@dataclass(frozen=True, slots=True)
class _Block:
    """What became of some numbers of a run; None where no puzzle was found."""

    numbers: list[int]
    made: list[Made | None]


def spec_of(request: BoardRequest, *, graded: bool = False) -> GenerationSpec:
    """What is to be made for a request: puzzles, or solved boards.

    Raises:
        LimitError: there can be no such puzzles.
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
    """The rules of the boards that a request is about."""
    return replace(PRESETS[request.rules], odd=request.odd)


def draw_seed() -> int:
    """A seed that nobody chose."""
    return secrets.randbelow(1 << 32)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How puzzles are made and where they go.

    Attributes:
        workers: how many processes; None for one for each core.
        format: a name of `formats.FORMATS`.
        out: a file; None for standard output.
        resume: go on with the records in `out`, if there are some, and put what is written on the
            disk after so many seconds; None to begin anew. For records only.
        quiet: say nothing of how many there were.
        watch: is state how many puzzles there are, whenever there is one more.
    """

    workers: int | None
    format: str
    out: str | None
    resume: float | None = None
    quiet: bool = False
    watch: Callable[[int], object] | None = None


def generate_puzzles(
    spec: GenerationSpec, output: OutputOptions, state: GenerationState | None = None
) -> bool:
    """Make puzzles and write them.

    Args:
        spec: what is made.
        output: how, and where it goes.
        state: gets to know how many there are, and why there are not more.

    Returns:
        Whether there are as many as were asked for.

    Raises:
        SourceError: the file can't be written, or can't be gone on with.
        FormatError: the format can't hold them.
        LimitError: there is no solved board of the size.
    """
    started = perf_counter()
    state = state or GenerationState()
    if spec.recipe.note and not output.quiet:
        tries = f"up to {spec.recipe.tries:,} boards are tried for each"
        print(f"binairo: {spec.recipe.note}; {tries}", file=sys.stderr)
    with ExitStack() as stack:
        write = stack.enter_context(_destination(spec, output, state))
        # On a terminal the puzzles themselves show how far it is.
        is_seen = progress.is_terminal(output.out)
        tell = stack.enter_context(progress.bar(output.quiet or is_seen))
        before = state.written

        def seen_tries(tries: int) -> None:
            text = f"{state.written:,} made, {tries:,} boards tried for the next"
            tell(state.written, spec.count, text)

        def seen() -> Iterator[tuple[int, Made]]:
            for number, made in numbered_puzzles(
                spec, output.workers or executors.cores(), state, seen_tries
            ):
                yield number, made
                state.written += 1
                if output.watch:
                    output.watch(state.written)
                rate = (state.written - before) / (perf_counter() - started)
                text = f"{state.written:,} made, {rate:,.0f} a second"
                tell(state.written, spec.count, text)

        for text in _texts(spec, seen(), output.format):
            write(text)
    if state.error:
        print(f"binairo: {state.error}", file=sys.stderr)
    if not output.quiet:
        seconds = perf_counter() - started
        what = "board" if spec.boards else "puzzle"
        made = f"{state.written} {what}{'s' * (state.written != 1)}"
        print(f"{made} of seed {spec.seed} in {seconds:.2f} s", file=sys.stderr)
    return state.written == spec.count


@contextmanager
def _destination(
    spec: GenerationSpec, output: OutputOptions, state: GenerationState
) -> Iterator[Callable[[str], object]]:
    """What writes text to where it goes; what was made before is state."""
    if output.resume is None or output.out is None:
        kind = PuzzleRecord if spec.boards else ResultRecord
        with open_output(output.out, kind if output.format == "ndjson" else None) as write:
            yield write
        return
    asked = {each.name: str(getattr(spec, each.name)) for each in fields(spec)}
    describe = partial(RunRecord.of, asked, [])
    with resuming.open_results(
        output.out, describe, Summary("check"), output.resume, ordered=True
    ) as known:
        state.written = known.done
        for each in known.records():
            try:
                state.add_record(each, spec)
            except (ValidationError, BinairoError) as error:
                message = f"can't go on: it has a record that this run can't have made: {each}"
                raise SourceError(output.out, message[:_LONGEST_MESSAGE]) from error
        if known.done and not output.quiet:
            print(f"binairo: {known.done} are made already", file=sys.stderr)
        yield known.append


@dataclass
class GenerationState:
    """What is known of a run.

    Attributes:
        written: how many puzzles there are.
        next_number: of the first that is not yet drawn.
        digests: of those there are, where no two may be alike.
        error: why there are no more.
    """

    written: int = 0
    next_number: int = 0
    digests: set[bytes] = field(default_factory=set)
    error: BinairoError | None = None

    def add_record(self, fields: dict[str, Any], spec: GenerationSpec) -> None:
        """Take note of a puzzle that was made before.

        Raises:
            ValidationError, BinairoError: the record is not of this order.
        """
        record = PuzzleRecord.model_validate(fields)
        number = str(record.id).rpartition("-")[2]
        if not number.isdecimal() or spec.name(int(number) - 1) != record.id:
            raise GenerationError(f"{record.id!r} is not the name of a puzzle of this order")
        self.next_number = int(number)
        if spec.distinct:
            puzzle = Puzzle(record.board(), spec.recipe.rules, record.sign_values())
            self.digests.add(_digest(puzzle))


def numbered_puzzles(
    spec: GenerationSpec,
    workers: int,
    state: GenerationState,
    watch: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> Iterator[tuple[int, Made]]:
    """As many puzzles as are wanted, each with its number, without repeats.

    Args:
        spec: what is made.
        workers: how many processes; 1 for this one.
        state: what there is already, and then why there are not as many.
        watch: is called with the number of boards tried for a puzzle, where this process does it.
        meter: how long it may take, where this process does it; None for no bound.

    Raises:
        BudgetExceeded: the time ran out.
    """
    found = state.written
    if found == spec.count:
        return
    make_here = partial(_make_block, spec, watch=watch, meter=meter)
    for block in _blocks(spec, workers, state.next_number, make_here):
        if isinstance(block, BinairoError):
            state.error = block
            return
        for number, made in zip(block.numbers, block.made, strict=True):
            if made is None:
                note = f"; {spec.recipe.note}" if spec.recipe.note else ""
                state.error = GenerationError(
                    f"no puzzle of the kind was found in {spec.recipe.tries:,} tries: "
                    f"{spec.name(number)}{note}"
                )
                return
            if spec.distinct:
                digest = _digest(made.puzzle)
                if digest in state.digests:
                    continue
                state.digests.add(digest)
            yield number, made
            found += 1
            if found == spec.count:
                return
    state.error = GenerationError(
        f"only {found} are different among {_most_drawn(spec)} that were drawn"
    )


def _most_drawn(spec: GenerationSpec) -> int:
    return spec.count if not spec.distinct else _DRAWN_FOR_ONE * spec.count + _DRAWN_AT_LEAST


def _digest(puzzle: Puzzle) -> bytes:
    return hashlib.sha256(str(canonical(puzzle)).encode()).digest()[:16]


def _blocks(
    spec: GenerationSpec,
    workers: int,
    first: int,
    make_here: Callable[[list[int]], _Block | GenerationError],
) -> Iterator[_Block | SolverCrash | GenerationError]:
    """The puzzles of the run from a number on, in order, made by workers if there are many."""
    numbers = iter(range(first, _most_drawn(spec)))
    # Of puzzles that must differ more may be drawn, but mostly they are not.
    size = min(_size_of_block(spec.recipe), spec.count)
    blocks = iter(lambda: list(islice(numbers, size)), [])
    if workers == 1 or spec.count <= size:
        yield from map(make_here, blocks)
        return
    work = partial(_make_block, spec)
    with executors.Crew(workers).open(["binairo_cp.generation.puzzles"]) as pool:
        for _, block in executors.mapped(pool, work, blocks):
            yield block


def _size_of_block(recipe: Recipe) -> int:
    work = (recipe.height * recipe.width) ** 2 * (_SLOW if recipe.is_slow else 1)
    return max(1, min(_MOST_IN_A_BLOCK, _WORK_OF_A_BLOCK // work))


def _make_block(
    spec: GenerationSpec,
    numbers: list[int],
    watch: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> _Block | GenerationError:
    """What a worker does."""
    try:
        return _made_block(spec, numbers, watch, meter)
    except GenerationError as error:
        return error


def _made_block(
    spec: GenerationSpec,
    numbers: list[int],
    watch: Callable[[int], object] | None,
    meter: Meter | None,
) -> _Block:
    if spec.boards:
        recipe = spec.recipe
        seeds = [seed_of(spec.seed, number) for number in numbers]
        boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
        return _Block(numbers, [Made(Puzzle(board, recipe.rules), board) for board in boards])
    return _Block(numbers, make(spec.recipe, spec.seed, numbers, spec.graded, watch, meter))


def _texts(spec: GenerationSpec, puzzles: Iterator[tuple[int, Made]], format: str) -> Iterator[str]:
    """The puzzles as text; records tell the solution and the grade too."""
    if format == "ndjson" and not spec.boards:
        for number, made in puzzles:
            yield f"{record(spec, number, made).to_json()}\n"
    else:
        entries = (Entry(made.puzzle, id=spec.name(number)) for number, made in puzzles)
        yield from formats.write(entries, format)


def record(spec: GenerationSpec, number: int, made: Made) -> ResultRecord:
    """The record of a puzzle that was made."""
    board = made.puzzle.board
    return ResultRecord(
        id=spec.name(number),
        source=f"seed {spec.seed}",
        height=board.height,
        width=board.width,
        clues=board.cells,
        signs=list(made.puzzle.signs) or None,
        rules=stated(made.puzzle),
        verdict=Verdict.UNIQUE,
        solution=made.solution.cells,
        grade=grade_record(made.grade) if made.grade else None,
    )
