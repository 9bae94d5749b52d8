"""How does a file of events become a file of matches? Read, match, write, and count on the way."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from eligo.data.file_format import FileFormat
from eligo.index.build_summary import Clock, OnStage, silent
from eligo.index.events.event_source import OnError
from eligo.index.stored.opened_version import IndexVersion, index_version
from eligo.spark.matching.count import count
from eligo.spark.matching.match import match, rejects
from eligo.spark.matching.top import top
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables import tables
from eligo.spark.tables.event_files import EventColumns, EventFile, open_event_file
from eligo.spark.tables.events import EventOptions


@dataclass(frozen=True)
class MatchSummary:
    """What a job over events has seen and written."""

    num_events: int
    """Read, rejected ones included."""
    num_rejected: int
    num_matches: int
    """Rows written: matches, or counts."""
    version: int
    num_shards: int
    num_bytes: int
    """Of the version's files."""
    stages: Mapping[str, float]
    """Seconds by stage."""

    @property
    def seconds(self) -> float:
        """In all."""
        return sum(self.stages.values())

    def __str__(self) -> str:
        stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.stages.items())
        rate = self.num_events / self.seconds if self.seconds else 0.0
        return (
            f"{self.num_events:,} events, {self.num_rejected:,} rejected, {self.num_matches:,} rows written\n"
            f"version {self.version}: {self.num_shards:,} shards, {self.num_bytes:,} bytes\n"
            f"{self.seconds:.1f} s ({stages}), {rate:,.0f} events/s"
        )


@dataclass(frozen=True)
class Output:
    """Where the rows of a job go: a path, or stdout as JSON lines when it is None."""

    path: str | None
    format: FileFormat | None = None
    overwrite: bool = False
    partition_by: Sequence[str] = ()
    """Columns whose values become directories of Parquet."""

    def write(self, frame: DataFrame) -> None:
        """Run the job that makes the rows."""
        with worker_errors(), tempfile.TemporaryDirectory(prefix="eligo-") as scratch:
            if self.path is None:
                tables.write_json_lines(frame, sys.stdout.buffer, Path(scratch) / "parts")
            else:
                tables.write(
                    frame, self.path, format=self.format, overwrite=self.overwrite, partition_by=self.partition_by
                )


class _Job:
    """What all jobs over files of events share."""

    def __init__(
        self,
        spark: SparkSession,
        index: str,
        events: str,
        columns: EventColumns,
        *,
        format: FileFormat | None,
        version: int | None,
        on_stage: OnStage,
        needs_id: bool = True,
    ) -> None:
        self.spark = spark
        self.read_from = (index, events)
        self.clock = Clock(on_stage)
        self.columns = columns
        self.version: IndexVersion = index_version(index, version)
        self.where = f"{events} against {index}, version {self.version.number}"
        with self.clock.stage("read"), described(spark, f"eligo: read {events}"):
            self.version.open()
            self.file: EventFile = open_event_file(
                spark, events, self.version, columns, format=format, needs_id=needs_id
            )

    def run(self, verb: str, frame: DataFrame, output: Output) -> int:
        """Write the frame's rows, and say how many there were."""
        if output.path is not None:
            tables.require_apart(output.path, *self.read_from)
        written = Observation()
        with self.clock.stage(verb), described(self.spark, f"eligo {verb}: {self.where}"):
            output.write(frame.observe(written, F.count(F.lit(1)).alias("rows")))
        return int(written.get["rows"])

    def write_rejects(self, num_rejected: int, path: str | None, **others: Unpack[EventOptions]) -> None:
        """A table of the events that could not be read, where one is asked for; `others` are not as in the job."""
        if path is None:
            return
        tables.require_apart(path, *self.read_from)
        options: EventOptions = {**self.file.options, **others}
        with self.clock.stage("rejects"), described(self.spark, f"eligo rejects: {self.where}"), worker_errors():
            refused = rejects(self.file.events, self.version, **options)
            tables.write_table((refused if num_rejected else refused.limit(0)).toArrow(), path)

    def summary(self, num_rejected: int, num_rows: int) -> MatchSummary:
        manifest = self.version.opened_manifest()
        return MatchSummary(
            num_events=self.file.num_events(),
            num_rejected=num_rejected,
            num_matches=num_rows,
            version=manifest.version,
            num_shards=len(manifest.shards) + sum(len(delta.shards) for delta in manifest.deltas),
            num_bytes=manifest.num_bytes,
            stages=self.clock.seconds,
        )


def match_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    *,
    columns: EventColumns | None = None,
    format: FileFormat | None = None,
    out_format: FileFormat | None = None,
    expression_id: str = "expression_id",
    overwrite: bool = False,
    partition_by: Sequence[str] = (),
    rejects: str | None = None,
    on_error: OnError = "reject",
    version: int | None = None,
    memory: int | None = None,
    on_stage: OnStage = silent,
) -> MatchSummary:
    """Match a file of events and write the matches to `out`, or to stdout as JSON lines when it is None.

    Events that cannot be read are counted, and written to the table `rejects` if one is named; with
    `on_error="raise"` the first of them ends the job.
    """
    columns = columns or EventColumns()
    job = _Job(spark, index, events, columns, format=format, version=version, on_stage=on_stage)
    found = match(
        job.file.events,
        job.version,
        expression_id=expression_id,
        keep=columns.keep,
        on_error="keep" if on_error == "reject" else on_error,
        memory=memory,
        **job.file.options,
    )
    refused = Observation()
    if on_error == "reject":
        found = found.observe(refused, F.count("error").alias("rows"))
        found = found.where(F.col("error").isNull()).drop("event", "error", "help")
    num_matches = job.run("match", found, Output(out, out_format, overwrite, partition_by))
    num_rejected = int(refused.get["rows"]) if on_error == "reject" else 0
    job.write_rejects(num_rejected, rejects)
    return job.summary(num_rejected, num_matches)


def top_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    n: int,
    *,
    columns: EventColumns | None = None,
    weights: str | None = None,
    format: FileFormat | None = None,
    out_format: FileFormat | None = None,
    expression_id: str = "expression_id",
    overwrite: bool = False,
    rejects: str | None = None,
    on_error: OnError = "reject",
    version: int | None = None,
    on_stage: OnStage = silent,
) -> MatchSummary:
    """Write the n best matches of each event of a file; arguments as in `match_files` and `top`."""
    columns = columns or EventColumns()
    job = _Job(spark, index, events, columns, format=format, version=version, on_stage=on_stage)
    found = top(
        job.file.events,
        job.version,
        n,
        weights=weights,
        expression_id=expression_id,
        keep=columns.keep,
        on_error="keep" if on_error == "reject" else on_error,
        **job.file.options,
    )
    refused = Observation()
    if on_error == "reject":
        found = found.observe(refused, F.count("error").alias("rows"))
        found = found.where(F.col("error").isNull()).drop("event", "error", "help")
    num_rows = job.run("top", found, Output(out, out_format, overwrite))
    num_rejected = int(refused.get["rows"]) if on_error == "reject" else 0
    job.write_rejects(num_rejected, rejects)
    return job.summary(num_rejected, num_rows)


def count_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    *,
    by: Sequence[str] = (),
    columns: EventColumns | None = None,
    format: FileFormat | None = None,
    out_format: FileFormat | None = None,
    expression_id: str = "expression_id",
    overwrite: bool = False,
    rejects: str | None = None,
    on_error: OnError = "reject",
    version: int | None = None,
    memory: int | None = None,
    on_stage: OnStage = silent,
) -> MatchSummary:
    """Write how many events of a file each expression matches; arguments as in `match_files` and `count`."""
    given = columns or EventColumns()
    columns = EventColumns("", given.tenant, given.time, tuple(by))
    job = _Job(spark, index, events, columns, format=format, version=version, on_stage=on_stage, needs_id=False)
    counted = count(
        job.file.events,
        job.version,
        by=by,
        expression_id=expression_id,
        on_error="keep" if on_error == "reject" else on_error,
        memory=memory,
        **job.file.options,
    )
    refused = Observation()
    # Sorted before they are observed: sorting reads its rows twice, and would have them observed twice.
    counted = counted.orderBy(F.desc("matches"), tables.quoted(expression_id))
    if on_error == "reject":
        is_bad = F.col(tables.quoted(expression_id)).isNull()
        counted = counted.observe(refused, F.sum(F.when(is_bad, F.col("matches"))).alias("events")).where(~is_bad)
    num_rows = job.run("count", counted, Output(out, out_format, overwrite))
    num_rejected = int(refused.get["events"] or 0) if on_error == "reject" else 0
    job.write_rejects(num_rejected, rejects, event_id=tuple(by))
    return job.summary(num_rejected, num_rows)
