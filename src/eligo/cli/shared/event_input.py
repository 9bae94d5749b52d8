"""Which event is meant? A JSON object on the command line or stdin, or the event of an id in a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from eligo.cli.shared.file_content import STANDARD_STREAM, read_content
from eligo.data.directory_names import directory_texts
from eligo.data.file_format import FileFormat, format_of
from eligo.errors import EventError, ExpressionValueError, InputError, shown
from eligo.language.moment import parse_date, parse_timestamp, read_moment
from eligo.language.value import Kind, event_attributes
from eligo.stores.address import Address, place


def event_from_json(text: str) -> dict[str, Any]:
    """The event that a JSON text is; `-` takes the text from stdin."""
    given = sys.stdin.buffer.read().decode("utf-8", "replace") if text == STANDARD_STREAM else text
    try:
        event = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise EventError(f"the event is not JSON: {error}", help='write {"age": 20, "state": "CA"}') from None
    if not isinstance(event, dict):
        raise EventError(f"an event is a JSON object, not {shown(event)}", help='write {"age": 20, "state": "CA"}')
    return event


def event_from_file(
    path: str, id: str, id_column: str, format: FileFormat | None = None, tenant: str | None = None
) -> dict[str, Any]:
    """The event of an id in a file of JSON lines or Parquet; a tenant in the name of a directory is text."""
    format = format or format_of(path)
    if format is FileFormat.PARQUET:
        events = _parquet_events(path, id, id_column, tenant)
    elif format is FileFormat.JSON_LINES:
        events = _json_events(path)
    else:
        raise InputError(f"an event cannot be taken from {format}", help="give JSON lines or Parquet")
    for event in events:
        if str(event.get(id_column)) == id:
            return event
    raise InputError(f"{shown(path)} has no event whose {shown(id_column)} is {shown(id)}")


def _json_events(path: str) -> Iterator[dict[str, Any]]:
    for line in read_content(path).split(b"\n"):
        if line.strip():
            yield event_from_json(line.decode("utf-8", "replace"))


def _parquet_events(path: str, id: str, id_column: str, tenant: str | None) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    from eligo.stores.arrow_files import arrow_file_system

    # Timestamps of 96 bits end in the year 2262 when they are read as nanoseconds.
    format = ds.ParquetFileFormat(coerce_int96_timestamp_unit="us")
    found = place(path, "the file of events")
    try:
        system = arrow_file_system() if isinstance(found, Address) else None
        files = list(ds.dataset(str(found), filesystem=system, format=format, partitioning="hive").get_fragments())
        if not any(id_column in file.physical_schema.names for file in files):
            raise InputError(f"{path} has no column {id_column!r}", help="name it with --event-id-column")
        for file in files:  # each with the columns that it has
            if id_column in file.physical_schema.names:
                in_directories = ds.get_partition_keys(file.partition_expression)
                if tenant is not None and tenant in in_directories:
                    in_directories[tenant] = directory_texts(file.path)[tenant]
                wanted = pc.field(id_column).cast("string") == id
                for batch in file.to_batches(schema=file.physical_schema, filter=wanted):
                    yield from ({**in_directories, **row} for row in batch.to_pylist())
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError(f"{shown(path)} cannot be read as Parquet: {error}") from None


def with_guards(event: dict[str, Any], tenant: str | None, time: str | None) -> dict[str, Any]:
    """The event with the attributes that tenants and validity windows ask for, from the fields that are named."""
    named = {"@tenant": tenant, "@time": time}
    guards = {attribute: event.get(field) for attribute, field in named.items() if field is not None}
    if isinstance(text := guards.get("@time"), str):
        try:
            guards["@time"] = read_moment(text)
        except ExpressionValueError as error:
            raise EventError(error.message, attribute=time, help=error.help) from None
    return {**event, **guards}


def with_moments(event: Mapping[str, Any], temporal_kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """The event with dates and timestamps for the texts of attributes that are compared with nothing else."""
    return {
        name: [_moment(value, temporal_kinds.get(name)) for value in values]
        for name, values in event_attributes(event).items()
    }


def _moment(value: Any, kind: Kind | None) -> Any:
    if not isinstance(value, str) or kind is None:
        return value
    try:
        return parse_date(value) if kind is Kind.DATE else parse_timestamp(value)
    except ExpressionValueError:
        return value
