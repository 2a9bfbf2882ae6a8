"""Check that the API reference builds without warnings and documents every listed name."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from pdoc.doc import Module

import binairo_cp as bn
from docs import reference

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = re.compile(r"(?:from|import) (binairo_cp[\w.]*)(?: import ([\w, ]+))?")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    reference.build(folder)  # Warnings are errors, as in all tests.
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", reference.PUBLIC)
def test_every_public_name_is_documented(built: Path, name: str) -> None:
    page = (built / f"{name.replace('.', '/')}.html").read_text()
    module = Module(import_module(name))
    assert module.docstring
    listed = [each for each in module.members.values() if not each.name.startswith("_")]
    assert listed
    for each in listed:
        assert each.docstring, each.fullname
        assert f'id="{each.name}"' in page, each.fullname
    assert {each.name for each in listed} >= set(reference.PUBLIC[name])


@pytest.mark.slow
def test_the_front_page_links_to_all_modules(built: Path) -> None:
    assert "binairo_cp.html" in (built / "index.html").read_text()
    front = (built / "binairo_cp.html").read_text()
    for name in reference.PUBLIC:
        if name != "binairo_cp":
            assert f'href="{name.replace(".", "/")}.html"' in front, name


def test_names_imported_in_the_docs_are_in_the_reference() -> None:
    pages = "".join(page.read_text() for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")])
    for example in ROOT.glob("docs/examples/*.py"):  # Files of the package, and not its users'.
        pages = pages.replace(example.read_text(), "")
    found = IMPORTED.findall(pages)
    assert len(found) >= 10
    for name in bn.__all__:
        getattr(bn, name)  # pdoc only sees what is loaded
    for module, names in found:
        for name in filter(None, re.split(r", *", names)):
            known = (
                name in Module(import_module(module)).members
                if module in reference.PUBLIC
                else None
            )
            assert known or f"{module}.{name}" in reference.PUBLIC, f"{module}.{name}"


@pytest.mark.slow
def test_the_reference_does_not_mention_this_machine(built: Path) -> None:
    for page in built.rglob("*.html"):
        text = page.read_text()
        assert str(ROOT) not in text, page.name
        assert " at 0x" not in text, page.name
