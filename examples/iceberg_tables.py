"""How does Eligo work with Iceberg tables? Expressions and events come from some, matches go to another.

    expressions ──▶ build, or what changed between two snapshots ──▶ update ──▶ ads.index
    events ──▶ stream ──▶ match ──▶ matches, partitioned by micro-batch      each micro-batch once

A micro-batch replaces the partition of its own number, so that one that is done again leaves the same rows.

Needs the jar of iceberg-spark-runtime, on a version of Spark that it has a release for.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from eligo.spark import build, local_session, match, register, update

CATALOG = "lake"


def settings(warehouse: str) -> dict[str, str]:
    """Of a session with a catalog in a directory."""
    return {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{CATALOG}.type": "hadoop",
        f"spark.sql.catalog.{CATALOG}.warehouse": warehouse,
    }


def follow_expressions(spark: SparkSession, table: str, index: str) -> None:
    """Bring an index to what a table has now: by what its texts say, since a snapshot tells rows and not changes."""
    now = spark.table(table).select("id", "expression")
    if not Path(index, "manifest.json").exists():
        build(now, index)
        return
    before = spark.read.format("eligo").load(index)
    update(index, now.exceptAll(before).localCheckpoint(), before.join(now, "id", "left_anti").select("id"))


def match_events(spark: SparkSession, table: str, index: str, out: str, checkpoint: str) -> StreamingQuery:
    """Match the events of a table into another, each micro-batch once, against the version that is then live."""
    events = spark.readStream.option("streaming-max-files-per-micro-batch", "2").table(table)

    def replace(batch: DataFrame, number: int) -> None:
        matches = match(batch, index).withColumn("batch", F.lit(number).cast("long"))
        try:
            matches.writeTo(out).overwrite(F.col("batch") == number)
        except AnalysisException:  # the first micro-batch, which has no table yet
            matches.writeTo(out).partitionedBy(F.col("batch")).create()

    writer = events.writeStream.option("checkpointLocation", checkpoint).foreachBatch(replace)
    return writer.trigger(availableNow=True).start()


def main() -> None:
    """Take up the changes of expressions, then match the events that are new."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", help="of the catalog, with tables ads.expressions and ads.events")
    parser.add_argument("--jars", default="", help="files, separated by commas")
    given = parser.parse_args()
    home = given.directory
    config = {**settings(f"{home}/warehouse"), "spark.jars": given.jars}
    spark = local_session("Iceberg tables", master="local[2]", config=config)
    register(spark)
    index = f"{home}/ads.index"
    follow_expressions(spark, f"{CATALOG}.ads.expressions", index)
    out = f"{CATALOG}.ads.matches"
    match_events(spark, f"{CATALOG}.ads.events", index, out, f"{home}/matches.checkpoint").awaitTermination()


if __name__ == "__main__":
    main()
