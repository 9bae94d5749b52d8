"""How do events from Kafka become matches? Into Parquet, each exactly once, or into another topic.

    python examples/kafka_matches.py localhost:9092 events ads.index --out matches --checkpoint matches.checkpoint
    python examples/kafka_matches.py localhost:9092 events ads.index --to matches --checkpoint matches.checkpoint

Events are JSON objects. What Kafka knows of a message says which event it is: the partition and the offset. Parquet has
each match once, whatever dies when. Kafka's own sink writes a message again that it may not have written before it was
cut off, so a match has a key of its own, by which readers, or a compacted topic, keep one of each.

Needs the jars of spark-sql-kafka-0-10: --packages of spark-submit, or the setting spark.jars.
"""

from __future__ import annotations

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from eligo.spark import local_session, match, stream

EVENT = "event"
EVENT_SCHEMA = "event_id string, event string"


def kafka_events(spark: SparkSession, brokers: str, topic: str) -> DataFrame:
    """The messages of a topic as events: an id, and the text."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", brokers)
    messages = source.option("subscribe", topic).option("startingOffsets", "earliest").load()
    event_id = F.format_string("%d-%d", "partition", "offset")
    return messages.select(event_id.alias("event_id"), F.col("value").cast("string").alias(EVENT))


def matches_to_parquet(events: DataFrame, index: str, out: str, checkpoint: str) -> StreamingQuery:
    """Match what is there into Parquet, exactly once; new versions of the index are taken up between micro-batches."""
    return stream(events, index, out, checkpoint=checkpoint, json=EVENT, trigger={"availableNow": True})


def matches_to_kafka(events: DataFrame, index: str, brokers: str, topic: str, checkpoint: str) -> StreamingQuery:
    """Match what is there into a topic, at least once, under keys that are the same every time."""
    matches = match(events, index, json=EVENT, schema=EVENT_SCHEMA)
    messages = matches.select(
        F.concat_ws("/", "event_id", "expression_id").alias("key"), F.to_json(F.struct("*")).alias("value")
    )
    writer = messages.writeStream.format("kafka").option("kafka.bootstrap.servers", brokers).option("topic", topic)
    return writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()


def main() -> None:
    """Read the command line, and match what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("brokers")
    parser.add_argument("topic")
    parser.add_argument("index")
    parser.add_argument("--out", help="a directory for Parquet")
    parser.add_argument("--to", help="a topic for matches")
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--jars", default="", help="files, separated by commas")
    given = parser.parse_args()
    spark = local_session("events from Kafka", master="local[2]", config={"spark.jars": given.jars})
    events = kafka_events(spark, given.brokers, given.topic)
    if given.out:
        query = matches_to_parquet(events, given.index, given.out, given.checkpoint)
    else:
        query = matches_to_kafka(events, given.index, given.brokers, given.to, given.checkpoint)
    query.awaitTermination()


if __name__ == "__main__":
    main()
