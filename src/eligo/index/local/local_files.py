"""How is a file of events read without Spark? Parquet in pieces, JSON lines as texts, CSV with types of its own.

A directory is read file by file, in the order of the names; what begins with `_` or `.` is left out, and files below
directories such as `country=FR` are Spark's to read. A file of a store is read where it is, in ranges.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.dataset as ds

from eligo.data.events.parquet_pieces import ParquetColumn, RowRange, is_legacy
from eligo.data.file_format import COMPRESSED, TABLES, FileFormat, format_of
from eligo.data.lint.absent_columns import arrow_columns
from eligo.data.schema.guards import TENANT, TIME
from eligo.errors import InputError
from eligo.index.events.event_source import JSON_COLUMN, EventColumns
from eligo.index.local.csv_events import csv_events
from eligo.index.local.event_layout import (
    SPARK_CAN,
    Kinds,
    LocalEvents,
    carried_names,
    chosen_columns,
    copied_field,
    event_source,
    require_values,
)
from eligo.language.value import INT64_MAX, INT64_MIN
from eligo.stores.address import Address, Place, is_address, place
from eligo.stores.arrow_files import arrow_file_system
from eligo.stores.remote_file import opened_file
from eligo.stores.store import store_of

LINES_AT_ONCE = 1 << 14
HIDDEN = ("_", ".")
"""What the names of files begin with that are not part of a table."""
ZERO = pa.record_batch([pa.array([0])], names=["piece"])
"""The number of the one piece that there is."""


def local_events(
    path: str, columns: EventColumns, kinds: Kinds, *, format: FileFormat | None = None, delimiter: str = ","
) -> LocalEvents:
    """Find out what is in a file of events; nothing is matched yet."""
    format = format or format_of(path, TABLES)
    files = _files(path)
    if format is FileFormat.PARQUET:
        return _parquet_events(path, files, columns, kinds)
    if format is FileFormat.JSON_LINES:
        return _json_events(path, files, columns, kinds)
    return csv_events(path, lambda: (opened(file) for file in files), columns, kinds, delimiter)


def _files(path: str) -> list[Place]:
    """The file, or the files of a directory."""
    found = place(path, "the input of --local")
    if isinstance(found, Address):
        return _files_of_store(found)
    if not found.exists():
        raise InputError(f"there is no file {path} on this machine", help="leave out --local for what Spark can reach")
    if found.is_file():
        return [found]
    files = [file for file in sorted(found.iterdir()) if not file.name.startswith(HIDDEN)]
    below = next((file for file in files if file.is_dir()), None)
    if below is not None:
        raise InputError(f"{path} has a directory, {below.name}", help=SPARK_CAN)
    if not files:
        raise InputError(f"{path} has no files")
    return list(files)


def _files_of_store(top: Address) -> list[Place]:
    store = store_of(top)
    if top.key and store.status(top.key) is not None:
        return [top]
    names = sorted(found.key.removeprefix(top.prefix) for found in store.list(top.prefix))
    shown = [name for name in names if not name.startswith(HIDDEN)]
    below = next((name for name in shown if "/" in name), None)
    if below is not None:
        raise InputError(f"{top} has a directory, {below.partition('/')[0]}", help=SPARK_CAN)
    if not shown:
        raise InputError(f"there is no file {top}")
    return [top / name for name in shown]


@contextmanager
def opened(file: Place) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed where its name says so."""
    try:
        with opened_file(file) as raw:
            if not file.name.endswith(COMPRESSED):
                yield raw
                return
            with gzip.open(raw, "rb") as content:
                yield content  # type: ignore[misc]  # which gzip's class is in all that is used
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"{file} cannot be decompressed: {error}") from None


def _parquet_events(path: str, files: Sequence[Place], columns: EventColumns, kinds: Kinds) -> LocalEvents:
    try:
        system = arrow_file_system() if is_address(files[0]) else None
        dataset = ds.dataset([str(file) for file in files], filesystem=system, format="parquet")
        fragments = list(dataset.get_fragments())
        schemas = [fragment.physical_schema.remove_metadata() for fragment in fragments]
        groups = [(fragment.path, group) for fragment in fragments for group in fragment.row_groups]
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None
    schema = schemas[0]
    other = next((fragment.path for fragment, own in zip(fragments, schemas, strict=True) if own != schema), None)
    if other is not None:
        raise InputError(f"{fragments[0].path} and {other} differ in their columns", help=SPARK_CAN)
    if any(map(is_legacy, fragments)):
        raise InputError(f"{path} may have days of the Julian calendar", help=SPARK_CAN)
    chosen = chosen_columns(path, arrow_columns(schema), columns, kinds)
    if not chosen:
        raise InputError(f"no expression names a column of {path}", help=SPARK_CAN)
    for given, name in chosen:
        if given == name:
            require_values(schema.field(name), path, kinds)
    carried = tuple(copied_field(schema.field(name), path) for name in carried_names(columns))
    read = tuple(ParquetColumn(given, name, _needed_type(name, schema.field(given).type)) for given, name in chosen)
    ranges = tuple(RowRange(file, group.id, 0, group.num_rows, ()) for file, group in groups)
    source = event_source(columns, kinds)._replace(pieces=(ranges,), columns=read)
    return LocalEvents(source, carried, lambda: iter([ZERO]))


def _needed_type(name: str, given: pa.DataType) -> pa.DataType | None:
    """The type in which a column is needed where it is not that of the file: a day is its midnight."""
    return pa.timestamp("us") if name == TIME and pa.types.is_date(given) else None


def _json_events(path: str, files: Sequence[Place], columns: EventColumns, kinds: Kinds) -> LocalEvents:
    """The lines as they are; the fields that are copied are text, but for ids that are all integers."""
    named = [name for name in (columns.tenant, columns.time) if name is not None]
    layout = [*carried_names(columns), *named]
    ids = layout[: 1 if columns.event_id else 0]
    id_type = _id_type(path, files, ids, layout[len(ids) :])
    types = [*[id_type] * len(ids), *[pa.string()] * (len(layout) - len(ids))]
    guards = [attribute for attribute, name in ((TENANT, columns.tenant), (TIME, columns.time)) if name is not None]
    names = [*(f"_eligo_{place}" for place in range(len(carried_names(columns)))), *guards, JSON_COLUMN]
    source = event_source(columns, kinds, is_json=True)._replace(names=tuple(names))

    def batches() -> Iterator[pa.RecordBatch]:
        for file in files:
            with opened(file) as content:
                lines = (line.rstrip(b"\r\n") for line in content)
                filled = (line for line in lines if line.strip(b" "))
                while block := list(islice(filled, LINES_AT_ONCE)):
                    objects = [_object(line) for line in block]
                    texts = [line.decode("utf-8", "replace") for line in block]
                    arrays = [
                        pa.array([_field(event.get(name), kind) for event in objects], kind)
                        for name, kind in zip(layout, types, strict=True)
                    ]
                    yield pa.record_batch([*arrays, pa.array(texts, pa.string())], names=names)

    fields = tuple(pa.field(name, kind) for name, kind in zip(carried_names(columns), types, strict=False))
    return LocalEvents(source, fields, batches)


def _id_type(path: str, files: Sequence[Place], ids: Sequence[str], others: Sequence[str]) -> pa.DataType:
    """Integers when all ids are, where there is a field of ids; a field that no line has is refused, as misspelt."""
    seen: set[str] = set()
    are_integers, is_empty = True, True
    for file in files:
        with opened(file) as content:
            for line in content:
                event = _object(line)
                seen.update(event)
                is_empty = is_empty and not event
                for id in map(event.get, ids):
                    is_integer = isinstance(id, int) and not isinstance(id, bool) and INT64_MIN <= id <= INT64_MAX
                    are_integers = are_integers and (id is None or is_integer)
    for name in () if is_empty else (*ids, *others):
        if name not in seen:
            raise InputError(
                f"no line of {path} has a field {name!r}",
                help="name the field: --event-id-column, --keep, --tenant-column or --time-column",
            )
    return pa.int64() if are_integers and not is_empty else pa.string()


def _object(line: bytes) -> dict[str, Any]:
    """The fields of a line; none where it is no JSON object, which the reading of the event will tell."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _field(value: Any, kind: pa.DataType) -> Any:
    """A field as text; what is no text, as JSON has it."""
    if value is None or isinstance(value, str) or pa.types.is_integer(kind):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
