"""Environment variables with which Python finds only the packages that a page tells people to install."""

import os
import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
OURS = "binairo-cp"
# Python imports this module when it starts.
HOOK = """
import os, sys

class Hidden:
    names = frozenset(os.environ["HIDDEN_PACKAGES"].split())

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def stated_by(page: str) -> set[str]:
    """What `make solve` and the `pip install` lines of a page install."""
    made = re.search(
        r"^solve: .*installed-([a-z,]+)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    stated = {f"{OURS}[{made[1]}]"}
    for line in re.findall(r"pip install ((?!-)[^\n`#]+)", page):
        stated |= {word.strip("'").replace(".[", f"{OURS}[", 1) for word in line.split()}
    return stated


@cache
def _needed(requirement: str) -> frozenset[str]:
    """The distributions that an installation brings, canonical names."""
    found: set[str] = set()
    todo, seen = [Requirement(requirement)], set()
    while todo:
        each = todo.pop()
        name = canonicalize_name(each.name)
        found.add(name)
        for extra in ["", *each.extras]:
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                parts = map(Requirement, requires(name) or [])
            except PackageNotFoundError:
                parts = iter(())
            todo += [p for p in parts if not p.marker or p.marker.evaluate({"extra": extra})]
    return frozenset(found)


def environment(stated: Iterable[str], folder: Path) -> dict[str, str]:
    """The environment of a process that finds no packages but those of requirements."""
    kept = {"pip", "setuptools", *(name for each in stated for name in _needed(each))}
    hidden = [
        module
        for module, names in packages_distributions().items()
        if not kept & set(map(canonicalize_name, names)) and module.isidentifier()
    ]
    return hiding(hidden, folder)


def hiding(modules: Iterable[str], folder: Path) -> dict[str, str]:
    """The environment of a process that does not find these modules."""
    (folder / "sitecustomize.py").write_text(HOOK)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path, "HIDDEN_PACKAGES": " ".join(modules)}
