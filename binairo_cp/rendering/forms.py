"""What can be drawn, and how its files are named."""

from typing import Literal

Form = Literal["text", "svg", "png", "pdf", "html"]

FORMS: dict[Form, tuple[str, ...]] = {
    "text": (".txt",),
    "svg": (".svg",),
    "png": (".png",),
    "pdf": (".pdf",),
    "html": (".html", ".htm"),
}
"""The endings of the files of each form."""
