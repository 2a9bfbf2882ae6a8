"""``python -m docs.sizes``: what the package and each extra take on disk, in MB, without bytecode.

It adds up the files of all distributions that they require, as they are installed here.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import binairo_cp

PACKAGE = "binairo-cp"
EXTRAS = ("service", "pdf", "png", "parquet", "pictures", "cluster", "mcp", "postgres")


def required(extra: str = "", without: str = "") -> set[str]:
    """The distributions that the package requires with an extra, or without one of them."""
    found: set[str] = set()
    left = [Requirement(f"{PACKAGE}[{extra}]" if extra else PACKAGE)]
    while left:
        wanted = left.pop()
        name = canonicalize_name(wanted.name)
        key = f"{name}{sorted(wanted.extras)}"
        if name == without or key in found or not (installed := _installed(name)):
            continue
        found |= {key, name}
        for text in installed.requires or ():
            needed = Requirement(text)
            extras = wanted.extras or {""}
            if any(not needed.marker or needed.marker.evaluate({"extra": e}) for e in extras):
                left.append(needed)
    return {name for name in found if "[" not in name} - {PACKAGE}


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def megabytes(names: set[str]) -> float:
    """The size of some distributions."""
    return _size(
        Path(str(file.locate())) for name in names for file in distribution(name).files or ()
    )


def _size(paths: Iterable[Path]) -> float:
    files = [path for path in paths if path.suffix != ".pyc" and path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6


def sizes() -> dict[str, float]:
    """The sizes without extras, by the empty name, and without OR-Tools; what each extra adds."""
    base = required()
    own = _size(Path(binairo_cp.__file__).parent.rglob("*"))
    added = {extra: megabytes(required(extra) - base) for extra in EXTRAS}
    small = megabytes(required(without="ortools"))
    return {"": own + megabytes(base), "without OR-Tools": own + small} | added


if __name__ == "__main__":
    for extra, size in sizes().items():
        print(f"{extra or 'without extras':16} {size:4.0f} MB")
