"""Which Python do workers run, and does it have Eligo? Where nobody has chosen one, that of this process.

    nothing set, all on this machine     PySpark would take the first python3 of the path; this process's own is taken
    PYSPARK_PYTHON, spark.pyspark.python what they name; on clusters, or where they name another, a small job asks once
    Spark Connect                        the server's matter

Without this, a session that was not started from an activated environment ends in "No module named 'eligo'", told by
every task.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from weakref import WeakSet

import pyarrow as pa
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from eligo.errors import InputError

_ready: WeakSet[SparkContext] = WeakSet()
"""Contexts whose workers are known to have Eligo."""
_ABSENT = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


def ready_workers(spark: SparkSession) -> None:
    """Have workers run a Python that has Eligo; an `InputError` where they do not. Looked at once for a context."""
    if is_remote():
        return
    context = spark.sparkContext
    if context in _ready:
        return
    if _is_local(context) and not _is_chosen(context):
        context.pythonExec = sys.executable
    if not (_is_local(context) and _is_own(context.pythonExec)):
        _ask(spark)
    _ready.add(context)


def _is_local(context: SparkContext) -> bool:
    return re.match(r"local(\[|$)", context.master or "") is not None


def _is_chosen(context: SparkContext) -> bool:
    conf = context.getConf()
    return "PYSPARK_PYTHON" in os.environ or conf.contains("spark.pyspark.python")


def _is_own(python: str) -> bool:
    """Whether it is the program that runs here; links are not followed, since environments share what they lead to."""
    found = shutil.which(python)
    return found is not None and os.path.abspath(found) == os.path.abspath(sys.executable)


def _ask(spark: SparkSession) -> None:
    """Run a task that needs Eligo."""
    try:
        spark.range(0, 1, 1, 1).mapInArrow(_imported, "ready boolean").collect()
    except PySparkException as error:
        absent = _ABSENT.search(str(error))
        if absent is None:
            raise
        raise InputError(
            f"workers run {spark.sparkContext.pythonExec}, which has no module {absent[1]!r}",
            help="install Eligo where the workers run, or name a Python that has it: PYSPARK_PYTHON, or the setting "
            "spark.pyspark.python",
        ) from None


def _imported(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([pa.array([True] * batch.num_rows)], names=["ready"])
