"""Which events of a file are looked at? The first ones, read without Spark: Parquet, JSON lines or CSV.

In JSON a text may stand for a date, in CSV for anything; what is said of such attributes allows for all of it.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import IO, Any

import pyarrow as pa
import pyarrow.dataset as ds

from eligo.data.file_format import COMPRESSED, TABLES, FileFormat, format_of
from eligo.data.lint.seen_attribute import moments_of, readings_of_text
from eligo.data.lint.seen_events import SAMPLE, SeenEvents
from eligo.errors import InputError, shown
from eligo.stores.address import Address, Place, place
from eligo.stores.arrow_files import arrow_file_system
from eligo.stores.remote_file import opened_file
from eligo.stores.store import store_of

LONGEST_LINE = 10_000_000
"""Characters of a line; longer ones are no events."""
HIDDEN = ("_", ".")
"""What the names of files begin with that are not part of a table."""


def seen_in_file(
    path: str, *, format: FileFormat | None = None, sample: int = SAMPLE, delimiter: str = ","
) -> SeenEvents:
    """What the first events of a file, or of a directory of files, have; a path or an address."""
    top = place(path, "the file of events")
    format = format or format_of(path, TABLES)
    if not _is_there(top):
        raise InputError(f"{shown(path)} is not there")
    if format is FileFormat.PARQUET:
        return _seen_in_parquet(top, sample)
    seen = SeenEvents()
    try:
        if format is FileFormat.JSON_LINES:
            seen.add_mappings(islice(_json_events(top), sample), moments_of)
        else:
            seen.add_mappings(islice(_csv_events(top, delimiter), sample), readings_of_text)
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise InputError(f"{shown(path)} cannot be read as {format}: {error}") from None
    return seen


def _is_there(top: Place) -> bool:
    return next(_files(top), None) is not None if isinstance(top, Address) else top.exists()


def _seen_in_parquet(top: Place, sample: int) -> SeenEvents:
    seen = SeenEvents()
    try:
        system = arrow_file_system() if isinstance(top, Address) else None
        events = ds.dataset(str(top), filesystem=system, format="parquet", partitioning="hive")
        seen.add_table(events.schema.empty_table())
        for batch in events.to_batches(batch_size=65_536):
            seen.add_table(batch.slice(0, sample - seen.num_events))
            if seen.num_events >= sample:
                break
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{shown(str(top))} cannot be read as Parquet: {error}") from None
    return seen


def _json_events(top: Place) -> Iterator[dict[str, Any]]:
    """The objects of the lines; a line that is none is passed over, as matching rejects it."""
    for file in _texts(top):
        for line in _lines(file):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                yield event


def _csv_events(top: Place, delimiter: str) -> Iterator[dict[str, Any]]:
    """The rows by their header, without blank fields."""
    for file in _texts(top):
        for row in csv.DictReader(_lines(file), delimiter=delimiter):
            yield {name: text for name, text in row.items() if isinstance(text, str) and name and text.strip()}


def _texts(top: Place) -> Iterator[IO[str]]:
    """The files of a place, open for reading."""
    for name in _files(top):
        with opened_file(name) as raw:
            content = gzip.GzipFile(fileobj=raw) if name.name.endswith(COMPRESSED) else raw
            with io.TextIOWrapper(content, encoding="utf-8-sig", errors="replace", newline="") as file:
                yield file


def _files(top: Place) -> Iterator[Place]:
    """The file, or the files below a directory in the order of their paths."""
    below: list[Place]
    if isinstance(top, Address):
        store = store_of(top)
        is_file = bool(top.key) and store.status(top.key) is not None
        keys = () if is_file else sorted(found.key for found in store.list(top.prefix))
        below = [Address(top.scheme, top.authority, key) for key in keys]
    else:
        is_file = not top.is_dir()
        below = [] if is_file else [path for path in sorted(top.rglob("*")) if path.is_file()]
    yield from [top] if is_file else (file for file in below if not file.name.startswith(HIDDEN))


def _lines(file: IO[str]) -> Iterator[str]:
    """The lines of a file, of which none may take all memory."""
    while line := file.readline(LONGEST_LINE):
        yield line
