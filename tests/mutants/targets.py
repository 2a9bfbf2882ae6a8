"""Which modules get mistakes, and which tests should notice them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Target(NamedTuple):
    """Some modules and their tests.

    Attributes:
        modules: patterns of files below `binairo_cp`.
        tests: names of files below `tests`.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self) -> list[Path]:
        """The modules, relative to the project's folder."""
        package = ROOT / "binairo_cp"
        found = {path for pattern in self.modules for path in package.glob(pattern)}
        return sorted(path.relative_to(ROOT) for path in found)

    def paths_of_tests(self) -> list[str]:
        return [f"tests/{name}.py" for name in self.tests]


TARGETS = {
    "rules": Target(("rules.py",), ("test_rules", "test_board", "test_formats", "test_symmetries")),
    "verification": Target(("verification.py",), ("test_bulk",)),
    "formats": Target(("formats/*.py",), ("test_formats", "test_bulk", "test_fuzz")),
    "certificates": Target(("certificates/*.py",), ("test_certificates",)),
    "resuming": Target(("resuming.py",), ("test_resuming", "test_outputs")),
    "batch": Target(
        ("batch.py",),
        ("test_batch", "test_bulk", "test_contradictions", "test_watching", "test_counting"),
    ),
    "reduction": Target(("reduction/*.py",), ("test_reduction",)),
}
