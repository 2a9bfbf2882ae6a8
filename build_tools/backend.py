"""setuptools' build back end, which also asks for a C compiler where the machine has none."""

from __future__ import annotations

import os
from typing import Any

from kernels import has_compiler
from setuptools.build_meta import *  # noqa: F403
from setuptools.build_meta import get_requires_for_build_editable as _for_editable
from setuptools.build_meta import get_requires_for_build_wheel as _for_wheel


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What a wheel is built with."""
    return _for_wheel(config_settings) + _compiler()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """What an editable installation is built with."""
    return _for_editable(config_settings) + _compiler()


def _compiler() -> list[str]:
    """The package with zig's C compiler, unless there is a compiler or none is wanted."""
    is_needed = os.environ.get("BINAIRO_BUILD") != "none" and not has_compiler()
    return ["ziglang>=0.13"] if is_needed else []
