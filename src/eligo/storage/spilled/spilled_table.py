"""Where does a table wait that comes batch by batch? In a file without a name, which is mapped."""

from __future__ import annotations

import mmap
from typing import NamedTuple

import pyarrow as pa

from eligo.storage.array_file import let_go
from eligo.storage.spilled.spilled_arrays import mapped, spill_file


class SpilledTable(NamedTuple):
    """A table that is mapped."""

    table: pa.Table
    pages: mmap.mmap | bytes
    """What it lies in; nothing when it is in memory after all."""

    def let_go(self) -> None:
        """Take what was read of it out of memory; it is read again when it is needed."""
        let_go(self.pages)


def spill_table(reader: pa.RecordBatchReader) -> SpilledTable:
    """All that a reader gives; in memory where there is no disk for it."""
    with spill_file(1) as file:
        if file is None:
            return SpilledTable(reader.read_all(), b"")
        with pa.ipc.new_file(pa.PythonFile(file, mode="w"), reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        pages = mapped(file)
    return SpilledTable(pa.ipc.open_file(pa.BufferReader(pa.py_buffer(pages))).read_all(), pages)
