"""Does the example with Kafka match each message, once, also when it is killed?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import eligo
from connector_jars import connector, jar_list
from eligo.spark.session.java import ensure_java
from kafka_node import kafka_node
from killed_runs import run_with_kills

pytestmark = pytest.mark.long

NUM_EVENTS = 3_000
EXAMPLE = Path(__file__).parents[2] / "examples" / "kafka_matches.py"
PRODUCE = """
import sys
from pyspark.sql import functions as F
from eligo.spark import local_session
spark = local_session("produce", master="local[2]", config={"spark.jars": sys.argv[1]})
spark.range(int(sys.argv[4])).select(
    F.to_json(F.struct((F.col("id") % 90).alias("age"), F.col("id").alias("number"))).alias("value")
).write.format("kafka").option("kafka.bootstrap.servers", sys.argv[2]).option("topic", sys.argv[3]).save()
"""
CONSUME = """
import json, sys
from eligo.spark import local_session
spark = local_session("consume", master="local[2]", config={"spark.jars": sys.argv[1]})
read = spark.read.format("kafka").option("kafka.bootstrap.servers", sys.argv[2]).option("subscribe", sys.argv[3]).load()
print(json.dumps([[row[0], row[1]] for row in read.selectExpr("string(key)", "string(value)").collect()]))
"""


@pytest.fixture(scope="module")
def jars() -> str:
    # The release for Spark 4.2 works on 4.3, which has none of its own yet.
    return jar_list(connector("spark-kafka", (4, 2), (4, 3)))


@pytest.fixture(scope="module")
def brokers(jars: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A node with a topic of events."""
    node = connector("kafka", (4, 2), (4, 3))
    java = shutil.which("java") or str(ensure_java() / "bin" / "java")
    with kafka_node(node, java, tmp_path_factory.mktemp("kafka")) as address:
        printed(PRODUCE, jars, address, "events", str(NUM_EVENTS))
        yield address


@pytest.fixture(scope="module")
def index_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("index") / "ads.index")
    eligo.build({f"to {age}": f"age <= {age}" for age in range(10)}).save(path)
    return path


def printed(script: str, *arguments: str) -> str:
    run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout


def expected_matches() -> list[int]:
    """For each match, the age of its event: an age up to 9 matches the expressions from its own on."""
    return sorted(age for number in range(NUM_EVENTS) if (age := number % 90) < 10 for _ in range(10 - age))


def command(brokers: str, index: str, jars: str, *more: str) -> list[str]:
    return [sys.executable, str(EXAMPLE), brokers, "events", index, "--jars", jars, *more]


def test_into_parquet_each_match_once(brokers: str, index_path: str, jars: str, tmp_path: Path) -> None:
    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"
    run_with_kills(
        command(brokers, index_path, jars, "--out", str(out), "--checkpoint", str(checkpoint)),
        kills=3,
        begun=lambda: (checkpoint / "offsets" / "0").exists(),
    )
    found = pq.read_table(out, columns=["event_id", "expression_id"]).to_pylist()
    pairs = [(row["event_id"], row["expression_id"]) for row in found]
    assert len(pairs) == len(set(pairs)) == len(expected_matches())


def test_into_a_topic_under_the_same_keys(brokers: str, index_path: str, jars: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    run_with_kills(
        command(brokers, index_path, jars, "--to", "matches", "--checkpoint", str(checkpoint)),
        kills=2,
        begun=lambda: (checkpoint / "offsets" / "0").exists(),
    )
    messages = json.loads(printed(CONSUME, jars, brokers, "matches").splitlines()[-1])
    by_key = {key: value for key, value in messages}
    assert len(by_key) == len(expected_matches())
    assert all(by_key[key] == value for key, value in messages), "what comes again is the same"
