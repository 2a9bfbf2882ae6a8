"""What jobs can be asked for: the requests of the other routes, with larger bounds."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, create_model

from binairo_cp.service import problems
from binairo_cp.service.asks import TASKS, CountAsk, FewestAsk, TaskAsk
from binairo_cp.service.orders import GenerateAsk

Kind = Literal["batch", "generate", "fewest", "count"]
KINDS: tuple[Kind, ...] = ("batch", "generate", "fewest", "count")
USUAL_VERB = "check"

JobAsk = TaskAsk | GenerateAsk


def _model(name: str, base: type[BaseModel], **words: str) -> type[JobAsk]:
    """A request with words that say what it is."""
    fields: dict[str, Any] = {key: (Literal[word], word) for key, word in words.items()}
    made = create_model(name, __base__=base, __doc__=base.__doc__, **fields)
    return cast("type[JobAsk]", made)


MODELS: dict[tuple[str, str], type[JobAsk]] = {
    **{
        ("batch", verb): _model(f"Batch{verb.title()}Job", base, kind="batch", verb=verb)
        for verb, base in TASKS.items()
    },
    ("generate", ""): _model("GenerateJob", GenerateAsk, kind="generate"),
    ("fewest", ""): _model("FewestJob", FewestAsk, kind="fewest"),
    ("count", ""): _model("CountJob", CountAsk, kind="count"),
}
"""The requests by kind and, of batches, by what is done with each puzzle."""


def model_of(fields: dict[str, Any]) -> type[JobAsk]:
    """The request that fields are meant to be.

    Raises:
        Problem: there is none such.
    """
    kind = fields.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise problems.invalid(f"expected kind: {', '.join(KINDS)}", "/kind")
    if kind != "batch":
        return MODELS[kind, ""]
    verb = fields.get("verb", USUAL_VERB)
    if not isinstance(verb, str) or verb not in TASKS:
        raise problems.invalid(f"expected verb: {', '.join(TASKS)}", "/verb")
    return MODELS[kind, verb]
