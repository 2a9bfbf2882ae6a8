"""Bring the translations of explanations up to date, and compile them.

``python -m docs.translations`` (or ``make translations``) takes the messages of explanations and
the texts of books into each ``.po`` file and writes its ``.mo`` file. New
messages have no translation, and those whose English changed are marked as fuzzy.
``python -m docs.translations pt`` starts another language.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

SOURCES = (Path("binairo_cp/deduction/messages.py"), Path("binairo_cp/rendering/texts.py"))
LOCALE = Path("binairo_cp/deduction/locale")
KEYWORDS = {"say": (1,), "by": (2, 3), "named": ((1, "c"), 2)}
"""The functions that mark messages, and which of their arguments are texts or contexts."""

_WIDTH = 100
_HEADER = "# {language} explanations of binairo_cp. CONTRIBUTING.md says how to change them."


def template() -> Catalog:
    """A catalogue of all messages, without translations."""
    catalogue = Catalog(project="binairo_cp", charset="utf-8")
    for source in SOURCES:
        for line, text, comments, context in extract_from_file(
            "python",
            source,
            keywords=KEYWORDS,
            comment_tags=("Translators:",),
            strip_comment_tags=True,
        ):
            catalogue.add(
                text, locations=[(str(source), line)], context=context, auto_comments=comments
            )
    return catalogue


def path_of(language: str) -> Path:
    """The file with the translations into a language."""
    return LOCALE / language / "LC_MESSAGES" / "explanations.po"


def read(language: str) -> Catalog:
    """The translations into a language; none if it has no file yet."""
    path = path_of(language)
    if not path.exists():
        return Catalog(language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog) -> bytes:
    """The ``.mo`` file of a catalogue."""
    content = BytesIO()
    write_mo(content, catalogue)
    return content.getvalue()


def updated(language: str) -> Catalog:
    """The translations into a language, with all messages of today."""
    old, messages = read(language), template()
    name = old.locale.get_display_name("en") if old.locale else language
    messages.creation_date = old.creation_date
    old.update(messages, no_fuzzy_matching=False)
    old.project, old.version = "binairo_cp", "1"
    old.last_translator = old.language_team = old.msgid_bugs_address = ""
    old.header_comment = _HEADER.format(language=name)
    return old


def main() -> None:
    """Update all languages, or one that is new."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = sorted(path.name for path in LOCALE.iterdir())
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", default=known)
    for language in parser.parse_args().languages:
        catalogue, path = updated(language), path_of(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = BytesIO()
        write_po(content, catalogue, width=_WIDTH, no_location=True, ignore_obsolete=True)
        path.write_bytes(content.getvalue())
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        missing = sum(not message.string or message.fuzzy for message in catalogue if message.id)
        print(f"{path}: {len(catalogue)} messages, {missing} without a translation")


if __name__ == "__main__":
    main()
