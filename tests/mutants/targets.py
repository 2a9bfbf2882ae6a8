"""The modules to mutate, and the tests that should detect the mutants."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Target(NamedTuple):
    """Some modules and their tests.

    Attributes:
        modules: patterns of files below `binairo_cp`.
        tests: files below `tests`, without their ending.
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
    "rules": Target(
        ("puzzle/rules.py",),
        (
            "puzzle/test_rules",
            "puzzle/test_board",
            "formats/test_formats",
            "puzzle/test_symmetries",
            "api/test_functions",
        ),
    ),
    "verification": Target(("puzzle/verification.py",), ("batch/test_columnar",)),
    "formats": Target(
        ("formats/*.py",),
        (
            "formats/test_formats",
            "formats/test_readings",
            "formats/test_flat_records",
            "formats/test_slices",
            "formats/test_output_files",
            "formats/test_sources",
            "formats/test_tables",
            "batch/test_columnar",
            "fuzz/test_fuzz",
        ),
    ),
    "certificates": Target(
        ("certificates/*.py",),
        (
            "certificates/test_certificates",
            "certificates/test_checkers",
            "certificates/test_counts_and_conflicts",
            "certificates/test_formula",
            "certificates/test_minima",
            "certificates/test_proofs",
        ),
    ),
    "resuming": Target(
        ("batch/resuming.py",), ("batch/test_resuming", "formats/test_output_files")
    ),
    "batch": Target(
        ("batch/pipeline.py", "batch/blocks.py"),
        (
            "batch/test_batch",
            "batch/test_columnar",
            "solving/test_minimal_conflicts",
            "batch/test_monitor",
            "solving/test_splitting",
            "features/test_encode",
            "contract/test_contract",
        ),
    ),
    "tables": Target(("batch/tables.py",), ("batch/test_tables", "contract/test_contract")),
    "reduction": Target(
        ("reduction/*.py",), ("reduction/test_reduction", "contract/test_contract")
    ),
    "deduction": Target(
        ("deduction/*.py",),
        (
            "deduction/test_deduction",
            "deduction/test_judging",
            "deduction/test_languages",
            "deduction/test_reasons",
            "deduction/test_smallest",
        ),
    ),
    "solving": Target(
        ("solving/*.py", "solving/encodings/*.py", "solving/backends/*.py"),
        (
            "solving/test_backends",
            "solving/test_bitboard",
            "solving/test_cpsat",
            "solving/test_encodings",
            "solving/test_many",
            "solving/test_minimal_conflicts",
            "solving/test_pairs",
            "solving/test_solutions",
            "solving/test_splitting",
        ),
    ),
    "counting": Target(
        ("counting/*.py",),
        (
            "counting/test_census",
            "counting/test_fewest_clues",
            "counting/test_puzzle_counts",
            "counting/test_symmetry",
            "counting/test_units",
        ),
    ),
    "generation": Target(
        ("generation/*.py",),
        ("generation/test_generation", "generation/test_least_clues", "generation/test_orders"),
    ),
    "rendering": Target(
        ("rendering/*.py",),
        ("rendering/test_rendering", "rendering/test_printed_books", "contract/test_contract"),
    ),
    "features": Target(
        ("features/*.py", "cli/*.py"),
        (
            "features/test_feature",
            "batch/test_results",
            "cli/test_cli",
            "cli/test_defaults",
            "contract/test_contract",
        ),
    ),
}
