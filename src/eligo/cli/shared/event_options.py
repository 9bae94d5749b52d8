"""Which arguments and options do the commands over tables of events share?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from eligo.cli.shared.options import written_format
from eligo.data.file_format import FileFormat


class BadEvents(StrEnum):
    """What to do with an event that cannot be read."""

    REJECT = "reject"
    RAISE = "raise"


IndexPath = Annotated[str, typer.Argument(help="The directory of an index, from eligo build.", show_default=False)]
EventTable = Annotated[
    str,
    typer.Argument(
        help="A table of events with a column for each attribute: .jsonl, .csv or .parquet; - is stdin.",
        show_default=False,
    ),
]
Out = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        help="Where the rows go: .parquet (a directory of files), .jsonl or .csv; - is stdout, as JSON lines.",
        show_default=False,
    ),
]
OutFormat = Annotated[
    FileFormat | None,
    typer.Option(
        metavar="jsonl|parquet|csv",
        callback=written_format,
        help="Write this format, whatever the name of PATH.",
        show_default=False,
    ),
]
ExpressionIdColumn = Annotated[
    str, typer.Option(metavar="NAME", help="The column of the output for the expressions' ids.")
]
TenantColumn = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column, or JSON field, of the events' tenants.", show_default=False),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The column, or JSON field, of the events' times, for expressions with validity windows.",
        show_default=False,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A column to copy from the events; may be given again.", show_default=False),
]
Version = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="The version of the index; the live one unless given.", show_default=False),
]
OnError = Annotated[
    BadEvents,
    typer.Option(
        metavar="reject|raise", help="Whether events that cannot be read are counted and left out, or end the command."
    ),
]
Rejects = Annotated[
    str | None,
    typer.Option(
        metavar="PATH", help="Write events that cannot be read here, as .parquet, .jsonl or .csv.", show_default=False
    ),
]
Local = Annotated[bool, typer.Option("--local", help="Ask in this process, without Spark; for files of this machine.")]
Memory = Annotated[
    int | None,
    typer.Option(
        metavar="MB",
        min=1,
        help="Ask a larger index in groups of shards of about this size; half of the machine's memory unless given.",
        show_default=False,
    ),
]
ReportPath = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Write a report with plots here, as one HTML page.", show_default=False),
]


def bytes_of(megabytes: int | None) -> int | None:
    """Megabytes as bytes."""
    return None if megabytes is None else megabytes * 1_000_000
