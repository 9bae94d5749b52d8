"""How does a command over a table of events run? Checks first, then Spark, then a step for each stage of the job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eligo.cli.shared.console import ExitCode, counted, messages, rate
from eligo.cli.shared.file_content import STANDARD_STREAM
from eligo.cli.shared.spark_input import readable_path
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.steps import Steps
from eligo.data.file_format import FileFormat, format_of

if TYPE_CHECKING:
    from eligo.spark.matching.match_files import MatchSummary

TITLES = {
    "read": "read the events",
    "match": "match events",
    "top": "rank matches",
    "count": "count matches",
    "diff": "compare matches",
    "rejects": "write rejects",
}


@dataclass
class EventJob:
    """A job that is about to run: its session, its steps, and where it reads and writes."""

    spark: Any
    steps: Steps
    events: str
    """The path of the events, also when they came from stdin."""
    out: str | None
    """None for stdout."""
    on_stage: Callable[[str], None]


@contextmanager
def event_job(
    name: str,
    index: str,
    events: str,
    out: str,
    *,
    format: FileFormat | None,
    out_format: FileFormat | None,
    overwrite: bool,
    master: str,
    tenant: str | None = None,
    time: str | None = None,
    compared_with: str | None = None,
    versions: Sequence[int | None] = (None,),
    others_written: Sequence[str | None] = (),
) -> Iterator[EventJob]:
    """Start a job; what is wrong with paths is told at once, not after Spark has started.

    `compared_with` is the index that a job over two asks as well, and `versions` has that of each; `others_written` are
    the files that the job writes beside `out`.
    """
    from eligo.index.stored.opened_version import index_version
    from eligo.spark.tables import tables

    indexes = list(dict.fromkeys([index] if compared_with is None else [compared_with, index]))
    for path, version in zip([index] if compared_with is None else [compared_with, index], versions, strict=True):
        index_version(path, version)
    if events != STANDARD_STREAM:
        tables.require_there(events)
    for written in (out, *others_written):
        if written is not None and written != STANDARD_STREAM:
            tables.require_apart(written, *indexes, *([] if events == STANDARD_STREAM else [events]))
    if (format or (None if events == STANDARD_STREAM else format_of(events))) in (None, FileFormat.JSON_LINES):
        for path in indexes:
            note_guards(path, tenant, time)
    target = None if out == STANDARD_STREAM else out
    if target is not None:
        tables.require_writable(target, out_format, overwrite=overwrite)
    with Steps() as steps, readable_path(events, format) as path:
        spark = started_session(steps, f"eligo {name}", master)
        on_stage = stage_steps(steps, spark, TITLES, _num_rows(path, format))
        yield EventJob(spark, steps, path, target, on_stage)


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


def stage_steps(steps: Steps, spark: Any, titles: dict[str, str], num_rows: int | None = None) -> Callable[[str], None]:
    """Begins a step for each stage that is told, and finishes the one before."""
    from eligo.spark.session.progress import running_tasks

    begun: list[str] = []

    def on_stage(stage: str) -> None:
        if begun:
            steps.finish()
        begun.append(stage)
        steps.begin(titles.get(stage, stage), lambda: running_tasks(spark), num_rows if stage != "read" else None)

    return on_stage


def _num_rows(path: str, format: FileFormat | None) -> int | None:
    """How many events there are, where the files say so."""
    if (format or format_of(path)) is not FileFormat.PARQUET:
        return None
    import pyarrow as pa
    import pyarrow.dataset as ds

    try:
        return int(ds.dataset(path, format="parquet").count_rows())
    except (OSError, pa.ArrowException, ValueError):
        return None  # the job itself will say what is wrong


def finish(job: EventJob, summary: MatchSummary, noun: str, plural: str, rejects: str | None = None) -> ExitCode:
    """The last step's line, what was rejected, and the exit code."""
    where = f" in {job.out}" if job.out is not None else ""
    told = f"{counted(summary.num_events, 'event')}, {counted(summary.num_matches, noun, plural)}{where}"
    job.steps.finish(f"{told}; {rate(summary.num_events, summary.seconds)} events/s, version {summary.version}")
    return told_rejects(summary.num_rejected, "had no matches", rejects)


def told_rejects(num_rejected: int, outcome: str, rejects: str | None) -> ExitCode:
    """Say how many events could not be read, what that meant, and where to see them; the exit code."""
    if not num_rejected:
        return ExitCode.FINE
    hint = f"see {rejects}" if rejects is not None else "give --rejects to see them"
    messages().print(f"{counted(num_rejected, 'event')} could not be read and {outcome}: {hint}")
    return ExitCode.FOUND
