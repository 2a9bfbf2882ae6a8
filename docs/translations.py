"""Bring the translations up to date, and compile them.

``python -m docs.translations`` (or ``make translations``) takes the messages of explanations and
the texts of books into each ``explanations.po`` and writes its ``.mo`` file, and those of the web
page into each ``.po`` file of the service and writes the file that the page loads. New
messages have no translation, and those whose English changed are marked as fuzzy.
``python -m docs.translations pt`` starts another language.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Literal, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from binairo_cp.service import page

SOURCES = (Path("binairo_cp/deduction/messages.py"), Path("binairo_cp/rendering/texts.py"))
LOCALE = Path("binairo_cp/deduction/locale")
KEYWORDS = {"say": (1,), "by": (2, 3), "named": ((1, "c"), 2)}
"""The functions that mark messages, and which of their arguments are texts or contexts."""

STATIC = Path("binairo_cp/service/static")
PAGE_LOCALE = Path("binairo_cp/service/locale")
PAGE_KEYWORDS = {"t": (1,), "n": (2, 3)}
ATTRIBUTES = ("aria-label", "placeholder", "alt", "label")
SHARED = ("technique", "level")
"""The contexts of explanations whose words the page has too."""

Domain = Literal["explanations", "page"]
DOMAINS: tuple[Domain, ...] = ("explanations", "page")

_WIDTH = 100
_HEADER = "# {language} {domain} of binairo_cp. CONTRIBUTING.md says how to change them."


class Found(NamedTuple):
    """A message, and where it is."""

    text: str | tuple[str, ...]
    place: tuple[str, int]
    context: str | None = None
    comments: list[str] = []  # noqa: RUF012 - nobody changes it


def template(domain: Domain = "explanations") -> Catalog:
    """A catalogue of all messages, without translations."""
    catalogue = Catalog(project="binairo_cp", charset="utf-8")
    for each in _explanations() if domain == "explanations" else _page():
        catalogue.add(
            each.text,
            locations=[each.place],
            context=each.context,
            auto_comments=each.comments,
        )
    return catalogue


def _explanations() -> Iterator[Found]:
    for source in SOURCES:
        yield from _marked(source, "python", KEYWORDS)


def _marked(source: Path, method: str, keywords: dict) -> Iterator[Found]:
    for line, text, comments, context in extract_from_file(
        method,
        source,
        keywords=keywords,
        comment_tags=("Translators:",),
        strip_comment_tags=True,
        options={"parse_template_string": True},
    ):
        yield Found(text, (str(source), line), context, comments)


def _page() -> Iterator[Found]:
    """The texts of the page, without those that the explanations have."""
    shown = page.read()
    assert shown
    shared = dict(_shared(Catalog()))
    for name in (page.PAGE, page.EMBEDDED):
        texts = _Texts()
        texts.feed(shown.top[name].content.decode())
        yield from (Found(text, ("index.html", 1)) for text in texts.found if text not in shared)
    for source in sorted(STATIC.glob("*.js")):
        yield from _marked(source, "javascript", PAGE_KEYWORDS)


class _Texts(HTMLParser):
    """The texts of a page, as `translate` in texts.js finds them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[tuple[str, bool, list[str]]] = []
        """The elements around a place: name, whether they are left out, and texts."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_out = bool(self.open and self.open[-1][1]) or values.get("translate") == "no"
        is_out = is_out or tag in ("head", "svg")
        if not is_out:
            self._add(*(values.get(name) or "" for name in ATTRIBUTES))
        if tag not in ("meta", "link", "input", "img"):
            self.open.append((tag, is_out, []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Such elements are parts of pictures."""

    def handle_endtag(self, tag: str) -> None:
        name, is_out, texts = self.open.pop()
        assert name == tag, f"<{name}> ends with </{tag}>"
        if is_out:
            return
        if tag == "kbd":
            self.open[-1][2].append(f"<kbd>{''.join(texts)}</kbd>")
        elif any(text.startswith("<kbd>") for text in texts):
            self._add("".join(texts))
        else:
            self._add(*texts)

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[-1][2].append(data)

    def _add(self, *texts: str) -> None:
        for text in texts:
            words = " ".join(text.split())
            if any(map(str.isalpha, words)):
                self.found.append(words)


def path_of(language: str, domain: Domain = "explanations") -> Path:
    """The file with the translations into a language."""
    if domain == "page":
        return PAGE_LOCALE / f"{language}.po"
    return LOCALE / language / "LC_MESSAGES" / "explanations.po"


def compiled_path(language: str, domain: Domain = "explanations") -> Path:
    """The file that the program reads."""
    if domain == "page":
        return STATIC / f"texts-{language}.json"
    return path_of(language).with_suffix(".mo")


def read(language: str, domain: Domain = "explanations") -> Catalog:
    """The translations into a language; none if it has no file yet."""
    path = path_of(language, domain)
    if not path.exists():
        return Catalog(language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog, domain: Domain = "explanations") -> bytes:
    """What the program reads of a catalogue."""
    if domain == "page":
        assert catalogue.locale
        return _as_json(catalogue, read(str(catalogue.locale)))
    content = BytesIO()
    write_mo(content, catalogue)
    return content.getvalue()


def _as_json(catalogue: Catalog, explanations: Catalog) -> bytes:
    """The translations by their texts, or by the first one if there is one for several things."""
    texts = dict(_shared(explanations))
    for each in catalogue:
        if not each.id or not each.string or each.fuzzy:
            continue
        one = each.id[0] if each.pluralizable else each.id
        texts[one] = list(each.string) if each.pluralizable else each.string
    content = json.dumps(texts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return content.encode()


def _shared(explanations: Catalog) -> Iterator[tuple[str, str]]:
    """The words for techniques and levels, as they are and as titles."""
    for each in template():
        if each.context in SHARED:
            found = explanations.get(each.id, each.context)
            text = str(found.string) if found else ""
            yield each.id, text
            yield each.id[:1].upper() + each.id[1:], text[:1].upper() + text[1:]


def updated(language: str, domain: Domain = "explanations") -> Catalog:
    """The translations into a language, with all messages of today."""
    old, messages = read(language, domain), template(domain)
    name = old.locale.get_display_name("en") if old.locale else language
    messages.creation_date = old.creation_date
    old.update(messages, no_fuzzy_matching=False)
    old.project, old.version = "binairo_cp", "1"
    old.last_translator = old.language_team = old.msgid_bugs_address = ""
    old.header_comment = _HEADER.format(language=name, domain=domain)
    return old


def main() -> None:
    """Update all languages, or one that is new."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = sorted(path.name for path in LOCALE.iterdir())
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", default=known)
    for language in parser.parse_args().languages:
        for domain in DOMAINS:
            catalogue, path = updated(language, domain), path_of(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            content = BytesIO()
            write_po(content, catalogue, width=_WIDTH, no_location=True, ignore_obsolete=True)
            path.write_bytes(content.getvalue())
            compiled_path(language, domain).write_bytes(compiled(catalogue, domain))
            missing = sum(not each.string or each.fuzzy for each in catalogue if each.id)
            print(f"{path}: {len(catalogue)} messages, {missing} without a translation")


if __name__ == "__main__":
    main()
