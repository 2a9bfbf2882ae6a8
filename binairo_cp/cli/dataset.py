"""The command dataset."""

from __future__ import annotations

from typing import Annotated

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.cli.many import WorkerOptions
from binairo_cp.cli.options import Quiet
from binairo_cp.features.feature import Option
from binairo_cp.features.options import OUTPUT


def dataset(
    options: Annotated[Options, bn.dataset],
    recipe: Annotated[
        str,
        Option(
            "Which puzzles: sizes, numbers, rules, grades, splits, seed.",
            metavar="RECIPE.toml",
            is_positional=True,
        ),
    ],
    out: Annotated[
        str,
        Option("The folder to write.", flags=("--out", "-o"), metavar="FOLDER", panel=OUTPUT),
    ],
    pool: WorkerOptions,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.features.dataset import make

    settings = pool.settings(pool.workers, pool.memory_limit)
    make(recipe, out, settings, options["resume"], quiet=quiet)
