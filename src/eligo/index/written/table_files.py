"""How does a table of Arrow become a file? Parquet, JSON lines or CSV, whole or not at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from eligo.data.file_format import FileFormat
from eligo.data.file_places import writable_format
from eligo.errors import InputError
from eligo.index.written.landed_file import landed_file
from eligo.stores.address import Address, place

DELIMITER = ","
LINE_END = "\n"


def write_table(table: pa.Table, path: str) -> None:
    """Write an Arrow table as one file, in the place of a file that is there."""
    write_batches(table.to_batches(), table.schema, path)


def write_batches(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    path: str,
    *,
    format: FileFormat | None = None,
    delimiter: str = DELIMITER,
) -> None:
    """Write record batches, one after another, as one file in the place of one that is there."""
    format = writable_format(path, format)
    found = place(path, "the output")
    if isinstance(found, Address):
        with landed_file(found) as whole:
            write_batches(batches, schema, str(whole), format=format, delimiter=delimiter)
        return
    path = os.fspath(found)
    if format is FileFormat.PARQUET:
        write_arrow(batches, schema, path)
        return
    Path(path).absolute().parent.mkdir(parents=True, exist_ok=True)
    with _whole_or_not(path) as partial, open(partial, "w", encoding="utf-8", newline="") as file:
        write_lines(batches, schema, file, format, delimiter)


def write_arrow(batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: str) -> None:
    """Write record batches as one Parquet file, whole or not at all."""
    Path(path).absolute().parent.mkdir(parents=True, exist_ok=True)
    with _whole_or_not(path) as partial, pq.ParquetWriter(partial, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def write_lines(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: TextIO, format: FileFormat, delimiter: str = DELIMITER
) -> None:
    """Write record batches as JSON lines or CSV to an open file."""
    if format is FileFormat.CSV:
        require_flat(schema)
        writer = csv.writer(file, delimiter=delimiter, lineterminator=LINE_END)
        writer.writerow(schema.names)
        for batch in batches:
            columns = [map(_csv_cell, column.to_pylist()) for column in batch.columns]
            writer.writerows(zip(*columns, strict=True))
        return
    for batch in batches:
        file.writelines(
            f"{json.dumps(row, ensure_ascii=False, default=_json_text, separators=(',', ':'))}{LINE_END}"
            for row in batch.to_pylist()
        )


def header_line(names: Iterable[str], delimiter: str) -> str:
    """The first line of CSV."""
    from io import StringIO

    written = StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator=LINE_END).writerow(names)
    return written.getvalue()


def require_flat(schema: pa.Schema) -> None:
    """Refuse columns that CSV has no way to write."""
    for field in schema:
        if pt.is_nested(field.type):
            raise InputError(
                f"column {field.name!r} is of type {field.type}, which CSV cannot hold",
                help="end the path in .parquet or .jsonl, or leave the column out",
            )


def _csv_cell(value: Any) -> Any:
    return ("true" if value else "false") if isinstance(value, bool) else _text(value)


def _json_text(value: Any) -> Any:
    return str(_text(value))


def _text(value: Any) -> Any:
    """A moment as Spark writes it; anything else as it is."""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat(timespec="milliseconds")
        return text if value.tzinfo is None else f"{text}Z"
    return value.isoformat() if isinstance(value, date) else value


@contextmanager
def _whole_or_not(path: str) -> Iterator[str]:
    """A name to write to, which becomes the path when all is well and is gone otherwise."""
    partial = f"{path}.partial"
    try:
        yield partial
        os.replace(partial, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
