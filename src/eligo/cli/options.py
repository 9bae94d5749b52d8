"""Which arguments and options do several commands share?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eligo.data.file_format import FileFormat


class MissingPolicy(StrEnum):
    """What a predicate on a missing attribute is."""

    UNKNOWN = "unknown"
    FALSE = "false"


FORMATS = "|".join(map(str, FileFormat))

ExpressionFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Files of expressions; - is stdin. Plain text (.txt, .eligo, stdin) has one expression a line; "
        ".jsonl, .csv and .parquet have one a row. A .gz may hold 100 MB.",
        show_default=False,
    ),
]
Format = Annotated[
    FileFormat | None,
    typer.Option(
        "--format", metavar=FORMATS, help="Read the files in this format, whatever their names.", show_default=False
    ),
]
IdColumn = Annotated[str, typer.Option(metavar="NAME", help="The column, or JSON field, of the ids.")]
ExpressionColumn = Annotated[str, typer.Option(metavar="NAME", help="The column, or JSON field, of the expressions.")]
EventIdColumn = Annotated[str, typer.Option(metavar="NAME", help="The column, or JSON field, of the events' ids.")]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="A JSON file with the attributes and their kinds; expressions must keep to it.",
        show_default=False,
    ),
]
Missing = Annotated[
    MissingPolicy, typer.Option(metavar="unknown|false", help="What a predicate on a missing attribute is.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON lines for programs instead of text for people.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there already.")]
Master = Annotated[str, typer.Option(metavar="URL", help="The Spark master; local[*] uses all cores of this machine.")]
