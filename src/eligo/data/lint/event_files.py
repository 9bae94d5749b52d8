"""Which events of a file are looked at? The first ones, read without Spark: Parquet, JSON lines or CSV.

In JSON a text may stand for a date, in CSV for anything; what is said of such attributes allows for all of it.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.dataset as ds

from eligo.data.file_format import COMPRESSED, TABLES, FileFormat, format_of
from eligo.data.lint.seen_attribute import moments_of, readings_of_text
from eligo.data.lint.seen_events import SAMPLE, SeenEvents
from eligo.errors import InputError, shown

LONGEST_LINE = 10_000_000
"""Characters of a line; longer ones are no events."""


def seen_in_file(
    path: str, *, format: FileFormat | None = None, sample: int = SAMPLE, delimiter: str = ","
) -> SeenEvents:
    """What the first events of a file, or of a directory of files, have."""
    format = format or format_of(path, TABLES)
    if not Path(path).exists():
        raise InputError(f"{shown(path)} is not there")
    if format is FileFormat.PARQUET:
        return _seen_in_parquet(path, sample)
    seen = SeenEvents()
    try:
        if format is FileFormat.JSON_LINES:
            seen.add_mappings(islice(_json_events(path), sample), moments_of)
        else:
            seen.add_mappings(islice(_csv_events(path, delimiter), sample), readings_of_text)
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise InputError(f"{shown(path)} cannot be read as {format}: {error}") from None
    return seen


def _seen_in_parquet(path: str, sample: int) -> SeenEvents:
    seen = SeenEvents()
    try:
        events = ds.dataset(path, format="parquet", partitioning="hive")
        seen.add_table(events.schema.empty_table())
        for batch in events.to_batches(batch_size=65_536):
            seen.add_table(batch.slice(0, sample - seen.num_events))
            if seen.num_events >= sample:
                break
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{shown(path)} cannot be read as Parquet: {error}") from None
    return seen


def _json_events(path: str) -> Iterator[dict[str, Any]]:
    """The objects of the lines; a line that is none is passed over, as matching rejects it."""
    for file in _texts(path):
        for line in _lines(file):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                yield event


def _csv_events(path: str, delimiter: str) -> Iterator[dict[str, Any]]:
    """The rows by their header, without blank fields."""
    for file in _texts(path):
        for row in csv.DictReader(_lines(file), delimiter=delimiter):
            yield {name: text for name, text in row.items() if isinstance(text, str) and name and text.strip()}


def _texts(path: str) -> Iterator[IO[str]]:
    """The files of a path, open for reading."""
    top = Path(path)
    names = [top] if top.is_file() else sorted(top.rglob("*"))
    for name in names:
        if name.is_file() and not name.name.startswith(("_", ".")):
            open_text = gzip.open if name.name.endswith(COMPRESSED) else open
            with open_text(name, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
                yield file


def _lines(file: IO[str]) -> Iterator[str]:
    """The lines of a file, of which none may take all memory."""
    while line := file.readline(LONGEST_LINE):
        yield line
