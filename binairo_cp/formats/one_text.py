"""Read a text that should be one puzzle, in any format."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from binairo_cp import formats
from binairo_cp.errors import FormatError
from binairo_cp.formats.entry import Entry
from binairo_cp.puzzle.rules import Rules


def read(text: str, source: str, format: str, rules: Rules | None) -> Entry:
    """The entry of a text; it has an error if the text is not exactly one puzzle.

    Args:
        text: the text.
        source: the name of its source.
        format: its format, or ``auto``.
        rules: the rules of a puzzle that states none.
    """
    data = text.encode(errors="surrogatepass")
    entries = list(islice(formats.read_bytes(data, source, format, rules), 2))
    if len(entries) == 1:
        # "1" is only the position in this text. The caller numbers the texts.
        return replace(entries[0], id=None) if entries[0].id == "1" else entries[0]
    error = FormatError("a text with several puzzles", source=source, expected="one")
    return Entry(error=error, source=source, line=entries[1].line)
