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
from binairo_cp.generation.puzzles import GeneratedPuzzle, Recipe, generate_puzzles
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
class Order:
    """What is made.

    Attributes:
        recipe: the kind of puzzles.
        seed: of all of them, any text.
        count: how many.
        distinct: none is the image of another.
        boards: only the solved boards of the recipe, all cells of which are clues.
        graded: the grades are told too.
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
    made: list[GeneratedPuzzle | None]


def order_of(request: BoardRequest, *, graded: bool = False) -> Order:
    """What is to be made for a request: puzzles, or solved boards.

    Raises:
        LimitError: there can be no such puzzles.
    """
    height, width = request.sides
    seed = str(draw_seed() if request.seed is None else request.seed)
    recipe = Recipe(height, width, rules_of(request), method=request.method)
    if not isinstance(request, GenerateRequest):
        return Order(recipe, seed, request.count, request.distinct, boards=True)
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
    return Order(recipe, seed, request.count, request.distinct, graded=graded)


def rules_of(request: BoardRequest) -> Rules:
    """The rules of the boards that a request is about."""
    return replace(PRESETS[request.rules], odd=request.odd)


def draw_seed() -> int:
    """A seed that nobody chose."""
    return secrets.randbelow(1 << 32)


@dataclass(frozen=True, slots=True)
class Way:
    """How puzzles are made and where they go.

    Attributes:
        workers: how many processes; None for one for each core.
        format: a name of `formats.FORMATS`.
        out: a file; None for standard output.
        resume: go on with the records in `out`, if there are some, and put what is written on the
            disk after so many seconds; None to begin anew. For records only.
        quiet: say nothing of how many there were.
        watch: is told how many puzzles there are, whenever there is one more.
    """

    workers: int | None
    format: str
    out: str | None
    resume: float | None = None
    quiet: bool = False
    watch: Callable[[int], object] | None = None


def run(order: Order, way: Way, told: Told | None = None) -> bool:
    """Make puzzles and write them.

    Args:
        order: what is made.
        way: how, and where it goes.
        told: gets to know how many there are, and why there are not more.

    Returns:
        Whether there are as many as were asked for.

    Raises:
        SourceError: the file can't be written, or can't be gone on with.
        FormatError: the format can't hold them.
        LimitError: there is no solved board of the size.
    """
    started = perf_counter()
    told = told or Told()
    if order.recipe.note and not way.quiet:
        tries = f"up to {order.recipe.tries:,} boards are tried for each"
        print(f"binairo: {order.recipe.note}; {tries}", file=sys.stderr)
    with ExitStack() as stack:
        write = stack.enter_context(_destination(order, way, told))
        # On a terminal the puzzles themselves show how far it is.
        is_seen = progress.is_terminal(way.out)
        tell = stack.enter_context(progress.bar(way.quiet or is_seen))
        before = told.written

        def seen_tries(tries: int) -> None:
            text = f"{told.written:,} made, {tries:,} boards tried for the next"
            tell(told.written, order.count, text)

        def seen() -> Iterator[tuple[int, GeneratedPuzzle]]:
            for number, made in wanted(order, way.workers or executors.cores(), told, seen_tries):
                yield number, made
                told.written += 1
                if way.watch:
                    way.watch(told.written)
                rate = (told.written - before) / (perf_counter() - started)
                text = f"{told.written:,} made, {rate:,.0f} a second"
                tell(told.written, order.count, text)

        for text in _texts(order, seen(), way.format):
            write(text)
    if told.error:
        print(f"binairo: {told.error}", file=sys.stderr)
    if not way.quiet:
        seconds = perf_counter() - started
        what = "board" if order.boards else "puzzle"
        made = f"{told.written} {what}{'s' * (told.written != 1)}"
        print(f"{made} of seed {order.seed} in {seconds:.2f} s", file=sys.stderr)
    return told.written == order.count


@contextmanager
def _destination(order: Order, way: Way, told: Told) -> Iterator[Callable[[str], object]]:
    """What writes text to where it goes; what was made before is told."""
    if way.resume is None or way.out is None:
        kind = PuzzleRecord if order.boards else ResultRecord
        with open_output(way.out, kind if way.format == "ndjson" else None) as write:
            yield write
        return
    asked = {each.name: str(getattr(order, each.name)) for each in fields(order)}
    describe = partial(RunRecord.of, asked, [])
    with resuming.results(way.out, describe, Summary("check"), way.resume, ordered=True) as known:
        told.written = known.done
        for each in known.records():
            try:
                told.add_record(each, order)
            except (ValidationError, BinairoError) as error:
                message = f"can't go on: it has a record that this run can't have made: {each}"
                raise SourceError(way.out, message[:_LONGEST_MESSAGE]) from error
        if known.done and not way.quiet:
            print(f"binairo: {known.done} are made already", file=sys.stderr)
        yield known.append


@dataclass
class Told:
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

    def add_record(self, fields: dict[str, Any], order: Order) -> None:
        """Take note of a puzzle that was made before.

        Raises:
            ValidationError, BinairoError: the record is not of this order.
        """
        record = PuzzleRecord.model_validate(fields)
        number = str(record.id).rpartition("-")[2]
        if not number.isdecimal() or order.name(int(number) - 1) != record.id:
            raise GenerationError(f"{record.id!r} is not the name of a puzzle of this order")
        self.next_number = int(number)
        if order.distinct:
            puzzle = Puzzle(record.board(), order.recipe.rules, record.sign_values())
            self.digests.add(_digest(puzzle))


def wanted(
    order: Order,
    workers: int,
    told: Told,
    watch: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> Iterator[tuple[int, GeneratedPuzzle]]:
    """As many puzzles as are wanted, each with its number, without repeats.

    Args:
        order: what is made.
        workers: how many processes; 1 for this one.
        told: what there is already, and then why there are not as many.
        watch: is called with the number of boards tried for a puzzle, where this process does it.
        meter: how long it may take, where this process does it; None for no bound.

    Raises:
        BudgetExceeded: the time ran out.
    """
    found = told.written
    if found == order.count:
        return
    make_here = partial(_make_block, order, watch=watch, meter=meter)
    for block in _blocks(order, workers, told.next_number, make_here):
        if isinstance(block, BinairoError):
            told.error = block
            return
        for number, made in zip(block.numbers, block.made, strict=True):
            if made is None:
                note = f"; {order.recipe.note}" if order.recipe.note else ""
                told.error = GenerationError(
                    f"no puzzle of the kind was found in {order.recipe.tries:,} tries: "
                    f"{order.name(number)}{note}"
                )
                return
            if order.distinct:
                digest = _digest(made.puzzle)
                if digest in told.digests:
                    continue
                told.digests.add(digest)
            yield number, made
            found += 1
            if found == order.count:
                return
    told.error = GenerationError(
        f"only {found} are different among {_most_drawn(order)} that were drawn"
    )


def _most_drawn(order: Order) -> int:
    return order.count if not order.distinct else _DRAWN_FOR_ONE * order.count + _DRAWN_AT_LEAST


def _digest(puzzle: Puzzle) -> bytes:
    return hashlib.sha256(str(canonical(puzzle)).encode()).digest()[:16]


def _blocks(
    order: Order,
    workers: int,
    first: int,
    make_here: Callable[[list[int]], _Block | GenerationError],
) -> Iterator[_Block | SolverCrash | GenerationError]:
    """The puzzles of the run from a number on, in order, made by workers if there are many."""
    numbers = iter(range(first, _most_drawn(order)))
    # Of puzzles that must differ more may be drawn, but mostly they are not.
    size = min(_size_of_block(order.recipe), order.count)
    blocks = iter(lambda: list(islice(numbers, size)), [])
    if workers == 1 or order.count <= size:
        yield from map(make_here, blocks)
        return
    work = partial(_make_block, order)
    with executors.WorkerSettings(workers).open(["binairo_cp.generation.puzzles"]) as pool:
        for _, block in executors.map_blocks(pool, work, blocks):
            yield block


def _size_of_block(recipe: Recipe) -> int:
    work = (recipe.height * recipe.width) ** 2 * (_SLOW if recipe.is_slow else 1)
    return max(1, min(_MOST_IN_A_BLOCK, _WORK_OF_A_BLOCK // work))


def _make_block(
    order: Order,
    numbers: list[int],
    watch: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> _Block | GenerationError:
    """What a worker does."""
    try:
        return _made_block(order, numbers, watch, meter)
    except GenerationError as error:
        return error


def _made_block(
    order: Order,
    numbers: list[int],
    watch: Callable[[int], object] | None,
    meter: Meter | None,
) -> _Block:
    if order.boards:
        recipe = order.recipe
        seeds = [seed_of(order.seed, number) for number in numbers]
        boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
        return _Block(
            numbers, [GeneratedPuzzle(Puzzle(board, recipe.rules), board) for board in boards]
        )
    return _Block(
        numbers, generate_puzzles(order.recipe, order.seed, numbers, order.graded, watch, meter)
    )


def _texts(
    order: Order, puzzles: Iterator[tuple[int, GeneratedPuzzle]], format: str
) -> Iterator[str]:
    """The puzzles as text; records tell the solution and the grade too."""
    if format == "ndjson" and not order.boards:
        for number, made in puzzles:
            yield f"{record(order, number, made).to_json()}\n"
    else:
        entries = (Entry(made.puzzle, id=order.name(number)) for number, made in puzzles)
        yield from formats.write(entries, format)


def record(order: Order, number: int, made: GeneratedPuzzle) -> ResultRecord:
    """The record of a puzzle that was made."""
    board = made.puzzle.board
    return ResultRecord(
        id=order.name(number),
        source=f"seed {order.seed}",
        height=board.height,
        width=board.width,
        clues=board.cells,
        signs=list(made.puzzle.signs) or None,
        rules=stated(made.puzzle),
        verdict=Verdict.UNIQUE,
        solution=made.solution.cells,
        grade=grade_record(made.grade) if made.grade else None,
    )
