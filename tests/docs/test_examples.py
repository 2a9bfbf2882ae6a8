"""Check the README and the docs: commands, outputs, links and tables."""

import doctest
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import pytest

import binairo_cp
from benchmarks.__main__ import BENCHMARKS
from benchmarks.options import RESULTS
from binairo_cp import features
from binairo_cp.cli import options
from binairo_cp.deduction.driver import TECHNIQUES
from binairo_cp.features.feature import options_of
from binairo_cp.features.search import MOST_COUNTED
from binairo_cp.formats import FORMATS
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import types_of
from binairo_cp.service.bodies import BODIES
from binairo_cp.service.limits import Limits
from binairo_cp.solving import backends
from binairo_cp.solving.encodings.cnf import BALANCE
from tests.support import hidden_packages
from tests.support.command_line import binairo, command_line

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "models/README.md"]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TUTORIAL = "first-steps.md"
EXAMPLES = {
    page: [each for block in CONSOLE.findall(page.read_text()) for each in COMMAND.findall(block)]
    for page in PAGES
}
WITH_COMMANDS = [
    pytest.param(page, id=page.stem)
    for page, examples in EXAMPLES.items()
    if examples and page.name != TUTORIAL
]


@pytest.mark.slow
@pytest.mark.timeout(3600)  # there are pages with twenty commands
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_print_the_documented_output(page: Path, tmp_path: Path) -> None:
    """In their order, since some read what others have written.

    They run with the packages that the page tells people to install, and no others.
    """
    (ROOT / "build").mkdir(exist_ok=True)
    for command, output in EXAMPLES[page]:
        done = run(command, ROOT, page.name, tmp_path)
        assert done.stdout == output, command
        assert "Traceback" not in done.stderr, command


@pytest.mark.slow
def test_the_tutorial_works_in_an_empty_folder(tmp_path: Path) -> None:
    examples = EXAMPLES[ROOT / "docs" / TUTORIAL]
    assert len(examples) >= 10
    empty = tmp_path / "empty"
    empty.mkdir()
    for command, output in examples:
        assert run(command, empty, TUTORIAL, tmp_path).stdout == output, command


def environment_of(page: str, folder: Path) -> dict[str, str]:
    text = "\n".join(each.read_text() for each in PAGES if each.name == page)
    return hidden_packages.environment(hidden_packages.stated_by(text), folder)


def run(command: str, folder: Path, page: str, hook: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**environment_of(page, hook), "PATH": path},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_commands_are_found() -> None:
    assert len(EXAMPLES[ROOT / "README.md"]) >= 8


with_python = pytest.mark.parametrize(
    "page", [page for page in PAGES if ">>> " in page.read_text()], ids=lambda page: page.stem
)


@with_python
def test_python_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failed, _ = doctest.testfile(str(page), False, optionflags=doctest.ELLIPSIS)
    assert not failed


@pytest.mark.slow
@with_python
def test_python_examples_with_the_stated_packages(page: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doctest", "-o", "ELLIPSIS", page],
        env={**environment_of(page.name, tmp_path), "MPLBACKEND": "Agg", "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_other_packages_are_hidden(tmp_path: Path) -> None:
    for page, module, is_hidden in [
        ("first-steps.md", "typst, numpy", False),
        ("first-steps.md", "pyarrow", True),
        ("results.md", "pyarrow", False),
    ]:
        command = [sys.executable, "-c", f"import {module}"]
        done = subprocess.run(
            command, env=environment_of(page, tmp_path), stderr=subprocess.DEVNULL
        )
        assert (done.returncode != 0) == is_hidden, (page, module)


API = [
    "binairo_cp",
    "binairo_cp.puzzle.lines",
    "binairo_cp.puzzle.rules",
    "binairo_cp.many",
    *(f"{features.__name__}.{each.name}" for each in pkgutil.iter_modules(features.__path__)),
]


@pytest.mark.parametrize("name", API)
def test_the_examples_of_the_functions(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failed, _ = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_files_exist(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_page_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text().split("## Read on")[1]
    assert all(f"](docs/{page.name})" in readme for page in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_headings_exist(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text()):
        headings = re.findall(
            r"^#+ (.*)$", (page.parent / target if target else page).read_text(), re.MULTILINE
        )
        slugs = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
        assert anchor in slugs, f"{target}#{anchor}"


def test_named_benchmarks_exist() -> None:
    text = "".join(page.read_text() for page in PAGES)
    for name in re.findall(r"benchmarks[./](\w+)(?=`|\.py)", text):
        assert (ROOT / "benchmarks" / f"{name}.py").exists(), name
        assert name not in BENCHMARKS or (RESULTS / f"{name}.json").exists(), name


def test_every_command_backend_field_and_encoding_is_documented() -> None:
    readme = (ROOT / "README.md").read_text()
    formats = (ROOT / "docs/formats.md").read_text()
    everything = "".join(page.read_text() for page in PAGES)
    assert all(f"binairo {name}" in everything for name in command_line().commands)
    table = readme.split("## Backends")[1].split("## ")[0]
    assert all(f"`{name}" in table for name in backends.TABLE)
    assert all(f"`{field}`" in formats for field in types_of(ResultRecord))
    encodings = (ROOT / "docs/encodings.md").read_text()
    assert all(re.search(rf"\b{name}\b", encodings) for name in BALANCE)


def test_every_format_technique_request_option_and_limit_is_documented() -> None:
    """The tables of the docs have a row for each row of the tables of the package."""
    formats, deduction, rendering, service, operating = (
        (ROOT / f"docs/{name}.md").read_text()
        for name in ("formats", "deduction", "rendering", "service", "operating")
    )
    for name, each in FORMATS.items():
        assert f"`{each.suffixes[0]}`" in formats, name
    for technique in TECHNIQUES:
        assert f"| `{technique.name}` | {technique.level} |" in deduction
    for name in BODIES:
        assert f"| `POST /v1/{name}` |" in service
    for stated in options_of(binairo_cp.render):
        assert f"`{stated.name}`" in service
        assert f"--{stated.name.replace('_', '-')}" in rendering or stated.name == "rules"
    for stated in options_of(Limits):
        assert f"`{stated.name}`" in operating


def test_every_module_is_on_the_map() -> None:
    page = (ROOT / "docs/how-it-works.md").read_text()
    drawn = page.split("## Where things are")[1].split("## ")[0]
    package = ROOT / "binairo_cp"
    modules = [f"{p.name}/" if p.is_dir() else p.name for p in package.iterdir()]
    missing = [
        name
        for name in modules
        if name[0] not in "_." and name != "py.typed" and not re.search(rf"[ `]{name}[ `]", drawn)
    ]
    assert not missing


def test_public_names_are_sorted_and_exist() -> None:
    names = binairo_cp.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert all(getattr(binairo_cp, name).__doc__ for name in names if not name.isupper())


def test_documented_defaults_are_correct() -> None:
    formats = (ROOT / "docs/formats.md").read_text()
    assert f"`--time-limit`, {options.SECONDS_A_PUZZLE:.0f} s" in formats
    assert f"`--limit`, {MOST_COUNTED:,}" in formats
    assert backends.DEFAULT == "auto"


def test_binairo_is_installed_as_a_command() -> None:
    command = Path(sys.executable).parent / "binairo"
    text = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert text == subprocess.run([*binairo, "--version"], capture_output=True, text=True).stdout
