"""How does a file of events become a file of matches, of the best ones, or of counts? As jobs that ask one index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from eligo.index.events.event_source import EventColumns
from eligo.index.stages import StageName
from eligo.index.stored.opened_version import index_version
from eligo.report.match_summary import MatchSummary
from eligo.spark.matching.count import count
from eligo.spark.matching.event_job import EventJob, JobOptions, Question
from eligo.spark.matching.match import match, rejects
from eligo.spark.matching.parquet_matches import match_to_parquet
from eligo.spark.matching.top import top
from eligo.spark.tables import tables
from eligo.spark.tables.documents import TableDocuments
from eligo.spark.tables.events import EventOptions


def match_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    *,
    expression_id: str = "expression_id",
    partition_by: Sequence[str] = (),
    version: int | None = None,
    memory: int | None = None,
    documents: TableDocuments | None = None,
    **options: Unpack[JobOptions],
) -> MatchSummary:
    """Match a file of events and write the matches to `out`, or to stdout as JSON lines when it is None."""
    job = EventJob(spark, [index_version(index, version)], events, out, partition_by=partition_by, **options)
    if job.workers_write:
        answered = job.answer_in_workers(
            StageName.MATCH,
            lambda path, on_error, overwrite: match_to_parquet(
                job.file.events,
                job.versions[0],
                path,
                overwrite=overwrite,
                on_error=on_error,
                expression_id=expression_id,
                keep=job.columns.keep,
                memory=memory,
                documents=documents,
                **job.file.options,
            ),
            lambda: rejects(job.file.events, job.versions[0], **job.file.options),
        )
        return job.summary(answered)
    found = match(
        job.file.events,
        job.versions[0],
        expression_id=expression_id,
        keep=job.columns.keep,
        on_error=job.on_error,
        memory=memory,
        documents=documents,
        **job.file.options,
    )
    return job.summary(job.answer(_for_each_event(StageName.MATCH, found, job)))


def top_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    n: int,
    *,
    weights: str | None = None,
    expression_id: str = "expression_id",
    version: int | None = None,
    documents: TableDocuments | None = None,
    **options: Unpack[JobOptions],
) -> MatchSummary:
    """Write the n best matches of each event of a file; arguments as in `match_files` and `top`."""
    job = EventJob(spark, [index_version(index, version)], events, out, **options)
    found = top(
        job.file.events,
        job.versions[0],
        n,
        weights=weights,
        expression_id=expression_id,
        keep=job.columns.keep,
        on_error=job.on_error,
        documents=documents,
        **job.file.options,
    )
    return job.summary(job.answer(_for_each_event(StageName.TOP, found, job)))


def _for_each_event(verb: StageName, rows: DataFrame, job: EventJob) -> Question:
    """Rows of events, of which a bad one has a row of its own that says why."""
    return Question(
        verb,
        rows,
        is_reject=F.col("error").isNotNull(),
        num_rejected=F.count("error"),
        hidden=("event", "error", "help"),
        rejects=lambda: rejects(job.file.events, job.versions[0], **job.file.options),
    )


def count_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    *,
    by: Sequence[str] = (),
    expression_id: str = "expression_id",
    version: int | None = None,
    memory: int | None = None,
    documents: TableDocuments | None = None,
    **options: Unpack[JobOptions],
) -> MatchSummary:
    """Write how many events of a file each expression matches; arguments as in `match_files` and `count`."""
    given = options.get("columns") or EventColumns()
    options["columns"] = EventColumns("", given.tenant, given.time, tuple(by))
    job = EventJob(spark, [index_version(index, version)], events, out, needs_id=False, **options)
    counted = count(
        job.file.events,
        job.versions[0],
        by=by,
        expression_id=expression_id,
        on_error=job.on_error,
        memory=memory,
        documents=documents,
        **job.file.options,
    )
    by_group: EventOptions = {**job.file.options, "event_id": tuple(by)}
    is_reject = F.col(tables.quoted(expression_id)).isNull()
    question = Question(
        StageName.COUNT,
        counted.orderBy(F.desc("matches"), tables.quoted(expression_id)),
        is_reject=is_reject,
        num_rejected=F.sum(F.when(is_reject, F.col("matches"))),
        hidden=(),
        rejects=lambda: rejects(job.file.events, job.versions[0], **by_group),
    )
    return job.summary(job.answer(question))
