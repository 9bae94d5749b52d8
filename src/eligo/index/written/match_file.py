"""How do matches become a file of Parquet? In row groups of about a million, from the engine's arrays.

The columns of the events go into the file as a dictionary, which is a block's own column, and a number for each match:
nothing is copied for each match. Ids of expressions are taken one by one, since a dictionary of a million of them costs
more than it saves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from eligo.index.matches import Matches

ROWS_IN_GROUP = 1 << 20


class MatchFile:
    """A file that is made when the first match comes: `with MatchFile(…) as file: file.add(…)`."""

    def __init__(self, path: Path, schema: pa.Schema, metadata: Mapping[str, str]) -> None:
        """The schema has the columns that are copied to each match and, last, the expression's id."""
        self.path = path
        self.num_rows = 0
        """Written, once it is closed."""
        self._schema = schema
        self._metadata = dict(metadata)
        self._writer: pq.ParquetWriter | None = None
        self._carried: list[Sequence[pa.Array]] = []
        self._event_rows: list[npt.NDArray[np.int32]] = []
        self._ids: list[pa.Array] = []
        self._num_events = 0
        """Whose columns wait."""
        self._num_waiting = 0

    def __enter__(self) -> MatchFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._num_waiting:
                self._write()
        finally:
            if self._writer is not None:
                self._writer.close()
                if kind is not None:
                    self.path.unlink(missing_ok=True)

    def add(self, carried: Sequence[pa.Array], matches: Matches) -> None:
        """The matches of a block of events, with the columns of these events that are copied."""
        event_rows = matches.event_rows()
        for first in range(0, len(event_rows), ROWS_IN_GROUP):
            chosen = slice(first, first + ROWS_IN_GROUP)
            rows = event_rows[chosen]
            if self._num_waiting and self._num_waiting + len(rows) > ROWS_IN_GROUP:
                self._write()
            self._carried.append(carried)
            self._event_rows.append((rows + self._num_events).astype(np.int32))
            self._ids.append(matches.all_ids.take(pa.array(matches.positions[chosen])))
            self._num_events += len(carried[0]) if carried else 0
            self._num_waiting += len(rows)

    def _write(self) -> None:
        fields = [_written_field(field) for field in self._schema]
        if self._writer is None:
            schema = pa.schema([*fields[:-1], self._schema[-1]])
            # Without Arrow's own schema, by which a reader would get dictionaries instead of values.
            self._writer = pq.ParquetWriter(self.path, schema, store_schema=False)
            self._writer.add_key_value_metadata(self._metadata)
        rows = np.concatenate(self._event_rows)
        columns = [
            _copied(_whole([block[place] for block in self._carried]), rows, field.type)
            for place, field in enumerate(fields[:-1])
        ]
        ids = _whole(self._ids).cast(self._schema[-1].type)
        self._writer.write_table(pa.table([*columns, ids], schema=self._writer.schema), row_group_size=len(rows))
        self.num_rows += len(rows)
        self._carried, self._event_rows, self._ids = [], [], []
        self._num_events = self._num_waiting = 0


def write_no_matches(path: Path, schema: pa.Schema, metadata: Mapping[str, str]) -> None:
    """A file that has the columns, and no row."""
    with pq.ParquetWriter(path, schema, store_schema=False) as writer:
        writer.add_key_value_metadata(dict(metadata))


def _written_field(field: pa.Field) -> pa.Field:
    """Texts of events are given to the writer as dictionaries; numbers are as quickly repeated."""
    return field.with_type(pa.dictionary(pa.int32(), field.type)) if pt.is_string(field.type) else field


def _copied(column: pa.Array, rows: npt.NDArray[np.int32], kind: pa.DataType) -> pa.Array:
    """A column of events for each match of these events."""
    if not pt.is_dictionary(kind):
        return column.take(pa.array(rows)).cast(kind)
    values = column.cast(kind.value_type)
    if values.null_count:  # which no dictionary of Parquet has
        return values.take(pa.array(rows)).dictionary_encode()
    return pa.DictionaryArray.from_arrays(pa.array(rows), values)


def _whole(blocks: Sequence[pa.Array]) -> pa.Array:
    return blocks[0] if len(blocks) == 1 else pa.concat_arrays(blocks)
