"""What to use instead of commands, options and values that no longer exist.

The table is read only after a name was refused, so it never hides one that works.
"""

from __future__ import annotations

import re
from typing import Any

_RECIPES = "DuckDB reads and writes result files (docs/results.md)"
_NUMBERS = "docs/numbers.md has these numbers, and the commit whose programs computed them"
_LOGS = "the server keeps logs and metrics (docs/operating.md); files have a summary at the end"
_PATH = "a path has one order (docs/deduction.md)"
_TLS = "Dask reads its own settings for TLS, such as DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
_EXPORT = "encode writes dimacs, wcnf, opb, lp and dzn (docs/exports.md)"
_MOVING = "--steps shows each step in HTML, PDF or text (docs/rendering.md)"
_COVER = "a book is its interior; its page count gives the spine of a cover (docs/books.md)"
_CERTIFY = "certify proves unique, multiple and none (docs/certificates.md)"
_CHECKERS = "other checkers run on the files in the certificate (docs/certificates.md)"
_SHELL = "results go to standard output; the shell can write them to a file"
_PICTURES = "audit writes text or ndjson; render draws puzzles (docs/rendering.md)"
_NGINX = "nginx in front limits requests and connections (docs/deployment.md)"
_HOST = "the server has a host name of its own (docs/deployment.md)"
_CLUES = "--symmetry and --clues say where clues stand and how many (docs/generation.md)"
_TABLES = "check, grade and solve write tables with --to csv; book has --manifest (docs/books.md)"
_SERVERS = "several servers behind nginx share a database (docs/operating.md)"

COMMANDS = {"merge": _RECIPES, "diff": _RECIPES}
"""By the name of a command."""

OPTIONS = {
    **{
        ("census", flag): _NUMBERS
        for flag in (
            *("--all-puzzles", "--at-most", "--estimate", "--fewest", "--forecast"),
            *("--puzzles", "--up-to-symmetry"),
        )
    },
    ("census", "--verify"): "a census of another state file counts the same units (docs/census.md)",
    ("census", "--puzzle"): "count counts the boards with some clues (docs/census.md)",
    **{("", flag): _TLS for flag in ("--tls-ca", "--tls-cert", "--tls-key")},
    **{("", flag): _LOGS for flag in ("--log", "--metrics")},
    ("", "--sync"): "results are on the disk when a command ends (docs/results.md)",
    ("", "--scatter-files"): "the workers of a cluster get the puzzles themselves "
    "(docs/scaling.md)",
    ("explain", "--order"): _PATH,
    ("explain", "--teach"): _PATH,
    ("grade", "--effort"): "the score estimates the time (docs/deduction.md)",
    ("mcp", "--port"): "a program such as mcp-proxy offers it over HTTP (docs/mcp.md)",
    ("serve", "--processes"): _SERVERS,
    ("serve", "--root-path"): _HOST,
    ("serve", "--fast-workers"): "the server decides cheap puzzles itself (docs/operating.md)",
    **{("serve", flag): _NGINX for flag in ("--rate", "--burst", "--client-connections")},
    **{("book", flag): _COVER for flag in ("--cover", "--paper")},
    **{("certify", flag): _CERTIFY for flag in ("--count", "--fewest", "--all-cells")},
    **{("certify", flag): _SHELL for flag in ("--results", "--resume")},
    ("audit", "--report"): _PICTURES,
    ("", "--sat-exit"): "the exit status is 0, 1, 2 or 3 (docs/command-line.md)",
    **{("generate", flag): _CLUES for flag in ("--mask", "--empty", "--balance", "--solution")},
    ("render", "--sidecar"): _TABLES,
}
"""By the names of a command (or of none, for all) and of its option."""

VALUES = {
    **{
        ("encode", "--to", form): _EXPORT
        for form in ("smt2", "xcsp3", "flatzinc", "qdimacs", "mps")
    },
    **{
        ("verify", "--checker", name): _CHECKERS
        for name in ("all", "dratify", "drat-trim", "lrat-check", "cake_lpr")
    },
    ("", "--backend", "external"): "encode writes the formula for your solver, and decode reads "
    "its answer (docs/exports.md)",
    **{(name, "--to", "gif"): _MOVING for name in ("explain", "hint", "render")},
}
"""By a command (or none, for all), its option, and a value of that up to a colon."""

_QUOTED = re.compile(r"(?:No such command |there is no backend )?'([^']*)'")


def instead_of(error: Any) -> str:
    """What to use instead of the name that click refused; empty if it never existed."""
    command = error.ctx.info_name if error.ctx else ""
    if option := getattr(error, "option_name", None):
        answer = OPTIONS.get((command, option)) or OPTIONS.get(("", option))
        return f"{option} no longer exists: {answer}." if answer else ""
    quoted = _QUOTED.match(error.message)
    value = quoted[1] if quoted else ""
    parameter = getattr(error, "param", None)
    flags = parameter.opts if parameter else [getattr(error, "param_hint", "")]
    if flags == [""]:
        return f"{value} no longer exists: {COMMANDS[value]}." if value in COMMANDS else ""
    value = value.partition(":")[0]
    for flag in flags:
        if answer := VALUES.get((command, flag, value)) or VALUES.get(("", flag, value)):
            return f"{flag} {value} no longer exists: {answer}."
    return ""
