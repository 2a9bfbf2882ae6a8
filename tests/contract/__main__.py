"""Rewrite the snapshots: ``python -m tests.contract [NAME...]``."""

import sys

import tests.conftest  # noqa: F401  # sets the environment of tests
from tests.contract.snapshots import SNAPSHOTS, made, path

for name in sys.argv[1:] or SNAPSHOTS:
    path(name).write_text(made(name))
