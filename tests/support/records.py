from __future__ import annotations

from collections.abc import Iterable

from binairo_cp.batch import pipeline
from binairo_cp.batch.pipeline import Pace
from binairo_cp.batch.tasks import Task
from binairo_cp.formats import Block
from binairo_cp.formats.schema import ResultRecord
from binairo_cp.workers.executors import Crew

HERE = Crew(0)


def records_of(blocks: Iterable[Block], task: Task, crew: Crew = HERE) -> list[ResultRecord]:
    """What a batch writes about the puzzles of blocks."""
    pace = Pace(max(1, crew.workers))
    return [
        ResultRecord.model_validate_json(text)
        for part in pipeline.process_blocks(
            pipeline.number_blocks(blocks), task, "ndjson", pace, crew
        )
        for text in part.text.split("\n")[:-1]
    ]
