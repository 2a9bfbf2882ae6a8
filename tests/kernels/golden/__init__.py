"""Results of compiled code that must never change, in one file per area beside its module.

Each module of this folder has a function `results`: a dict of JSON values from fixed inputs.

    python -m tests.kernels.golden AREA...

writes the files of areas anew. Do this only for new results: a changed one is a decision, and
belongs in changelog.d.
"""

import gzip
import json
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def areas() -> list[str]:
    """The areas that have results."""
    return sorted(file.stem for file in FOLDER.glob("*.py") if not file.stem.startswith("_"))


def computed(area: str, part: str = "results") -> dict[str, Any]:
    """The results of today's code, as JSON has them; the part `quick` has a few."""
    return dict(json.loads(json.dumps(getattr(import_module(f"{__name__}.{area}"), part)())))


def kept(area: str) -> dict[str, Any]:
    """The results in the file."""
    return dict(json.loads(gzip.decompress((FOLDER / f"{area}.json.gz").read_bytes())))


def write(area: str) -> None:
    """Keep the results of today's code."""
    text = json.dumps(computed(area), separators=(",", ":"), sort_keys=True)
    (FOLDER / f"{area}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
