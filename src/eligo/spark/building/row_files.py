"""How do the rows of a shard come together? Through row files, sorted by the hash of their ids.

    task 0   rows as they come ─▶ file 0    hashes  00… 3a… 7f… │ 81… c4…
    task 1   rows as they come ─▶ file 1    hashes  12… 60…     │ 90… ff…
                                            ────── shard 0 ────── shard 1 ──

A shard is a range of hashes, so any number of shards can be cut out of the same files when it is known how many rows
there are. Rows stay Arrow columns from the source to the shard. The hash is a part of the format of an artifact: it
must give the same shard in whatever program and session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from eligo.index.shard_rows import ID, with_long_texts
from eligo.spark.tables.expression_rows import ExpressionRows
from eligo.storage.packed_ids import hash_ids
from eligo.storage.row_progress import ROWS_BETWEEN, tell_rows
from eligo.storage.work_files import WorkFile, WorkFiles, WorkKind

HASH = "hash"
ROWS_IN_FILE = 1 << 20
"""A task that has more writes several files."""
MOST_FILES = 1 << 10
"""Of one task; those of task t have numbers from t times this on."""


class RowFile(NamedTuple):
    """One file of rows."""

    number: int
    """Among the work files of rows."""
    num_rows: int

    @property
    def file(self) -> WorkFile:
        return WorkKind.ROWS.file(self.number)


def write_row_files(rows: ExpressionRows, work: WorkFiles) -> list[RowFile]:
    """Write all rows of a table to row files, in executors."""
    written = rows.map_batches(partial(_write_row_files, work=work), "number long, num_rows long").toArrow()
    return sorted(RowFile(row["number"], row["num_rows"]) for row in written.to_pylist())


def rows_of_shard(work: WorkFiles, row_files: Sequence[RowFile], shard: int, num_shards: int) -> pa.Table | None:
    """The rows of a shard, from all row files; None when there are none."""
    first, end = (shard << 64) // num_shards, ((shard + 1) << 64) // num_shards
    found = []
    for row_file in row_files:
        table = work.read_table(row_file.file)
        hashes = table[HASH].chunk(0).to_numpy() if table.num_rows else np.zeros(0, np.uint64)
        start = int(np.searchsorted(hashes, np.uint64(first)))
        stop = len(hashes) if end >> 64 else int(np.searchsorted(hashes, np.uint64(end)))
        if stop > start:
            found.append(table.slice(start, stop - start).drop_columns([HASH]))
    return pa.concat_tables(found) if found else None


def _write_row_files(batches: Iterator[pa.RecordBatch], *, work: WorkFiles) -> Iterator[pa.RecordBatch]:
    context = TaskContext.get()
    task = context.partitionId() if context is not None else 0
    number = task * MOST_FILES
    told = WorkKind.ROWS_READ.file(task)
    waiting: list[pa.RecordBatch] = []
    num_waiting = num_read = num_told = 0
    for batch in batches:
        waiting.append(batch)
        num_waiting += batch.num_rows
        num_read += batch.num_rows
        if num_read >= num_told + ROWS_BETWEEN:
            num_told = num_read
            tell_rows(work, told, num_told)
        if num_waiting >= ROWS_IN_FILE:
            yield _write_row_file(waiting, number, work)
            number, waiting, num_waiting = number + 1, [], 0
    if num_waiting:
        yield _write_row_file(waiting, number, work)
    tell_rows(work, told, num_read)


def _write_row_file(batches: list[pa.RecordBatch], number: int, work: WorkFiles) -> pa.RecordBatch:
    table = with_long_texts(pa.Table.from_batches(batches)).combine_chunks()
    hashes = hash_ids(table[ID].combine_chunks())
    order = np.argsort(hashes, kind="stable")
    table = table.take(pa.array(order)).append_column(HASH, pa.array(hashes[order]))
    work.write_table(WorkKind.ROWS.file(number), table.combine_chunks())
    return pa.record_batch([pa.array([number]), pa.array([table.num_rows])], names=["number", "num_rows"])
