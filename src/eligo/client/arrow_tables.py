"""How do tables go to a service and come back? As an Arrow stream, from anything that has the PyCapsule interface."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

ARROW = "application/vnd.apache.arrow.stream"


def is_table(events: Any) -> bool:
    """Whether events come as a table: PyArrow's, pandas', Polars', DuckDB's."""
    return hasattr(events, "__arrow_c_stream__") or hasattr(events, "__arrow_c_array__")


def to_stream(table: Any) -> bytes:
    """The bytes of a table."""
    import pyarrow as pa

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what does not come through as it is is refused
        known = (
            pa.table(table) if hasattr(table, "__arrow_c_stream__") else pa.Table.from_batches([pa.record_batch(table)])
        )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, known.schema) as writer:
        writer.write_table(known)
    return bytes(sink.getvalue())


def from_stream(content: bytes) -> pa.Table:
    """The table of an answer."""
    import pyarrow as pa

    return pa.ipc.open_stream(content).read_all()
