"""What is in a table of Spark?"""

from __future__ import annotations

from pyspark.sql import DataFrame


def rows(frame: DataFrame) -> set[tuple[object, ...]]:
    """The rows, whatever their order."""
    return {tuple(row) for row in frame.collect()}
