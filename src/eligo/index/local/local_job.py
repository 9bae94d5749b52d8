"""How does a file of events become a file of answers in one process? Block by block, with the loops that workers run.

index ──┐               ┌─▶ out       rows: a directory of Parquet, JSON lines or CSV
events ─┴▶ read ─▶ ask ─┴─▶ rejects   events that could not be read
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from eligo.data.file_format import FileFormat
from eligo.data.file_places import require_writable
from eligo.errors import InputError
from eligo.index.events.event_blocks import EventBlock, EventBlocks, reject_columns
from eligo.index.events.event_source import EventColumns, OnError
from eligo.index.local.event_layout import LocalEvents
from eligo.index.local.local_files import local_events
from eligo.index.stages import Clock, OnStage, StageName, silent
from eligo.index.stored.opened_version import IndexVersion, attribute_kinds
from eligo.index.stored.shard_groups import ShardGroup, shard_groups
from eligo.index.view import View
from eligo.index.written.landed_file import landed_file
from eligo.index.written.part_files import part_files
from eligo.index.written.table_files import DELIMITER, write_batches, write_lines
from eligo.joins.document_base import DocumentBase
from eligo.stores.address import Place, located, place

PART = "part-00000.snappy.parquet"
REJECTED = (pa.field("event", pa.string()), pa.field("error", pa.string()), pa.field("help", pa.string()))


class Matched(NamedTuple):
    """What a job has seen and written."""

    num_events: int
    num_rejected: int
    num_matches: int
    """Rows."""
    seconds: dict[str, float]
    """By stage."""


class LocalJob(ABC):
    """A file of events that is about to be asked of a version of an index."""

    STAGE: ClassVar[StageName]
    NUM_NAMED: ClassVar[int | None] = 1
    """So many of the columns that are copied say which event could not be read; None for all of them."""

    def __init__(
        self,
        version: IndexVersion,
        path: str,
        columns: EventColumns,
        *,
        format: FileFormat | None = None,
        delimiter: str = DELIMITER,
        expression_id: str = "expression_id",
        on_error: OnError = "reject",
        memory: int | None = None,
        documents: DocumentBase | None = None,
        on_stage: OnStage = silent,
    ) -> None:
        self._version = version
        self._on_error = on_error
        self._documents = documents
        self._delimiter = delimiter
        self._clock = Clock(on_stage)
        self._num_events = self._num_rejected = self._num_rows = 0
        with self._clock.stage(StageName.READ):
            index = version.open()
            self._events: LocalEvents = local_events(
                path, columns, attribute_kinds(index), format=format, delimiter=delimiter
            )
        self._groups: list[ShardGroup] = shard_groups(version, memory)
        id_type = pa.int64() if pa.types.is_integer(index.ids_array().type) else pa.string()
        self.schema = _distinct([*self._events.carried, *self._answer_fields(pa.field(expression_id, id_type))])

    @abstractmethod
    def _answer_fields(self, expression_id: pa.Field) -> list[pa.Field]:
        """The columns of the output beside those that are copied."""

    @abstractmethod
    def _rows(self) -> Iterator[pa.RecordBatch]:
        """The rows of the output."""

    def write(self, out: str | None, *, format: FileFormat | None = None, overwrite: bool = False) -> None:
        """Ask, and write to a path, or to stdout when it is None."""
        with self._clock.stage(self.STAGE):
            if out is None:
                write_lines(self._rows(), self.schema, sys.stdout, format or FileFormat.JSON_LINES, self._delimiter)
            elif require_writable(out, format, overwrite=overwrite) is FileFormat.PARQUET:
                self._write_parquet(place(located(out, "out")), overwrite=overwrite)
            else:
                write_batches(self._rows(), self.schema, out, format=format, delimiter=self._delimiter)

    def write_rejects(self, path: str) -> None:
        """Write the events that could not be read, and why."""
        with self._clock.stage(StageName.REJECTS):
            schema = _distinct([*self._events.carried[: self.NUM_NAMED], *REJECTED])
            blocks = self._rejected_blocks() if self._num_rejected else iter(())
            rows = ([*block.rejected_carried[: self.NUM_NAMED], *reject_columns(block.rejects)] for block in blocks)
            write_batches((as_batch(arrays, schema) for arrays in rows), schema, path, delimiter=self._delimiter)

    def matched(self) -> Matched:
        """What came of it."""
        return Matched(self._num_events, self._num_rejected, self._num_rows, self._clock.seconds)

    def _blocks(self) -> Iterator[tuple[View, EventBlock, EventBlocks]]:
        """The events, with whom to ask: group by group of shards."""
        for number, group in enumerate(self._groups):
            index, view = group.open()
            blocks = EventBlocks(self._events.batches(), index, self._events.source, self._on_error)
            for block in blocks:
                # What cannot be read is told, and counted, once.
                if not number:
                    self._num_events += block.rows.num_rows + len(block.rejects)
                    self._num_rejected += len(block.rejects)
                yield view, block, blocks

    def _write_parquet(self, out: Place, *, overwrite: bool) -> None:
        with part_files(out, overwrite=overwrite) as parts:
            with landed_file(parts.aside / PART) as path, pq.ParquetWriter(path, self.schema) as file:
                for batch in self._rows():
                    file.write_batch(batch)
            parts.commit([PART])

    def _rejected_blocks(self) -> Iterator[EventBlock]:
        index = self._version.open()
        for block in EventBlocks(self._events.batches(), index, self._events.source):
            if block.rejects:
                yield block


def _distinct(fields: list[pa.Field]) -> pa.Schema:
    names = [field.name for field in fields]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(
            f"the output would have two columns {twice!r}", help="give --expression-id-column another name"
        )
    return pa.schema(fields)


def as_batch(columns: list[pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """Columns as the schema has them."""
    arrays = [column.cast(field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)
