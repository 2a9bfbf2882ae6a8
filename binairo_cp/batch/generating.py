"""Write generated puzzles or boards to a file or to standard output; an earlier run can go on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, fields
from functools import partial
from time import perf_counter

from binairo_cp import formats
from binairo_cp.errors import BinairoError, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import open_output
from binairo_cp.generation.puzzles import GeneratedPuzzle
from binairo_cp.generation.runs import GenerationSpec, GenerationState, generated_puzzles, record
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Sign
from binairo_cp.puzzle.symmetries import canonical_digest
from binairo_cp.workers import terminal
from binairo_cp.workers.resource_limits import cores

_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How to generate puzzles, and where to write them.

    Attributes:
        resume: continue with the records in `out`, if there are any. For NDJSON only.
        quiet: print neither progress nor a summary.
        on_puzzle: called with the number of puzzles after each one.
        seconds: the time limit for each puzzle; None for no limit.
    """

    workers: int | None
    format: str
    out: str | None
    resume: bool = False
    quiet: bool = False
    on_puzzle: Callable[[int], object] | None = None
    seconds: float | None = None


def digests_of(files: Iterable[str]) -> set[bytes]:
    """The digests of the canonical forms of all puzzles in files, such as manifests of books.

    Raises:
        BinairoError: a file, or one of its puzzles, can't be read.
    """
    digests = set()
    for entry in formats.read_sources(files):
        if entry.puzzle is None:
            raise entry.error or SourceError(entry.source, "no puzzle")
        digests.add(canonical_digest(entry.puzzle))
    return digests


def generate_puzzles(
    spec: GenerationSpec, output: OutputOptions, state: GenerationState | None = None
) -> bool:
    """Generate puzzles and write them.

    Returns:
        Whether all requested puzzles were generated.

    Raises:
        SourceError: the file can't be written or resumed.
        FormatError: the format can't express the puzzles.
        LimitError: there is no solved board of the size.
    """
    started = perf_counter()
    state = state or GenerationState()
    _check_format(spec, output.format)
    if spec.recipe.note and not output.quiet:
        tries = f"trying up to {spec.recipe.tries:,} boards for each"
        print(f"binairo: {spec.recipe.note}; {tries}", file=sys.stderr)
    with ExitStack() as stack:
        write = stack.enter_context(_destination(spec, output, state))
        # On a terminal, puzzles that come quickly show the progress themselves.
        is_seen = terminal.is_terminal(output.out)
        is_quick = not spec.recipe.is_slow and spec.recipe.clues is None
        show = stack.enter_context(terminal.bar(output.quiet or (is_seen and is_quick)))
        before = state.written
        show(before, spec.count, "")

        def show_tries(tries: int) -> None:
            text = f"{state.written:,} generated, {tries:,} boards tried for the next"
            show(state.written, spec.count, text)

        def reported_puzzles() -> Iterator[GeneratedPuzzle]:
            workers, seconds = output.workers or cores(), output.seconds
            for generated in generated_puzzles(spec, workers, state, show_tries, seconds=seconds):
                yield generated
                state.written += 1
                if output.on_puzzle:
                    output.on_puzzle(state.written)
                rate = (state.written - before) / (perf_counter() - started)
                text = f"{state.written:,} generated, {rate:,.0f} a second"
                show(state.written, spec.count, text)

        puzzles = reported_puzzles()
        if output.format == "ndjson" and not spec.boards:
            # Records also have the solution and the grade.
            texts: Iterator[str] = (
                f"{record(spec, generated).to_json()}\n" for generated in puzzles
            )
        else:
            entries = (Entry(generated.puzzle, id=generated.id) for generated in puzzles)
            texts = formats.write(entries, output.format)
        for text in texts:
            with show.aside() if is_seen else nullcontext():
                write(text)
    if state.error:
        print(f"binairo: {state.error}", file=sys.stderr)
    if not output.quiet:
        seconds = perf_counter() - started
        what = "board" if spec.boards else "puzzle"
        number = f"{state.written} {what}{'s' * (state.written != 1)}"
        print(f"{number} of seed {spec.seed} in {seconds:.2f} s", file=sys.stderr)
    return state.written == spec.count


def _check_format(spec: GenerationSpec, format: str) -> None:
    """Write a board with the size, rules, signs and id of what is to come, which may take long."""
    recipe = spec.recipe
    others = recipe.height * recipe.width - 1
    board = Board(recipe.height, recipe.width, "0" + ("0" if spec.boards else ".") * others)
    signs = (Sign(0, 0, "R" if recipe.width > 1 else "D", "="),) if recipe.signs else ()
    entry = Entry(Puzzle(board, recipe.rules, signs), id=spec.name(0))
    for _ in formats.write([entry], format):
        pass


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
    from binairo_cp.formats.results import ResultRecord
    from binairo_cp.formats.runs import RunRecord
    from binairo_cp.formats.schema import PuzzleRecord

    if not output.resume or output.out is None:
        with open_output(output.out, PuzzleRecord if spec.boards else ResultRecord) as write:
            yield write
        return
    values = ((option.name, getattr(spec, option.name)) for option in fields(spec))
    # Runs of one level are described as before there were several.
    identity = {name: str(value) for name, value in values if value != ()}
    describe = partial(RunRecord.of, identity, [])
    with resuming.open_results(output.out, describe, Summary("check")) as results:
        state.written = results.done
        for done in results.records():
            try:
                state.add_record(done, spec)
            except (ValidationError, BinairoError) as error:
                message = (
                    f"can't resume: it has a record that this run can't have generated: {done}"
                )
                raise SourceError(output.out, message[:_LONGEST_MESSAGE]) from error
        if results.done and not output.quiet:
            print(f"binairo: resuming after puzzle {results.done}", file=sys.stderr)
        yield lambda text: results.append(text.encode())
