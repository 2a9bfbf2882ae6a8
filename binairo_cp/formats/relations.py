"""Signs that a text lists beside a board: ``R1C1 = R1C2``, ``R4C5 and R4C6 must be different``."""

from __future__ import annotations

import re

from binairo_cp.errors import FormatError

_CELL = r"(?<![a-wyz])r(?:ow)?\s?([0-9]{1,3}),?\s?c(?:ol(?:umn)?)?\s?([0-9]{1,3})"
_PLACE = rf"(?:{_CELL.replace('([', '(?:[')}|[(\[][0-9]+,\s?[0-9]+[)\]]|\b[a-z][0-9]{{1,2}})"
_MARK = r"\s*(=+|[x\u00d7\u2260🟰❌✖✕]|!=|<>)\s*"
_SAME = "equal|same|alike"
_SAID = rf"\s*(?:and|&|,|/|-)\s*%s[^.;0-9]*?\b({_SAME}|differ|opposite|unequal|not equal)"
_LISTED = re.compile(rf"{_CELL}{_MARK}{_CELL}|{_CELL}{_SAID % _CELL}", re.IGNORECASE)
_ANY = re.compile(rf"{_PLACE}(?:{_MARK}{_PLACE}|{_SAID % _PLACE})", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"\b(?:row|col(?:umn)?)s?\s*[0-9].{0,80}?\b(?:cross|equals?|opposite|sign|same|differ)"
    r"|\b(?:cross|equals|sign)\b.{0,80}?\b(?:row|col(?:umn)?)s?\s*[0-9]"
    r"|\b(?:equal|opposite|same|differ\w*|gleich|signs?)\b[^0-9]{0,20}\b(?:r[0-9]+c|[a-z])[0-9]"
    r"|\b(?:horizontal|vertical)\b.{0,40}?\bsigns?\b"
    r"|[0-9][)\]]\s*\|\s*[(\[][0-9]",
    re.IGNORECASE,
)
"""Signs that are described, or stand in a table of places."""
_ROW = re.compile(r"\s*(?:[01._?-]{4}|(?:id|rules)\s*:)", re.IGNORECASE)
"""What begins a row, or a header of the text format that may hold anything."""
_DIGITS = re.compile(r"[0-9][^0-9]+[0-9]")


def are_in(line: str) -> bool:
    """Whether a line says how two cells compare; no row or header may stand before."""
    if _ROW.match(line) or (not any(map(str.isdigit, line)) and "signs" not in line.lower()):
        return False
    return bool(_DIGITS.search(line) and _ANY.search(line)) or _IN_WORDS.search(line) is not None


def are_told(line: str) -> bool:
    """Whether a line says in other words what follows, as in a table or a drawing of signs."""
    return _IN_WORDS.search(line) is not None and not _LISTED.search(line)


def signs_in(line: str) -> str:
    """The signs that a line lists, as in the header ``signs:``; empty if it lists none.

    Raises:
        FormatError: it has signs in another form.
    """
    if not are_in(line):
        return ""
    signs = [_sign(match) for match in _LISTED.finditer(line)]
    if not signs or re.search("[0-9]", _LISTED.sub("", line)):
        message = "signs between cells in a form that is not known"
        raise FormatError(message, expected="row and column of two neighbours: r1c1=r1c2 r2c3xr3c3")
    return " ".join(signs)


def _sign(match: re.Match[str]) -> str:
    row, column, *rest = filter(None, match.groups())
    mark = next(part for part in rest if not part.isdigit())
    below = [part for part in rest if part.isdigit()]
    relation = "=" if mark[0] in "=🟰" or re.fullmatch(_SAME, mark.lower()) else "x"
    return f"r{row}c{column}{relation}r{below[0]}c{below[1]}"
