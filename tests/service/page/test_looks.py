"""Themes, symbols and languages: no text is missing, and what a German player sees."""

from __future__ import annotations

import io
import json
import re
from string import Formatter
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageChops

from binairo_cp.deduction.styles import LANGUAGES
from docs import translations
from tests.support.pages import CLUES, LINK, Go, Player
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def background(page: Player) -> int:
    """The brightness of the page, from 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return int(re.findall(r"\d+", colour)[0])


def pixels(place: Locator) -> Image.Image:
    return Image.open(io.BytesIO(place.screenshot())).convert("L")


@pytest.mark.slow
def test_electronic_paper_has_no_colours_and_keeps_hints(visit: Go) -> None:
    page = visit(color_scheme="dark").go(LINK)
    page.choose("theme", "eink")
    page.becomes("Boolean(document.querySelector('#eink-style')?.sheet)")
    before = pixels(page.cell(20))
    page.hint()
    page.mouse.move(0, 0)
    assert page.lit("target")[0] == 20
    change = ImageChops.difference(before, pixels(page.cell(20)))
    assert sum(change.histogram()[150:]) > 100, "something that stands out"
    assert page.barriers() == []
    place = page.locator("#play .columns").screenshot()
    red, green, blue = Image.open(io.BytesIO(place)).convert("RGB").split()
    for other in (green, blue):
        assert ImageChops.difference(red, other).getextrema()[1] < 40  # the edges of letters
    page.choose("theme", "light")
    assert background(page) > 200
    page.reload()
    page.cell(0).wait_for()
    assert background(page) > 200
    page.choose("theme", "auto")
    assert background(page) < 60


@pytest.mark.slow
def test_hints_in_another_language(page: Player, server: Server) -> None:
    page.click("#show-settings")
    page.select_option("#language", "de")
    page.locator("html[lang=de] #board .cell").first.wait_for()
    for text in ("Tipp", "Zeigen"):
        page.locator("#hint").filter(has_text=text).click()
    page.click("#show-settings")
    # A hint that is shown is asked for again.
    page.select_option("#coordinates", "a1")
    page.keyboard.press("Escape")
    style = {"language": "de", "coordinates": "a1"}
    (step,) = server.post("/v1/hint", puzzle=CLUES, **style).json()["steps"]
    page.message(re.escape(step["sentence"]), "#message p[lang=de]")
    numbers = page.locator("#board .numbers.across")
    page.is_so(lambda: numbers.inner_text().split(), list("ABCDEF"))
    page.press("Erklären")
    page.text_is("#answer .sentence", f"{step['name']}: {step['sentence']}")
    page.reload()
    page.value_is("#language", "de")
    page.is_so(lambda: numbers.inner_text().split(), list("ABCDEF"))


@pytest.mark.slow
def test_tango_has_suns_and_moons(page: Player) -> None:
    tango = "#puzzle=4x4:c0d0e1a&signs=0.0Rx_0.1De&rules=tango"
    page.paste(f"http://example.org/{tango}")
    page.text_is("#title", "Tango 4 × 4")
    page.text_is("#legend", "A sun is 0, a moon is 1.")
    page.locator("#board .clue use.sunmoon").first.wait_for()
    page.label_is(3, "row 1, column 4: clue sun")
    page.label_is(14, "row 4, column 3: clue moon")
    page.cell(2).press("1")
    page.cell(5).press("Shift+Digit0")
    page.label_is(2, "row 1, column 3: moon")
    page.label_is(5, "row 2, column 2: empty, pencil sun")
    page.edit_copy()
    page.locator("#edit-board .clue use.sunmoon").first.wait_for()
    page.open_menu("board-menu")
    page.select_option("#edit-rules", "classic")
    page.keyboard.press("Escape")
    page.locator("#edit-board .clue use.digits").first.wait_for()
    page.open_tab("Play")
    page.choose("symbols", "digits")
    page.label_is(3, "row 1, column 4: clue 0")
    page.choose("symbols", "circles")
    page.label_is(3, "row 1, column 4: clue open circle")


OTHERS = [language for language in LANGUAGES if language != "en"]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing(language: str) -> None:
    catalogue = translations.read(language, "page")
    wanted = [each for each in translations.template("page") if each.id]
    for each in wanted:
        found = catalogue.get(each.id)
        assert found, each.id
        assert not found.fuzzy, each.id
        texts = found.string if each.pluralizable else (found.string,)
        assert len(texts) == (catalogue.num_plurals if each.pluralizable else 1)
        assert all(texts), each.id
        originals = each.id if each.pluralizable else (each.id,)
        for text in texts:
            assert fields(text) == fields(originals[-1]), text
            assert text.count("<kbd>") == text.count("</kbd>") == originals[0].count("<kbd>")
    assert len(catalogue) == len(wanted), "run make translations"


@pytest.mark.parametrize("language", OTHERS)
def test_the_file_of_the_page_is_up_to_date(language: str) -> None:
    path = translations.compiled_path(language, "page")
    made = translations.compiled(translations.read(language, "page"), "page")
    assert path.read_bytes() == made, "run make translations"
    assert json.loads(made)["Medium"]


UNTRANSLATED = """
() => {
    const isText = (text) => /\\p{L}/u.test(text ?? "") && !text.includes("«");
    const found = [];
    for (const each of document.querySelectorAll("body, body *")) {
        if (each.closest("[translate=no], svg, script, kbd, .sentence")) continue;
        const hasKeys = [...each.children].some((child) => child.localName === "kbd");
        const texts = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && !hasKeys);
        const names = ["aria-label", "placeholder", "alt", "label"].map((name) => each.getAttribute(name));
        for (const text of [...texts.map((node) => node.data), ...names]) if (isText(text)) found.push(text.trim());
    }
    return found;
}
"""


@pytest.mark.slow
def test_every_text_goes_through_the_catalogue(visit: Go) -> None:
    """With a catalogue that puts each text in «», no other text is on the page."""

    def marked(text: Any) -> Any:
        return [f"«{each}»" for each in text] if isinstance(text, tuple) else f"«{text}»"

    texts = {}
    for each in translations.template("page"):
        texts[each.id[0] if each.pluralizable else each.id] = marked(each.id)
    shared = json.loads(translations.compiled_path("de", "page").read_bytes()).keys() - texts
    texts |= {each: marked(each) for each in shared}
    opened = visit(locale="de")
    opened.page.route("**/texts-de.json", lambda route: route.fulfill(json=texts))
    page = opened.go(LINK)
    page.locator("#facts", has_text="Expert").wait_for()
    page.becomes(UNTRANSLATED, [])
    page.cell(0).press("l")
    page.becomes(UNTRANSLATED, [])
    page.locator("#hint").click()
    page.locator("#message", has_text="Look at").wait_for()
    page.becomes(UNTRANSLATED, [])
    for method in ("grade", "uniqueness", "clues"):
        page.evaluate("(method) => document.querySelector(`#${method}`).click()", method)
        page.locator("#answer .card").wait_for()
        page.becomes(UNTRANSLATED, [])
        page.locator("#answer .close").click()
    of_browser: list[str] = []
    for name in ("show-times", "show-days"):
        page.evaluate("(name) => document.querySelector(`#${name}`).click()", name)
        page.locator("dialog[open]").wait_for()
        dates = "dialog [data-date], dialog th, #days-title"
        for text in ("textContent", "ariaLabel"):
            of_browser += page.locator(dates).evaluate_all(f"all => all.map(e => e.{text})")
        assert [text for text in page.evaluate(UNTRANSLATED) if text not in of_browser] == []
        page.keyboard.press("Escape")
    for tab in ("edit", "batch"):
        page.click(f"#tab-{tab}")
        page.locator(f"#{tab}:not([hidden])").wait_for()
        page.locator("#live[aria-busy=false]").wait_for(state="attached")
        assert [text for text in page.evaluate(UNTRANSLATED) if text not in of_browser] == []


@pytest.mark.slow
def test_the_language_is_chosen_and_kept(visit: Go) -> None:
    page = visit(locale="nl-BE").go(LINK)
    page.value_is("#language", "nl")
    page.cell(0).press("0")
    page.click("#show-settings")
    page.select_option("#language", "de")
    page.locator("html[lang=de] #board .cell").first.wait_for()
    page.text_is("#hint", "Tipp")
    page.board_is("0" + CLUES[1:])  # the game goes on
    page.reload()
    page.text_is("#hint", "Tipp")
    # A link can ask for another language, until the player chooses one.
    page.goto(f"{page.url.split('#')[0]}?lang=en{LINK}")
    page.locator("#hint", has_text="Hint").wait_for()
    page.click("#show-settings")
    page.select_option("#language", "de")
    page.locator("html[lang=de] #board .cell").first.wait_for()
    assert "lang=" not in page.url


@pytest.mark.slow
@pytest.mark.parametrize(("locale", "address", "stored", "expected"), [
    ("de", "?lang=xx", '"yy"', "de"),
    ("pt-BR", "?lang=__proto__", "{", "en"),
    ("pt-BR", "?lang=", "[1]", "en"),
    ("pt-BR", "?lang=DE-at", "null", "de"),
    ("de", "", '"en"', "en"),
])  # fmt: skip
def test_an_unknown_language_is_passed_over(
    visit: Go, locale: str, address: str, stored: str, expected: str
) -> None:
    opened = visit(locale=locale)
    opened.page.add_init_script(f"localStorage.setItem('binairo:language', {json.dumps(stored)})")
    page = opened.go(address + LINK)
    page.becomes("document.documentElement.lang", expected)
    page.value_is("#language", expected)


@pytest.mark.slow
def test_errors_of_the_server_say_what_they_mean(visit: Go) -> None:
    opened = visit(locale="de")
    page = opened.go(LINK)
    page.click("[popovertarget=new-menu]")
    page.click("#open")
    page.fill("#paste-text", "no puzzle at all")
    page.click("#paste [type=submit]")
    page.message("^Zeile 1, Spalte 1: Das ist kein Rätsel.", "#paste-note")
    page.keyboard.press("Escape")
    busy = json.dumps({"type": "urn:binairo:problem:busy", "status": 504, "detail": "busy"})
    page.route("**/v1/explain", lambda route: route.fulfill(status=504, body=busy))
    page.click("[popovertarget=analysis-menu]")
    page.click("#explain")
    page.message("^Die Zeit ist abgelaufen.$")
    assert all("status of" in fault for fault in opened.faults)
    opened.faults.clear()
