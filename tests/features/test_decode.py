"""Reading the output of solvers in all common styles, and checking it against the rules."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

import binairo_cp as bn
from binairo_cp import Board, Puzzle, enumerate_solutions
from binairo_cp.errors import ExportError, FormatError, OptionError, WrongAnswer
from binairo_cp.solving.encodings import Export, solver_output, stated, target_named
from binairo_cp.solving.encodings.solver_output import MAX_MODELS, MAX_VALUES, Status
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, invoke
from tests.support.programs import NAMES, needed
from tests.support.strategies import examples, puzzles

SAT, UNSAT, UNKNOWN = Status.SATISFIABLE, Status.UNSATISFIABLE, Status.UNKNOWN
MODEL = {1: True, 2: False, 3: True}
TWO = [MODEL, {1: True, 2: True, 3: True}]


def witness(*models: list[object], result: str = "SATISFIABLE") -> str:
    values = [{"Value": model} for model in models]
    return json.dumps({"Solver": "clasp", "Call": [{"Witnesses": values}], "Result": result})


ANSWERS = {
    "kissat": ("c x\ns SATISFIABLE\nv 1 -2 3\nv 4 0\n", SAT, [MODEL]),
    "without an end of the line": ("s SATISFIABLE\nv 1 -2 3 0", SAT, [MODEL]),
    "crlf": ("s SATISFIABLE\r\nv 1 -2 3 0\r\n", SAT, [MODEL]),
    "clasp, values first": ("v 1 -2 3 0\ns SATISFIABLE\n", SAT, [MODEL]),
    "clasp, opb": ("c Answer: 1\nv x1 -x2 x3\ns SATISFIABLE\n", SAT, [MODEL]),
    "opb, other signs": ("s OPTIMUM FOUND\nv x1 ~x2 +x3 ~x4\n", SAT, [MODEL]),
    "clasp, two": ("c Answer: 1\nv 1 -2 3 0\nc Answer: 2\nv 1 2 3 0\ns SATISFIABLE\n", SAT, TWO),
    "opb, two": ("c Answer: 1\nv x1 -x2 x3\nc Answer: 2\nv x1 x2 x3\ns SATISFIABLE\n", SAT, TWO),
    "clasp, json": (witness([1, -2, 3, 4]), SAT, [MODEL]),
    "clasp, json with names": (witness(["x1", "-x2", "x3"]), SAT, [MODEL]),
    "clasp, json, none": ('{"Call": [{}], "Result": "UNSATISFIABLE"}', UNSAT, []),
    "clasp, json, no time": ('{"Call": [{}], "Result": "UNKNOWN"}', UNKNOWN, []),
    "picosat --all": ("s SATISFIABLE\nv 1 -2 3 0\n" * 2 + "s SOLUTIONS 2\n", SAT, [MODEL] * 2),
    "picosat --all, none": ("s SOLUTIONS 0\n", UNSAT, []),
    "minisat's file": ("SAT\n1 -2 3 0\n", SAT, [MODEL]),
    "minisat's file, none": ("UNSAT\n", UNSAT, []),
    "minisat's file, no time": ("INDET\n", UNKNOWN, []),
    "minisat": ("| Vars |\nrestarts : 1\n\nSATISFIABLE\n", SAT, []),
    "minisat, none": ("====\nUNSATISFIABLE\n", UNSAT, []),
    "minisat, no time": ("INDETERMINATE\n", UNKNOWN, []),
    "kissat, no time": ("c x\ns UNKNOWN\n", UNKNOWN, []),
    "cadical, no time": ("c x\nc UNKNOWN\n", UNKNOWN, []),
    "cryptominisat, no time": ("s INDETERMINATE\n", UNKNOWN, []),
    "killed": ("c reading\nc solving\n", None, []),
    "what no clause mentions": ("s SATISFIABLE\nv 1 0\n", SAT, [{1: True, 2: False, 3: False}]),
    "no clauses at all": ("SAT\n 0\n", SAT, [{1: False, 2: False, 3: False}]),
    "cut off": ("s SATISFIABLE\nv 1 -2", SAT, [{1: True, 2: False}]),
    "tabs": ("s\tSATISFIABLE\nv\t1\t-2 3 0\n", SAT, [MODEL]),
    "odd bytes": ("c 1%\rc 2% \0\xe9\r\nv 1 -2 3 0\ns SATISFIABLE\n", SAT, [MODEL]),
    "cryptominisat --maxsol": ("s SATISFIABLE\nv 1 -2 3 0\ns UNSATISFIABLE\n", SAT, [MODEL]),
    "none": ("s UNSATISFIABLE\n", UNSAT, []),
    "maxsat, one word": ("o 0\ns OPTIMUM FOUND\nv 1010\n", SAT, [MODEL]),
    "clingo": ("Answer: 1\ncell(0,0,1) cell(0,2,1) cell(0,1,0)\nSATISFIABLE\n", SAT, [MODEL]),
    "clingo, json": (witness(["cell(0,0,1)", "cell(0,1,0)", "cell(0,2,1)"]), SAT, [MODEL]),
    "clingo, cut off": ("Answer: 1\ncell(0,0,1) cell(0,1,0)\n", SAT, [{1: True, 2: False}]),
    "minizinc": ("101\n----------\n==========\n", SAT, [MODEL]),
    "minizinc, none": ("=====UNSATISFIABLE=====\n", UNSAT, []),
    "minizinc, no time": ("=====UNKNOWN=====\n", UNKNOWN, []),
    "values without a status": ("v 1 -2 3 0\n", SAT, [MODEL]),
    "nothing": ("", None, []),
    "somebody else": ("hello\nworld\n", None, []),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_output_style_is_read(name: str) -> None:
    text, status, models = ANSWERS[name]
    output = solver_output.read(text.encode(), 3, "x", width=3)
    assert (output.status, output.models) == (status, models)


CONTRADICTORY = "UNSATISFIABLE, but there are values"
WRONG = {
    "two answers": ("s SATISFIABLE\ns UNSATISFIABLE\n", "x:2: status UNSATISFIABLE after SATISF"),
    "a formula": ("c x\np cnf 3 2\n1 2 0\n", "x:2: this is a formula; expected the output of a"),
    "json, none with values": (witness([1, -2, 3], result="UNSATISFIABLE"), CONTRADICTORY),
    "none with values": ("v 1 0\ns UNSATISFIABLE\n", CONTRADICTORY),
    "true and false": ("s SATISFIABLE\nv 1 -1 0\n", "x:2: variable 1 is both true and false"),
    "no number": ("s SATISFIABLE\nv 1 zwei 0\n", "x:2: 'zwei' is not a value; expected numbers"),
    "too long a number": (f"s SATISFIABLE\nv {'9' * 5000} 0\n", "x:2: '99999999"),
    "a cell of others": (
        "cell(0,0,1) cell(1,0,1)\n",
        "x:1: 'cell(1,0,1)' is not a value; expected",
    ),
    "another status": ("s SATISFIED\n", "x:1: unknown status 'SATISFIED'"),
    "json of others": ('{"a": 1}', "this is JSON, but not a result of clasp"),
    "json with values of others": (witness([[1]]), "is not a value"),
    "json with another result": ('{"Result": "MAYBE"}', "unknown result 'MAYBE'"),
    "json cut off": ('{"Result": "SATIS', "invalid JSON"),
}


@pytest.mark.parametrize("name", WRONG)
def test_contradictory_output_is_reported(name: str) -> None:
    text, message = WRONG[name]
    with pytest.raises(FormatError) as error:
        solver_output.read(text.encode(), 3, "x", width=3)
    assert message in str(error.value)


@given(st.one_of(st.binary(), st.text("svcx 01-\n{}SATUNel(,)", max_size=80).map(str.encode)))
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    try:
        output = solver_output.read(data, 5, "x", width=5)
    except FormatError:
        return
    assert all(0 < variable <= 5 for model in output.models for variable in model)


def test_models_are_bounded() -> None:
    output = solver_output.read(b"s SATISFIABLE\n" + b"v 1 0\n" * (MAX_MODELS + 1), 1, "x")
    assert len(output.models) == MAX_MODELS
    # Of large boards fewer: a line "v 0" is a model in which all is false.
    cells = 255 * 255
    for answer in (b"v 0\n" * 1_000, witness(*[[]] * 1_000).encode()):
        output = solver_output.read(answer, cells, "x")
        assert len(output.models) == MAX_VALUES // cells
    assert len(solver_output.read(b"v 0\n" * 9, MAX_VALUES, "x").models) == 2


def model_of(cells: str) -> str:
    values = " ".join(f"{'' if v == '1' else '-'}{k}" for k, v in enumerate(cells, 1))
    return f"s SATISFIABLE\nv {values} 0\n"


def decode(
    tmp_path: Path, puzzle: str, answer: str, *options: str
) -> subprocess.CompletedProcess[str]:
    (tmp_path / "p.txt").write_text(puzzle)
    (tmp_path / "answer").write_text(answer)
    return invoke("decode", str(tmp_path / "p.txt"), str(tmp_path / "answer"), *options)


OTHER = KNOWN[6:12] + KNOWN[:6] + KNOWN[12:]
NO_MODEL = "s UNSATISFIABLE\n"
CASES = {
    "solved": (UNIQUE, model_of(KNOWN), "", 0, ": solved\n101100"),
    "wrong balance": (MULTIPLE, model_of("0" * 36), "", 2, "solution breaks balance: row 1"),
    "wrong clue": (UNIQUE, model_of(KNOWN[::-1]), "", 2, "solution breaks clue: r1c2 is 1"),
    "incomplete": (UNIQUE, "s SATISFIABLE\nv 1 -2\n", "", 2, "no value for variable 3 (cell r1c3)"),
    "none": (NONE, NO_MODEL, "", 1, ": none"),
    "killed": (UNIQUE, "c solving\n", "", 3, ": unknown (the solver printed no result)"),
    "unknown": (UNIQUE, "s UNKNOWN\n", "", 3, ": unknown (the solver reported UNKNOWN)"),
    "no values": (
        UNIQUE,
        "SATISFIABLE\n",
        "",
        3,
        "unknown (the solver reported SATISFIABLE without",
    ),
    "unknown, blocked": (UNIQUE, "SATISFIABLE\n", f"--unique {KNOWN}", 3, "unknown (the"),
    "no answer": (UNIQUE, "hello\n", "", 2, "no solver output; expected lines that begin with s"),
    "unique": (UNIQUE, NO_MODEL, f"--unique {KNOWN}", 0, ": unique"),
    "blocked": (UNIQUE, model_of(KNOWN), f"--unique {KNOWN}", 2, "returned the blocked solution"),
    "no solution": (
        UNIQUE,
        NO_MODEL,
        f"--unique {OTHER}",
        2,
        "the solution to block breaks a rule",
    ),
    "quiet": (NONE, "UNSAT\n", "-q", 1, "none"),
    "auto": (UNIQUE, NO_MODEL, "--unique auto", 0, ": unique"),
    "auto, another": (MULTIPLE, NO_MODEL, "--unique auto", 2, "no solution but the"),
    "auto, none": (NONE, NO_MODEL, "--unique auto", 2, "so none was blocked"),
    "a solution": (UNIQUE, NO_MODEL, "", 2, f"is one: {KNOWN}; give the formula in place of the"),
}


@pytest.mark.parametrize("name", CASES)
def test_decode(tmp_path: Path, name: str) -> None:
    puzzle, answer, options, status, message = CASES[name]
    done = decode(tmp_path, puzzle, answer, *options.split())
    assert (done.returncode, message in done.stdout) == (status, True), done.stdout


def test_two_models_are_two_solutions(tmp_path: Path) -> None:
    solved = invoke("solve", "--limit", "2", "--to", "ndjson", input=MULTIPLE).stdout
    first, second = json.loads(solved)["solutions"]
    done = decode(tmp_path, MULTIPLE, model_of(first) + model_of(second), "--to", "ndjson")
    record = json.loads(done.stdout)
    assert (done.returncode, record["verdict"]) == (1, "multiple")
    assert (record["solution"], record["second_solution"]) == (first, second)


def test_errors_have_their_positions(tmp_path: Path) -> None:
    done = decode(tmp_path, UNIQUE, "s SATISFIABLE\nv 1 zwei 0\n")
    assert f"{tmp_path}/answer:2: invalid: 'zwei' is not a value" in done.stdout
    done = decode(tmp_path, "01x\n", "s UNSATISFIABLE\n")
    assert (done.returncode, "p.txt:1: " in done.stdout) == (2, True)
    done = invoke("decode", str(tmp_path / "p.txt"), str(tmp_path / "nowhere"), check=2)
    done = decode(tmp_path, f"{UNIQUE} a\n{UNIQUE} b\n", "s UNKNOWN\n")
    assert "more than one puzzle; choose one with --id" in done.stderr
    assert decode(tmp_path, f"{UNIQUE} a\n{UNIQUE} b\n", "s UNKNOWN\n", "--id", "b").returncode == 3
    done = decode(tmp_path, f"{UNIQUE} a\nbad\n", "s UNKNOWN\n", "--id", "a")
    assert done.returncode == 3
    assert "only one of the two can be standard input" in invoke("decode", "-", "-").stderr
    assert "no puzzle has the id 'c'" in decode(tmp_path, f"{UNIQUE} a\n", "", "--id", "c").stderr


def answer_of_maxsat(file: str) -> str:
    with RC2(WCNF(file)) as solver:
        model = solver.compute()
    return f"s OPTIMUM FOUND\nv {' '.join(map(str, model))} 0\n" if model else "s UNSATISFIABLE\n"


def run_program(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True).stdout


SOLVERS: dict[str, Callable[[str], str]] = {
    "cnf": lambda file: run_program(needed("kissat"), "-q", file),
    "opb": lambda file: run_program(needed("clasp"), file),
    "lp": lambda file: run_program(needed("clingo"), "models/binairo.lp", file),
    "dzn": lambda file: run_program(needed("minizinc"), "models/binairo.mzn", file),
    "wcnf": answer_of_maxsat,
}


@pytest.mark.parametrize("target", SOLVERS)
def test_the_formula_says_what_no_model_means(target: str, tmp_path: Path) -> None:
    """For each target: a solver's answers to a formula with and without a blocked solution."""
    for cells, verdict, other in (
        (UNIQUE, "solved", "unique"),
        (MULTIPLE, "solved", "multiple"),
        (NONE, "none", None),
    ):
        for unique, expected in (([], verdict), (["--unique", "auto"], other)):
            if unique and (other is None or target == "dzn"):
                continue
            file = str(tmp_path / f"x.{target}")
            rules = ("--rules", "unruly") if cells == MULTIPLE else ()
            invoke("encode", "-o", file, "--to", target, *unique, *rules, input=cells, check=0)
            done = invoke("decode", file, "-q", "--to", "line", input=SOLVERS[target](file))
            assert done.stdout.split()[1] == expected, done.stdout


@given(
    puzzle=puzzles(sides=st.integers(1, 5)),
    id=st.text(max_size=20),
    target=st.sampled_from(list(SOLVERS)),
)
@examples(0.5)
def test_the_comments_say_all_that_was_encoded(puzzle: Puzzle, id: str, target: str) -> None:
    blocked = next(enumerate_solutions(puzzle), None) if target != "dzn" else None
    lines = "".join(target_named(target).load()(Export(puzzle, id, blocked))).splitlines()
    assert stated.is_formula("\n".join(lines[:2]))
    formula = stated.read(lines)
    assert (formula.puzzle, formula.id or "", formula.blocked) == (puzzle, id, blocked)
    assert formula.has_soft_clues == (target == "wcnf")


@pytest.mark.parametrize(("text", "message"), [
    ("p cnf 1 1\n1 0\n", "does not say which puzzle it encodes"),
    ("c binairo puzzle, encoder version 2\n", "of the later encoder version 2"),
    ("c binairo puzzle, encoder version 1\np cnf 1 1\n", "a board has at least one row"),
    (bn.encode("2x2:0...", to="cnf").replace("rule odd", "rule even"), "state no puzzle"),
    (bn.encode("2x2:0...", unique="auto").replace("d 01", "d 0."), "open cells"),
    (bn.encode("2x2:01..", to="wcnf", fewest=True), "is a choice of clues, not a board"),
])  # fmt: skip
def test_other_formulas_are_refused(text: str, message: str) -> None:
    with pytest.raises((FormatError, ExportError), match=message):
        bn.decode(text, "s UNSATISFIABLE")


def test_a_formula_blocks_what_it_says() -> None:
    formula = bn.encode("2x2:....", unique="0110", to="cnf", rules="unruly")
    assert bn.decode(formula, "s SATISFIABLE\nv 1 -2 -3 4 0\n").verdict == "multiple"
    with pytest.raises(OptionError, match="the formula blocks 0110"):
        bn.decode(formula, "s UNSATISFIABLE", unique="1001")
    with pytest.raises(WrongAnswer, match="but the blocked one, and there is one: 1001"):
        bn.decode(formula, "s UNSATISFIABLE", unique="auto")
    # The search for `auto` may find another solution than the encoder did.
    for values in ("1 -2 -3 4", "-1 2 3 -4"):
        answer = f"s SATISFIABLE\nv {values} 0\n"
        assert bn.decode("2x2:....", answer, unique="auto", rules="unruly").verdict == "multiple"


def test_no_model_of_an_unknown_formula_stays_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binairo_cp.features.decode._WORK", 0)
    puzzle = Puzzle(Board.empty(30, 30))
    found = bn.decode(puzzle, "s UNSATISFIABLE")
    assert (found.verdict, found.solutions) == ("unknown", ())
    assert "give the formula in place of the puzzle" in str(found.note)
    assert bn.decode(bn.encode(puzzle), "s UNSATISFIABLE").verdict == "none"


@pytest.mark.parametrize("program", NAMES)
@pytest.mark.parametrize(("cells", "verdict"), [(UNIQUE, "solved"), (NONE, "none")])
def test_output_of_programs(tmp_path: Path, program: str, cells: str, verdict: str) -> None:
    cnf, result = tmp_path / "p.cnf", tmp_path / "result"
    invoke("encode", "-o", str(cnf), input=cells, check=0)
    words = [needed(program), str(cnf), *[str(result)] * (program == "minisat")]
    printed = subprocess.run(words, capture_output=True, text=True).stdout
    answer = result.read_text() if result.exists() else printed
    done = decode(tmp_path, cells, answer, "--to", "line")
    assert done.stdout.split()[1] == verdict
