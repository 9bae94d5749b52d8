"""How does a file of events become a table of what two indexes do differently?"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from eligo.data.file_format import FileFormat
from eligo.spark.build_summary import Clock, OnStage, silent
from eligo.spark.diff import diff
from eligo.spark.event_files import EventColumns, open_event_file
from eligo.spark.events import OnError
from eligo.spark.job_description import described
from eligo.spark.match_files import Output
from eligo.spark.opened_index import index_version


@dataclass(frozen=True)
class DiffSummary:
    """What a comparison has seen."""

    num_events: int
    num_changed: int
    """Expressions whose matches differ."""
    num_gained: int
    num_lost: int
    """Matches that only the new index, and only the old one, has."""
    old_version: int
    new_version: int
    seconds: float


def diff_files(
    spark: SparkSession,
    old: str,
    new: str,
    events: str,
    out: str | None,
    *,
    old_version: int | None = None,
    new_version: int | None = None,
    samples: int = 5,
    columns: EventColumns | None = None,
    format: FileFormat | None = None,
    out_format: FileFormat | None = None,
    overwrite: bool = False,
    on_error: OnError = "reject",
    on_stage: OnStage = silent,
) -> DiffSummary:
    """Write what changes for the events of a file; arguments as in `diff` and `match_files`."""
    clock = Clock(on_stage)
    before, after = index_version(old, old_version), index_version(new, new_version)
    with clock.stage("read"), described(spark, f"eligo: read {events}"):
        file = open_event_file(spark, events, after, columns or EventColumns(), format=format)
    with clock.stage("diff"), described(spark, f"eligo diff: {events}, {old} against {new}"):
        changes = diff(
            file.events,
            before,
            after,
            samples=samples,
            on_error=on_error,
            **file.options,
        ).persist()
        try:
            ordered = changes.orderBy(F.desc(F.col("gained") + F.col("lost")), "expression_id")
            Output(out, out_format, overwrite).write(ordered)
            totals = changes.agg(F.count(F.lit(1)), F.sum("gained"), F.sum("lost")).toArrow()
        finally:
            changes.unpersist()
    changed, gained, lost = (_number(column) for column in totals.columns)
    return DiffSummary(
        num_events=file.num_events(),
        num_changed=changed,
        num_gained=gained,
        num_lost=lost,
        old_version=before.number,
        new_version=after.number,
        seconds=sum(clock.seconds.values()),
    )


def _number(column: pa.ChunkedArray) -> int:
    return int(column[0].as_py() or 0)
