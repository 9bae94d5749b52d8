"""`eligo count`: how many events of a table does each expression match?"""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli.shared import documents_input, event_options, options
from eligo.cli.shared.event_command import AskedIndex, EventCommand, told_rows


def count(
    index: event_options.IndexPath,
    events: event_options.EventTable,
    out: event_options.Out,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Count for each value of this column; may be given again.", show_default=False
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    format: options.TableFormat = None,
    out_format: event_options.OutFormat = None,
    delimiter: options.Delimiter = ",",
    expression_id_column: event_options.ExpressionIdColumn = "expression_id",
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
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
    """Count the events of a table that each expression matches, on Spark or, with --local, in this process.

    Writes one row for each expression that matches an event: its id and the number of events, the largest first. No
    pair of event and expression is made, so this is much quicker than matching and then counting.

    Events that cannot be read are left out and counted, and the exit code is 1.

    Examples:
      eligo count ads.index events.parquet --out reach.parquet
      eligo count ads.index events.jsonl --by country --out -
      eligo count ads.index events.csv --local --out reach.csv
    """
    from eligo.index.events.event_source import EventColumns

    here = EventColumns("", tenant_column, time_column, tuple(by or ()))
    command = EventCommand(
        "count",
        (AskedIndex(index, version),),
        events,
        out,
        here if local else EventColumns(tenant=tenant_column, time=time_column),
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
        if report is not None:
            raise typer.BadParameter("--report needs Spark: leave out --local")
        from eligo.index.local.local_answers import LocalCount

        memory_bytes = event_options.bytes_of(memory)
        told = told_rows("row", "rows")
        command.run_here(LocalCount, told, expression_id=expression_id_column, memory=memory_bytes, documents=about)
    from eligo.spark.matching.match_files import count_files

    command.run(
        lambda job: count_files(
            job.spark,
            index,
            job.events,
            job.out,
            by=by or (),
            expression_id=expression_id_column,
            version=version,
            memory=event_options.bytes_of(memory),
            documents=about,
            **job.options,
        ),
        told_rows("row", "rows"),
    )
