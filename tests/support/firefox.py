"""Firefox for tests: Debian's, driven by Mozilla's own protocol, Marionette."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import programs


@contextmanager
def firefox(folder: Path) -> Iterator[Any]:
    """Start the browser with its log in a folder, or skip the test if it is not installed."""
    path = programs.needed("firefox-esr")
    try:
        from marionette_driver.marionette import Marionette
    except ImportError:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "marionette_driver is not installed"
        pytest.skip("marionette_driver is not installed")
    browser = Marionette(
        bin=path, headless=True, port=0, gecko_log=str(folder / "firefox.log"), startup_timeout=300
    )
    try:
        browser.start_session()
        yield browser
    finally:
        browser.cleanup()
        browser.instance.profile.cleanup()
