"""Exports of empty boards: size, time and memory of whole commands."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import tables
from benchmarks.startup import process

SIDES = tables.sized((10,), (10, 20, 50, 100))
FORMATS = (
    ("dimacs", "grid"),
    ("dimacs", "seqcounter"),
    ("dimacs", "mtotalizer"),
    ("dimacs", "kmtotalizer"),
    ("opb", "grid"),
    ("smt2", "grid"),
    ("mps", "grid"),
    ("lp", "grid"),
    ("dzn", "grid"),
)


def exported(side: int, target: str, balance: str) -> tables.Row:
    with TemporaryDirectory() as folder:
        source, out = Path(folder, "empty.line"), Path(folder, "out")
        source.write_text("." * side * side + "\n")
        options = ["--to", target, "--balance", balance, "-q", "-o", str(out)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        seconds, memory = process("encode", str(source), *options)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        with open(out) as file:
            head = next((line for line in file if line.startswith(("p cnf", "* #variable"))), "")
        numbers = [word for word in head.split() if word.isdecimal()]
        variables, constraints = numbers or ("-", "-")
        return {
            "side": side,
            "to": target,
            "balance": balance if target == "dimacs" else "-",
            "variables": variables,
            "clauses": constraints,
            "bytes": out.stat().st_size,
            "s": round(seconds, 2),
            "CPU s": round(used, 2),
            "memory MB": memory,
        }


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield (
        "empty boards, whole commands",
        [
            exported(side, target, balance)
            for side in SIDES
            for target, balance in FORMATS
            if target != "mps" or side <= 50
        ],
    )


if __name__ == "__main__":
    tables.report(
        "exports",
        all_tables(),
    )
