"""Join the JavaScript modules of a page in one file, and its style sheets in another.

So a browser needs one request for each.

Each module becomes a function that returns what it exports, after the modules that it imports. Only
the forms that the page uses are understood: imports of names, or of a whole module, from a file of
the same folder, and exported declarations. Anything else is an error, so that a module is never
joined wrongly.
"""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'import (?:\{([^}]+)\}|\* as (\w+)) from "\./(\w+)\.js";\n')
_EXPORT = re.compile(r"^export ((?:async )?(?:class|const|function\*?) ?\*? ?(\w+))", re.MULTILINE)
_STYLES = re.compile(r'^@import "\./(\w+\.css)";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_OPEN_TEMPLATE = re.compile(r"^[^`\n]*`(?:[^`\n]*`[^`\n]*`)*[^`\n]*$", re.MULTILINE)
"""A line with an odd number of backticks: a template that spans lines."""
_LEFT = re.compile(r'^(?: *(?:import|export)\b|.*\bimport\(").*', re.MULTILINE)


class BundleError(ValueError):
    """The modules can't be joined."""


def bundle(entry: Path) -> str:
    """The text of a module with all that it imports.

    Raises:
        BundleError: a module has an import or export that is not understood, or modules import each
            other.
    """
    done: dict[str, str] = {}
    _add(entry, done, ())
    return "".join(done.values())


def styles(path: Path) -> str:
    """The text of a style sheet with those that it imports from its folder."""
    text = path.read_text(encoding="utf-8")
    return _STYLES.sub(lambda found: styles(path.with_name(found[1])), text)


def _add(path: Path, done: dict[str, str], above: tuple[str, ...]) -> None:
    name = path.stem
    if name in above:
        raise BundleError(f"modules import each other: {' -> '.join((*above, name))}")
    if name in done:
        return
    text = path.read_text(encoding="utf-8")
    for _, _, imported in _IMPORT.findall(text):
        _add(path.with_name(f"{imported}.js"), done, (*above, name))
    done[name] = _wrapped(name, text)


def _wrapped(name: str, text: str) -> str:
    exported = ", ".join(each for _, each in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(_binding, text))
    body = _INDENT.sub("", _COMMENT.sub("", body))
    if left := _LEFT.search(body) or _OPEN_TEMPLATE.search(body):
        raise BundleError(f"{name}.js: {left[0].strip()[:80]!r} is not understood")
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _binding(found: re.Match[str]) -> str:
    names, whole, module = found.groups()
    if whole:
        return f"const {whole} = ${module};\n"
    return f"const {{{names.replace(' as ', ': ')}}} = ${module};\n"
