"""Which arguments and options do several commands share?"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Annotated

import typer

from eligo.data.file_format import TABLES, WRITTEN, FileFormat

EVENT_FILES = (FileFormat.JSON_LINES, FileFormat.PARQUET)
"""What a single event is taken from."""


class MissingPolicy(StrEnum):
    """What a predicate on a missing attribute is."""

    UNKNOWN = "unknown"
    FALSE = "false"


def _one_of(usable: Collection[FileFormat], value: FileFormat | None) -> FileFormat | None:
    """Refuse a format that the command cannot use."""
    if value is not None and value not in usable:
        raise typer.BadParameter(f"'{value}' cannot be used here: give {', '.join(usable)}")
    return value


def table_format(value: FileFormat | None) -> FileFormat | None:
    """Refuse a format that tables are not read from."""
    return _one_of(TABLES, value)


def written_format(value: FileFormat | None) -> FileFormat | None:
    """Refuse a format that tables are not written in."""
    return _one_of(WRITTEN, value)


def event_format(value: FileFormat | None) -> FileFormat | None:
    """Refuse a format from which a single event is not taken."""
    return _one_of(EVENT_FILES, value)


def one_sign(value: str) -> str:
    """The sign between two fields; a tab cannot be typed in every shell."""
    sign = "\t" if value in ("\\t", "tab") else value
    if len(sign) != 1 or sign in '"\r\n':
        raise typer.BadParameter(f"{value!r} is not one sign, such as ';' or '\\t'")
    return sign


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
TableFormat = Annotated[
    FileFormat | None,
    typer.Option(
        "--format",
        metavar="|".join(TABLES),
        callback=table_format,
        help="Read the files in this format, whatever their names.",
        show_default=False,
    ),
]
Delimiter = Annotated[
    str,
    typer.Option(
        metavar="SIGN",
        callback=one_sign,
        help="What separates the fields of CSV, in files that are read and written; \\t is a tab.",
    ),
]
EventFormat = Annotated[
    FileFormat | None,
    typer.Option(
        "--format",
        metavar="|".join(EVENT_FILES),
        callback=event_format,
        help="Read the file in this format, whatever its name.",
        show_default=False,
    ),
]
IdColumn = Annotated[str, typer.Option(metavar="NAME", help="The column, or JSON field, of the ids.")]
ExpressionColumn = Annotated[str, typer.Option(metavar="NAME", help="The column, or JSON field, of the expressions.")]
EventIdColumn = Annotated[str, typer.Option(metavar="NAME", help="The column, or JSON field, of the events' ids.")]
SchemaFile = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="A JSON file with the attributes and their kinds; expressions must keep to it.",
        show_default=False,
    ),
]
SampleFile = Annotated[
    str | None,
    typer.Option(
        "--events",
        metavar="FILE",
        help="A table of events (.jsonl, .csv or .parquet); attributes, kinds and values that its first 100,000 "
        "never have are told.",
        show_default=False,
    ),
]
Missing = Annotated[
    MissingPolicy, typer.Option(metavar="unknown|false", help="What a predicate on a missing attribute is.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON lines for programs instead of text for people.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there already.")]
Master = Annotated[str, typer.Option(metavar="URL", help="The Spark master; local[*] uses all cores of this machine.")]
