"""Does everything work over Spark Connect, where there is no context and no count of partitions?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from eligo.spark.session.java import ensure_java
from eligo.spark.sql.registration import takes_arrow

pytestmark = pytest.mark.long

SCRIPT = """
import json, sys
from pyspark.sql import SparkSession
import eligo
from eligo.spark import build, count, diff, explain, generate, match, parquet_events, profile, register, rejects, top
from eligo.spark.matching.match_files import match_files
from eligo.spark.sql.registration import takes_arrow
directory = sys.argv[1]
spark = SparkSession.builder.remote("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "2")
index = f"{directory}/x.index"
texts = [("a", "age in (3, 4)"), ("b", "age > 4"), ("c", "age in (")]
ads = spark.createDataFrame(texts, "id string, expression string")
built = build(ads, index)
events = spark.createDataFrame([(1, 3), (2, 5)], "event_id long, age int")
events.write.parquet(f"{directory}/events.parquet")
eligo.build({"a": "age in (3, 4, 5)", "b": "age > 4"}).publish(index, expected_version=1)
rows = lambda frame: sorted(tuple(row) for row in frame.collect())
register(spark)
events.createOrReplaceTempView("events")
said = {
    "sql": rows(spark.sql(f"SELECT * FROM eligo_match(TABLE(events), '{index}', version => 1)")),
    "counted": rows(spark.sql(f"SELECT * FROM eligo_count(TABLE(events), '{index}', version => 1)")),
    "scalar": rows(spark.sql(f"SELECT event_id, eligo_matches(struct(*), '{index}', version => 1) FROM events"))
    if takes_arrow(spark.version) else None,
    "source": rows(spark.read.format("eligo").option("version", 1).load(index)),
    "kind": type(spark).__module__,
    "built": [built.num_accepted, built.num_rejected],
    "match": rows(match(events, index, version=1)),
    "files": rows(match(parquet_events(spark, f"{directory}/events.parquet"), index, version=1)),
    "top": rows(top(events, index, 1, version=1)),
    "count": rows(count(events, index, by=["age"], version=1)),
    "why": explain(events, index, ["a"], version=1).where("event_id = 1").collect()[0]["matches"],
    "rejects": rejects(events, index).count(),
    "diff": rows(diff(events, index, index, old_version=1)),
    "profile": profile(ads).num_expressions,
    "generate": generate(spark, "conjunctions", num_expressions=5, num_events=3).events.count(),
    "summary": match_files(spark, index, f"{directory}/events.parquet", f"{directory}/out.jsonl").num_matches,
}
print(json.dumps(said))
"""


def test_over_spark_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs pyspark[connect]")
    environment = {
        **os.environ,
        "JAVA_HOME": str(ensure_java()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr[-3000:]
    assert json.loads(run.stdout.splitlines()[-1]) == {
        "sql": [[1, "a"], [2, "b"]],
        "counted": [["a", 1], ["b", 1]],
        "scalar": [[1, ["a"]], [2, ["b"]]] if takes_arrow(pyspark.__version__) else None,
        "source": [["a", "age in (3, 4)"], ["b", "age > 4"]],
        "kind": "pyspark.sql.connect.session",
        "built": [2, 1],
        "match": [[1, "a"], [2, "b"]],
        "files": [[1, "a"], [2, "b"]],
        "top": [[1, 1, "a", 1.0], [2, 1, "b", 1.0]],
        "count": [[3, "a", 1], [5, "b", 1]],
        "why": True,
        "rejects": 0,
        "diff": [["a", "changed", 1, 0, [2], []]],
        "profile": 2,
        "generate": 3,
        "summary": 3,
    }
