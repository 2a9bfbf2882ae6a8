"""The pages with all commands and functions say what the help and the docstrings say."""

import pytest

from docs import listings


@pytest.mark.parametrize("name", ["commands.md", "api.md"])
def test_the_page_is_up_to_date(name: str) -> None:
    """`python -m docs.listings` writes it anew."""
    assert (listings.FOLDER / name).read_text() == listings.pages()[name]
