"""Pydantic models of the requests for jobs, derived from those of the other routes."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, create_model

from binairo_cp.service import problems
from binairo_cp.service.bodies import BOOK, GENERATE, TASKS, BookBody, GenerateBody, TaskBody

Kind = Literal["batch", "generate", "book", "fewest", "count"]
KINDS: tuple[Kind, ...] = ("batch", "generate", "book", "fewest", "count")
DEFAULT_VERB = "check"

JobBody = TaskBody | GenerateBody | BookBody


def _model(name: str, base: type[BaseModel], **constants: str) -> type[JobBody]:
    """Extend a model with fields that have a constant value."""
    fields: dict[str, Any] = {key: (Literal[value], value) for key, value in constants.items()}
    model = create_model(name, __base__=base, __doc__=base.__doc__, **fields)
    return cast("type[JobBody]", model)


MODELS: dict[tuple[str, str], type[JobBody]] = {
    **{
        ("batch", verb): _model(f"Batch{verb.title()}Job", base, kind="batch", verb=verb)
        for verb, base in TASKS.items()
    },
    ("generate", ""): _model("GenerateJob", GENERATE, kind="generate"),
    ("book", ""): _model("BookJob", BOOK, kind="book"),
    ("fewest", ""): _model("FewestJob", TASKS["fewest"], kind="fewest"),
    ("count", ""): _model("CountJob", TASKS["count"], kind="count"),
}
"""The models by kind and verb. Only batches have a verb."""


def model_of(fields: dict[str, Any]) -> type[JobBody]:
    """The model for the `kind` and `verb` of a request.

    Raises:
        Problem: there is no such kind or verb.
    """
    kind = fields.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise problems.invalid(f"kind: expected one of {', '.join(KINDS)}", "/kind")
    if kind != "batch":
        return MODELS[kind, ""]
    verb = fields.get("verb", DEFAULT_VERB)
    if not isinstance(verb, str) or verb not in TASKS:
        raise problems.invalid(f"verb: expected one of {', '.join(TASKS)}", "/verb")
    return MODELS[kind, verb]
