"""The parts of the documentation site that are made from code.

The front page gets a menu of the pages that it lists, `commands.md` a link to the manual page, and
`api.md` links to the pages of the public modules.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import TYPE_CHECKING

from docs import reference

if TYPE_CHECKING:
    from sphinx.application import Sphinx

API_FOLDER = "api"
"""The folder of the API reference in the site."""

MANUAL_PAGE = "binairo.1"
"""Its file in the site."""

_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_LINK = re.compile(r"\[([^]]+)\]\(([^):#]+)\.md\)")
_MENU = """
```{{toctree}}
:hidden:
:caption: {caption}

{pages}
```
"""


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page what is made from code; Sphinx calls it with each text that it reads."""
    if page in _MADE:
        source[0] += "\n" + _MADE[page](source[0])


def _menu(text: str) -> str:
    """The menu of the site, with the links of each section of the front page."""
    menus = []
    for caption, section in _SECTION.findall(text):
        pages = "\n".join(f"{title} <{page}>" for title, page in _LINK.findall(section))
        menus.append(_MENU.format(caption=caption, pages=pages))
    return "".join(menus)


def _manual(text: str) -> str:
    """A link to the manual page."""
    return f'<a href="../{MANUAL_PAGE}">The manual page</a> has the same.\n'


def _modules(text: str) -> str:
    """A list of the public modules, with links to their pages."""
    rows = []
    for name in reference.PUBLIC:
        first, _, _ = (inspect.getdoc(import_module(name)) or "").partition("\n\n")
        link = f'<a href="../{API_FOLDER}/{name.replace(".", "/")}.html"><code>{name}</code></a>'
        rows.append(f"- {link}: {' '.join(first.split())}\n")
    return "## The pages of the modules\n\n" + "".join(rows)


_MADE = {"docs/index": _menu, "docs/commands": _manual, "docs/api": _modules}
