"""What is `format("eligo")`? An index as a table of Spark: of its expressions, its versions or its statistics.

spark.read.format("eligo").load("ads.index")
spark.read.format("eligo").option("table", "versions").load("ads.index")
expressions.write.format("eligo").mode("overwrite").save("ads.index")
"""

from __future__ import annotations

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter
from pyspark.sql.types import StructType

from eligo.spark.source.index_writer import IndexWriter
from eligo.spark.source.source_options import read_options, write_options
from eligo.spark.source.stored_tables import StoredTable, table_schema


class EligoSource(DataSource):
    """`format("eligo")`"""

    @classmethod
    def name(cls) -> str:
        return "eligo"

    def schema(self) -> StructType:
        """The columns of the table that is read."""
        options = read_options(self.options)
        return table_schema(options["table"], options["path"], options.get("version"))

    def reader(self, schema: StructType) -> DataSourceReader:
        options = read_options(self.options)
        return StoredTable(options["table"], options["path"], options.get("version"), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        return IndexWriter(write_options(self.options), schema, overwrite=overwrite)
