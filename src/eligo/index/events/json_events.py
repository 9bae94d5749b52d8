"""How are events read that come as JSON texts? One object each; a text that is none loses only its own event.

JSON has no dates. A text counts as a date or timestamp when the expressions of the whole index compare its attribute
with nothing else: what a later update compares it with counts too, so that merging the parts changes no answer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

from eligo.data.events.event import Reader, read_events
from eligo.data.events.event_batch import EventBatch, with_rejects
from eligo.data.events.event_json import JsonLine, parse_line
from eligo.data.events.text_values import inferring_reader, with_lists
from eligo.data.schema.schema import Schema
from eligo.data.schema.schema_events import without_roles
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EventError
from eligo.index.events.event_source import JSON_COLUMN, WEIGHTS_COLUMN
from eligo.index.index import Index
from eligo.language.limits import DEFAULT_LIMITS, Limits

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some programs put at the beginning of a file."""


def moment_readers(index: Index) -> dict[str, Reader]:
    """For each attribute whose texts stand for dates or timestamps: how they are read. A schema reads its own."""
    kinds, schema = index.view().temporal_kinds, index.schema
    return with_lists(
        {
            name: inferring_reader(frozenset((kind,)), is_blank_missing=False)
            for name, kind in kinds.items()
            if schema is None or name not in schema
        }
    )


def read_json_texts(
    given: pa.Table,
    vocabulary: Vocabulary,
    schema: Schema | None,
    weights: str | None,
    readers: Mapping[str, Reader],
    roles: Collection[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> EventBatch:
    """The events of a table with a column of texts, and perhaps further columns that are attributes or weights.

    `roles` names what is no attribute, such as the id: a closed schema need not have it.
    """
    texts = given[JSON_COLUMN].cast(pa.binary()).to_pylist()
    extra = given.drop_columns([JSON_COLUMN]).to_pylist() if given.num_columns > 1 else [{}] * len(texts)

    def parse(row: tuple[bytes | None, dict[str, Any]]) -> tuple[Any, Any]:
        text, columns = row
        event = without_roles(parsed_event(text, limits), roles, schema)
        named = {name: value for name, value in columns.items() if name != WEIGHTS_COLUMN}
        return {**event, **named} if named else event, dict(columns.get(weights) or ()) or None if weights else None

    values, num_events, rejects = read_events(
        zip(texts, extra, strict=True),
        vocabulary,
        parse=parse,
        readers=readers,
        schema=schema,
        on_error="reject",
        shown=lambda row: "" if row[0] is None else row[0].decode("utf-8", "replace"),
        limits=limits,
    )
    return with_rejects(EventBatch.from_values(num_events, [values], vocabulary), rejects)


def parsed_event(text: bytes | None, limits: Limits) -> dict[str, Any]:
    """The event that a JSON text is; bytes, because Spark's strings need not be UTF-8."""
    if text is None:
        raise EventError("the event is missing")
    event = parse_line(JsonLine(1, text.removeprefix(BYTE_ORDER_MARK)), limits)
    if not isinstance(event, dict):
        raise EventError(
            f"an event is a JSON object, not {json.dumps(event)[:40]}", help='write {"age": 20, "state": "CA"}'
        )
    return event
