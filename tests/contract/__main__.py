"""Rewrite the snapshots: ``python -m tests.contract [NAME...]``."""

import argparse

import tests.conftest  # noqa: F401  # sets the environment of tests
from tests.contract.snapshots import SNAPSHOTS, made, path

parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SNAPSHOTS))
names = parser.parse_args().names or list(SNAPSHOTS)
if unknown := set(names) - set(SNAPSHOTS):
    parser.error(f"unknown snapshot {min(unknown)}; expected one of {', '.join(SNAPSHOTS)}")
for name in names:
    path(name).write_text(made(name))
