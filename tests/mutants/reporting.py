"""Report which mutants the tests caught."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.mutants.mistakes import Mutant
from tests.mutants.runs import Outcome

_EQUIVALENT = Path(__file__).parent / "equivalent.txt"


class TriedMutant(NamedTuple):
    """A mutant and the outcome of its tests."""

    mutant: Mutant
    outcome: Outcome


def equivalent() -> dict[str, str]:
    """Return known equivalent mutants, which behave like the original, with the reasons."""
    found, reason = {}, ""
    for line in _EQUIVALENT.read_text().splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        elif line:
            found[line] = reason
    return found


def is_equivalent(mutant: Mutant, known: dict[str, str]) -> bool:
    """Return whether a mutant is in the list, by itself or by a wildcard for its line.

    The list identifies lines by their text, because line numbers change.
    """
    before, after = mutant.lines()
    line = f"{mutant.path.as_posix()}: {before} -> "
    return line + after in known or line + "*" in known


def line(tried: TriedMutant) -> str:
    """Describe a mutant and the test that caught it."""
    mutant, ended = tried
    outcome = f"caught by {ended.by}" if ended.caught else "SURVIVED"
    name = mutant.operator.removeprefix("core/")
    return f"{mutant.path}:{mutant.place[0]}: {name}: {outcome} ({ended.seconds:.1f} s)"


def text(results: dict[str, list[TriedMutant]], heading: str) -> str:
    """Return the score of each target, and the survivors."""
    same = equivalent()
    table = [f"{'target':14}{'mutants':>8}{'caught':>8}{'same':>6}{'score':>7}  ({heading})"]
    survivors: list[str] = []
    for name, tried in results.items():
        alive = [each.mutant for each in tried if not each.outcome.caught]
        harmful = [mutant for mutant in alive if not is_equivalent(mutant, same)]
        caught = len(tried) - len(alive)
        score = caught / max(1, caught + len(harmful))
        table.append(f"{name:14}{len(tried):8}{caught:8}{len(alive) - len(harmful):6}{score:7.0%}")
        for mutant in harmful:
            before, after = mutant.lines()
            survivors.append(f"{mutant.path}:{mutant.place[0]}\n  - {before}\n  + {after}")
    if survivors:
        table += ["", "Survivors that are not known to be equivalent:", *survivors]
    return "\n".join(table) + "\n"
