"""Generate the puzzles of the web page: ``python -m docs.stock``, or ``make stock``.

The seeds are fixed, so the same version of the generator writes the same files.
"""

from __future__ import annotations

from pathlib import Path

from binairo_cp.service.static_site import DAILY_SIZE, GRADES, SIZES, generated, written

FOLDER = Path(__file__).parent.parent / "binairo_cp/service/static"
COUNT = 20
DAILY_COUNT = 40


def main() -> None:
    """Write all files."""
    for size in SIZES:
        puzzles = generated(size, dict.fromkeys(GRADES, COUNT), "stock")
        (FOLDER / f"stock-{size}.json").write_bytes(written(puzzles))
    daily = generated(DAILY_SIZE, dict.fromkeys(GRADES, DAILY_COUNT), "daily")
    (FOLDER / "daily.json").write_bytes(written(daily))


if __name__ == "__main__":
    main()
