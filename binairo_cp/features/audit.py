"""Audit and dataset: check a collection of puzzles, and make one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.features import generate
from binairo_cp.features.arguments import Name, check_workers, names_of, path_of, rules_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import OUTPUT, SEARCH, RulesOption

if TYPE_CHECKING:
    from binairo_cp.batch.audit.collection import Audited


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
        formats.Choices(),
        rules_of(rules),
        workers=workers,
        deep=deep,
        time_limit=time_limit,
    )


@feature(
    examples=(
        "[bold]binairo dataset recipe.toml --out folder[/]",
        "[bold]binairo dataset recipe.toml --out folder --resume[/]: go on",
    )
)
def dataset(
    recipe: Annotated[Name, "A TOML file: which puzzles, in which splits and files."],
    out: Annotated[Name, "The folder to write."],
    *,
    exclude: Annotated[
        Name | Iterable[Name],
        "Files with puzzles of which none may be a twin, such as an earlier dataset.",
    ] = (),
    resume: Annotated[
        bool, Option("Continue an interrupted run in the same folder.", panel=OUTPUT)
    ] = False,
    workers: Annotated[int, "The number of worker processes; 1 for this process."] = 1,
) -> None:
    """Make a dataset: puzzles with solutions, levels and paths, without twins.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> recipe = folder / "recipe.toml"
    >>> _ = recipe.write_text('''
    ... name = "tiny"
    ... format = "ndjson"
    ... splits = {train = 3, test = 1}
    ... [[puzzles]]
    ... size = 6
    ... grade = "easy"
    ... count = 40
    ... ''')
    >>> bn.dataset(recipe, folder / "tiny")
    >>> sorted(each.name for each in (folder / "tiny").iterdir())
    ['README.md', 'SHA256SUMS', 'data', 'recipe.toml']

    Raises:
        SourceError: the recipe has a mistake, or the folder can't be written or resumed.
        GenerationError: no puzzle of a kind is found, or too few.
    """
    checked(dataset, {"resume": resume})
    check_workers(workers)
    from binairo_cp.workers.executors import WorkerSettings

    files = names_of(exclude, "exclude")
    settings = WorkerSettings(workers)
    make(path_of(recipe, "recipe"), path_of(out), settings, files, resume, quiet=True)


def make(
    recipe: str, out: str, workers: Any, exclude: list[str], resume: bool, *, quiet: bool
) -> None:
    """Make the dataset of a recipe with these `WorkerSettings`."""
    from binairo_cp.batch.dataset.folder import DatasetFolder
    from binairo_cp.batch.dataset.recipe import DatasetPlan, DatasetRecipe, SetPlan
    from binairo_cp.batch.dataset.writing import DatasetRun
    from binairo_cp.formats import validation

    read = validation.read_settings(recipe, DatasetRecipe)
    text = Path(recipe).read_bytes()
    specs = generate.specs_of(read.puzzles, read.seed, recipe)
    plan = DatasetPlan(read, [SetPlan(number, spec) for number, spec in enumerate(specs, 1)])
    folder = DatasetFolder(Path(out), plan, text, exclude)
    DatasetRun(folder, workers, quiet).run(resume)
