"""How do events in Parquet files reach the workers soonest? Spark hands out parts of files; the workers read them.

A row that Spark reads becomes a Java row and then Arrow again, which for a hundred columns costs more than matching it.
Parquet is columns already, and pyarrow gives them as Arrow at once. So a task gets the number of a piece, and
reads its rows itself (`data/events/parquet_pieces.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from eligo.data.directory_names import directory_texts
from eligo.data.events.parquet_pieces import WHOLE_PER_CORE, RowRange, cut, is_legacy, piece_size
from eligo.errors import InputError
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.session import parallelism
from eligo.spark.tables.parquet_schemas import Conflict, file_columns, require_one_type
from eligo.spark.tables.spark_addresses import ELSEWHERE, spark_address
from eligo.stores.address import is_address
from eligo.stores.arrow_files import arrow_file_system


class ParquetEvents(NamedTuple):
    """Events in Parquet files, to give where a table of events is asked for."""

    spark: SparkSession
    path: str
    schema: StructType
    """The columns of all files, as Spark reads them."""
    pieces: tuple[tuple[RowRange, ...], ...]
    num_rows: int
    num_bytes: int
    conflicts: Mapping[str, Conflict] = MappingProxyType({})
    """Columns whose types differ between files."""
    is_legacy: bool = False
    """Only Spark knows how to read old days in these files."""

    @property
    def columns(self) -> list[str]:
        return self.schema.names

    def frame(self, used: Sequence[str] | None = None) -> DataFrame:
        """The same as a DataFrame, read by Spark; with these columns, or all."""
        require_one_type(self.conflicts, (), self.columns if used is None else used)
        fields = [field for field in self.schema if field.name not in self.conflicts]
        with spark_address(self.path, ELSEWHERE) as known:
            return self.spark.read.schema(StructType(fields)).parquet(known)

    def with_text(self, name: str | None) -> ParquetEvents:
        """The same, with this column as text if it stands in the names of directories: `shop=007` is no number."""
        ranges = [part for piece in self.pieces for part in piece]
        if name is None or not any(name in dict(part.partition) for part in ranges):
            return self
        pieces = tuple(tuple(_with_text(part, name) for part in piece) for piece in self.pieces)
        fields = [StructField(name, StringType()) if field.name == name else field for field in self.schema]
        return self._replace(schema=StructType(fields), pieces=pieces)

    def numbered(self) -> DataFrame:
        """A row for each piece, each in a partition of its own."""
        return self.spark.range(0, len(self.pieces), 1, max(1, len(self.pieces)))


@checked_arguments
def parquet_events(spark: SparkSession, path: str) -> ParquetEvents:
    """Events in a Parquet file or a directory of them, which every worker can read under the same path or address.

    They are read without passing through Java, several times as fast as `spark.read.parquet` when there are many
    columns.
    """
    try:
        files = arrow_file_system() if is_address(path) else None
        dataset = ds.dataset(path, filesystem=files, format="parquet", partitioning="hive")
        fragments = list(dataset.get_fragments())
        counted = [(fragment, fragment.row_groups) for fragment in fragments]
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from error
    ranges = []
    num_bytes = 0
    for fragment, groups in counted:
        keys = tuple(sorted(ds.get_partition_keys(fragment.partition_expression).items()))
        num_bytes += sum(group.total_byte_size for group in groups)
        ranges += [RowRange(fragment.path, group.id, 0, group.num_rows, keys) for group in groups]
    num_rows = sum(part.num_rows for part in ranges)
    found = file_columns(spark, path, fragments)
    cores = parallelism(spark)
    pieces = cut(ranges, piece_size(num_rows, cores), -(-num_rows // (cores * WHOLE_PER_CORE)))
    legacy = any(map(is_legacy, fragments))
    return ParquetEvents(spark, path, found.schema, pieces, num_rows, num_bytes, found.conflicts, legacy)


def _with_text(part: RowRange, name: str) -> RowRange:
    return part._replace(
        partition=tuple(sorted({**dict(part.partition), name: directory_texts(part.file)[name]}.items()))
    )
