"""How far is Spark? The tasks of the stages that run now."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote


def running_tasks(spark: SparkSession) -> tuple[int, int]:
    """How many tasks of the running stages are done, and how many there are; none where that cannot be told."""
    if is_remote():
        return 0, 0
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [stage for stage in stages if stage is not None]
    return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
