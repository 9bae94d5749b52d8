"""In which forms do events come to Spark? A column for each of many attributes, few columns, maps, JSON texts.

All lie in Parquet files. Wide, as JSON and as maps they are the same events of `conjunctions`; a map has values of one
type, and so the integers only. Narrow ones are of a workload of their own, with ten attributes. They are asked of an
index in which matching an event takes little, so that everything else shows, and wide ones of a large one too. Each
round of a job over few events has others (`number`); a million are the same in all rounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import eligo
from benchmarks.pipeline_tables import ROWS_IN_BATCH, PipelineTables
from eligo import EventBatch
from eligo.index.events.event_blocks import read_block
from eligo.index.events.event_source import JSON_COLUMN, MAP_COLUMN, EventSource
from eligo.workloads import conjunctions

NARROW = {"num_attributes": 10, "event_size": 8, "range_width": (0.02, 0.2), "string_alpha": 0.8}


@dataclass(frozen=True)
class EventForm:
    """Events in Parquet, the index that they are asked of, and how their columns are told to Spark."""

    name: str
    events: str
    index: str
    options: Mapping[str, str]

    def encoded(self, index: eligo.Index) -> list[EventBatch]:
        """The events as kernels take them, as many at a time as a worker gives them."""
        (part,) = index.parts
        source = EventSource(("event_id",), is_json="json" in self.options, is_map="attributes" in self.options)
        layout = {"event": JSON_COLUMN, "attributes": MAP_COLUMN, "event_id": "_eligo_0"}
        found = []
        for batch in pq.ParquetFile(self.events).iter_batches(ROWS_IN_BATCH):
            rows = pa.Table.from_batches([batch])
            rows = rows.rename_columns([layout.get(name, name) for name in rows.column_names])
            found.append(read_block(rows, index, source, "raise").events(part.vocabulary))
        return found


def wide(tables: PipelineTables, number: int = 0) -> EventForm:
    """A column for each of a hundred attributes."""
    return EventForm("wide", tables.events, tables.index(), {})


def wide_against_all(tables: PipelineTables, number: int = 0) -> EventForm:
    """The same against all of `conjunctions`."""
    return EventForm("wide_against_all", tables.events, tables.whole_index(), {})


def few(tables: PipelineTables, number: int = 0) -> EventForm:
    """Some of these events, others for each number."""
    return EventForm("few", tables.fresh_few(number), tables.index(), {})


def few_against_all(tables: PipelineTables, number: int = 0) -> EventForm:
    """The same against all of `conjunctions`."""
    return EventForm("few_against_all", tables.fresh_few(number), tables.whole_index(), {})


def narrow(tables: PipelineTables, number: int = 0) -> EventForm:
    """Ten columns."""
    sizes, index = tables.sizes, tables.path("narrow-index")
    events = tables.path("narrow-events.parquet")
    if not index.exists():
        made = conjunctions.generate(sizes.num_expressions, sizes.num_events, tables.seed, **NARROW)  # type: ignore[arg-type]
        numbered = made.events.add_column(0, "event_id", pa.array(range(sizes.num_events)))
        pq.write_table(numbered, events, row_group_size=ROWS_IN_BATCH)
        eligo.build(made.expressions).save(index)
    return EventForm("narrow", str(events), str(index), {})


def maps(tables: PipelineTables, number: int = 0) -> EventForm:
    """The integers of each event as a map."""
    kind = pa.map_(pa.string(), pa.int64())
    path = _rewritten(tables, "maps", "attributes", kind, lambda event: [(k, v) for k, v in event if _is_whole(v)])
    return EventForm("maps", path, tables.index(), {"attributes": "attributes"})


def json_texts(tables: PipelineTables, number: int = 0) -> EventForm:
    """Each event as a JSON object."""
    path = _rewritten(tables, "json", "event", pa.string(), lambda event: json.dumps(dict(event)))
    return EventForm("json", path, tables.index(), {"json": "event"})


def _is_whole(value: Any) -> bool:
    return isinstance(value, int)


def _rewritten(
    tables: PipelineTables, name: str, column: str, kind: pa.DataType, make: Callable[[list[tuple[str, Any]]], Any]
) -> str:
    """The events in a single column, which a function makes of the attributes that an event has."""
    path = tables.path(f"{name}-events.parquet")
    if not path.exists():
        schema = pa.schema([("event_id", pa.int64()), (column, kind)])
        with pq.ParquetWriter(path, schema) as writer:
            for ids, events in _events(tables.events):
                writer.write_table(pa.table([ids, pa.array([make(event) for event in events], kind)], schema=schema))
    return str(path)


def _events(path: str) -> Iterator[tuple[pa.Array, list[list[tuple[str, Any]]]]]:
    for batch in pq.ParquetFile(Path(path)).iter_batches(ROWS_IN_BATCH):
        events: list[list[tuple[str, Any]]] = [[] for _ in range(batch.num_rows)]
        for name, column in zip(batch.schema.names[1:], batch.columns[1:], strict=True):
            for row, value in enumerate(column.to_pylist()):
                if value is not None:
                    events[row].append((name, value))
        yield batch.column(0), events
