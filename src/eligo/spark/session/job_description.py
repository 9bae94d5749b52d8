"""What runs? Spark shows a description beside each job of a session that has a context; Spark Connect has none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


@contextmanager
def described(spark: SparkSession, description: str) -> Iterator[None]:
    """Jobs that start within have this description, and those after it what they had before."""
    try:
        context = spark.sparkContext
    except PySparkException:  # Spark Connect
        yield
        return
    before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(description)
    try:
        yield
    finally:
        context.setLocalProperty("spark.job.description", before)  # type: ignore[arg-type]  # None clears it
