"""Is it a table? What offers the Arrow PyCapsule interface is one: Polars, DuckDB, pandas, PyArrow and others.

The interface is two methods: `__arrow_c_stream__` gives batches, `__arrow_c_array__` one batch. No library but Arrow
has to be known, or be there.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from eligo.errors import InputError, shown


def is_pandas(source: Any) -> bool:
    """Whether something is a pandas frame, whose objects are read one by one."""
    return hasattr(source, "iloc") and hasattr(source, "columns")


def is_capsule(source: Any) -> bool:
    """Whether something gives its rows through the interface; a class itself does not."""
    if isinstance(source, type):
        return False
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def arrow_table(source: Any) -> pa.Table | pa.RecordBatch | None:
    """Arrow's table of something that is one or gives one; None for anything else, and for a pandas frame.

    A reader that cannot be read twice is read here.
    """
    if isinstance(source, pa.Table | pa.RecordBatch):
        return source
    if is_pandas(source) or not is_capsule(source):
        return None
    reader = capsule_reader(source)
    try:
        return reader.read_all()
    except (pa.ArrowException, ValueError, TypeError, OSError) as error:
        raise _unreadable(source, error) from None


def read_once(source: Any) -> Any:
    """What gives a table only once, such as a reader, as that table; anything else as it is."""
    table = arrow_table(source)
    return source if table is None else table


def capsule_reader(source: Any) -> pa.RecordBatchReader:
    """The batches of something that has the interface, one after the other."""
    if isinstance(source, pa.RecordBatchReader):
        return source
    try:
        if hasattr(source, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(source)
        batch = pa.record_batch(source)
        return pa.RecordBatchReader.from_batches(batch.schema, [batch])
    except (pa.ArrowException, ValueError, TypeError, NotImplementedError, OSError) as error:
        raise _unreadable(source, error) from None


def _unreadable(source: Any, error: Exception) -> InputError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(
        f"{shown(source)} gives no table through the Arrow PyCapsule interface: {reason}",
        help="a table has a schema of named columns; give a frame, not one of its columns",
    )
