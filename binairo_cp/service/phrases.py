"""The sentences that the page writes without the server, in all languages, for `phrases.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from binairo_cp.deduction.messages import HIGHLIGHTED, TEMPLATES, WORDS, Message
from binairo_cp.deduction.styles import LANGUAGES, Language
from binairo_cp.deduction.wording import forms

_TECHNIQUES = ("pair", "sandwich", "sign", "count", "last one", "projection", "mistake", "wrong")
"""The beginnings of the names of the templates that `static/techniques.js` needs."""
_WITHOUT = ("now", "later", "chain")
"""The ends of those that it does not need."""


def as_json() -> str:
    """All templates and words by language, each with its forms: for one, and for several."""
    every = {language: _of(language) for language in LANGUAGES}
    return json.dumps(every, ensure_ascii=False, separators=(",", ":"))


def _of(language: Language) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        "templates": _selected(TEMPLATES, language),
        "highlighted": _selected(HIGHLIGHTED, language),
        "words": {name: forms(message, language) for name, message in WORDS.items()},
    }


def _selected(messages: Mapping[str, Message], language: Language) -> dict[str, tuple[str, ...]]:
    return {
        name: forms(message, language)
        for name, message in messages.items()
        if name.startswith(_TECHNIQUES) and not name.endswith(_WITHOUT)
    }
