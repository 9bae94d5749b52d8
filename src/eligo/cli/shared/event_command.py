"""How does a command over a table of events run? Checks first, then Spark, then a step for each stage of the job.

`match`, `top`, `count` and `diff` differ in what they ask and in the words with which they end; all else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer

from eligo.cli.shared.console import ExitCode, counted, messages, rate
from eligo.cli.shared.event_options import BadEvents
from eligo.cli.shared.file_content import STANDARD_STREAM
from eligo.cli.shared.spark_input import readable_path
from eligo.cli.shared.spark_session import show_warnings, started_session
from eligo.cli.shared.stage_steps import shown_stages
from eligo.cli.shared.steps import Steps
from eligo.data.file_format import FileFormat, format_of
from eligo.data.file_places import require_apart, require_there, require_writable
from eligo.errors import EligoError
from eligo.stores.address import is_address

if TYPE_CHECKING:
    from eligo.index.events.event_source import EventColumns
    from eligo.index.local.local_job import LocalJob
    from eligo.report.match_summary import DiffSummary, MatchSummary
    from eligo.spark.matching.event_job import JobOptions

Summary = TypeVar("Summary", "MatchSummary", "DiffSummary")


@dataclass(frozen=True)
class AskedIndex:
    """An index that a command asks."""

    path: str
    version: int | None
    """The live one unless given."""


@dataclass(frozen=True)
class RunningJob:
    """A job that is about to run: its session, its steps, and where it reads and writes."""

    spark: Any
    steps: Steps
    events: str
    """The path of the events, also when they came from stdin."""
    out: str | None
    """None for stdout."""
    options: JobOptions


@dataclass(frozen=True)
class EventCommand:
    """What a command over a table of events was told on the command line."""

    name: str
    indexes: tuple[AskedIndex, ...]
    """Of those, the last reads the events."""
    events: str
    out: str
    columns: EventColumns
    format: FileFormat | None
    out_format: FileFormat | None
    overwrite: bool
    rejects: str | None
    on_error: BadEvents
    master: str
    delimiter: str
    report: str | None = None

    def run(
        self,
        ask: Callable[[RunningJob], Summary],
        told: Callable[[Summary, str | None], str],
        outcome: str = "had no matches",
    ) -> NoReturn:
        """Start the job, ask, and end with the exit code.

        `told` says in a line what came of it and where it is; `outcome` what it meant for events that cannot be read.
        """
        with self._started() as job:
            summary = ask(job)
            job.steps.finish(told(summary, job.out))
            code = told_rejects(summary.num_rejected, outcome, self.rejects)
            if self.report is not None:
                self._write_report(job, summary, self.report)
        raise typer.Exit(code)

    def run_here(
        self, kind: type[LocalJob], told: Callable[[MatchSummary, str | None], str], **options: Any
    ) -> NoReturn:
        """Ask in this process, with what the job takes, and end with the exit code."""
        from eligo.index.stored.opened_version import index_version
        from eligo.report.match_summary import MatchSummary
        from eligo.stores.cache_usage import cache_usage

        self._check()
        show_warnings()
        (asked,) = self.indexes
        used = cache_usage()
        version = index_version(asked.path, asked.version)
        with Steps() as steps, readable_path(self.events, self.format) as path:
            job = kind(
                version,
                path,
                self.columns,
                format=self.format,
                delimiter=self.delimiter,
                on_error=self.on_error.value,
                on_stage=shown_stages(steps, None, read="read the events", num_rows=_num_rows(path, self.format)),
                **options,
            )
            out = None if self.out == STANDARD_STREAM else self.out
            job.write(out, format=self.out_format, overwrite=self.overwrite)
            if self.rejects is not None:
                job.write_rejects(self.rejects)
            manifest = version.opened_manifest()
            found = job.matched()
            summary = MatchSummary(
                num_events=found.num_events,
                num_rejected=found.num_rejected,
                num_matches=found.num_matches,
                version=manifest.version,
                num_shards=len(manifest.shards) + sum(len(delta.shards) for delta in manifest.deltas),
                num_bytes=manifest.num_bytes,
                stages=found.seconds,
                cache=cache_usage() - used,
            )
            steps.finish(told(summary, out))
            code = told_rejects(summary.num_rejected, "had no matches", self.rejects)
        raise typer.Exit(code)

    @contextmanager
    def _started(self) -> Iterator[RunningJob]:
        """Starts Spark; what is wrong with paths is told at once, not after that."""
        self._check()
        with Steps() as steps, readable_path(self.events, self.format) as path:
            spark = started_session(steps, f"eligo {self.name}", self.master)
            options: JobOptions = {
                "columns": self.columns,
                "format": self.format,
                "out_format": self.out_format,
                "overwrite": self.overwrite,
                "rejects": self.rejects,
                "on_error": self.on_error.value,
                "delimiter": self.delimiter,
                "on_stage": shown_stages(steps, spark, read="read the events", num_rows=_num_rows(path, self.format)),
            }
            yield RunningJob(spark, steps, path, None if self.out == STANDARD_STREAM else self.out, options)

    def _check(self) -> None:
        from eligo.index.stored.opened_version import index_version

        for index in self.indexes:
            index_version(index.path, index.version)
        paths = list(dict.fromkeys(index.path for index in self.indexes))
        is_file = self.events != STANDARD_STREAM
        if is_file:
            require_there(self.events)
        for written in (self.out, self.rejects, self.report):
            if written is not None and written != STANDARD_STREAM:
                require_apart(written, *paths, *([self.events] if is_file else []))
        if (self.format or (format_of(self.events) if is_file else None)) in (None, FileFormat.JSON_LINES):
            for path in paths:
                note_guards(path, self.columns.tenant, self.columns.time)
        if self.out != STANDARD_STREAM:
            require_writable(self.out, self.out_format, overwrite=self.overwrite)

    def _write_report(self, job: RunningJob, summary: Any, path: str) -> None:
        from eligo.spark.matching.match_report import match_report

        job.steps.begin("write the report")
        index = self.indexes[-1].path
        page = match_report(
            job.spark,
            index,
            job.events,
            summary,
            columns=self.columns,
            format=self.format,
            delimiter=self.delimiter,
        )
        page.write(path)
        job.steps.finish(path)


def note_guards(index: str, tenant: str | None, time: str | None) -> None:
    """JSON events may say themselves who and when they are; those that do not match nothing, which is told before."""
    from eligo.data.schema.guards import TENANT, TIME
    from eligo.index.stored.opened_version import attribute_kinds, index_version

    if tenant is not None and time is not None:
        return
    known = attribute_kinds(index_version(index).open())
    for attribute, column, what in ((TENANT, tenant, "tenant"), (TIME, time, "time")):
        if attribute in known and column is None:
            messages().print(
                f"note: expressions of {index} ask for the {what} of an event, and no --{what}-column is given: "
                f"they match only events that have an attribute {attribute}"
            )


def _num_rows(path: str, format: FileFormat | None) -> int | None:
    """How many events there are, where the files say so."""
    if (format or format_of(path)) is not FileFormat.PARQUET:
        return None
    import pyarrow as pa
    import pyarrow.dataset as ds

    from eligo.stores.arrow_files import arrow_file_system

    try:
        files = arrow_file_system() if is_address(path) else None
        return int(ds.dataset(path, filesystem=files, format="parquet").count_rows())
    except (OSError, pa.ArrowException, ValueError, EligoError):
        return None  # the job itself will say what is wrong


def told_rows(noun: str, plural: str) -> Callable[[MatchSummary, str | None], str]:
    """How a job ends that writes so many of these rows."""

    def told(summary: MatchSummary, out: str | None) -> str:
        where = f" in {out}" if out is not None else ""
        rows = f"{counted(summary.num_events, 'event')}, {counted(summary.num_matches, noun, plural)}{where}"
        return f"{rows}; {rate(summary.num_events, summary.seconds)} events/s, version {summary.version}"

    return told


def told_rejects(num_rejected: int, outcome: str, rejects: str | None) -> ExitCode:
    """Say how many events could not be read, what that meant, and where to see them; the exit code."""
    if not num_rejected:
        return ExitCode.FINE
    hint = f"see {rejects}" if rejects is not None else "give --rejects to see them"
    messages().print(f"{counted(num_rejected, 'event')} could not be read and {outcome}: {hint}")
    return ExitCode.FOUND
