"""The command dataset."""

from __future__ import annotations

from typing import Annotated

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.cli.many import (
    ClusterOption,
    MemoryLimit,
    TlsCa,
    TlsCert,
    TlsKey,
    worker_settings,
)
from binairo_cp.cli.options import Quiet, Workers
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
    workers: Workers = None,
    memory_limit: MemoryLimit = None,
    cluster: ClusterOption = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.features.dataset import make

    settings = worker_settings(workers, memory_limit, cluster, (tls_ca, tls_cert, tls_key))
    make(recipe, out, settings, options["resume"], quiet=quiet)
