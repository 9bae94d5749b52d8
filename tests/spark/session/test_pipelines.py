"""Does `match` work in a declarative pipeline, where no table may be analysed while it is defined?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

import eligo
from eligo.spark.session.java import ensure_java

pytestmark = pytest.mark.long

SPEC = """\
name: ads
storage: file://{directory}/storage
libraries:
  - glob:
      include: tables/**
"""
TABLES = """\
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType
from eligo.spark import match

spark = SparkSession.active()
SCHEMA = StructType().add("event_id", "long").add("age", "integer")

@dp.table
def events():
    return spark.readStream.schema(SCHEMA).parquet("{directory}/events")

@dp.table
def stream_matches():
    return match(spark.readStream.table("events"), "{directory}/x.index", schema=SCHEMA)

@dp.materialized_view
def matches():
    return match(spark.read.table("events"), "{directory}/x.index", schema=SCHEMA)
"""


def test_streaming_tables_and_views(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="declarative pipelines need pyspark[pipelines]")
    pytest.importorskip("yaml", reason="declarative pipelines need pyspark[pipelines]")
    pytest.importorskip("pyspark.pipelines", reason="declarative pipelines need Spark 4.1")
    eligo.build({"young": "age < 25", "old": "age > 60"}).save(tmp_path / "x.index")
    (tmp_path / "events").mkdir()
    (tmp_path / "tables").mkdir()
    events = pa.table({"event_id": pa.array(range(100), pa.int64()), "age": pa.array(range(100), pa.int32())})
    pq.write_table(events, tmp_path / "events" / "a.parquet")
    (tmp_path / "spark-pipeline.yml").write_text(SPEC.format(directory=tmp_path))
    (tmp_path / "tables" / "ads.py").write_text(TABLES.format(directory=tmp_path))
    environment = {**os.environ, "JAVA_HOME": str(ensure_java()), "PYSPARK_PYTHON": sys.executable}
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    command = [
        f"{environment['SPARK_HOME']}/bin/spark-pipelines",
        "run",
        "--spec",
        str(tmp_path / "spark-pipeline.yml"),
    ]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    expected = {(age, "young") for age in range(25)} | {(age, "old") for age in range(61, 100)}
    for table in ("matches", "stream_matches"):
        found = pq.read_table(tmp_path / "spark-warehouse" / table).to_pylist()
        assert len(found) == len(expected)
        assert {(row["event_id"], row["expression_id"]) for row in found} == expected
