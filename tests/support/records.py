from __future__ import annotations

from collections.abc import Iterable

from binairo_cp.batch import pipeline
from binairo_cp.batch.blocks import BlockSizer, number_blocks
from binairo_cp.batch.tasks import Task
from binairo_cp.formats import Block, schema
from binairo_cp.formats.results import ResultRecord
from binairo_cp.workers.executors import WorkerSettings

HERE = WorkerSettings(0)


def records_of(
    blocks: Iterable[Block], task: Task, settings: WorkerSettings = HERE
) -> list[ResultRecord]:
    """Run a task on blocks of puzzles, and return the records that the batch writes."""
    sizer = BlockSizer(max(1, settings.workers))
    return [
        schema.from_json(ResultRecord, text)
        for part in pipeline.process_blocks(number_blocks(blocks), task, "ndjson", sizer, settings)
        for text in part.text.split("\n")[:-1]
    ]
