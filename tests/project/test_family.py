"""The family of SAT instances: the same seed writes the same files, and their status is right."""

from __future__ import annotations

import csv
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

from benchmarks import family
from tests.support.programs import needed

SMALL: list[tuple[family.Maker, int]] = [
    *((family.fewest, 4), (family.empty, 6), (family.narrow, 4), (family.unique, 6)),
    (family.count, 6),
]


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[family.Row]:
    monkeypatch.setattr(family, "SOLUTIONS", (3, 50))
    return family.write(tmp_path, 7, SMALL)


def test_the_same_seed_writes_the_same_files(rows: list[family.Row], tmp_path: Path) -> None:
    assert family.write(tmp_path / "again", 7, SMALL) == rows
    others = family.write(tmp_path / "other", 8, SMALL)
    assert {row["sha256"] for row in others}.isdisjoint(row["sha256"] for row in rows)
    assert len({row["file"] for row in rows}) == len(rows) == 7
    for row in rows:
        data = (tmp_path / str(row["file"])).read_bytes()
        assert sha256(data).hexdigest() == row["sha256"]
        assert f"p cnf {row['variables']} {row['clauses']}\n".encode() in data


@pytest.mark.parametrize("solver", ["cadical195", "glucose4"])
def test_the_status_is_right(rows: list[family.Row], tmp_path: Path, solver: str) -> None:
    for row in rows:
        formula = CNF(from_file=str(tmp_path / str(row["file"])))
        assert len(formula.clauses) == row["clauses"]
        with Solver(solver, bootstrap_with=formula) as session:
            assert session.solve() == (row["status"] == family.SAT)
    assert {row["status"] for row in rows} == {family.SAT, family.UNSAT}


def test_the_command_runs_solvers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needed("cadical")
    monkeypatch.setitem(family.GRADES, "seconds", [(family.fewest, 4)])
    monkeypatch.setattr(sys, "argv", ["family", str(tmp_path / "x"), "--solvers", "cadical"])
    assert family.main() == 0
    with open(tmp_path / "x/runs.csv") as file:
        runs = list(csv.DictReader(file))
    assert [run["answer"] for run in runs] == [family.UNSAT, family.SAT]
    with open(tmp_path / "x/instances.csv") as file:
        assert [row["file"] for row in csv.DictReader(file)] == [run["file"] for run in runs]
    assert runs[0]["file"] in capsys.readouterr().out


def test_a_wrong_status_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("cadical")
    wrong = family.Instance("empty", "2x2", "", family.UNSAT, [[1]])
    monkeypatch.setitem(family.GRADES, "seconds", [(lambda _side, _seed: iter([wrong]), 2)])
    monkeypatch.setattr(sys, "argv", ["family", str(tmp_path), "--solvers", "cadical"])
    with pytest.raises(SystemExit, match="cadical disagrees with the status"):
        family.main()
