"""The output formats of pictures and their file name extensions."""

from typing import Literal

Form = Literal["text", "svg", "png", "pdf", "html"]

FORMS: dict[Form, tuple[str, ...]] = {
    "text": (".txt",),
    "svg": (".svg",),
    "png": (".png",),
    "pdf": (".pdf",),
    "html": (".html", ".htm"),
}
"""The file name extensions of each format."""
