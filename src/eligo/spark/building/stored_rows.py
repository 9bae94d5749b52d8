"""Which expressions does a version hold? Its shards' rows as a table again, without those that later parts hide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from eligo.index.shard import ONLY_ROWS, stored_ids, stored_texts
from eligo.index.shard_rows import EXPRESSION, ID
from eligo.index.stored.live_count import hidden_ids, read_ids
from eligo.spark.session.worker_calls import in_workers
from eligo.storage.directory import open_file
from eligo.storage.file_entries import ShardEntry, TombstonesEntry
from eligo.storage.manifest import Manifest
from eligo.storage.packed_ids import are_numbers, tombstone_ids
from eligo.stores.address import Place

ROWS_AT_ONCE = 65_536


class StoredShard(NamedTuple):
    """A shard of an index, and the tombstones that come after it."""

    home: Place
    """Of the index."""
    entry: ShardEntry
    tombstones: tuple[TombstonesEntry, ...]


def stored_shards(path: Place, manifest: Manifest) -> list[StoredShard]:
    """All shards of a version that hold something, those of the base part first."""
    tombstones = [delta.tombstones for delta in manifest.deltas]
    parts = [manifest.shards, *(delta.shards for delta in manifest.deltas)]
    return [
        StoredShard(path, shard, tuple(tombstones[number:]))
        for number, shards in enumerate(parts)
        for shard in shards
        if shard.num_expressions
    ]


def has_number_ids(path: Place, manifest: Manifest) -> bool | None:
    """Whether ids are numbers; None when there are no ids yet."""
    for shard in stored_shards(path, manifest):
        return are_numbers(read_ids(path, shard.entry))
    return None


def live_rows(spark: SparkSession, shards: list[StoredShard], *, is_number: bool) -> DataFrame:
    """The columns id and expression of what is live, read in executors, a task for each shard."""
    schema = f"{ID} {'long' if is_number else 'string'}, {EXPRESSION} string"
    return in_workers(_for_each(spark, shards), partial(_read_rows, shards=shards), schema)


def _for_each(spark: SparkSession, shards: list[StoredShard]) -> DataFrame:
    return spark.range(0, len(shards), 1, max(1, len(shards)))


def _read_rows(batches: Iterator[pa.RecordBatch], *, shards: list[StoredShard]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from live_batches(shards[number])


def live_batches(shard: StoredShard) -> Iterator[pa.RecordBatch]:
    """The live rows of a shard, with columns id and expression as Spark takes them."""
    arrays = open_file(shard.home, shard.entry, only=ONLY_ROWS).arrays
    ids = stored_ids(arrays)
    live = pa.table({ID: ids, EXPRESSION: stored_texts(arrays)}).filter(_is_live(ids, shard))
    for part in live.to_batches(max_chunksize=ROWS_AT_ONCE):
        yield pa.record_batch([_as_spark_takes(column) for column in part.columns], names=[ID, EXPRESSION])


def _is_live(ids: pa.Array, shard: StoredShard) -> pa.Array:
    gone = [tombstone_ids(open_file(shard.home, entry)) for entry in shard.tombstones]
    return pc.invert(hidden_ids(ids, gone))


def _as_spark_takes(column: pa.Array) -> pa.Array:
    """Strings with 32-bit offsets, which is what Spark's string type is."""
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column
