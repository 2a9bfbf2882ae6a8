"""A new format, backend, technique, request, option or limit appears everywhere from its one row.

`tests.support.toys` adds a toy of each to the tables, in a separate process.
"""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.support.command_line import PATIENCE
from tests.support.toys import PUZZLE, SOLUTION

CODE = f"!{SOLUTION[:-4]}d\n"
"""The puzzle in the toy format."""


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.toys"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "COLUMNS": "250"},
    )
    assert not done.returncode, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def openapi(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report["http"]["openapi"][2])
    return found


class Menus(HTMLParser):
    """The options of the menus of a page: for each `id`, texts by value."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.menus: dict[str, dict[str, str]] = {}
        self._menu: dict[str, str] = {}
        self._value: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "select":
            self._menu = self.menus.setdefault(named["id"] or "", {})
        self._value = named["value"] if tag == "option" else None

    def handle_endtag(self, tag: str) -> None:
        self._value = None

    def handle_data(self, data: str) -> None:
        if self._value is not None:
            self._menu[self._value] = data


@pytest.fixture(scope="module")
def menus(report: dict[str, Any]) -> dict[str, dict[str, str]]:
    return Menus(report["http"]["page"][2]).menus


def values(schema: dict[str, Any]) -> list[Any]:
    """The choices that a JSON schema allows."""
    return [each for one in (schema, *schema.get("anyOf", ())) for each in one.get("enum", ())]


def record(answer: list[Any]) -> dict[str, Any]:
    """The record of a command or a response that succeeded."""
    status, _, text = answer if answer[0] == 200 else (answer[0], None, answer[1])
    assert status in (0, 200), answer
    found: dict[str, Any] = json.loads(text)
    return found


# A format


@pytest.mark.parametrize("option", ["--format", "--to"])
def test_the_help_lists_a_format(report: dict[str, Any], option: str) -> None:
    assert re.search(rf"{option} .*, toy\.", report["helps"]["convert"])


def test_commands_write_a_format_and_recognize_it(report: dict[str, Any]) -> None:
    commands = report["commands"]
    assert commands["convert"][:2] == [0, CODE]
    assert commands["ending"] == [0, "", CODE]
    assert commands["suffix"][:2] == [0, f"{PUZZLE}\n"]
    assert commands["sniffed"][:2] == [0, "3x3:0000.1111\n"]


def test_http_writes_a_format(report: dict[str, Any], openapi: dict[str, Any]) -> None:
    status, media_type, text = report["http"]["convert"]
    assert (status, media_type, text) == (200, "text/x-toy; charset=utf-8", CODE)
    schemas = openapi["components"]["schemas"]
    assert "toy" in values(schemas["ConvertRequest"]["properties"]["to"])
    assert "toy" in values(schemas["CheckRequest"]["properties"]["format"])
    answer = openapi["paths"]["/v1/convert"]["post"]["responses"]["200"]
    assert "text/x-toy" in answer["content"]


def test_the_page_exports_a_format(menus: dict[str, dict[str, str]]) -> None:
    assert menus["export-to"]["convert:toy"] == "A toy format"


def test_a_format_is_fuzzed(report: dict[str, Any]) -> None:
    fuzzing = report["fuzzing"]
    assert len(fuzzing["format"]) > 5
    assert all(seed.startswith("!") for seed in fuzzing["format"])
    assert set(fuzzing["format"]) <= set(fuzzing["auto"])


# A backend


def test_a_backend_appears(report: dict[str, Any], openapi: dict[str, Any]) -> None:
    assert re.search(r"--backend .*\btoy\b", report["helps"]["check"])
    for answer in (report["commands"]["check"], report["http"]["check"]):
        assert (record(answer)["verdict"], record(answer)["backend"]) == ("unique", "toy")
    for name in ("SolveRequest", "CheckRequest", "CountRequest"):
        properties = openapi["components"]["schemas"][name]["properties"]
        assert "toy" in values(properties["backend"])
        assert "toy" in values(properties["cross_check"])
    assert "toy" in report["fuzzing"]["backends"]


# A technique


def test_a_technique_gives_hints_and_grades(report: dict[str, Any]) -> None:
    assert "[toy] r6c3: 0, says a toy." in report["commands"]["hint"][1]
    (step,) = record(report["http"]["hint"])["steps"]
    assert (step["technique"], step["level"]) == ("toy", "beginner")
    for answer in (report["commands"]["grade"], report["http"]["grade"]):
        grade = record(answer)["grade"]
        assert (grade["level"], grade["placed"]) == ("beginner", {"toy": 4})
    assert "beginner" in report["commands"]["render"][1]


# A request


def test_a_request_is_a_command(report: dict[str, Any]) -> None:
    assert re.search(r"\btoy +Play with puzzles\.", report["helps"][""])
    assert re.search(
        r"--pieces .*1\.\.9.*How many toy pieces\..*default: 3", report["helps"]["toy"]
    )
    assert "binairo toy puzzle.txt" in report["helps"]["toy"]


def test_a_field_of_a_request_is_in_all_formats(report: dict[str, Any]) -> None:
    commands = report["commands"]
    assert record(commands["toy ndjson"])["toys"] == 12
    assert commands["toy text"][1].endswith("unique\n  toys: 12\n")
    assert commands["toy line"][1] == f"{SOLUTION} unique 1\n"
    assert commands["toy tsv"][1] == "1\t18\n"
    header, row = (line.split(",") for line in commands["toy csv"][1].splitlines())
    assert dict(zip(header, row, strict=True))["toys"] == "12"
    assert commands["parquet"] == [0, "", "[18]"]
    assert commands["python"][1] == "24"
    field = json.loads(commands["schema"][1])["properties"]["toys"]
    assert field["description"] == "How many toys."


def test_a_request_is_a_route_and_a_job(report: dict[str, Any], openapi: dict[str, Any]) -> None:
    assert record(report["http"]["toy"])["toys"] == 12
    status, _, problem = report["http"]["too many"]
    assert (status, json.loads(problem)["errors"][0]["pointer"]) == (422, "/pieces")
    route = openapi["paths"]["/v1/toy"]["post"]
    assert route["summary"] == "Play with puzzles."
    assert "pieces" in {each["name"] for each in route["parameters"]}
    pieces = openapi["components"]["schemas"]["ToyRequest"]["properties"]["pieces"]
    assert (pieces["minimum"], pieces["maximum"], pieces["default"]) == (1, 9, 3)
    assert "pieces" in openapi["components"]["schemas"]["BatchToyJob"]["properties"]


def test_the_page_offers_a_request_for_files(menus: dict[str, dict[str, str]]) -> None:
    assert menus["batch-verb"]["toy"] == "A toy request"
    assert "hint" not in menus["batch-verb"]


# An option of rendering


def test_an_option_of_rendering_appears(report: dict[str, Any], openapi: dict[str, Any]) -> None:
    assert re.search(r"--toy-frame .*Draw a toy frame\.", report["helps"]["render"])
    assert report["commands"]["render"][0] == 0
    assert report["http"]["render"][0] == 200
    option = openapi["components"]["schemas"]["RenderRequest"]["properties"]["toy_frame"]
    assert (option["type"], option["default"]) == ("boolean", False)
    route = openapi["paths"]["/v1/render"]["post"]
    assert "toy_frame" in {each["name"] for each in route["parameters"]}


# A limit of the server


def test_a_limit_appears(report: dict[str, Any], openapi: dict[str, Any]) -> None:
    assert re.search(r"--toy-bytes +KIB .*Size of a toy\..*default: 2\]", report["helps"]["serve"])
    assert record(report["http"]["limits"])["toy_bytes"] == 2048
    limit = openapi["components"]["schemas"]["Limits"]["properties"]["toy_bytes"]
    assert (limit["default"], limit["description"]) == (2048, "Size of a toy.")


# The page has no other menus.


def test_the_menus_of_the_page_are_complete(menus: dict[str, dict[str, str]]) -> None:
    rules = {"classic": "Binairo", "unruly": "Unruly", "plus": "Binairo+", "tango": "Tango"}
    for name in ("edit-rules", "paste-rules", "batch-rules"):
        assert rules.items() <= menus[name].items()
    assert menus["export-to"]["encode:dimacs"] == "CNF (DIMACS)"
    assert all(menus[name] for name in menus if name != "several")
