"""How does a file of events become a table of what two indexes do differently?"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from eligo.data.file_format import FileFormat
from eligo.index.build_summary import Clock, OnStage, silent
from eligo.index.events.event_source import OnError
from eligo.index.stored.opened_version import index_version
from eligo.spark.matching.diff import diff, diff_rejects
from eligo.spark.matching.match_files import Output
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables import tables
from eligo.spark.tables.event_files import EventColumns, open_event_file


@dataclass(frozen=True)
class DiffSummary:
    """What a comparison has seen."""

    num_events: int
    """Read, rejected ones included."""
    num_rejected: int
    """That one of the two indexes cannot read; they count for neither."""
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
    rejects: str | None = None,
    on_error: OnError = "reject",
    on_stage: OnStage = silent,
) -> DiffSummary:
    """Write what changes for the events of a file; arguments as in `diff` and `match_files`.

    Events that cannot be read are counted, and written to the table `rejects` if one is named; with
    `on_error="raise"` the first of them ends the job.
    """
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
            on_error="keep" if on_error == "reject" else on_error,
            **file.options,
        ).persist()
        try:
            is_change = F.col("expression_id").isNotNull()
            ordered = changes.where(is_change).orderBy(F.desc(F.col("gained") + F.col("lost")), "expression_id")
            Output(out, out_format, overwrite).write(ordered.drop("rejected"))
            refused = F.sum("rejected") if on_error == "reject" else F.lit(0)
            totals = changes.agg(F.count("expression_id"), F.sum("gained"), F.sum("lost"), refused).toArrow()
        finally:
            changes.unpersist()
    changed, gained, lost, num_rejected = (_number(column) for column in totals.columns)
    if rejects is not None:
        with clock.stage("rejects"), described(spark, f"eligo diff rejects: {events}"), worker_errors():
            bad = diff_rejects(file.events, before, after, **file.options)
            tables.write_table((bad if num_rejected else bad.limit(0)).toArrow(), rejects)
    return DiffSummary(
        num_events=file.num_events(),
        num_rejected=num_rejected,
        num_changed=changed,
        num_gained=gained,
        num_lost=lost,
        old_version=before.number,
        new_version=after.number,
        seconds=sum(clock.seconds.values()),
    )


def _number(column: pa.ChunkedArray) -> int:
    return int(column[0].as_py() or 0)
