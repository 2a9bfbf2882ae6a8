"""Kernels give the golden results, compiled and uncompiled, and the compiled are current."""

import json
import os
import subprocess
import sys
from importlib import import_module

import pytest

from build_tools import joining
from build_tools.kernels import KERNELS
from tests.kernels import golden

PROGRAM = """
import json, sys
from importlib import import_module
areas = {name: import_module(f"tests.kernels.golden.{name}") for name in sys.argv[1:]}
print(json.dumps({name: area.quick() for name, area in areas.items()}))
"""
QUICK = [each for each in golden.areas() if each != "lanes"]


@pytest.mark.parametrize("areas", [QUICK, pytest.param(["lanes"], marks=pytest.mark.slow)])
def test_sources_give_the_same_results(areas: list[str]) -> None:
    """A part of the golden results, in a process that runs the sources."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *areas],
        env=os.environ | {"BINAIRO_KERNELS": "source"},
        capture_output=True,
        text=True,
        check=True,
    )
    for area, found in json.loads(run.stdout).items():
        kept = golden.kept(area)
        for name, value in found.items():
            assert value == kept[name], (area, name)


@pytest.mark.parametrize("kernel", KERNELS)
def test_compiled_kernels_are_those_of_the_sources(kernel: str) -> None:
    """After a change of a kernel, `make` compiles it again."""
    module = import_module(f"binairo_cp.kernels.{kernel}")
    assert module.__file__.endswith((".so", ".pyd")), f"{kernel} is not compiled; run make"
    assert joining.digest_of(kernel) == module.SOURCES, f"{kernel} is out of date; run make"


@pytest.mark.parametrize("part", ["quick", pytest.param("results", marks=pytest.mark.slow)])
@pytest.mark.parametrize("area", golden.areas())
def test_results_are_those_kept(area: str, part: str) -> None:
    """A difference is a fault, unless changelog.d names it."""
    found, expected = golden.computed(area, part), golden.kept(area)
    assert found
    assert found.keys() == expected.keys() or part == "quick"
    for name, value in found.items():
        assert expected[name] == value, name
