"""How does Eligo work with Delta tables? Changes of expressions and events come from some, matches go to another.

    expressions ──▶ change feed ──▶ update ──▶ ads.index
    events ──▶ stream ──────────────▶ match ──▶ matches      each micro-batch once

A table's change feed says what was inserted, updated and deleted; `update` takes ids that are new, replaced or gone,
and doing it twice does no harm. Matches are appended with the number of the micro-batch: Delta leaves out what it has
already, so that each match is there once, whatever dies when.

Needs the jars of delta-spark, on a version of Spark that it has a release for.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from eligo.spark import build, local_session, match, update

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def follow_expressions(spark: SparkSession, table: str, index: str, checkpoint: str) -> StreamingQuery:
    """Bring an index to what a table with a change feed has, change by change."""
    changes = spark.readStream.format("delta").option("readChangeFeed", "true").option("startingVersion", 0).load(table)

    def apply(batch: DataFrame, number: int) -> None:
        # Of several changes of an id the last one counts.
        batch.createOrReplaceTempView("changes")
        last = batch.sparkSession.sql(
            "SELECT id, max_by(expression, _commit_version) AS expression, "
            "max_by(_change_type, _commit_version) AS change "
            "FROM changes WHERE _change_type != 'update_preimage' GROUP BY id"
        ).localCheckpoint()
        changed, deleted = last.where("change != 'delete'"), last.where("change = 'delete'").select("id")
        if Path(index, "manifest.json").exists():
            update(index, changed, deleted)
        else:
            build(changed, index)

    writer = changes.writeStream.option("checkpointLocation", checkpoint).foreachBatch(apply)
    return writer.trigger(availableNow=True).start()


def match_events(spark: SparkSession, table: str, index: str, out: str, checkpoint: str) -> StreamingQuery:
    """Match the events of a table into another, each micro-batch once, against the version that is then live."""
    events = spark.readStream.format("delta").option("maxFilesPerTrigger", 2).load(table)
    application = f"eligo matches of {checkpoint}"

    def append(batch: DataFrame, number: int) -> None:
        writer = match(batch, index).write.format("delta").mode("append")
        writer.option("txnAppId", application).option("txnVersion", number).save(out)

    writer = events.writeStream.option("checkpointLocation", checkpoint).foreachBatch(append)
    return writer.trigger(availableNow=True).start()


def main() -> None:
    """Take up the changes of expressions, then match the events that are new."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", help="with Delta tables `expressions` and `events`")
    parser.add_argument("--jars", default="", help="files, separated by commas")
    given = parser.parse_args()
    home = given.directory
    spark = local_session("Delta tables", master="local[2]", config={**SETTINGS, "spark.jars": given.jars})
    index = f"{home}/ads.index"
    follow_expressions(spark, f"{home}/expressions", index, f"{home}/expressions.checkpoint").awaitTermination()
    out = f"{home}/matches"
    match_events(spark, f"{home}/events", index, out, f"{home}/matches.checkpoint").awaitTermination()


if __name__ == "__main__":
    main()
