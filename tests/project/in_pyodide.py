"""What runs in Pyodide: the inputs of a transcript in ``text``. The value is the new transcript."""

import sys
from pathlib import Path

sys.path.insert(0, "/packages")

import binairo_cp as bn


def _answer(line: str) -> str:
    try:
        return repr(eval(line, {"bn": bn, "Path": Path}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


"\0".join(f"{line}\1{_answer(line)}" for line in text.split("\0"))  # type: ignore[name-defined]  # noqa: F821
