"""The requests for jobs, their records, and places in the list of jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, Field, create_model

from binairo_cp.errors import OptionError
from binairo_cp.formats.results import ErrorRecord
from binairo_cp.json_library import orjson
from binairo_cp.service.bodies import BOOK, GENERATE, TASKS, BookBody, GenerateBody, TaskBody
from binairo_cp.service.jobs.store import JobRow, JobState

Kind = Literal["batch", "generate", "book", "fewest", "count"]
KINDS: tuple[str, ...] = get_args(Kind)
DEFAULT_VERB = "check"

JobBody = TaskBody | GenerateBody | BookBody

_DAY = 86_400.0


def _model(name: str, base: type[BaseModel], **constants: str) -> type[JobBody]:
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
        OptionError: there is no such kind or verb.
    """
    kind = fields.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise OptionError("kind", f"expected one of {', '.join(KINDS)}")
    if kind != "batch":
        return MODELS[kind, ""]
    verb = fields.get("verb", DEFAULT_VERB)
    if not isinstance(verb, str) or verb not in TASKS:
        raise OptionError("verb", f"expected one of {', '.join(TASKS)}")
    return MODELS[kind, verb]


class Progress(BaseModel):
    """The progress of a job. Unknown values are absent."""

    records: int = Field(default=0, description="Number of results.")
    failed: int = Field(default=0, description="Number of results with an error.")
    verdicts: dict[str, int] = Field(default={}, description="Number of results by verdict.")
    done: int | None = Field(
        default=None, description="Progress towards `total`: bytes of the input, or puzzles."
    )
    total: int | None = None
    at_least: int | None = Field(
        default=None, description="Lower bound on the fewest clues of a single puzzle."
    )
    at_most: int | None = Field(
        default=None, description="Upper bound on the fewest clues of a single puzzle."
    )


class Links(BaseModel):
    """Paths of the routes of a job."""

    self: str
    results: str
    events: str
    file: str | None = Field(default=None, description="Of a book that is done: its file.")


class JobRecord(BaseModel):
    """A job."""

    id: str
    kind: Kind
    verb: str | None = Field(default=None, description="The route that a batch applies.")
    state: JobState
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    expires: datetime | None = Field(default=None, description="When it will be deleted.")
    progress: Progress
    error: ErrorRecord | None = None
    links: Links


class JobList(BaseModel):
    """Jobs, the latest first."""

    jobs: list[JobRecord]
    next: str | None = Field(
        default=None, description="The `cursor` of the next page; absent on the last page."
    )


def record_of(row: JobRow, keep_days: float) -> JobRecord:
    """The record of a job, which is deleted after some days."""
    path = f"/v1/jobs/{row.id}"
    expires = row.ended + keep_days * _DAY if row.ended and row.is_ended else None
    links = {"self": path, "results": f"{path}/results", "events": f"{path}/events"}
    if row.kind == "book" and row.state == "done":
        links["file"] = f"{path}/file"
    return JobRecord.model_validate(
        {
            **vars(row),
            "verb": row.verb or None,
            "expires": expires,
            "progress": orjson.loads(row.progress),
            "error": orjson.loads(row.error) if row.error else None,
            "links": links,
        }
    )
