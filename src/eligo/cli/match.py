"""`eligo match`: which expressions does each event of a table satisfy?"""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli import options
from eligo.cli.console import counted
from eligo.cli.expression_file import STANDARD_STREAM
from eligo.cli.spark_input import readable_path
from eligo.cli.spark_session import started_session
from eligo.cli.steps import Steps
from eligo.data.file_format import FileFormat


def match(
    index: Annotated[str, typer.Argument(help="The directory of an index, from eligo build.", show_default=False)],
    events: Annotated[
        str,
        typer.Argument(
            help="A table of events with a column for each attribute: .jsonl, .csv or .parquet; - is stdin.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="Where the matches go: .parquet (a directory of files) or .jsonl; - is stdout, as JSON lines.",
            show_default=False,
        ),
    ],
    overwrite: options.Overwrite = False,
    format: options.Format = None,
    out_format: Annotated[
        FileFormat | None,
        typer.Option(metavar="jsonl|parquet", help="Write this format, whatever the name of PATH.", show_default=False),
    ] = None,
    event_id_column: options.EventIdColumn = "event_id",
    expression_id_column: Annotated[
        str, typer.Option(metavar="NAME", help="The column of the matches for the expressions' ids.")
    ] = "expression_id",
    master: options.Master = "local[*]",
) -> None:
    """Match a table of events against an index on Spark.

    Writes one row for each match: the id of the event and the id of the expression. Of the events, the columns that
    expressions name are attributes. CSV has no types: ids stay text, and the types of other columns are inferred.

    Examples:
      eligo match ads.index events.parquet --out matches.parquet
      cat events.jsonl | eligo match ads.index - --out -
    """
    from eligo.spark import tables
    from eligo.spark.match_files import match_files
    from eligo.spark.opened_index import live_version
    from eligo.spark.progress import running_tasks

    live_version(index)  # a wrong path is told at once, not after Spark has started
    target = None if out == STANDARD_STREAM else out
    if target is not None:
        tables.require_writable(target, out_format, overwrite=overwrite)
    with Steps() as steps, readable_path(events, format) as path:
        spark = started_session(steps, "eligo match", master)
        steps.begin("match events", lambda: running_tasks(spark))
        summary = match_files(
            spark,
            index,
            path,
            target,
            format=format,
            out_format=out_format,
            event_id=event_id_column,
            expression_id=expression_id_column,
            overwrite=overwrite,
        )
        where = f" in {out}" if target is not None else ""
        matches = counted(summary.num_matches, "match", "matches")
        steps.finish(f"{counted(summary.num_events, 'event')}, {matches}{where}")
