"""`eligo stream`: match events as their files arrive."""

from __future__ import annotations

import os
from collections import Counter
from typing import Annotated

import typer
from rich.text import Text

from eligo.cli import event_options, options
from eligo.cli.console import counted, messages
from eligo.cli.event_job import note_guards, told_rejects
from eligo.cli.spark_session import started_session
from eligo.cli.steps import Steps
from eligo.data.file_format import FileFormat


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
    printed for each batch. The command runs until it is stopped; whatever stops it, the next run goes on where it was.

    Events that cannot be read, such as a line that is not JSON, have no matches; they are counted and put aside, each
    exactly once as well, and the exit code is 1.

    Examples:
      eligo stream ads.index incoming --out matches --checkpoint matches.checkpoint
      eligo stream ads.index incoming --out matches --checkpoint matches.checkpoint --once
    """
    from eligo.spark import StreamBatch
    from eligo.spark import stream as start_stream
    from eligo.spark.event_files import EventColumns, open_event_stream
    from eligo.spark.opened_index import index_version
    from eligo.spark.stream import REJECTS
    from eligo.spark.worker_errors import worker_errors

    version = index_version(index)
    console = messages()
    totals = Counter[str]()

    def on_batch(batch: StreamBatch) -> None:
        totals.update(batches=1, rejected=batch.num_rejected)
        rejected = f", {batch.num_rejected:,} rejected" if batch.num_rejected else ""
        console.print(
            Text.assemble(
                ("✓ ", "green"),
                (f"batch {batch.batch}", "bold"),
                f" {counted(batch.num_events, 'event')}{rejected}, "
                f"{counted(batch.num_matches, 'match', 'matches')}, version {batch.version}",
                (f"  {batch.seconds:.1f} s", "dim"),
            )
        )

    if format is FileFormat.JSON_LINES:
        note_guards(index, tenant_column, time_column)
    columns = EventColumns(event_id_column, tenant_column, time_column, tuple(keep or ()))
    with Steps() as steps:
        spark = started_session(steps, "eligo stream", master)
    rows, found = open_event_stream(spark, events, version, columns, format=format, files_per_batch=files_per_batch)
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
        on_batch=on_batch,
        **found,
    )
    try:
        with worker_errors():
            query.awaitTermination()
        if not totals["batches"]:
            console.print(f"no new events in {events}")
    except KeyboardInterrupt:
        query.stop()
    raise typer.Exit(told_rejects(totals["rejected"], "had no matches", rejects or os.path.join(out, REJECTS)))
