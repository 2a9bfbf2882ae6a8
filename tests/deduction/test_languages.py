"""Explanations in all languages: catalogues are complete, and sentences name what they should."""

import gettext
import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Puzzle
from binairo_cp.deduction import best_steps, messages, wording
from binairo_cp.deduction.driver import TECHNIQUES, Contradictory, rounds
from binairo_cp.deduction.messages import HIGHLIGHTED, TEMPLATES, WORDS, Message
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.styles import (
    LANGUAGES,
    Coordinates,
    Language,
    Style,
    Symbols,
    column_name,
)
from binairo_cp.deduction.wording import Cells, technique_name
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import adapter
from binairo_cp.puzzle.board import Cell
from binairo_cp.rendering import texts
from docs import translations
from tests.support.command_line import KNOWN, UNIQUE, call
from tests.support.strategies import examples, puzzles, unique_puzzles

OTHERS = [language for language in LANGUAGES if language != "en"]
HARD = "instances/classic/06x06-hard.txt"
styles = st.builds(
    Style,
    st.sampled_from(get_args(Language)),
    st.sampled_from(get_args(Symbols)),
    st.sampled_from(get_args(Coordinates)),
)

COUNTERS = {"number", "others", "steps", "left", "most", "too_many", "linked_value"}
"""Fields that a translation may leave out, if its form says the same."""
CONTENT = {
    "cells", "so", "then", "reason", "line", "lines", "compared", "ways", "tried", "order",
    "mistaken",
}  # fmt: skip
"""Fields that every translation has if the English sentence has them."""


def fields(text: str) -> set[str]:
    return {(name or "").split(".")[0] for _, name, _, _ in Formatter().parse(text)} - {""}


def attributes(text: str) -> set[str]:
    names = [name for _, name, _, _ in Formatter().parse(text) if name and "." in name]
    return {name.split(".")[1] for name in names}


def test_the_tables_name_the_same_languages() -> None:
    assert set(LANGUAGES) == set(get_args(Language))
    assert {path.name for path in translations.LOCALE.iterdir()} == set(OTHERS)
    schema = adapter(ResultRecord).json_schema()["properties"]["language"]
    assert schema["anyOf"][0]["enum"] == OTHERS


def test_every_message_is_in_the_template() -> None:
    """What the tables contain is what the tools of translators find."""
    found = {(each.id, each.context) for each in translations.template() if each.id}
    tables = (TEMPLATES, HIGHLIGHTED, WORDS, messages.TECHNIQUES, messages.JUDGED, *texts.TABLES)
    used = {
        ((each.one, each.several) if each.several else each.one, each.context)
        for table in tables
        for each in table.values()
    }
    assert found == used
    assert {each.name for each in TECHNIQUES} <= messages.TECHNIQUES.keys()


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_is_missing(language: str) -> None:
    catalogue = translations.read(language)
    for message in translations.template():
        if not message.id:
            continue
        translated = catalogue.get(message.id, message.context)
        assert translated, message.id
        assert not translated.fuzzy, message.id
        texts = translated.string if message.pluralizable else (translated.string,)
        assert len(texts) == (catalogue.num_plurals if message.pluralizable else 1)
        assert all(texts), message.id
    assert len(catalogue) == len(translations.template())


@pytest.mark.parametrize("language", OTHERS)
def test_the_compiled_catalogue_is_up_to_date(language: str) -> None:
    path = translations.path_of(language)
    with path.with_suffix(".mo").open("rb") as file:
        shipped = gettext.GNUTranslations(file)
    for message in translations.read(language):
        if not message.id:
            continue
        if message.pluralizable:
            one, several = message.id
            for number in (1, 2, 5):
                form = shipped.plural(number)
                assert shipped.ngettext(one, several, number) == message.string[form]
        elif message.context:
            assert shipped.pgettext(message.context, message.id) == message.string
        else:
            assert shipped.gettext(message.id) == message.string


@pytest.mark.parametrize("language", OTHERS)
def test_placeholders_agree(language: str) -> None:
    for message in translations.read(language):
        if not message.id or message.context:
            continue
        originals = message.id if message.pluralizable else (message.id,)
        texts = message.string if message.pluralizable else (message.string,)
        known = set().union(*map(fields, originals))
        # Languages without plural forms have one text, which is that for several.
        expected = originals if len(texts) > 1 or not message.pluralizable else originals[1:]
        for original, text in zip(expected, texts, strict=True):
            assert fields(text) <= known, text
            assert attributes(text) <= {"one", "all", "many", "start"}, text
            assert fields(original) & CONTENT - {"cells"} <= fields(text), text
            assert fields(original) - fields(text) <= COUNTERS | {"symbol", "value", "cells"}, text
            assert ("cells" in fields(text)) == ("cells" in fields(original)), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_symbols_and_numbers_have_all_forms(language: Language) -> None:
    numbers = [wording.Number(number).words(Style(language)) for number in range(23)]
    assert len(set(numbers)) == 23
    assert numbers[21:] == ["21", "22"]
    for symbols in get_args(Symbols):
        zero, one = (wording.Symbol(value).words(Style(language, symbols)) for value in "01")
        for form in ("one", "all", "many"):
            assert getattr(zero, form)
            assert getattr(zero, form) != getattr(one, form)


@pytest.mark.parametrize("language", OTHERS)
def test_techniques_have_names(language: Language) -> None:
    names = [technique_name(each.name, language) for each in TECHNIQUES]
    assert len(set(names)) == len(TECHNIQUES)
    # Some words are the same in several languages, such as sandwich, but not most of them.
    assert sum(name == each.name for name, each in zip(names, TECHNIQUES, strict=True)) <= 2


def all_of(message: Message) -> tuple[str, ...]:
    return tuple(filter(None, (message.one, message.several)))


def test_highlighted_sentences_name_no_cells() -> None:
    named = {"reason", "pair", "pairs", "both", "first", "last", "broken_cells", "linked"}
    for message in HIGHLIGHTED.values():
        for text in all_of(message):
            assert not fields(text) & (named | {"cells", "tried", "all_linked", "zeros"}), text
    for name, message in TEMPLATES.items():
        if name not in HIGHLIGHTED:
            assert not any(fields(text) & named for text in all_of(message)), name


@examples(2)
@given(puzzles() | unique_puzzles(), styles)
def test_sentences_in_every_style(puzzle: Puzzle, style: Style) -> None:
    try:
        path = [step for steps in rounds(puzzle, techniques=TECHNIQUES[:-1]) for step in steps]
    except Contradictory:
        return
    for step in path:
        check_sentences(step.in_style(style))


def check_sentences(step: Step) -> None:
    style, sentence = step.style, step.sentence
    texts = [sentence]
    if step.chain:
        texts += [step.chain.sentence, step.chain.broken.sentence]
        for each in step.chain.steps:
            check_sentences(each)
    for text in texts:
        assert text.endswith("。" if style.language == "ja" else ".")
        assert "{" not in text
        if style.coordinates != "rc":
            assert not re.search(r"r\d+c\d+", text)
        if style.coordinates == "none":
            assert not re.search(r"\b[A-Z]\d", text)
        if style.symbols != "digits":
            assert not re.search(r"\b[01]\b|\b[01]s", strip_numbers(text, style)), text
    # Where a line has one completion, the sentence shows it for all open cells.
    is_whole = "projection.one" in step.phrase.templates and len({*step.values.values()}) == 2
    if style.coordinates != "none" and not is_whole:
        for cell in step.values:
            assert wording.cell_name(cell, style) in sentence


def strip_numbers(text: str, style: Style) -> str:
    """A text without the names of lines and cells, and without numbers of things."""
    text = re.sub(r"r\d+c\d+|[A-Z]\d+", "", text)
    if style.language == "ja":
        return re.sub(r"\d+(行目|列目|個|手|つ|マス|か所)", "", text)
    return re.sub(
        r"(row|column|zeile|spalte|ligne|colonne|fila|columna|rij|kolom) \d+", "", text, flags=re.I
    )


def test_a_sentence_in_each_language() -> None:
    expected = {
        "en": "r2c4 and r3c4 are both suns. A third sun would make three in a row, so r1c4 and "
        "r4c4 are moons.",
        "de": "r2c4 und r3c4 sind Sonnen. Drei Sonnen in Folge sind nicht erlaubt, also sind r1c4 "
        "und r4c4 Monde.",
        "es": "r2c4 y r3c4 son soles. No puede haber soles en tres casillas seguidas, así que r1c4 "
        "y r4c4 son lunas.",
        "fr": "r2c4 et r3c4 sont des soleils. On ne peut pas avoir trois soleils de suite, donc "
        "r1c4 et r4c4 sont des lunes.",
        "ja": "r2c4とr3c4はどちらも太陽です。太陽は3つ続けて並べられないので、r1c4とr4c4は月です。",
        "nl": "r2c4 en r3c4 zijn allebei een zon. Een derde zon zou er drie op een rij maken, dus "
        "r1c4 en r4c4 zijn manen.",
    }
    for language in LANGUAGES:
        hint = bn.hint("..1. ...0 ..10 .0..", language=language, symbols="sunmoon")
        assert str(hint) == expected[language]


@pytest.mark.parametrize(("style", "name"), [
    (Style(), "r30c28"),
    (Style(coordinates="a1"), "AB30"),
    (Style(coordinates="none"), "the highlighted cell"),
])  # fmt: skip
def test_names_of_cells(style: Style, name: str) -> None:
    assert Cells((Cell(29, 27),)).words(style) == name


def test_columns_are_named_as_in_spreadsheets() -> None:
    names = [column_name(number, "a1") for number in (0, 25, 26, 51, 52, 701, 702)]
    assert names == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


@pytest.mark.parametrize(("board", "sentence"), [
    ("0" + "." * 35, "A1 ist eine 0, vorgegeben ist dort aber eine 1."),
    ("." * 35 + "0", "F6 ist falsch."),
    ("." * 32 + "1..0", "C6 ist falsch und noch ein weiteres Feld."),
    (KNOWN, "Alle Felder sind ausgefüllt."),
])  # fmt: skip
def test_mistakes_and_ends_in_german(board: str, sentence: str) -> None:
    start = bn.Board(6, 6, board)
    hint = bn.hint(f"6x6:{UNIQUE}", start, language="de", coordinates="a1")
    assert str(hint) == sentence


@pytest.mark.parametrize("form", ["text", "svg", "html"])
def test_pictures_in_another_language(form: str, tmp_path: Path) -> None:
    puzzle = next(iter(read_sources([HARD]))).puzzle
    assert puzzle
    step = bn.hint(puzzle, language="nl", symbols="circles", coordinates="a1").step
    options = ("--hint", "--language", "nl", "--symbols", "circles", "--coordinates", "a1")
    out = tmp_path / f"hint.{form}"
    text = Path(HARD).read_text(encoding="utf-8").split("\n\n")[0]
    assert call("render", "-", *options, "--to", form, "-o", str(out), "-q", input=text)[0] == 0
    said = re.sub("<[^>]*>", " ", out.read_text(encoding="utf-8"))
    assert step.sentence in " ".join(said.split())
    assert re.search(r"\bA\b.*\bB\b.*\bC\b", said, re.DOTALL)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("coordinates", get_args(Coordinates))
def test_smallest_explanations_in_every_language(
    language: Language, coordinates: Coordinates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_steps, "_by_technique", lambda *_: iter(()))
    puzzle = next(iter(read_sources([HARD]))).puzzle
    assert puzzle
    board = bn.Board(6, 6, "1010..0..0.11..10...0110.010.10101..")
    step = bn.hint(puzzle, board, best=True, language=language, coordinates=coordinates).step
    assert step.technique == "smallest set"
    assert step.name == technique_name("smallest set", language)
    assert (step.name == "smallest set") == (language == "en")
    texts = [step.sentence, step.support.sentence, *(e.sentence for e in step.support.constraints)]
    assert all("{" not in text for text in texts)
    assert any("r2c2" in text for text in texts) == (coordinates == "rc")
    if language != "en":
        english = bn.hint(puzzle, board, best=True, coordinates=coordinates).step
        assert not {step.sentence, step.support.sentence} & {
            english.sentence,
            english.support.sentence,
        }


def test_symbols_of_a_sequence_stay_on_one_line() -> None:
    assert wording.Ways(("01", "10")).words(Style(symbols="sunmoon")) == "☀\u2060☾ or ☾\u2060☀"


def test_french_signs_stand_after_spaces_that_do_not_break() -> None:
    for table in (TEMPLATES, HIGHLIGHTED, WORDS):
        for message in table.values():
            for form in wording.forms(message, "fr"):
                assert "'" not in form
                assert not re.search(" [:;!?]", form)
