"""Reading the output of solvers in all common styles, and checking it against the rules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.errors import FormatError
from binairo_cp.solving.encodings import solver_output
from binairo_cp.solving.encodings.solver_output import MAX_MODELS, MAX_VALUES, Status
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, invoke
from tests.support.programs import NAMES, needed

SAT, UNSAT, UNKNOWN = Status.SATISFIABLE, Status.UNSATISFIABLE, Status.UNKNOWN
MODEL = {1: True, 2: False, 3: True}


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
    "clasp, two": (
        "c Answer: 1\nv 1 -2 3 0\nc Answer: 2\nv 1 2 3 0\ns SATISFIABLE\n",
        SAT,
        [MODEL, {1: True, 2: True, 3: True}],
    ),
    "clasp, opb, two": (
        "c Answer: 1\nv x1 -x2 x3\nc Answer: 2\nv x1 x2 x3\ns SATISFIABLE\n",
        SAT,
        [MODEL, {1: True, 2: True, 3: True}],
    ),
    "clasp, json": (witness([1, -2, 3, 4]), SAT, [MODEL]),
    "clasp, json with names": (witness(["x1", "-x2", "x3"]), SAT, [MODEL]),
    "clasp, json, none": ('{"Call": [{}], "Result": "UNSATISFIABLE"}', UNSAT, []),
    "clasp, json, no time": ('{"Call": [{}], "Result": "UNKNOWN"}', UNKNOWN, []),
    "picosat --all": (
        "s SATISFIABLE\nv 1 -2 3 0\ns SATISFIABLE\nv -1 2 3 0\ns SOLUTIONS 2\n",
        SAT,
        [MODEL, {1: False, 2: True, 3: True}],
    ),
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
    "carriage returns and odd bytes": (
        "c 1%\rc 2% \0\xe9\r\nv 1 -2 3 0\ns SATISFIABLE\n",
        SAT,
        [MODEL],
    ),
    "cryptominisat --maxsol": ("s SATISFIABLE\nv 1 -2 3 0\ns UNSATISFIABLE\n", SAT, [MODEL]),
    "none": ("s UNSATISFIABLE\n", UNSAT, []),
    "values without a status": ("v 1 -2 3 0\n", SAT, [MODEL]),
    "nothing": ("", None, []),
    "somebody else": ("hello\nworld\n", None, []),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_output_style_is_read(name: str) -> None:
    text, status, models = ANSWERS[name]
    output = solver_output.read(text.encode(), 3, "x")
    assert (output.status, output.models) == (status, models)


WRONG = {
    "two answers": ("s SATISFIABLE\ns UNSATISFIABLE\n", "x:2: status UNSATISFIABLE after SATISF"),
    "a formula": (
        "c x\np cnf 3 2\n1 2 0\n",
        "x:2: this is a formula; expected the output of a solver",
    ),
    "json, none with values": (
        witness([1, -2, 3], result="UNSATISFIABLE"),
        "UNSATISFIABLE, but there are values",
    ),
    "none with values": ("v 1 0\ns UNSATISFIABLE\n", "UNSATISFIABLE, but there are values"),
    "true and false": ("s SATISFIABLE\nv 1 -1 0\n", "x:2: variable 1 is both true and false"),
    "no number": ("s SATISFIABLE\nv 1 zwei 0\n", "x:2: 'zwei' is not a value; expected numbers"),
    "too long a number": (f"s SATISFIABLE\nv {'9' * 5000} 0\n", "x:2: '99999999"),
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
        solver_output.read(text.encode(), 3, "x")
    assert message in str(error.value)


@given(st.one_of(st.binary(), st.text("svcx 01-\n{}SATUN", max_size=80).map(str.encode)))
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    try:
        output = solver_output.read(data, 5, "x")
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
CASES = {
    "solved": (UNIQUE, model_of(KNOWN), (), 0, "1: solved\n101100"),
    "wrong balance": (
        MULTIPLE,
        model_of("0" * 36),
        (),
        2,
        "the solver's solution breaks balance: row 1",
    ),
    "wrong clue": (
        UNIQUE,
        model_of(KNOWN[::-1]),
        (),
        2,
        "the solver's solution breaks clue: r1c2 is 1",
    ),
    "incomplete": (
        UNIQUE,
        "s SATISFIABLE\nv 1 -2\n",
        (),
        2,
        "no value for variable 3 (cell r1c3)",
    ),
    "none": (NONE, "s UNSATISFIABLE\n", (), 1, "1: none"),
    "killed": (UNIQUE, "c solving\n", (), 3, "1: unknown (the solver printed no result)"),
    "unknown": (UNIQUE, "s UNKNOWN\n", (), 3, "1: unknown (the solver reported UNKNOWN)"),
    "no values": (
        UNIQUE,
        "SATISFIABLE\n",
        (),
        3,
        "unknown (the solver reported SATISFIABLE without",
    ),
    "unknown with a blocked solution": (
        UNIQUE,
        "SATISFIABLE\n",
        ("--unique", KNOWN),
        3,
        "unknown (the",
    ),
    "no answer": (
        UNIQUE,
        "hello\n",
        (),
        2,
        "no solver output; expected lines that begin with s and v",
    ),
    "unique": (UNIQUE, "s UNSATISFIABLE\n", ("--unique", KNOWN), 0, "1: unique"),
    "blocked": (
        UNIQUE,
        model_of(KNOWN),
        ("--unique", KNOWN),
        2,
        "the solver returned the blocked solution",
    ),
    "no solution": (
        UNIQUE,
        "s UNSATISFIABLE\n",
        ("--unique", OTHER),
        2,
        "the solution to block breaks a rule",
    ),
    "sat exit": (UNIQUE, model_of(KNOWN), ("--sat-exit",), 10, "solved"),
    "unsat exit": (UNIQUE, "UNSAT\n", ("--sat-exit",), 20, "none"),
}


@pytest.mark.parametrize("name", CASES)
def test_decode(tmp_path: Path, name: str) -> None:
    puzzle, answer, options, status, message = CASES[name]
    done = decode(tmp_path, puzzle, answer, *options)
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
    assert f"{tmp_path}/answer:2: 1: invalid: 'zwei' is not a value" in done.stdout
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
