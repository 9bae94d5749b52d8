"""Where do ten million expressions come from? From a workload that is made block by block, each in a file of its own.

Files wait in the directory of `benchmarks.workloads.cache`, and a block that is there is not made again; so ten million
are the first million and nine more. Ids count through the blocks.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.workloads import cache
from eligo.workloads import conjunctions

ROWS_OF_BLOCK = 1_000_000
ROWS_OF_BATCH = 100_000
SCHEMA = pa.schema([("id", pa.int64()), ("expression", pa.large_string())])


def expression_files(num_expressions: int, seed: int) -> list[Path]:
    """The files of the first so many expressions; made if need be."""
    rows = min(num_expressions, ROWS_OF_BLOCK)
    return [_file(block, rows, seed) for block in range(-(-num_expressions // rows))]


def expression_reader(files: list[Path]) -> pa.RecordBatchReader:
    """The expressions of files, batch by batch."""
    return pa.RecordBatchReader.from_batches(SCHEMA, _batches(files))


def fresh_events(num_events: int, seed: int) -> pa.Table:
    """Events of the same workload, each drawn once."""
    return conjunctions.generate(1, num_events, seed).events


def _file(block: int, rows: int, seed: int) -> Path:
    folder = cache.directory() / f"scale-conjunctions-v{conjunctions.VERSION}-{rows}-seed{seed}"
    path = folder / f"expressions-{block:04d}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = conjunctions.generate(rows, 1, seed, block=block).expressions
        table = pa.table([pc.add(made["id"], block * rows), made["expression"]], schema=SCHEMA)
        handle, partial = tempfile.mkstemp(prefix="partial-", dir=folder)
        os.close(handle)
        pq.write_table(table, partial, compression="zstd", row_group_size=ROWS_OF_BATCH)
        os.replace(partial, path)
    return path


def _batches(files: list[Path]) -> Iterator[pa.RecordBatch]:
    for path in files:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(ROWS_OF_BATCH)
