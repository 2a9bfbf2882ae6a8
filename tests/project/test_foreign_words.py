"""No message that reaches a user is in the words of a library."""

import re
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from binairo_cp.errors import OptionError
from binairo_cp.features.feature import OptionField, features, options_of
from binairo_cp.service import problems
from binairo_cp.service.bodies import BODIES
from tests.support.command_line import call

FOREIGN = re.compile(
    r"Value error|Input should|(String|List|Tuple|Dictionary) should|Field required|Extra inputs"
    r"|valid (integer|number|string|boolean|list|dictionary)|unable to parse|Errno|pydantic"
)
WRONG: list[Any] = [
    "?", "", -(10**9), 10**9, 1.5, float("inf"), True, [], ["?"], {}, {"?": 1}, None,
]  # fmt: skip


def parsed(each: OptionField) -> bool:
    """Whether the command line reads the option as a number or as one of some words."""
    kinds = get_args(each.type) or (each.type,)
    return (
        each.option.on_command_line
        and not each.option.is_positional
        and (
            bool({int, float} & {*kinds})
            or get_origin(each.type) is Literal
            or any(get_origin(kind) is Literal for kind in kinds)
        )
    )


OPTIONS = sorted(
    {
        (name, each.option.flags[0] if each.option.flags else f"--{each.name.replace('_', '-')}")
        for name, feature in features().items()
        for each in options_of(feature.function)
        if parsed(each) and name not in ("read", "write")
    }
)


@pytest.mark.parametrize(("command", "flag"), OPTIONS)
def test_wrong_options_of_commands(command: str, flag: str) -> None:
    status, _, errors = call(command, flag, "?!")
    assert status == 2
    assert not FOREIGN.search(errors)


@pytest.mark.parametrize("name", BODIES)
def test_wrong_fields_of_bodies(name: str) -> None:
    model: type[BaseModel] = BODIES[name]
    seen = 0
    for field in [*model.model_fields, "unknown"]:
        for value in WRONG:
            try:
                model.model_validate({field: value})
                continue
            except OptionError as error:
                said = [str(error)]
            except ValidationError as error:
                problem = problems.from_validation(error)
                said = [problem.detail, *(fault.detail for fault in problem.faults)]
            seen += 1
            assert not FOREIGN.search("\n".join(said)), said
    assert seen
