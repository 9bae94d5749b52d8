"""How are events read that come as JSON texts? One object each; a text that is none loses only its own event.

JSON has no dates. A text counts as a date or timestamp when the expressions of the whole index compare its attribute
with nothing else: what a later update compares it with counts too, so that merging the parts changes no answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

from eligo.data.events.direct.json_texts import JsonTexts
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_json import parsed_event
from eligo.data.events.text_values import moment_readers
from eligo.data.schema.schema import Schema
from eligo.data.schema.schema_events import without_roles
from eligo.data.sound_arrays import require_sound
from eligo.data.vocabulary import Vocabulary
from eligo.index.events.event_source import JSON_COLUMN, WEIGHTS_COLUMN
from eligo.index.index import Index
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.value import Kind


def moment_kinds(index: Index) -> dict[str, Kind]:
    """For each attribute whose texts stand for dates or timestamps: for which of them. A schema reads its own."""
    kinds, schema = index.view().temporal_kinds, index.schema
    return {name: kind for name, kind in kinds.items() if schema is None or name not in schema}


def read_json_texts(
    given: pa.Table,
    vocabulary: Vocabulary,
    schema: Schema | None,
    weights: str | None,
    moments: Mapping[str, Kind],
    roles: Collection[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> EventBatch:
    """The events of a table with a column of texts, and perhaps further columns that are attributes or weights.

    `roles` names what is no attribute, such as the id: a closed schema need not have it.
    """
    column = given[JSON_COLUMN]
    require_sound(column.chunks, JSON_COLUMN)
    texts = column.cast(pa.binary()).to_pylist()
    is_alone = given.num_columns == 1
    extra = [{}] * len(texts) if is_alone else given.drop_columns([JSON_COLUMN]).to_pylist()

    def parse(row: tuple[bytes | None, dict[str, Any]]) -> tuple[Any, Any]:
        text, columns = row
        event = without_roles(parsed_event(text, limits), roles, schema)
        named = {name: value for name, value in columns.items() if name != WEIGHTS_COLUMN}
        return {**event, **named} if named else event, dict(columns.get(weights) or ()) or None if weights else None

    return EventBatch.from_json_texts(
        JsonTexts.of_column(column) if is_alone and schema is None else None,
        list(zip(texts, extra, strict=True)),
        vocabulary,
        moments,
        parse=parse,
        readers=moment_readers(moments),
        schema=schema,
        on_error="reject",
        shown=lambda row: "" if row[0] is None else row[0].decode("utf-8", "replace"),
        limits=limits,
    )
