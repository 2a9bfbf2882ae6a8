"""Audit a collection of puzzles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from binairo_cp.features.arguments import Name, check_workers, names_of, rules_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import SEARCH, RulesOption

if TYPE_CHECKING:
    from binairo_cp.batch.audit.report import Audited


@feature()
def audit(
    sources: Annotated[Name | Iterable[Name], "Files, folders or glob patterns of puzzles."],
    *,
    rules: RulesOption = None,
    deep: Annotated[
        int,
        Option(
            "Look for redundant clues, spikes, steps beyond logic and wrong levels in the first N "
            "puzzles, and decide them under the other rules too.",
            least=0,
            most=1_000_000_000,
            metavar="N",
            panel=SEARCH,
        ),
    ] = 10_000,
    workers: Annotated[int, "The number of worker processes; 1 for this process."] = 1,
    time_limit: Annotated[
        float | None, "Seconds for each puzzle that is not decided at once; None for no limit."
    ] = 60.0,
) -> Audited:
    """Find out what is wrong with a collection of puzzles.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "puzzles.line"
    >>> _ = file.write_text("..1....0..10.0.. a\\n.0....1..1..00.. b\\n1..0......1..... c\\n")
    >>> [(each["id"], each["verdict"]) for each in bn.audit(file).records()]
    [('a', 'unique'), ('b', 'unique'), ('c', 'multiple')]
    >>> bn.audit(file).kinds
    Counter({'redundant-clue': 1, 'multiple': 1})

    Returns:
        An object that prints a summary, with ``records()``, ``kinds`` and ``exit_status``.

    Raises:
        OptionError: there are no rules of that name.
        ArgumentError: the sources are no names.
    """
    from binairo_cp import formats
    from binairo_cp.batch.audit.collection import audit_files

    checked(audit, {"rules": rules, "deep": deep})
    check_workers(workers)
    return audit_files(
        formats.files_of(names_of(sources, "sources")),
        formats.AUTO,
        rules_of(rules),
        workers=workers,
        deep=deep,
        time_limit=time_limit,
    )
