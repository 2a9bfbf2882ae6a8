"""The documentation site: it builds without warnings, every link leads somewhere, search works."""

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs import reference, site_pages
from tests.support.command_line import command_line
from tests.support.pages import chromium

ROOT = Path(__file__).resolve().parents[2]
LISTED = re.compile(r"\]\(([\w./-]+\.md)\)")


def test_the_front_page_lists_every_page() -> None:
    listed = set(LISTED.findall((ROOT / "docs/index.md").read_text()))
    assert listed >= {page.name for page in ROOT.glob("docs/*.md")} - {"index.md"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # A process of its own, since Sphinx' own warnings to developers are no errors.
    command = [sys.executable, "-m", "docs.site", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


class Page(HTMLParser):
    """The links, the names of places, and the text of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.places: set[str] = set()
        self.text = ""
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        links = {given[name] for name in ("href", "src") if name in given}
        self.links |= links
        if tag in ("img", "link", "script"):
            self.loaded |= links
        if "id" in given:
            self.places.add(given["id"])

    def handle_data(self, data: str) -> None:
        self.text += data


page_at = cache(Page)


def broken(folder: Path) -> list[str]:
    """The links within a folder of pages that lead nowhere."""
    return [
        f"{path.relative_to(folder)}: {link}"
        for path in folder.rglob("*.html")
        for link in sorted(page_at(path).links)
        if not leads_somewhere(path, link)
    ]


def leads_somewhere(path: Path, link: str) -> bool:
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return True
    target = (path.parent / unquote(address.path)).resolve() if address.path else path
    is_page = target.suffix == ".html" and address.fragment
    return target.is_file() and (not is_page or unquote(address.fragment) in page_at(target).places)


@pytest.mark.slow
def test_every_link_leads_somewhere(built: Path) -> None:
    assert len(list(built.rglob("*.html"))) > 40
    assert broken(built) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#x">1</a><a href="b.html#y">2</a>')
    (tmp_path / "b.html").write_text('<p id="x"><img src="c.png"></p>')
    assert sorted(broken(tmp_path)) == ["a.html: b.html#y", "b.html: c.png"]


@pytest.mark.slow
def test_the_site_loads_nothing_from_other_servers(built: Path) -> None:
    for path in built.rglob("*.html"):
        for link in page_at(path).loaded:
            address = urlsplit(link)
            assert address.scheme == "data" or not (address.scheme or address.netloc), (path, link)
    for sheet in built.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text()), sheet


@pytest.mark.slow
def test_references_are_in_the_site(built: Path) -> None:
    commands = page_at(built / "docs/commands.html").text
    assert all(f"binairo {name}" in commands for name in command_line().commands)
    modules = page_at(built / "docs/api.html").text
    assert all(name in modules for name in reference.PUBLIC)
    assert (built / site_pages.MANUAL_PAGE).read_text().startswith(".TH BINAIRO 1")


@pytest.mark.slow
def test_search_and_menu_work_without_a_server(built: Path) -> None:
    with chromium() as browser, browser.new_context(offline=True) as context:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda request: errors.append(request.url))
        page.goto((built / "index.html").as_uri())
        page.wait_for_url("**/docs/index.html")
        menu = page.locator(".sidebar-tree .caption-text").all_text_contents()
        assert menu == ["Tutorials", "How-to guides", "Reference", "Explanation", "Project"]
        page.locator("input[name=q]").fill("population")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="The census", exact=True).last.wait_for()
        page.locator("#search-results").get_by_role("link", name="The census").first.click()
        page.wait_for_url("**/docs/census.html*")
        assert errors == []
