"""What is `format("eligo")`? An index as a table of Spark: of its expressions, its versions or its statistics.

spark.read.format("eligo").load("ads.index")
spark.read.format("eligo").option("table", "versions").load("ads.index")
expressions.write.format("eligo").mode("overwrite").save("ads.index")
"""

from __future__ import annotations

from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter
from pyspark.sql.types import StructType

from eligo.spark.session.reachable import require_reachable
from eligo.spark.source.index_writer import IndexWriter
from eligo.spark.source.source_options import read_options, write_options
from eligo.spark.source.stored_tables import StoredTable, table_schema


class EligoSource(DataSource):
    """`format("eligo")`"""

    cluster: str | None = None
    """The master, where the workers are other machines."""

    @classmethod
    def name(cls) -> str:
        return "eligo"

    def schema(self) -> StructType:
        """The columns of the table that is read."""
        options = self._reachable(read_options(self.options))
        return table_schema(options["table"], options["path"], options.get("version"))

    def reader(self, schema: StructType) -> DataSourceReader:
        options = self._reachable(read_options(self.options))
        return StoredTable(options["table"], options["path"], options.get("version"), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        return IndexWriter(self._reachable(write_options(self.options)), schema, overwrite=overwrite)

    def _reachable(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options, unless workers do not see the path. Rejects are written by the process that commits."""
        require_reachable(options["path"], "path", master=self.cluster)
        return options


def source_of(cluster: str | None) -> type[EligoSource]:
    """The data source of a session. Its class is told, because not every process that plans makes an object of it."""
    if cluster is None:
        return EligoSource

    class SourceOfCluster(EligoSource):
        pass

    SourceOfCluster.cluster = cluster
    return SourceOfCluster
