"""`eligo top`: which expressions suit each event of a table best?"""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli.shared import documents_input, event_options, options
from eligo.cli.shared.event_command import AskedIndex, EventCommand, told_rows


def top(
    index: event_options.IndexPath,
    events: event_options.EventTable,
    out: event_options.Out,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many matches of each event.")] = 10,
    weights_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="A column of maps from attributes to weights in the event.", show_default=False
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    format: options.TableFormat = None,
    out_format: event_options.OutFormat = None,
    delimiter: options.Delimiter = ",",
    event_id_column: options.EventIdColumn = "event_id",
    expression_id_column: event_options.ExpressionIdColumn = "expression_id",
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
    keep: event_options.Keep = None,
    rejects: event_options.Rejects = None,
    on_error: event_options.OnError = event_options.BadEvents.REJECT,
    version: event_options.Version = None,
    documents: documents_input.Documents = None,
    document_time: documents_input.DocumentTime = None,
    local: event_options.Local = False,
    master: options.Master = "local[*]",
) -> None:
    """Find the best matches of each event of a table, on Spark or, with --local, in this process.

    Writes at most N rows for each event: its id, the rank from 1, the id of the expression and the score. Expressions
    weigh values: state in ('CA'^3, 'NY'^1.5). Equal scores are ranked in the order of the index.

    Events that cannot be read are left out and counted, and the exit code is 1.

    Examples:
      eligo top ads.index events.parquet --out best.parquet -n 3
      eligo top ads.index events.jsonl --local --out - -n 1
    """
    from eligo.index.events.event_source import EventColumns

    command = EventCommand(
        "top",
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
    )
    about = documents_input.documents_given(documents, document_time)
    if local:
        if weights_column is not None:
            raise typer.BadParameter("--weights-column needs Spark: leave out --local")
        from eligo.index.local.local_answers import LocalTop

        told = told_rows("match", "matches")
        command.run_here(LocalTop, told, n=n, expression_id=expression_id_column, documents=about)
    from eligo.spark.matching.match_files import top_files

    command.run(
        lambda job: top_files(
            job.spark,
            index,
            job.events,
            job.out,
            n,
            weights=weights_column,
            expression_id=expression_id_column,
            version=version,
            documents=about,
            **job.options,
        ),
        told_rows("match", "matches"),
    )
