"""How does a file of events become a file of answers? One job, whatever is asked: open, ask, write, count, tell.

index ──┐                            ┌─▶ out       answers, or stdout as JSON lines
events ─┴▶ read ─▶ match|top|count|diff ─▶ rejects   events that could not be read
                                     └─▶ how many of each, and the seconds of each stage
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypedDict

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from eligo.data.file_format import FileFormat
from eligo.data.file_places import require_apart, require_writable, writable_format
from eligo.index.events.event_source import EventColumns, OnError
from eligo.index.stages import Clock, OnStage, StageName, silent
from eligo.index.stored.opened_version import IndexVersion
from eligo.index.written.table_files import DELIMITER, write_table
from eligo.report.match_summary import MatchSummary
from eligo.spark.matching.parquet_matches import BadEvents, WrittenMatches, workers_write
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_calls import workers_used
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables import tables
from eligo.spark.tables.event_files import open_event_file
from eligo.spark.tables.line_files import write_lines
from eligo.stores.cache_usage import CacheUsage, cache_usage


class JobOptions(TypedDict, total=False):
    """What every job over a file of events takes."""

    columns: EventColumns
    """Which columns of the events are no attributes."""
    format: FileFormat | None
    """Of the events, whatever the name of the file."""
    out_format: FileFormat | None
    overwrite: bool
    rejects: str | None
    """A table for the events that cannot be read."""
    on_error: OnError
    """Whether events that cannot be read are counted and left out, or the first of them ends the job ("raise")."""
    on_stage: OnStage
    delimiter: str
    """Of CSV, in what is read and in what is written."""


@dataclass(frozen=True)
class Output:
    """Where the rows of a job go: a path, or stdout, as JSON lines unless told otherwise, when it is None."""

    path: str | None
    format: FileFormat | None = None
    overwrite: bool = False
    partition_by: Sequence[str] = ()
    """Columns whose values become directories of Parquet."""
    delimiter: str = DELIMITER

    def write(self, frame: DataFrame) -> None:
        """Run the job that makes the rows."""
        with worker_errors(), tempfile.TemporaryDirectory(prefix="eligo-") as scratch:
            if self.path is None:
                format = self.format or FileFormat.JSON_LINES
                write_lines(frame, sys.stdout.buffer, Path(scratch) / "parts", format, self.delimiter)
            else:
                tables.write(
                    frame,
                    self.path,
                    format=self.format,
                    overwrite=self.overwrite,
                    partition_by=self.partition_by,
                    delimiter=self.delimiter,
                )


class Question(NamedTuple):
    """What a job asks: the rows that answer, and among them, where bad events are kept, those that stand for them."""

    verb: StageName
    """The stage in which it runs."""
    rows: DataFrame
    """In the order in which they are written. Sorted here, because a sort after they are counted counts them twice."""
    is_reject: Column
    num_rejected: Column
    """An aggregate of `rows`: how many events could not be read."""
    hidden: tuple[str, ...]
    """Columns that only rejects have."""
    rejects: Callable[[], DataFrame]
    """The events that could not be read, with the reasons."""
    totals: Mapping[str, Column] = {}
    """Further aggregates of the rows that answer, which are wanted in the end."""


Write = Callable[[str, BadEvents, bool], WrittenMatches]
"""Writes the answers to a path, with what to do about bad events, and whether what is there may go."""


class Answered(NamedTuple):
    """What a job has written."""

    num_rows: int
    num_rejected: int
    totals: Mapping[str, int]


class EventJob:
    """A file of events that is about to be asked of one version of an index, or of several."""

    def __init__(
        self,
        spark: SparkSession,
        versions: Sequence[IndexVersion],
        events: str,
        out: str | None,
        *,
        columns: EventColumns | None = None,
        format: FileFormat | None = None,
        out_format: FileFormat | None = None,
        overwrite: bool = False,
        partition_by: Sequence[str] = (),
        rejects: str | None = None,
        on_error: OnError = "reject",
        on_stage: OnStage = silent,
        delimiter: str = DELIMITER,
        needs_id: bool = True,
    ) -> None:
        self.spark = spark
        self._cache_before = self._cache_used()
        self.versions = tuple(versions)
        self.columns = columns or EventColumns()
        self.clock = Clock(on_stage)
        self._output = Output(out, out_format, overwrite, partition_by, delimiter)
        self._rejects = rejects
        self._counts_rejects = on_error == "reject"
        # What is asked keeps bad events among its rows when they are to be counted.
        self.on_error: OnError = "keep" if on_error == "reject" else on_error
        self._read_from = (*(version.path for version in versions), events)
        asked = " and ".join(f"{version.path}, version {version.number}" for version in versions)
        self._where = f"{events} against {asked}"
        with self.clock.stage(StageName.READ), described(spark, f"eligo: read {events}"):
            for version in versions:
                version.open()
            self.file = open_event_file(
                spark, events, versions[-1], self.columns, format=format, needs_id=needs_id, delimiter=delimiter
            )

    def answer(self, question: Question) -> Answered:
        """Write the rows that answer and, where it is asked for, the rejects; say how many there were."""
        written, refused = Observation(), Observation()
        rows = question.rows
        if self._counts_rejects:
            rows = rows.observe(refused, question.num_rejected.alias("events"))
            rows = rows.where(~question.is_reject).drop(*question.hidden)
        totals = [total.alias(name) for name, total in question.totals.items()]
        rows = rows.observe(written, F.count(F.lit(1)).alias("rows"), *totals)
        if self._output.path is not None:
            require_apart(self._output.path, *self._read_from)
        with self.clock.stage(question.verb), described(self.spark, f"eligo {question.verb}: {self._where}"):
            self._output.write(rows)
        found = {name: int(total or 0) for name, total in written.get.items()}
        num_rejected = int(refused.get["events"] or 0) if self._counts_rejects else 0
        self._write_rejects(question.rejects, num_rejected)
        return Answered(found.pop("rows"), num_rejected, found)

    @property
    def workers_write(self) -> bool:
        """Whether the rows of tasks can become files of the output as they are."""
        path = self._output.path
        if path is None or self._output.partition_by or not workers_write(self.spark, path):
            return False
        return writable_format(path, self._output.format) is FileFormat.PARQUET

    def answer_in_workers(self, verb: StageName, write: Write, rejects: Callable[[], DataFrame]) -> Answered:
        """As `answer`, by a function that writes to a path itself."""
        path = self._output.path or ""
        require_writable(path, self._output.format, overwrite=self._output.overwrite)
        require_apart(path, *self._read_from)
        with self.clock.stage(verb), described(self.spark, f"eligo {verb}: {self._where}"):
            written = write(path, "reject" if self._counts_rejects else "raise", self._output.overwrite)
        self._write_rejects(rejects, written.num_rejected)
        return Answered(written.num_matches, written.num_rejected, {})

    def _write_rejects(self, rejects: Callable[[], DataFrame], num_rejected: int) -> None:
        if self._rejects is None:
            return
        require_apart(self._rejects, *self._read_from)
        with (
            self.clock.stage(StageName.REJECTS),
            described(self.spark, f"eligo rejects: {self._where}"),
            worker_errors(),
        ):
            refused = rejects()
            write_table((refused if num_rejected else refused.limit(0)).toArrow(), self._rejects)

    def summary(self, answered: Answered) -> MatchSummary:
        """Of a job over one version."""
        manifest = self.versions[0].opened_manifest()
        return MatchSummary(
            num_events=self.file.num_events(),
            num_rejected=answered.num_rejected,
            num_matches=answered.num_rows,
            version=manifest.version,
            num_shards=len(manifest.shards) + sum(len(delta.shards) for delta in manifest.deltas),
            num_bytes=manifest.num_bytes,
            stages=self.clock.seconds,
            cache=self._cache_used() - self._cache_before,
        )

    def _cache_used(self) -> CacheUsage:
        """By this process and by workers, of all jobs of the session so far."""
        return cache_usage().plus(workers_used(self.spark))
