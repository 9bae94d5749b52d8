"""`eligo match`: which expressions does each event of a table satisfy?"""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli.shared import documents_input, event_options, options
from eligo.cli.shared.event_command import AskedIndex, EventCommand, told_rows


def match(
    index: event_options.IndexPath,
    events: event_options.EventTable,
    out: event_options.Out,
    overwrite: options.Overwrite = False,
    format: options.TableFormat = None,
    out_format: event_options.OutFormat = None,
    delimiter: options.Delimiter = ",",
    event_id_column: options.EventIdColumn = "event_id",
    expression_id_column: event_options.ExpressionIdColumn = "expression_id",
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
    keep: event_options.Keep = None,
    partition_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column of the output whose values become directories of Parquet; may be given again.",
            show_default=False,
        ),
    ] = None,
    rejects: event_options.Rejects = None,
    on_error: event_options.OnError = event_options.BadEvents.REJECT,
    version: event_options.Version = None,
    documents: documents_input.Documents = None,
    document_time: documents_input.DocumentTime = None,
    memory: event_options.Memory = None,
    report: event_options.ReportPath = None,
    local: event_options.Local = False,
    master: options.Master = "local[*]",
) -> None:
    """Match a table of events against an index, on Spark or, with --local, in this process.

    Writes one row for each match: the id of the event and the id of the expression. Of the events, the columns that
    expressions name are attributes. CSV has no types: ids stay text, and the types of other columns are inferred.

    Events that cannot be read, such as a line that is not JSON, have no matches; they are counted, and the exit code
    is 1.

    Examples:
      eligo match ads.index events.parquet --out matches.parquet
      eligo match ads.index events.parquet --out matches.parquet --keep day --partition-by day --report report.html
      eligo match ads.index events.csv --local --delimiter ';' --out matches.csv
      cat events.jsonl | eligo match ads.index - --out -
    """
    from eligo.index.events.event_source import EventColumns

    command = EventCommand(
        "match",
        (AskedIndex(index, version),),
        events,
        out,
        EventColumns(event_id_column, tenant_column, time_column, tuple(keep or ())),
        format=format,
        out_format=out_format,
        overwrite=overwrite,
        rejects=rejects,
        on_error=on_error,
        master=master,
        delimiter=delimiter,
        report=report,
    )
    about = documents_input.documents_given(documents, document_time)
    if local:
        if partition_by or report is not None:
            raise typer.BadParameter("--partition-by and --report need Spark: leave out --local")
        from eligo.index.local.local_match import LocalMatch

        command.run_here(
            LocalMatch,
            told_rows("match", "matches"),
            expression_id=expression_id_column,
            memory=event_options.bytes_of(memory),
            documents=about,
        )
    from eligo.spark.matching.match_files import match_files

    command.run(
        lambda job: match_files(
            job.spark,
            index,
            job.events,
            job.out,
            expression_id=expression_id_column,
            partition_by=partition_by or (),
            version=version,
            memory=event_options.bytes_of(memory),
            documents=about,
            **job.options,
        ),
        told_rows("match", "matches"),
    )
