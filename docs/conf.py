"""Settings of Sphinx for the documentation site; `python -m docs.site` builds it.

The source is the whole clone, so that links between the docs, the README and the results of the
benchmarks are the same on the site as in the files.
"""

from __future__ import annotations

from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

from docs import site_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent

project = "binairo_cp"
author = "The binairo_cp authors"
release = version = installed_version("binairo-cp")

extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "benchmarks/README.md",
    "docs/*.md",
    "instances/README.md",
    "models/README.md",
]
exclude_patterns = ["**/.*", "binairo_cp", "build", "dist", "tests"]
# Some examples are only the beginning of a request, and some languages have no highlighting. The
# results of the benchmarks are not in the menu.
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]

myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"binairo_cp {release}"
html_additional_pages = {"index": "to_front_page.html"}
html_copy_source = False
html_show_search_summary = False  # A browser can't read other pages without a server.
html_show_sphinx = False
smartquotes = False  # Options begin with two hyphens.
templates_path = ["site_templates"]


def setup(app: Sphinx) -> None:
    """Complete the pages that are partly made from code."""
    app.connect("source-read", site_pages.complete)
