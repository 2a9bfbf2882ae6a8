"""Draw plots as SVG from the JSON of results.

``python -m benchmarks.plots`` draws all of them again. Without matplotlib there are none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.options import RESULTS

INCHES_A_PANEL = 4.2
LARGEST_LABEL = 40


@dataclass(frozen=True)
class Plot:
    """How a table is drawn.

    Attributes:
        table: the beginning of its title; all such tables are drawn, one panel each.
        x: the columns that name a row; for curves, the column of the x axis.
        y: the columns to draw.
        by: for curves, the columns whose values identify a curve; None for bars.
        log: whether the scale is logarithmic.
        only: draw only the rows with this value in this column, as (column, value).
    """

    table: str
    x: list[str]
    y: list[str]
    by: list[str] | None = None
    log: bool = True
    only: list[str] | None = None


def draw(data: Path) -> Path | None:
    """Draw the plots of a JSON file next to it; return the path."""
    result = json.loads(data.read_text())
    panels = [
        (title, _chosen(rows, plot), plot)
        for plot in (Plot(**fields) for fields in result["plots"])
        for title, rows in result["tables"].items()
        if title.startswith(plot.table)
    ]
    panels = [panel for panel in panels if panel[1]]
    if not panels:
        return None
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        print("no plot: matplotlib is not installed (pip install matplotlib)")
        return None
    # Text stays text, and the same results give the same bytes.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "binairo", "font.size": 8}):
        figure = Figure(figsize=(8, INCHES_A_PANEL * len(panels)), layout="constrained")
        for place, (title, rows, plot) in enumerate(panels, 1):
            axes = figure.add_subplot(len(panels), 1, place)
            axes.set_title(title if len(title) < 100 else f"{title[:97]}...")
            (_curves if plot.by is not None else _bars)(axes, rows, plot)
            axes.grid(axis="both" if plot.by is not None else "x", alpha=0.3)
            handles, _ = axes.get_legend_handles_labels()
            if handles:
                axes.legend()
        out = data.with_suffix(".svg")
        figure.savefig(out, metadata={"Date": None})
    # matplotlib ends lines of paths with spaces.
    out.write_text("".join(f"{line.rstrip()}\n" for line in out.read_text().splitlines()))
    return out


def _chosen(rows: list[dict[str, Any]], plot: Plot) -> list[dict[str, Any]]:
    if plot.only:
        column, value = plot.only
        rows = [row for row in rows if str(row.get(column)) == value]
    return [row for row in rows if any(_is_number(row.get(name)) for name in plot.y)]


def _bars(axes: Any, rows: list[dict[str, Any]], plot: Plot) -> None:
    labels = [", ".join(str(row[name]) for name in plot.x)[:LARGEST_LABEL] for row in rows]
    height = 0.8 / len(plot.y)
    for number, name in enumerate(plot.y):
        places = [place + number * height for place in range(len(rows))]
        values = [row[name] if _is_number(row.get(name)) else 0 for row in rows]
        axes.barh(places, values, height, label=name)
    axes.set_yticks([place + 0.4 - height / 2 for place in range(len(rows))], labels)
    axes.invert_yaxis()
    if plot.log:
        axes.set_xscale("log")


def _curves(axes: Any, rows: list[dict[str, Any]], plot: Plot) -> None:
    curves: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for row in rows:
        for name in plot.y:
            if _is_number(row.get(name)):
                kind = tuple(str(row[each]) for each in plot.by or ())
                kind += (name,) if len(plot.y) > 1 else ()
                curves.setdefault(kind, []).append((row[plot.x[0]], row[name]))
    for kind, points in curves.items():
        axes.plot(
            *zip(*sorted(points), strict=True), marker="o", markersize=3, label=", ".join(kind)
        )
    axes.set_xlabel(plot.x[0])
    axes.set_ylabel(plot.y[0])
    if plot.log:
        axes.set_yscale("log")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def main() -> None:
    for data in sorted(RESULTS.glob("*.json")):
        print(draw(data) or f"{data.name}: nothing to draw")


if __name__ == "__main__":
    main()
