"""Write the results of clue analyses as text: needed clues, fewest clues, repairs."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.formats.schema import CluesRecord, FewestRecord, Finding, RepairRecord, ResultRecord
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.solving.solutions import Verdict

_MOST_CELLS_NAMED = 24
_MOST_WAYS_NAMED = 12
_STOPPED = "time limit reached"


def cells_of(finding: Finding) -> str | None:
    """The puzzle that a clue analysis returned, row by row; None without one."""
    if finding.needs:
        return finding.needs.irreducible
    if finding.fewest:
        return finding.fewest.puzzle
    return finding.repair.puzzle if finding.repair else None


def line(record: ResultRecord) -> str:
    """The puzzle and its number of clues, or of those that were added (+) or dropped (-).

    If the number is not proved to be the minimum, a lower bound comes first: ``12..13``.
    """
    cells = cells_of(record)
    if cells is None or record.height is None or record.width is None:
        return f"- {record.verdict}"
    size = "" if record.height == record.width else f"{record.height}x{record.width}:"
    if record.repair:
        return f"{size}{cells} {_changes(record.repair)}"
    number = _clue_count(cells)
    bound = f"{record.fewest.at_least}.." if record.fewest and not record.fewest.proved else ""
    return f"{size}{cells} {bound}{number}"


def _changes(repair: RepairRecord) -> str:
    sign = "-" if repair.dropped else "+"
    changes = len(repair.dropped or repair.added)
    bound = "" if repair.proved else f"{repair.at_least}.."
    return f"{sign}{bound}{changes}"


def text(record: ResultRecord) -> str:
    """The text after the verdict, and the lines below it."""
    summary, lines = "", list[str]()
    if record.needs:
        summary, lines = _needs(record, record.needs)
    elif record.helpful is not None:
        summary, lines = _helpful(record)
    elif record.fewest:
        summary = _fewest(record, record.fewest)
    elif record.repair:
        summary, lines = _repair(record, record.repair)
    elif record.verdict is not Verdict.UNKNOWN:
        summary = _nothing(record)
    cells = cells_of(record)
    if cells and cells != record.clues:
        lines += str(Board(record.height or 1, record.width or 1, cells)).splitlines()
    return f"{', ' * bool(summary)}{summary}\n" + "".join(f"  {line}\n" for line in lines)


def _nothing(record: ResultRecord) -> str:
    """Why the analysis has no result."""
    if not record.answered:
        return _STOPPED
    if record.contradiction is not None:
        return "the rules and signs allow no solution, even without clues"
    return "so no subset of its clues is enough" if record.verdict is Verdict.MULTIPLE else ""


def _needs(record: ResultRecord, needs: CluesRecord) -> tuple[str, list[str]]:
    clues = len(needs.needed) + len(needs.spare)
    if not needs.spare:
        return f"none of its {clues} clues can be removed", []
    sets = f"{needs.sets} set{'s' * (needs.sets != 1)}"
    more = "" if needs.all_found else ", perhaps more"
    number = "1" if len(needs.spare) == 1 else f"each of {len(needs.spare)}"
    return (
        f"{number} of its {clues} clues can be removed",
        [
            f"removable: {_cells(needs.spare)}",
            f"needed: {_cells(needs.needed) or 'none'}",
            f"irreducible: {sets} of clues{more}; the smallest has "
            f"{_clue_count(needs.irreducible)} clues:",
        ],
    )


def _helpful(record: ResultRecord) -> tuple[str, list[str]]:
    lines = []
    for help in record.helpful or []:
        cells = f"{help.follow} other cell{'s' * (help.follow != 1)}"
        solutions = f"{help.leaves} solution{'s' * (help.leaves != 1)}"
        leaves = "" if help.leaves is None else f"leaves {solutions}, "
        lines.append(f"{Cell(*help.cell)} = {help.value}: {leaves}determines {cells}")
    number = f"{record.count} solutions" if record.complete else "too many solutions to count"
    return number, lines if record.answered else [*lines, f"({_STOPPED})"]


def _fewest(record: ResultRecord, fewest: FewestRecord) -> str:
    all_clues = f"its {_clue_count(record.clues or '')} clues"
    of = "all cells" if fewest.among == "all cells" else all_clues
    bound = "proved minimum" if fewest.proved else _unproved(fewest.at_least)
    return f"{fewest.at_most} of {of} are enough ({bound})"


def _repair(record: ResultRecord, repair: RepairRecord) -> tuple[str, list[str]]:
    if not repair.dropped and not repair.added:
        return "nothing to repair", []
    board = Board(record.height or 1, record.width or 1, repair.puzzle)
    if repair.dropped:
        bound = "proved minimum" if repair.proved else _unproved(repair.at_least)
        summary = f"without {_cells(repair.dropped)} it is {repair.verdict} ({bound})"
        return summary, list(_other_ways(repair))
    named = repair.added[:_MOST_CELLS_NAMED]
    added = ", ".join(f"{Cell(*cell)} = {board[cell[0], cell[1]]}" for cell in named)
    more = len(repair.added) - len(named)
    added += f" and {more} more" * (more > 0)
    scopes = {"any": "for any solution", "given": "for this solution"}
    bound = "proved minimum" if repair.proved else _unproved(repair.at_least)
    return f"with {added} it is unique ({bound}, {scopes[repair.for_solution or 'any']})", []


def _unproved(at_least: int | None) -> str:
    return f"{_STOPPED}; at least {at_least} are needed"


def _other_ways(repair: RepairRecord) -> Iterator[str]:
    ways = repair.ways or []
    others = [way for way in ways if way != repair.dropped]
    if others:
        named = "; ".join(map(_cells, others[:_MOST_WAYS_NAMED]))
        more = f"; {len(others) - _MOST_WAYS_NAMED} more" * (len(others) > _MOST_WAYS_NAMED)
        unique = f"{repair.ways_unique or 0} of {len(ways)} ways leave one solution"
        yield f"or without: {named}{more} ({unique})"


def _clue_count(cells: str) -> int:
    return len(cells) - cells.count(".")


def _cells(places: list[list[int]]) -> str:
    named = " ".join(str(Cell(*place)) for place in places[:_MOST_CELLS_NAMED])
    more = len(places) - _MOST_CELLS_NAMED
    return f"{named} and {more} more" if more > 0 else named
