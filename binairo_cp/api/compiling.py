"""Compile machine code in advance."""

from __future__ import annotations

from binairo_cp.api.arguments import check_workers


def warm_up(*, workers: int | None = None) -> None:
    """Compile all machine code now, so that no later call has to.

    Otherwise the first call of each kind compiles what it needs, for 2 to 10 s. The code is stored
    for this processor and this version of the package.

    >>> import binairo_cp as bn
    >>> bn.warm_up()

    Args:
        workers: the number of worker processes; None for one per core.

    Raises:
        CacheError: the code can't be stored.
        OptionError: the number of workers is out of bounds.
    """
    # Imported here, because most programs do not call this.
    from binairo_cp.commands import warm_up
    from binairo_cp.workers.executors import cores

    if workers is not None:
        check_workers(workers)
    for _ in warm_up.warm_up(workers or cores()):
        pass
