"""Generate mutants of a module: one operator, constant or condition changed.

The mutation operators are those of cosmic-ray. Changes that can't affect behaviour are excluded:
type annotations, decorators such as caches and slots, `strict` of zip, and `==` in place of `is`.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tests.mutants.targets import ROOT

_SAME_KIND = {"Is": {"IsNot"}, "IsNot": {"Is"}}
_LEFT_OUT = {"RemoveDecorator", "VariableReplacer", "VariableInserter"}

Place = tuple[int, int]
"""Line and column, as parso counts them: from 1 and from 0."""


class Mutant(NamedTuple):
    """One mistake.

    Attributes:
        path: the module, relative to the project's folder.
        place: its line and column.
        operator: cosmic-ray's name of the mutation operator.
        occurrence: the number of earlier places in the module where the operator applies.
    """

    path: Path
    place: Place
    operator: str
    occurrence: int

    def code(self) -> str:
        """Return the source of the module with the mistake."""
        changed = mutate_code(
            (ROOT / self.path).read_text(), _operator(self.operator), self.occurrence
        )
        if changed is None:
            raise ValueError(f"{self} changes nothing")
        return str(changed)

    def lines(self) -> tuple[str, str]:
        """Return the first line that differs, before and after the change."""
        before = (ROOT / self.path).read_text().splitlines()
        for old, new in zip(before, self.code().splitlines(), strict=False):
            if old != new:
                return old.strip(), new.strip()
        return before[self.place[0] - 1].strip(), ""


def sample(paths: list[Path], number: int, seed: int) -> list[Mutant]:
    """Draw places uniformly from all places in some modules, and one mutant for each.

    Args:
        paths: the modules.
        number: the number of places; 0 for all.
        seed: the seed for drawing places and the change at each place.
    """
    rng = random.Random(seed)
    choices = [choice for path in paths for choice in _choices(path)]
    if 0 < number < len(choices):
        choices = rng.sample(choices, number)
    return sorted(rng.choice(choice) for choice in choices)


def _choices(path: Path) -> list[list[Mutant]]:
    """Return the possible mutants of each place in a module."""
    source = (ROOT / path).read_text()
    left_out = list(_unread(ast.parse(source)))
    found: dict[tuple[Place, str], list[Mutant]] = defaultdict(list)
    tree = get_ast(source)
    for name in sorted(plugins.operator_names()):
        if not _is_used(name):
            continue
        places = (start for node in ast_nodes(tree) for start, _ in _positions(name, node))
        for occurrence, place in enumerate(places):
            if not any(first <= place < last for first, last in left_out):
                kind = name.split("/")[1].split("_")[0]
                found[place, kind].append(Mutant(path, place, name, occurrence))
    return list(found.values())


def _positions(name: str, node: Any) -> Iterator[tuple[Place, Place]]:
    positions: Iterator[tuple[Place, Place]] = _operator(name).mutation_positions(node)
    return positions


@cache
def _operator(name: str) -> Any:
    return plugins.get_operator(name)()


def _is_used(name: str) -> bool:
    kind, *words = name.split("/")[1].split("_")
    if kind == "ReplaceComparisonOperator":
        old, new = words
        return new in _SAME_KIND.get(old, {new}) and (old in _SAME_KIND or new not in _SAME_KIND)
    return kind not in _LEFT_OUT


def _unread(tree: ast.AST) -> Iterator[tuple[Place, Place]]:
    """Yield the ranges of code that is left out: type annotations, decorators and the like."""
    for node in ast.walk(tree):
        hints: list[ast.AST | None] = [*getattr(node, "decorator_list", [])]
        if isinstance(node, ast.arg | ast.AnnAssign):
            hints.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            hints.append(node.returns)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            hints += node.body
        elif isinstance(node, ast.keyword) and node.arg == "strict":
            hints.append(node.value)
        elif isinstance(node, ast.ExceptHandler) and node.type:
            # cosmic-ray can't replace the name of an exception with a dot.
            hints += [each for each in ast.walk(node.type) if isinstance(each, ast.Attribute)]
        for hint in hints:
            if isinstance(hint, ast.expr | ast.stmt):
                end = hint.end_lineno or hint.lineno, hint.end_col_offset or 0
                yield (hint.lineno, hint.col_offset), end
