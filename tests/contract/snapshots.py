"""The table of snapshots."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from tests.contract import texts

FOLDER = Path(__file__).parent / "snapshots"

# The width of help and messages, without the colours and defaults of the machine.
ENVIRONMENT = {"COLUMNS": "250", "NO_COLOR": "1", "TERM": "xterm"}


@dataclass(frozen=True)
class Snapshot:
    """How a text is made from the text as it was, and the libraries whose versions may change it."""

    make: Callable[[str], str]
    libraries: tuple[str, ...] = ()


SNAPSHOTS = {
    "commands": Snapshot(texts.commands, ("click", "python-sat", "typer")),
    "help": Snapshot(texts.helps, ("click", "rich", "typer")),
    "http": Snapshot(texts.http, ("fastapi", "pydantic")),
    "mcp": Snapshot(texts.mcp, ("mcp", "pydantic")),
    "names": Snapshot(texts.names, ("pydantic",)),
    "openapi": Snapshot(texts.openapi, ("fastapi", "pydantic")),
    "pictures": Snapshot(texts.pictures),
    "print": Snapshot(texts.prints, ("pillow", "pypdf", "typst")),
    "python": Snapshot(texts.python, ("numpy", "python-sat")),
    "wrong": Snapshot(texts.commands, ("click", "python-sat", "typer")),
    "schemas": Snapshot(texts.schemas, ("pydantic",)),
}


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def made(name: str) -> str:
    old, here = path(name).read_text(), Path.cwd()
    with TemporaryDirectory() as folder, mock.patch.dict(os.environ, ENVIRONMENT):
        os.chdir(folder)
        try:
            return SNAPSHOTS[name].make(old).replace(os.path.realpath(folder), "FOLDER")
        finally:
            os.chdir(here)
