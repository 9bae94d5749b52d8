"""How does a file of events become a table of what two indexes do differently? As a job that asks both."""

from __future__ import annotations

from typing import Unpack

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from eligo.index.stages import StageName
from eligo.index.stored.opened_version import index_version
from eligo.report.match_summary import DiffSummary
from eligo.spark.matching.diff import diff, diff_rejects
from eligo.spark.matching.event_job import EventJob, JobOptions, Question


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
    **options: Unpack[JobOptions],
) -> DiffSummary:
    """Write what changes for the events of a file; arguments as in `diff` and `match_files`."""
    before, after = index_version(old, old_version), index_version(new, new_version)
    job = EventJob(spark, [before, after], events, out, **options)
    changes = diff(job.file.events, before, after, samples=samples, on_error=job.on_error, **job.file.options)
    answered = job.answer(
        Question(
            StageName.DIFF,
            changes.orderBy(F.desc(F.col("gained") + F.col("lost")), "expression_id"),
            is_reject=F.col("expression_id").isNull(),
            num_rejected=F.sum("rejected"),
            hidden=("rejected",),
            rejects=lambda: diff_rejects(job.file.events, before, after, **job.file.options),
            totals={"gained": F.sum("gained"), "lost": F.sum("lost")},
        )
    )
    return DiffSummary(
        num_events=job.file.num_events(),
        num_rejected=answered.num_rejected,
        num_changed=answered.num_rows,
        num_gained=answered.totals["gained"],
        num_lost=answered.totals["lost"],
        old_version=before.number,
        new_version=after.number,
        seconds=sum(job.clock.seconds.values()),
    )
