"""The JSON Schema of each kind of record."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from binairo_cp.features.feature import Option, checked, feature

Record = Literal["result", "puzzle", "manifest", "verification", "difference"]


@feature()
def schema(
    record: Annotated[
        Record,
        Option(
            "The record: a result, an input puzzle, the manifest of a certificate, or the output "
            "of verify or diff.",
            is_positional=True,
        ),
    ] = "result",
) -> dict[str, Any]:
    """Show the JSON Schema of a kind of record.

    >>> import binairo_cp as bn
    >>> bn.schema("puzzle")["title"]
    'PuzzleRecord'

    Raises:
        OptionError: there is no such record.
    """
    # Imported here, because they load pydantic.
    from binairo_cp.certificates.record import Manifest
    from binairo_cp.formats import schema as records

    checked(schema, locals())
    model = Manifest if record == "manifest" else getattr(records, f"{record.title()}Record")
    described: dict[str, Any] = model.model_json_schema()
    return described
