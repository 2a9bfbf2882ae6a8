"""The requests for jobs: those of the other routes, with larger bounds."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, create_model

from binairo_cp.service import problems
from binairo_cp.service.bodies import GENERATE, TASKS, GenerateBody, TaskBody

Kind = Literal["batch", "generate", "fewest", "count"]
KINDS: tuple[Kind, ...] = ("batch", "generate", "fewest", "count")
USUAL_VERB = "check"

JobBody = TaskBody | GenerateBody


def _model(name: str, base: type[BaseModel], **words: str) -> type[JobBody]:
    """A request with words that say what it is."""
    fields: dict[str, Any] = {key: (Literal[word], word) for key, word in words.items()}
    made = create_model(name, __base__=base, __doc__=base.__doc__, **fields)
    return cast("type[JobBody]", made)


MODELS: dict[tuple[str, str], type[JobBody]] = {
    **{
        ("batch", verb): _model(f"Batch{verb.title()}Job", base, kind="batch", verb=verb)
        for verb, base in TASKS.items()
    },
    ("generate", ""): _model("GenerateJob", GENERATE, kind="generate"),
    ("fewest", ""): _model("FewestJob", TASKS["fewest"], kind="fewest"),
    ("count", ""): _model("CountJob", TASKS["count"], kind="count"),
}
"""The requests by kind and, of batches, by what is done with each puzzle."""


def model_of(fields: dict[str, Any]) -> type[JobBody]:
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
