"""How is a document asked which expressions it satisfies? As an event: columns of a segment are values of events."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import encode_floats, read_only_arrays
from eligo.data.events.column_values import read_scalars, refuse_nothing
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_values import EventValues, of_rows
from eligo.data.kernels.vocabulary_lookup import EncodedValues
from eligo.data.vocabulary import Vocabulary
from eligo.joins.segment import Column, ColumnKind, Segment
from eligo.kernels import codes

_CODE = {
    ColumnKind.BOOL: codes.BOOL,
    ColumnKind.INT: codes.NUMBER,
    ColumnKind.FLOAT: codes.NUMBER,
    ColumnKind.STRING: codes.STRING,
    ColumnKind.DATE: codes.DATE,
    ColumnKind.TIMESTAMP: codes.TIMESTAMP,
}


def encoded_documents(segment: Segment, is_wanted: npt.NDArray[np.bool_], vocabulary: Vocabulary) -> EventBatch:
    """Some documents of a segment as events, in their order."""
    parts = [
        of_rows(_event_values(number, kind, column), is_wanted)
        for name, number in sorted(vocabulary.event_numbers.items(), key=lambda named: named[1])
        for kind, column in segment.columns(name).items()
    ]
    return EventBatch.from_values(int(np.count_nonzero(is_wanted)), parts, vocabulary)


def _event_values(attribute: int, kind: ColumnKind, column: Column) -> EventValues:
    rows = column.rows.astype(np.uint32)
    attributes, kinds = np.full(len(rows), attribute, np.uint32), np.full(len(rows), _CODE[kind], np.uint8)
    no_places, no_text = np.zeros(0, np.uint64), np.zeros(0, np.uint8)
    arrays: list[npt.NDArray[Any]]
    if kind is ColumnKind.STRING:
        found = read_scalars(column.values, refuse_nothing)
        arrays = [attributes, kinds, found.highs, found.lows, found.starts, found.ends, found.text]
    elif kind is ColumnKind.FLOAT:
        arrays = [attributes, kinds, *encode_floats(column.values), no_places, no_places, no_text]
    else:
        arrays = [attributes, kinds, column.values, np.zeros(len(rows)), no_places, no_places, no_text]
    *encoded, own_rows = read_only_arrays([*arrays, rows])
    return EventValues(EncodedValues(*encoded), own_rows)
