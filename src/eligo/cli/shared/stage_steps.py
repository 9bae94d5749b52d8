"""How are the stages of a job shown? Each as a step, which says how far it is in rows, or in tasks of Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eligo.cli.shared.steps import Steps
from eligo.index.stages import Stage, StageName

TITLES = {
    StageName.CHECK: "check expressions",
    StageName.VOCABULARY: "merge vocabularies",
    StageName.BUILD: "build shards",
    StageName.PUBLISH: "publish",
    StageName.MATCH: "match events",
    StageName.TOP: "rank matches",
    StageName.COUNT: "count matches",
    StageName.DIFF: "compare matches",
    StageName.REJECTS: "write rejects",
}


def shown_stages(
    steps: Steps, spark: Any, *, read: str = "read rows", num_rows: int | None = None
) -> Callable[[Stage], None]:
    """Shows stages one after another, `read` as the first; the last one is for the caller to finish.

    Where there is no Spark, tasks are not counted.
    `num_rows` is how many the stages after it have that do not say so themselves, where that is known.
    """

    def tasks() -> tuple[int, int]:
        if spark is None:
            return 0, 0
        from eligo.spark.session.progress import running_tasks

        return running_tasks(spark)

    begun: list[Stage] = []

    def on_stage(stage: Stage) -> None:
        is_reading = stage.name is StageName.READ
        rows = num_rows if stage.num_rows is None and not is_reading else stage.num_rows
        if begun:
            steps.finish()
        begun.append(stage)
        steps.begin(read if is_reading else TITLES[stage.name], tasks, rows, stage.rows_done)

    return on_stage
