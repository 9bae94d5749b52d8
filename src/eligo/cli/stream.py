"""`eligo stream`: match events as their files arrive."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from eligo.cli.shared import event_options, options
from eligo.cli.shared.console import ExitCode, counted, messages
from eligo.cli.shared.event_command import note_guards, told_rejects
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.steps import Steps
from eligo.data.file_format import FileFormat
from eligo.errors import InputError

if TYPE_CHECKING:
    from eligo.spark import StreamBatch

POLL_SECONDS = 0.5
_INTERVAL = re.compile(
    r"\s*(interval\s+)?(\d+(\.\d+)?\s*(micro|milli)?(second|minute|hour|day|week)s?\s*)+", re.IGNORECASE
)


def stream(
    index: event_options.IndexPath,
    events: Annotated[
        str, typer.Argument(help="A directory into which files of events are moved.", show_default=False)
    ],
    out: Annotated[
        str,
        typer.Option(metavar="DIR", help="Where the matches go: Parquet, a directory a batch.", show_default=False),
    ],
    checkpoint: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="Where the stream keeps what it has done; a stream that is started again goes on from there.",
            show_default=False,
        ),
    ],
    once: Annotated[bool, typer.Option("--once", help="Match what is there, and end.")] = False,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="INTERVAL",
            help="Start a batch at this interval, such as '10 seconds'; else as soon as there are events.",
            show_default=False,
        ),
    ] = None,
    files_per_batch: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="At most so many files in a batch.", show_default=False),
    ] = None,
    rejects: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Where events that cannot be read go, as Parquet.", show_default="_rejects in --out"
        ),
    ] = None,
    format: Annotated[
        FileFormat,
        typer.Option(
            metavar="jsonl|csv|parquet",
            callback=options.table_format,
            help="The format of the files, whatever their names.",
        ),
    ] = FileFormat.JSON_LINES,
    delimiter: options.Delimiter = ",",
    event_id_column: options.EventIdColumn = "event_id",
    expression_id_column: event_options.ExpressionIdColumn = "expression_id",
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
    keep: event_options.Keep = None,
    on_error: event_options.OnError = event_options.BadEvents.REJECT,
    master: options.Master = "local[*]",
) -> None:
    """Match files of events as they arrive, each event exactly once, on Spark.

    A version of the index that is published meanwhile is taken up by the next batch, without a restart. A line is
    printed for each batch. The command runs until it is stopped, with Ctrl-C for one; whatever stops it, the next run
    goes on where it was. One checkpoint goes with one output.

    Events that cannot be read, such as a line that is not JSON, have no matches; they are counted and put aside, each
    exactly once as well, and the exit code is 1.

    Examples:
      eligo stream ads.index incoming --out matches --checkpoint matches.checkpoint
      eligo stream ads.index incoming --out matches --checkpoint matches.checkpoint --once
    """
    from eligo.data.file_places import require_apart
    from eligo.index.events.event_source import EventColumns
    from eligo.index.stored.opened_version import index_version
    from eligo.spark import stream as start_stream
    from eligo.spark.matching.stream import REJECTS
    from eligo.spark.tables.event_files import open_event_stream, require_stream_source

    _require_interval(every)
    require_stream_source(events)
    for written in (out, checkpoint, *([rejects] if rejects is not None else [])):
        require_apart(written, index, events)
    version = index_version(index)
    console, totals = messages(), Counter[str]()
    if format is FileFormat.JSON_LINES:
        note_guards(index, tenant_column, time_column)
    columns = EventColumns(event_id_column, tenant_column, time_column, tuple(keep or ()))
    with Steps() as steps:
        spark = started_session(steps, "eligo stream", master)
    rejects_to = rejects or os.path.join(out, REJECTS)
    with _Interruption() as interrupted:
        rows, found = open_event_stream(
            spark, events, version, columns, format=format, files_per_batch=files_per_batch, delimiter=delimiter
        )
        query = start_stream(
            rows,
            index,
            out,
            checkpoint=checkpoint,
            trigger={"availableNow": True} if once else {"processingTime": every or "0 seconds"},
            expression_id=expression_id_column,
            keep=columns.keep,
            rejects=rejects,
            on_error=on_error.value,
            on_batch=partial(_told_batch, totals),
            **found,
        )
        if not _ended(query, interrupted):
            told_rejects(totals["rejected"], "had no matches", rejects_to)
            console.print("stopped; the same command goes on where it was")
            _stop(query, out, rejects_to)
            raise typer.Exit(ExitCode.TERMINATED if interrupted.is_terminated else ExitCode.INTERRUPTED)
    if not totals["batches"]:
        console.print(f"no new events in {events}")
    raise typer.Exit(told_rejects(totals["rejected"], "had no matches", rejects_to))


def _told_batch(totals: Counter[str], batch: StreamBatch) -> None:
    """Count a batch, and print its line."""
    totals.update(batches=1, rejected=batch.num_rejected)
    rejected = f", {batch.num_rejected:,} rejected" if batch.num_rejected else ""
    messages().print(
        Text.assemble(
            ("✓ ", "green"),
            (f"batch {batch.batch}", "bold"),
            f" {counted(batch.num_events, 'event')}{rejected}, "
            f"{counted(batch.num_matches, 'match', 'matches')}, version {batch.version}",
            (f"  {batch.seconds:.1f} s", "dim"),
        )
    )


def _require_interval(text: str | None) -> None:
    """What is no interval is told before Spark starts."""
    if text is not None and not _INTERVAL.fullmatch(text):
        raise InputError(f"--every {text!r} is no interval", help="write a number and a unit, such as '10 seconds'")


@dataclass
class _Interruption:
    """Whether the command is to end; signals raise nothing: a call to Java that is cut off leaves it unusable."""

    is_set: bool = False
    is_terminated: bool = False

    def __enter__(self) -> _Interruption:
        self._before = {number: signal.signal(number, self._set) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _set(self, number: int, _: object) -> None:
        self.is_set, self.is_terminated = True, number == signal.SIGTERM


def _ended(query: Any, interrupted: _Interruption) -> bool:
    """Wait until the stream ends by itself, whose error is raised, or is interrupted."""
    from eligo.spark.matching.stream import has_ended

    while not has_ended(query, POLL_SECONDS):
        if interrupted.is_set:
            return False
    return True


def _stop(query: Any, out: str, rejects: str) -> None:
    """End the stream in the middle of a batch, of which nothing stays; what Spark says of that is of no use."""
    from eligo.spark.matching.stream import discard_staged
    from eligo.spark.session.session import stop_quietly
    from eligo.stores.address import located, place

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who cannot wait presses Ctrl-C again: the next run clears up
    sys.stderr.flush()
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    with suppress(Exception):
        query.stop()
    stop_quietly()
    discard_staged(*(place(located(written)) for written in (out, rejects)))
