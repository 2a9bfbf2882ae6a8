"""The command in docs/books.md makes PDF/X-3 of a book."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pypdf
import pytest

import binairo_cp as bn
from binairo_cp.rendering.pdf import TEMPLATE

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"```bash\n(gs .*?)```", re.DOTALL)
RECIPE = {"puzzles": [{"size": 6, "count": 2, "grade": "easy"}]}
USUAL = "#let colours = data.colours"
COLOURS = "#let colours = data.colours + (ink: (31, 95, 168), shade: (255, 224, 160))"


def _profile() -> Path | None:
    """A CMYK profile of an output device; Ghostscript has one."""
    folders = (Path("/usr/share/color/icc/ghostscript"), Path("/usr/share/ghostscript"))
    return next((each for folder in folders for each in folder.rglob("default_cmyk.icc")), None)


@pytest.mark.skipif(not (shutil.which("gs") and _profile()), reason="Ghostscript is not installed")
@pytest.mark.parametrize("colours", [USUAL, COLOURS])
def test_the_command_makes_pdf_x(colours: str, tmp_path: Path) -> None:
    profile = _profile()
    assert profile
    shutil.copy(profile, tmp_path / "printer.icc")
    shutil.copy(ROOT / "docs/examples/books/pdf-x3.ps", tmp_path)
    shutil.copytree(TEMPLATE.parent, tmp_path / "layout")
    data = tmp_path / "layout" / "data.typ"
    data.write_text(data.read_text().replace(USUAL, colours))
    bn.book(
        RECIPE,
        title="Two & more (1)",
        author="A. Author",
        bleed=True,
        template=tmp_path / "layout" / "book.typ",
        out=tmp_path / "book.pdf",
    )
    (command,) = COMMAND.findall((ROOT / "docs/books.md").read_text())
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    before = pypdf.PdfReader(tmp_path / "book.pdf")
    after = pypdf.PdfReader(tmp_path / "book-x3.pdf")
    assert after.pdf_header == "%PDF-1.3"
    assert after.trailer["/ID"]
    said: Any = after.metadata
    assert (said["/GTS_PDFXVersion"], said["/Trapped"]) == ("PDF/X-3:2002", "/False")
    for name in ("title", "author", "subject"):
        assert getattr(said, name) == getattr(before.metadata, name)
    (intent,) = after.trailer["/Root"]["/OutputIntents"]
    intent = intent.get_object()
    assert intent["/S"] == "/GTS_PDFX"
    assert intent["/DestOutputProfile"].get_data() == profile.read_bytes()
    assert len(after.pages) == len(before.pages)
    for old, new in zip(before.pages, after.pages, strict=True):
        for box in ("mediabox", "trimbox", "bleedbox"):
            assert [*getattr(new, box)] == pytest.approx([*getattr(old, box)], abs=0.01)
        assert _words(new) == _words(old)
        _check_page(new)


def _words(page: pypdf.PageObject) -> list[str]:
    return page.extract_text().split()


def _check_page(page: pypdf.PageObject) -> None:
    """Its fonts are embedded, and it has neither RGB nor transparency."""
    resources: Any = page["/Resources"]
    for font in resources.get("/Font", {}).values():
        described = font.get_object()
        for each in described.get("/DescendantFonts", [described]):
            assert "/FontFile2" in each.get_object()["/FontDescriptor"]
    content = page.get_contents()
    operators = set(content.get_data().split()) if content else set()
    assert not operators & {b"rg", b"RG", b"sh"}
    assert "RGB" not in str(resources.get("/ColorSpace", ""))
    for state in resources.get("/ExtGState", {}).values():
        assert float(state.get_object().get("/ca", 1)) == 1
