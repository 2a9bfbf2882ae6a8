"""The command warm-up."""

from __future__ import annotations

import typer

from binairo_cp.cli.options import Quiet, Workers


def warm_up(workers: Workers = None, quiet: Quiet = False) -> None:
    """Compile all machine code now, so that no later command has to.

    Otherwise the first command of each kind compiles what it needs, for 2 to 10 s.

    The code is stored for this processor and this version of the package.

    [bold]binairo warm-up[/]
    """
    from binairo_cp.commands.warm_up import PARTS, warm_up
    from binairo_cp.workers.executors import cores

    for number, part in enumerate(warm_up(workers or cores()), 1):
        if not quiet:
            typer.echo(f"{number} of {len(PARTS)} {part.part}: {part.seconds:.1f} s", err=True)
