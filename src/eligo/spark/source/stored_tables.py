"""Which tables does an index have? Its expressions, its versions, and its statistics.

expressions    id, expression                                            what is live in a version
versions       version, created, expressions, deltas, bytes, engine, …   those that can be opened
statistics     name, value                                               the sizes that `Index.stats` tells
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import BooleanType, LongType, StringType, StructField, StructType, TimestampType

from eligo.errors import InputError
from eligo.index.shard_rows import EXPRESSION, ID
from eligo.index.stored.live_count import num_live_expressions
from eligo.index.stored.opened_version import IndexVersion, index_version
from eligo.spark.building.stored_rows import StoredShard, has_number_ids, live_batches, stored_shards
from eligo.spark.session.task_cores import keep_to_task_cores
from eligo.storage.kept_versions import list_versions
from eligo.stores.address import place

EXPRESSIONS, VERSIONS, STATISTICS = "expressions", "versions", "statistics"
TABLES = (EXPRESSIONS, VERSIONS, STATISTICS)

_VERSIONS = StructType(
    [
        StructField("version", LongType()),
        StructField("created", TimestampType()),
        StructField("expressions", LongType()),
        StructField("deltas", LongType()),
        StructField("bytes", LongType()),
        StructField("engine", StringType()),
        StructField("missing", StringType()),
        StructField("is_live", BooleanType()),
    ]
)
_STATISTICS = StructType([StructField("name", StringType()), StructField("value", LongType())])


def table_schema(table: str, path: str, version: int | None) -> StructType:
    """The columns of a table of an index."""
    if table == VERSIONS:
        return _VERSIONS
    if table == STATISTICS:
        return _STATISTICS
    chosen = index_version(path, version)
    is_number = has_number_ids(place(chosen.path), chosen.opened_manifest())
    id_type = LongType() if is_number else StringType()
    return StructType([StructField(ID, id_type), StructField(EXPRESSION, StringType())])


class ShardPartition(InputPartition):
    """A task that reads the expressions of one shard."""

    def __init__(self, shard: StoredShard) -> None:
        super().__init__(shard.entry.path)
        self.shard = shard


class StoredTable(DataSourceReader):
    """Reads a table of an index; expressions in executors, a task for each shard."""

    def __init__(self, table: str, path: str, version: int | None, schema: StructType) -> None:
        known = table_schema(table, path, version)
        if [(field.name, field.dataType) for field in schema] != [(field.name, field.dataType) for field in known]:
            raise InputError(
                f"the table {table!r} of {path} has the columns {known.simpleString()}, not {schema.simpleString()}",
                help="give no schema",
            )
        self._table = table
        self._path = path
        self._version = version

    def partitions(self) -> list[InputPartition]:
        """What tasks read; the version is the one that is live now, or the one asked for."""
        if self._table != EXPRESSIONS:
            return [InputPartition(0)]
        chosen = index_version(self._path, self._version)
        shards = stored_shards(place(chosen.path), chosen.opened_manifest())
        # Without a task Spark would ask for the one that reads all.
        return [ShardPartition(shard) for shard in shards] or [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a task."""
        keep_to_task_cores()
        if isinstance(partition, ShardPartition):
            return live_batches(partition.shard)
        if self._table == VERSIONS:
            return iter([_versions(self._path)])
        if self._table == STATISTICS:
            return iter([_statistics(index_version(self._path, self._version))])
        return iter([])


def _versions(path: str) -> pa.RecordBatch:
    found = list_versions(path)
    columns = [
        pa.array([manifest.version for manifest in found], pa.int64()),
        pa.array([manifest.created for manifest in found], pa.timestamp("us", "UTC")),
        pa.array([num_live_expressions(path, manifest) for manifest in found], pa.int64()),
        pa.array([len(manifest.deltas) for manifest in found], pa.int64()),
        pa.array([manifest.num_bytes for manifest in found], pa.int64()),
        pa.array([manifest.settings.engine for manifest in found], pa.string()),
        pa.array([manifest.settings.missing for manifest in found], pa.string()),
        pa.array([manifest is found[-1] for manifest in found], pa.bool_()),
    ]
    return pa.record_batch(columns, names=_VERSIONS.names)


def _statistics(version: IndexVersion) -> pa.RecordBatch:
    """The numbers among the figures of an index; those of its engines by their own names."""
    index = version.open()
    stats = index.stats()
    numbers = {name: value for name, value in vars(stats).items() if isinstance(value, int)}
    manifest = version.opened_manifest()
    numbers |= {
        "num_shards": sum(len(part) for part in stats.parts),
        "num_deltas": len(manifest.deltas),
        "num_attributes": len(index.attribute_names),
        "num_file_bytes": manifest.num_bytes,
        "version": manifest.version,
    }
    names = sorted(numbers)
    values = pa.array([numbers[name] for name in names], pa.int64())
    return pa.record_batch([pa.array(names, pa.string()), values], names=_STATISTICS.names)
