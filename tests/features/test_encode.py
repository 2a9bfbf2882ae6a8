"""Independent programs find the right solutions of encoded puzzles."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from ortools.sat.python import cp_model
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from pysat.solvers import Solver

import binairo_cp
from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Sign, enumerate_solutions
from binairo_cp.errors import ExportError, OptionError
from binairo_cp.features.encode import Balance
from binairo_cp.solving.encodings import TARGETS, Export
from binairo_cp.solving.encodings.cnf import BALANCE
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, finished, invoke, run
from tests.support.oracles import clingo_boards, minizinc_available, minizinc_boards
from tests.support.programs import needed
from tests.support.strategies import examples, puzzles, unique_puzzles

assert set(get_args(Balance)) == set(BALANCE), "the option repeats them, for a quick help"
SMALL = Puzzle(Board.parse("0. .."), CLASSIC, (Sign(0, 0, "R", "x"),))
LIMIT = 150


def text_of(export: Export, target: str) -> str:
    return "".join(TARGETS[target].load()(export))


def solutions_of(puzzle: Puzzle) -> set[str]:
    return {board.cells for board in enumerate_solutions(puzzle, limit=LIMIT)}


# --- Readers as strict as the strictest, and one for each language ----------------------------


def dimacs(text: str) -> tuple[int, list[list[int]]]:
    assert text.isascii()
    assert text.endswith("\n")
    lines = text.split("\n")[:-1]
    start = next(k for k, line in enumerate(lines) if not line.startswith("c"))
    variables, clauses = map(int, re.fullmatch(r"p cnf (\d+) (\d+)", lines[start]).groups())  # type: ignore[union-attr]
    found = []
    for line in lines[start + 1 :]:
        assert re.fullmatch(r"(-?[1-9]\d* )+0", line), line
        found.append([int(word) for word in line.split()[:-1]])
    assert len(found) == clauses
    assert all(abs(each) <= variables for clause in found for each in clause)
    return variables, found


def models_of_dimacs(text: str, cells: int) -> list[str]:
    """The cells of each model, with models counted over all variables."""
    variables, clauses = dimacs(text)
    clauses += [[k, -k] for k in range(1, variables + 1)]
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        models = [next_model for _, next_model in zip(range(LIMIT), solver.enum_models())]  # noqa: B905
    return ["".join("01"[value > 0] for value in model[:cells]) for model in models]


def models_of_opb(text: str, cells: int) -> list[str]:
    lines = text.splitlines()
    head = re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", lines[0])
    assert head
    model = cp_model.CpModel()
    variables = [model.new_bool_var("") for _ in range(int(head[1]))]
    constraints = [line for line in lines if not line.startswith("*")]
    assert len(constraints) == int(head[2])
    for line in constraints:
        match = re.fullmatch(r"((?:[+-]\d+ x\d+ )+)(>=|=) (-?\d+) ;", line)
        assert match, line
        words = match[1].split()
        terms = [int(a) * variables[int(x[1:]) - 1] for a, x in zip(words[::2], words[1::2])]  # noqa: B905
        total, bound = sum(terms), int(match[3])
        model.add(total >= bound if match[2] == ">=" else total == bound)
    return list(_enumerated(model, variables, cells))


def _enumerated(
    model: cp_model.CpModel, variables: list[cp_model.IntVar], cells: int
) -> Iterator[str]:
    found: list[str] = []

    class Each(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.append("".join(str(self.value(each)) for each in variables[:cells]))
            if len(found) == LIMIT:
                self.stop_search()

    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False
    solver.solve(model, Each())
    return iter(found)


READERS = {"dimacs": models_of_dimacs, "opb": models_of_opb}


@pytest.mark.parametrize("target", READERS)
@given(puzzle=puzzles(sides=st.integers(1, 5)))
@examples(0.5)
def test_there_are_as_many_models_as_solutions(target: str, puzzle: Puzzle) -> None:
    expected = solutions_of(puzzle)
    if len(expected) < LIMIT:
        found = READERS[target](text_of(Export(puzzle), target), len(puzzle.board.cells))
        assert len(found) == len(expected)
        assert set(found) == expected


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize(
    ("board", "number"),
    [
        (Board.empty(4, 4), 72),
        (Board(6, 6, NONE), 0),
        pytest.param(Board.empty(6, 6), 4140, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_an_external_model_counter_agrees(board: Board, number: int, projected: bool) -> None:
    pyganak = pytest.importorskip("pyganak")
    _, clauses = dimacs(text_of(Export(Puzzle(board)), "dimacs"))
    counter = pyganak.Counter()
    for clause in clauses:
        counter.add_clause(clause)
    if projected:
        counter.set_sampling_set(list(range(1, len(board.cells) + 1)))
    assert counter.count() == number


@pytest.mark.parametrize(("command", "mark", "printed"), [
    ("cryptominisat5 --verb 0 --maxsol 100 --onlysampling", "c ind", "s SATISFIABLE\n" * 72),
    ("clasp -n 0 -q --parse-ext --project=project", "c project", "c Models         : 72\n"),
])  # fmt: skip
def test_counters_read_the_projection(command: str, mark: str, printed: str, tmp_path: Path):
    """It is on two lines, and without it there are millions of models."""
    program, *options = command.split()
    text = text_of(Export(Puzzle(Board.empty(4, 4)), balance="cardnetwrk"), "dimacs")
    shown = re.findall(r"^c p show .*\n", text, re.MULTILINE)
    assert len(shown) == 2
    header, clauses = re.search(r"^(p cnf .*\n)((?:.*\n)*)", text, re.MULTILINE).groups()  # type: ignore[union-attr]
    (tmp_path / "x.cnf").write_text(
        header + "".join(shown).replace("c p show", mark) + clauses, "ascii"
    )
    done = finished(needed(program), *options, tmp_path / "x.cnf")
    only = "".join(re.findall(r"^(?:s SAT|c Models).*\n", done.stdout, re.MULTILINE))
    assert only.endswith(printed)
    assert done.stdout.count("s SATISFIABLE") in (1, 72)


@pytest.mark.parametrize("target", ["dimacs", "wcnf", "opb"])
def test_no_comment_is_long(target: str) -> None:
    """lrat-check and drat-trim refuse comments of 1,024 characters."""
    board = next(enumerate_solutions(Puzzle(Board.empty(24, 24), UNRULY)))
    export = Export(Puzzle(board, UNRULY), id="name " * 1000, blocked=board)
    marks = {"c", "*"}
    comments = [line for line in text_of(export, target).splitlines() if line[:1] in marks]
    assert comments
    assert max(map(len, comments)) <= 1000


@given(puzzle=puzzles(sides=st.integers(1, 5)))
@examples(0.4)
def test_clingo_reads_the_facts(puzzle: Puzzle) -> None:
    expected = solutions_of(puzzle)
    if len(expected) < LIMIT:
        assert clingo_boards(text_of(Export(puzzle), "lp")) == expected


@pytest.mark.skipif(not minizinc_available(), reason="MiniZinc with Gecode is not installed")
@given(puzzle=puzzles(sides=st.integers(1, 5)))
@examples(0.2)
def test_minizinc_reads_the_data(puzzle: Puzzle) -> None:
    expected = solutions_of(puzzle)
    if len(expected) < LIMIT:
        assert minizinc_boards(text_of(Export(puzzle), "dzn")) == expected


@given(puzzle=puzzles(sides=st.integers(1, 4)))
@examples(0.3)
def test_the_optimum_of_maxsat_breaks_the_fewest_clues(puzzle: Puzzle) -> None:
    text = text_of(Export(puzzle), "wcnf")
    assert all(re.match(r"c |h |1 -?\d+ 0$", line) for line in text.splitlines())
    with RC2(WCNF(from_string=text)) as solver:
        # The model of a formula without clauses is an empty list.
        cost = solver.cost if solver.compute() is not None else None
    free = replace(puzzle, board=Board.empty(puzzle.board.height, puzzle.board.width))
    broken = [
        sum(board[cell] != value for cell, value in puzzle.board.clues())
        for board in enumerate_solutions(free)
    ]
    assert cost == min(broken, default=None)


def fewest_by_maxsat(puzzle: Puzzle) -> int:
    text = binairo_cp.encode(puzzle, to="wcnf", fewest=True)
    assert all(re.match(r"c |h [\d ]+ 0$|1 -\d+ 0$", line) for line in text.splitlines())
    with RC2(WCNF(from_string=text)) as solver:
        assert solver.compute() is not None
        return int(solver.cost)


@given(puzzle=unique_puzzles(sides=(2, 5)))
@examples(0.2)
def test_maxsat_finds_the_fewest_clues(puzzle: Puzzle) -> None:
    try:
        fewest = fewest_by_maxsat(puzzle)
    except ExportError as error:
        # Some rules, such as those without balance, leave too many boards to list.
        if "more than 50,000 other solutions" not in str(error):
            raise
        reject()
    assert fewest == binairo_cp.fewest(puzzle).at_most


def test_the_fewest_clues_need_a_list_of_all_solutions() -> None:
    (board,) = binairo_cp.board(8, seed=1)
    with pytest.raises(ExportError, match="more than 50,000 other solutions"):
        binairo_cp.encode(board, to="wcnf", fewest=True)
    with pytest.raises(ExportError, match="has several solutions"):
        binairo_cp.encode("1... .... .... ....", to="wcnf", fewest=True)


def test_the_fewest_clues_need_their_format() -> None:
    with pytest.raises(OptionError, match="fewest: can only be used with wcnf, not with opb"):
        binairo_cp.encode("1001 0110 .... ....", to="opb", fewest=True)


@pytest.mark.parametrize("target", ["dimacs", "opb", "lp"])
@given(puzzle=puzzles(sides=st.integers(1, 5)))
@examples(0.3)
def test_only_the_blocked_solution_is_missing(target: str, puzzle: Puzzle) -> None:
    expected = solutions_of(puzzle)
    if not 0 < len(expected) < LIMIT:
        return
    blocked = min(expected)
    board = Board(puzzle.board.height, puzzle.board.width, blocked)
    text = text_of(Export(puzzle, blocked=board), target)
    if target == "lp":
        found = clingo_boards(text)
    else:
        models = READERS[target](text, len(blocked))
        found = set(models)
        assert len(models) == len(found)
    assert found == expected - {blocked}


def test_too_large_puzzles_are_refused() -> None:
    for target in ("dimacs", "opb", "wcnf"):
        with pytest.raises(ExportError, match="can be written"):
            text_of(Export(Puzzle(Board.empty(255, 255))), target)
    for target in ("lp", "dzn"):
        assert text_of(Export(Puzzle(Board.empty(255, 255))), target)


def test_each_language_expresses_each_constraint() -> None:
    for module, name, say in (("cnf", "Encoder", "clauses"), ("linear", "LinearEncoder", "linear")):
        encoder = getattr(import_module(f"binairo_cp.solving.encodings.{module}"), name)
        made = encoder(4)
        with pytest.raises(TypeError, match="str"):
            getattr(made, say)("balanced")


# --- At the command line ----------------------------------------------------------------------


def test_several_puzzles_are_written_to_a_folder_by_id(tmp_path: Path) -> None:
    text = (
        f"{UNIQUE} one\n{UNIQUE} one\n{UNIQUE} ../../etc/passwd\n{UNIQUE} ONE\n{UNIQUE} ..\nx bad\n"
    )
    (tmp_path / "all.line").write_text(text)
    done = invoke("encode", str(tmp_path / "all.line"), "-o", f"{tmp_path}/out/", check=2)
    assert "all.line:6:1: 'x' is not a cell" in done.stderr
    assert "6 puzzles: 5 written" in done.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        *("ONE-3.cnf", "etc_passwd.cnf", "files.ndjson", "one-2.cnf", "one.cnf", "puzzle.cnf")
    ]
    listed = [json.loads(line) for line in (tmp_path / "out/files.ndjson").read_text().splitlines()]
    source = str(tmp_path / "all.line")
    assert listed[1] == {"file": "one-2.cnf", "source": source, "line": 2, "id": "one"}
    assert [record["line"] for record in listed] == [1, 2, 3, 4, 5]
    message = "2 of these ids occur again, and their files have a number after the id"
    assert message in " ".join(done.stderr.split())
    assert len(list(tmp_path.iterdir())) == 2
    invoke("encode", str(tmp_path / "all.line"), "-o", f"{tmp_path}/out/", "--gzip", "--to", "opb")
    packed = gzip.decompress((tmp_path / "out/one.opb.gz").read_bytes()).decode()
    assert packed == text_of(Export(Puzzle(Board(6, 6, UNIQUE)), "one"), "opb")


def test_workers_write_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "all.line").write_text(f"{UNIQUE} a\nx bad\n{NONE} b\n{MULTIPLE} c\n{UNIQUE} d\n")
    monkeypatch.setattr("binairo_cp.batch.pipeline._START_SECONDS", -1.0)
    for workers in ("1", "2"):
        words = ("--unique", "auto", "--rules", "unruly", "-o", f"{tmp_path}/{workers}/")
        done = invoke("encode", str(tmp_path / "all.line"), *words, "-w", workers, check=2)
        assert "all.line:2:1: 'x' is not a cell" in done.stderr
        assert "b: has no solution" in done.stderr
        assert "5 puzzles: 3 written" in done.stderr
    one, two = ({f.name: f.read_text() for f in (tmp_path / w).iterdir()} for w in ("1", "2"))
    assert one == two
    assert sorted(one) == ["a.cnf", "c.cnf", "d.cnf", "files.ndjson"]


def test_one_puzzle_is_written_to_a_file_or_to_standard_output(tmp_path: Path) -> None:
    expected = text_of(Export(Puzzle(Board(6, 6, UNIQUE)), "1"), "dimacs")
    assert invoke("encode", "-", input=UNIQUE, check=0).stdout == expected
    for name in ("a.cnf", "b.cnf.gz"):
        invoke("encode", "-o", str(tmp_path / name), input=UNIQUE, check=0)
    assert (tmp_path / "a.cnf").read_text() == expected
    assert gzip.decompress((tmp_path / "b.cnf.gz").read_bytes()).decode() == expected
    done = invoke("encode", input=f"{UNIQUE}\n{UNIQUE}\n", check=2)
    assert done.stdout == ""
    assert "several puzzles need a folder: use --out FOLDER/" in done.stderr
    (tmp_path / "p").write_text(UNIQUE)
    for sources in (["p", "nowhere"], ["nowhere", "p"]):
        names = [str(tmp_path / name) for name in sources]
        done = invoke("encode", *names, "--to", "cnf", check=2)
        assert done.stdout == expected
        assert f"{tmp_path}/nowhere: " in done.stderr


@pytest.mark.parametrize(("cells", "unique", "status", "message"), [
    (UNIQUE, "auto", 0, "1 written"),
    (UNIQUE, KNOWN, 0, "1 written"),
    (NONE, "auto", 1, "has no solution\n"),
    (UNIQUE, KNOWN[::-1], 2, "the solution to block breaks a rule"),
    (UNIQUE, "01", 2, "has 36 cells, not 2"),
    (UNIQUE, UNIQUE, 2, "open cells"),
])  # fmt: skip
def test_unique(cells: str, unique: str, status: int, message: str) -> None:
    done = invoke("encode", "--unique", unique, input=cells, check=status)
    assert message in done.stderr
    if not status:
        assert not models_of_dimacs(done.stdout, 36)


def test_a_puzzle_that_takes_too_long_is_unknown() -> None:
    done = invoke("encode", "--unique", "auto", "--time-limit", "0", input="." * 400, check=3)
    assert "was not encoded within the time limit" in done.stderr


@pytest.mark.parametrize(("options", "message"), [
    (["-o", ""], "the name is empty"),
    (["--gzip"], "needs a folder"),
    (["--gzip", "-o", "x.cnf"], "needs a folder"),
    (["-o", "README.md/"], "README.md: can't be written"),
    (["-o", "docs/formats.md/x"], "can't be written"),
])  # fmt: skip
def test_invalid_destinations(options: list[str], message: str) -> None:
    done = invoke("encode", *options, input=UNIQUE, check=2)
    assert message in done.stderr.replace("│\n│", "")


def test_a_pipe_by_its_name() -> None:
    assert run("encode", "-o", "/dev/stdout", input=UNIQUE, check=0).stdout.startswith("c binairo")


def test_a_failed_export_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "x.cnf"
    invoke("encode", "-o", str(out), input="." * 255 * 255, check=2)
    assert not list(tmp_path.iterdir())


def test_lines_that_the_clues_tell_apart_need_no_clauses() -> None:
    (made,) = binairo_cp.generate(12, seed=1)
    free = replace(made.puzzle, board=Board.empty(12, 12))
    for target, is_fewer in (("dimacs", True), ("opb", True), ("wcnf", False)):
        with_clues, without = (
            text_of(Export(puzzle), target).count("\n") - puzzle.board.clue_count
            for puzzle in (made.puzzle, free)
        )
        assert (with_clues < 0.9 * without) == is_fewer
