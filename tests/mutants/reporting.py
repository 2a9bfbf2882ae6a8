"""Which mutants the tests caught, as text."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.mutants.mistakes import Mutant
from tests.mutants.trying import Ended

_EQUIVALENT = Path(__file__).parent / "equivalent.txt"


class Tried(NamedTuple):
    """A mutant and what the tests said of it."""

    mutant: Mutant
    ended: Ended


def equivalent() -> dict[str, str]:
    """Mutants that do what the package does, and why: they are not to be caught."""
    found, reason = {}, ""
    for line in _EQUIVALENT.read_text().splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        elif line:
            found[line] = reason
    return found


def is_equivalent(mutant: Mutant, known: dict[str, str]) -> bool:
    """Whether a mutant is in the list, by itself or as one of any that change its line.

    Lines have no numbers there, since they move.
    """
    before, after = mutant.lines()
    line = f"{mutant.path.as_posix()}: {before} -> "
    return line + after in known or line + "*" in known


def line(tried: Tried) -> str:
    """One mutant, and the test that caught it."""
    mutant, ended = tried
    told = f"caught by {ended.by}" if ended.caught else "SURVIVED"
    name = mutant.operator.removeprefix("core/")
    return f"{mutant.path}:{mutant.place[0]}: {name}: {told} ({ended.seconds:.1f} s)"


def text(results: dict[str, list[Tried]], heading: str) -> str:
    """The score of each target, and the survivors."""
    same = equivalent()
    table = [f"{'target':14}{'mutants':>8}{'caught':>8}{'same':>6}{'score':>7}  ({heading})"]
    survivors: list[str] = []
    for name, tried in results.items():
        alive = [each.mutant for each in tried if not each.ended.caught]
        harmful = [mutant for mutant in alive if not is_equivalent(mutant, same)]
        caught = len(tried) - len(alive)
        score = caught / max(1, caught + len(harmful))
        table.append(f"{name:14}{len(tried):8}{caught:8}{len(alive) - len(harmful):6}{score:7.0%}")
        for mutant in harmful:
            before, after = mutant.lines()
            survivors.append(f"{mutant.path}:{mutant.place[0]}\n  - {before}\n  + {after}")
    if survivors:
        table += ["", "Survivors that may do something else:", *survivors]
    return "\n".join(table) + "\n"
