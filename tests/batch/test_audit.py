"""Audits of collections with planted problems, and of generated ones."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import binairo_cp as bn
from binairo_cp.batch.audit.blocks import step_problems
from binairo_cp.deduction.grading import Grade
from binairo_cp.puzzle.symmetries import canonical, symmetries
from tests.support.command_line import binairo, invoke

ROOT = Path(__file__).resolve().parents[2]
PUZZLE = "..1....0..10.0.."
SOLUTION = "0011110001101001"


def record(id: str, clues: str = PUZZLE, **more: Any) -> dict[str, Any]:
    return {"id": id, "height": 4, "width": 4, "clues": clues, **more}


def file_of(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def problems(*files: Path, **options: Any) -> dict[str, list[dict[str, Any]]]:
    return {each["id"]: each["problems"] for each in bn.audit(files, **options).records()}


NOTES = {"redundant-clue", "spike", "beyond-logic"}


def kinds(found: list[dict[str, Any]]) -> set[str]:
    return {each["kind"] for each in found}


def test_each_planted_problem_is_found_and_nothing_else(tmp_path: Path):
    turned = symmetries(4, 4)[9].cells(PUZZLE)
    train = file_of(
        tmp_path / "train.ndjson",
        [
            record("good", solution=SOLUTION),
            record("rows", "....1..1..00.1..", solution=["1001", "0110", "1100", "0011"]),
            record("again"),
            record("turned", turned),
            record("several", "1..0......1....."),
            record("nothing", "111............."),
            record("wrong", "1..............1", solution=SOLUTION),
        ],
    )
    test = tmp_path / "test.csv"
    test.write_text(f"id,puzzle,solution\nleaked,{turned},{SOLUTION}\n")
    found = problems(train, test)
    assert found["good"] == []
    other = {"id": "good", "source": str(train)}
    assert found["again"] == [{"kind": "duplicate", **other}]
    assert found["turned"] == [{"kind": "twin", **other}]
    assert found["several"] == [{"kind": "multiple", "rules": "classic"}]
    assert found["nothing"] == [{"kind": "none", "rules": "classic"}]
    assert "wrong-solution" in kinds(found["wrong"])
    assert kinds(found["leaked"]) - NOTES == {"duplicate", "leak", "wrong-solution"}
    duplicate = next(each for each in found["leaked"] if each["kind"] == "duplicate")
    assert duplicate["id"] == "turned"
    assert bn.audit([train, test]).exit_status == 1


def test_splits_of_a_dataset_in_parquet(tmp_path: Path):
    """Its columns are read without options, and a twin across splits is a leak."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"puzzle": PUZZLE, "solution": SOLUTION, "height": 4, "width": 4, "signs": [], **more}
        for more in (
            {"id": "good", "level": "easy"},
            {"id": "wrong", "solution": SOLUTION[::-1], "level": "easy"},
            {"id": "far", "level": "expert"},
        )
    ]
    leaked = rows[0] | {"id": "leaked", "puzzle": PUZZLE[::-1], "solution": SOLUTION[::-1]}
    for split, some in (("train", rows), ("test", [leaked])):
        (tmp_path / "data" / split).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(some), tmp_path / "data" / split / "0.parquet")
    found = problems(tmp_path / "data")
    assert kinds(found["good"]) - NOTES == {"twin", "leak"}
    assert kinds(found["wrong"]) - NOTES == {"duplicate", "leak", "wrong-solution"}
    assert "wrong-level" in kinds(found["far"])
    assert kinds(found["leaked"]) <= NOTES
    levels = problems(tmp_path / "data", deep=0)
    assert "wrong-level" not in kinds(levels["far"])
    assert "wrong-solution" in kinds(levels["wrong"])


@pytest.mark.parametrize(("first", "second", "is_leak"), [
    ("data/train/0.ndjson", "data/train/1.ndjson", False),
    ("data/train/0.ndjson", "data/test/0.ndjson", True),
    ("train-00000-of-00002.ndjson", "train-00001-of-00002.ndjson", False),
    ("train-00000-of-00002.ndjson", "test-00000-of-00001.ndjson", True),
    ("training.ndjson", "training2.ndjson", True),
    ("a/train.ndjson", "b/train.ndjson", True),
    ("one.ndjson", "two.ndjson", True),
])  # fmt: skip
def test_leaks_are_between_splits(tmp_path: Path, first: str, second: str, is_leak: bool):
    for name in (first, second):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        file_of(tmp_path / name, [record(name)])
    found = problems(tmp_path / first, tmp_path / second)
    assert kinds(found[second]) - NOTES == {"duplicate"} | ({"leak"} if is_leak else set())


def test_ids_are_unique_in_a_file(tmp_path: Path):
    others = [
        PUZZLE, "1..0......1.....", "...0..1......1..", "0...............", ".1..............",
    ]  # fmt: skip
    names = ["a", "b", "a", "a", "2"]
    pairs = zip(names, others, strict=True)
    one = file_of(tmp_path / "1.ndjson", [record(name, clues) for name, clues in pairs])
    two = file_of(tmp_path / "2.ndjson", [record("b", "1...............")])
    found = [each["problems"] for each in bn.audit([one, two], deep=0).records()]
    repeated = {"kind": "duplicate-id", "id": "a", "source": str(one)}
    assert [k for k, problems in enumerate(found) if repeated in problems] == [2, 3]
    assert bn.audit([one, two], deep=0).kinds["duplicate-id"] == 2


def test_a_puzzle_with_a_clue_more_than_another_is_named(tmp_path: Path):
    made = bn.generate(6, count=3, seed=1)
    puzzle, solution = made[1].puzzle.board.cells, made[1].solution.cells
    place = puzzle.index(".")
    more = puzzle[:place] + solution[place] + puzzle[place + 1 :]
    turned = more[::-1].translate(str.maketrans("01", "10"))
    lines = [f"{each.puzzle.board.cells} {each.id}" for each in made]
    file = tmp_path / "a.line"
    file.write_text("\n".join([f"{more} more", *lines, f"{turned} turned"]))
    found = {each["id"]: each["problems"] for each in bn.audit(file).records()}
    expected = {"kind": "extra-clue", "id": made[1].id, "source": str(file)}
    assert [id for id, problems in found.items() if expected in problems] == ["more", "turned"]
    assert bn.audit(file, deep=0).kinds["extra-clue"] == 0


@pytest.mark.parametrize("solution", ["01" * 18, [[0, 1] * 3] * 6, ["010101"] * 6])
def test_a_solution_of_another_size_is_wrong(tmp_path: Path, solution: Any):
    given = {"id": "a", "puzzle": PUZZLE, "height": 4, "width": 4, "solution": solution}
    [found] = problems(file_of(tmp_path / "a.ndjson", [given])).values()
    [wrong] = [each for each in found if each["kind"] not in NOTES]
    assert wrong == {"kind": "wrong-solution", "message": "it is not a full 4x4 board"}


def test_a_puzzle_with_signs_and_no_solution(tmp_path: Path):
    """The board of a search without a solution is memory that nobody wrote."""
    record = {"height": 4, "width": 4, "clues": "00" + 14 * ".", "signs": [[0, 0, "R", "x"]]}
    [found] = problems(file_of(tmp_path / "x.ndjson", [{**record, "rules": "plus"}])).values()
    assert [each["kind"] for each in found] == ["none"]


def test_signs_and_rules_are_part_of_a_puzzle(tmp_path: Path):
    signs = [[0, 0, "R", "="]]
    mirrored = [[0, 2, "R", "="]]
    clues = "0..............."
    file = file_of(
        tmp_path / "signs.ndjson",
        [
            record("plain", clues),
            record("equal", clues, signs=signs),
            record("other", clues, signs=[[0, 0, "R", "x"]]),
            record("mirrored", "...0............", signs=mirrored),
        ],
    )
    found = problems(file)
    assert "twin" not in kinds(found["equal"]) | kinds(found["other"])
    twin = next(each for each in found["mirrored"] if each["kind"] == "twin")
    assert twin["id"] == "equal"


@pytest.mark.parametrize("workers", [1, 2])
def test_puzzles_and_their_images_are_found_in_each_order(tmp_path: Path, workers: int):
    """As many as need worker processes; a set of canonical forms is the reference."""
    puzzles = (
        bn.generate(4, count=700, seed=3) if workers == 2 else bn.generate(6, count=20, seed=3)
    )
    rng = random.Random(5)
    records, seen, repeats = [], dict[Any, str](), dict[str, str]()
    for k, each in enumerate(puzzles):
        board = each.puzzle.board
        image = rng.choice(symmetries(board.height, board.width)).puzzle(each.puzzle)
        records.append({"id": str(k), **image.to_dict()})
        first = seen.setdefault(canonical(image), str(k))
        if first != str(k):
            repeats[str(k)] = first
    found = problems(file_of(tmp_path / "many.ndjson", records), workers=workers, deep=0)
    assert {id for id, each in found.items() if each} == repeats.keys()
    for id, first in repeats.items():
        [problem] = found[id]
        assert problem["id"] == first or problem["kind"] == "duplicate"


def test_exit_status_and_output(tmp_path: Path):
    good = file_of(tmp_path / "good.ndjson", [record("a")])
    assert invoke("audit", str(good), check=0).stdout == "1 puzzle in 1 file: nothing wrong\n"
    broken = tmp_path / "broken.line"
    broken.write_text("..1....0..10.0.. a\n..1....0..10.0. b\n")
    done = invoke("audit", str(broken), "--to", "ndjson", check=2)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["verdict"], first["problems"]) == ("unique", [])
    assert kinds(second["problems"]) == {"invalid"}
    assert "absent" in invoke("audit", str(tmp_path / "absent.ndjson"), check=2).stderr
    again = invoke("audit", str(good), str(good), "--out", str(tmp_path / "audit.ndjson"), check=1)
    assert "leak" not in again.stderr
    assert "duplicate" in again.stderr


@pytest.mark.parametrize("signs", [0, 4])
def test_depth_agrees_with_the_functions_for_one_puzzle(tmp_path: Path, signs: int):
    rules = "tango" if signs else "unruly"
    puzzles = [each.puzzle for each in bn.generate(6, rules=rules, signs=signs, count=6, seed=1)]
    # With one clue more, most have redundant clues.
    more = []
    for puzzle in puzzles:
        solved = bn.solve(puzzle).solution
        place = puzzle.board.cells.index(".")
        cells = puzzle.board.cells[:place] + solved.cells[place] + puzzle.board.cells[place + 1 :]
        more.append(bn.Puzzle(bn.Board(6, 6, cells), puzzle.rules, puzzle.signs))
    records = [{"id": str(k), **each.to_dict()} for k, each in enumerate(more)]
    file = file_of(tmp_path / "deep.ndjson", records)
    audited = list(bn.audit(file).records())
    for puzzle, record in zip(more, audited, strict=True):
        redundant = [each["cells"] for each in record["problems"] if "clue" in each["kind"]]
        expected = [list(cell) for cell in bn.clues(puzzle).spare]
        assert redundant == ([expected] if expected else [])
        assert record["level"] == bn.grade(puzzle).level
        both = bn.check(puzzle, rules="both").readings
        assert record["other_verdict"] == both["classic"].verdict
    assert all("level" not in each for each in bn.audit(file, deep=0).records())
    assert bn.audit(file).exit_status == 0
    assert invoke("audit", str(file), "--fail-on", "redundant-clue").returncode == 1


@pytest.mark.parametrize(("placed", "left", "kind"), [
    ({"pair": 9, "contradiction": 1}, 0, "spike"),
    ({"pair": 9, "contradiction": 2}, 0, None),
    ({"pair": 9}, 0, None),
    ({"pair": 9, "contradiction": 1}, 5, "beyond-logic"),
])  # fmt: skip
def test_spikes_and_steps_beyond_logic(placed: dict[str, int], left: int, kind: str | None):
    grade = Grade("expert", "contradiction", placed, 3, 1, left)
    assert [each["kind"] for each in step_problems(grade)] == ([kind] if kind else [])


def test_levels_in_words_of_others(tmp_path: Path):
    [easy], [hard] = bn.generate(6, grade="easy", seed=1), bn.generate(10, grade="expert", seed=1)
    claims = [("Easy", hard), ("Easy", easy), ("very hard", hard), ("1/5", hard), ("4 of 4", hard)]
    claims += [(3, easy)] * 12 + [(3, hard)]
    records = [
        {"id": str(k), "level": claim, **each.puzzle.to_dict()}
        for k, (claim, each) in enumerate(claims)
    ]
    found = problems(file_of(tmp_path / "levels.ndjson", records))
    wrong = {
        id: each["claimed"]
        for id, several in found.items()
        for each in several
        if each["kind"] == "wrong-level"
    }
    assert wrong == {"0": "Easy", "3": "1/5", str(len(claims) - 1): "3"}


@pytest.mark.parametrize("name", ["levels.csv", "levels.json", "records.json"])
def test_levels_of_tables_and_documents(tmp_path: Path, name: str) -> None:
    (puzzle,) = bn.generate(10, grade="expert", seed=1)
    record = puzzle.puzzle.to_dict()
    if name == "levels.csv":
        text = f"id,puzzle,level\na,{record['clues']},Easy\n"
    else:
        own = record if name == "records.json" else {"puzzle": record["clues"]}
        text = json.dumps([{"id": "a", "level": "Easy", **own}])
    (tmp_path / name).write_text(text)
    assert "wrong-level" in kinds(problems(tmp_path / name)["a"])


def test_a_file_that_can_not_be_read_is_named_once(tmp_path: Path):
    name = f"{tmp_path}/missing"
    for more in ([], ["-q"]):
        done = invoke("audit", name, "--to", "ndjson", *more, check=2)
        assert (done.stdout, done.stderr.count(name)) == ("", 1)
    done = subprocess.run(
        [*binairo, "audit", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.stdout.count(name) == 1
