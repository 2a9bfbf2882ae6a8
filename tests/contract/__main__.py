"""Rewrite the snapshots: ``python -m tests.contract [NAME...]``."""

import argparse
from pathlib import Path

import tests.conftest  # noqa: F401  # sets the environment of tests
from tests.contract.snapshots import SNAPSHOTS, made, path

parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SNAPSHOTS))
parser.add_argument("--out", type=Path, metavar="FOLDER", help="write them there instead")
options = parser.parse_args()
names = options.names or list(SNAPSHOTS)
if unknown := set(names) - set(SNAPSHOTS):
    parser.error(f"unknown snapshot {min(unknown)}; expected one of {', '.join(SNAPSHOTS)}")
for name in names:
    file = path(name)
    (options.out / file.name if options.out else file).write_text(made(name))
