"""Run modules of the web page under node."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any


def run(folder: Path, script: str, requests: Any, **environment: str) -> list[Any]:
    """Send requests to a script of a folder, as JSON, and return its answers."""
    done = subprocess.run(
        ["node", script],
        input=json.dumps(requests),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
