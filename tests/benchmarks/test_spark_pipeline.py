"""Does the Spark pipeline's experiment run from end to end, check what it finds, and notice what is wrong?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import eligo
from benchmarks import correctness, pipeline_tables, processes, runner, spark_alone
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiments import catalogue as experiments
from benchmarks.experiments import spark_pipeline
from benchmarks.pipeline_tables import Sizes
from eligo.workloads import conjunctions

TINY = Sizes(
    num_events=600,
    num_expressions=300,
    dense_events=40,
    dense_expressions=60,
    cut_events=100,
    cut_expressions=10,
    few_events=100,
    same_events=150,
    built=400,
    num_rounds=1,
)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(pipeline_tables.SIZES, "small", TINY)
    monkeypatch.setattr(correctness, "NUM_EVENTS", 5)
    monkeypatch.setattr(correctness, "NUM_RANDOM", 40)
    pipeline_tables.tables_of.cache_clear()
    yield
    pipeline_tables.tables_of("small", 1).remove()
    pipeline_tables.tables_of.cache_clear()


@pytest.mark.long
def test_every_measurement_runs(tiny: None, spark: SparkSession) -> None:
    result = runner.run(experiments.get("spark_pipeline"), "small", say=lambda line: None)
    assert [row.name for row in result.rows if row.value is None] == []
    rows = {row.name: row.details or {} for row in result.rows}
    assert rows["match_share"]["num_events"] == rows["match_share_json"]["num_events"] == 600
    assert rows["match_share_few"]["num_events"] == 100
    assert set(rows["against_spark_alone"]["ns_a_pair"]) == {"eligo", "columns", "table"}
    assert rows["count_against_group"]["num_matches"] > rows["count_where_few_match"]["num_matches"] > 0
    assert rows["build_against_single"]["num_expressions"] == 400
    assert len(rows["identical_matches"]["ways"]) == 6
    assert rows["verified_open"].keys() == {"index_bytes", "first_s", "second_s", "seconds_a_gb"}
    assert set(rows["cold_match"]["s"]) <= {"archive", "no_archive"}
    assert rows["first_job"]["rounds"][0].keys() == {"session_s", "first_job_s", "second_job_s"}
    assert json.loads(json.dumps(asdict(result)))["rows"]


@pytest.mark.long
def test_a_way_that_loses_matches_is_noticed(tiny: None, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_pipeline, "_one_by_one", lambda index, events: spark_pipeline._sorted([0], [0]))
    monkeypatch.setattr(spark_pipeline, "SHARDS", (1,))
    with pytest.raises(WrongAnswerError, match="match finds 1 matches"):
        spark_pipeline.identical_matches(Bench("small", 1))


def test_bars_are_those_that_were_promised() -> None:
    bars = {row.name: row.bar for row in experiments.get("spark_pipeline").measurements}
    assert {name: (bar.limit, bar.at_least) for name, bar in bars.items() if bar} == {
        "match_share": (85, True),
        "match_share_all": (85, True),
        "match_share_few": (50, True),
        "match_share_few_all": (50, True),
        "against_spark_alone": (100, True),
        "count_against_group": (5, True),
        "count_where_few_match": (3, True),
        "build_against_single": (1.3, True),
        "second_open": (1, False),
        "memory_of_second": (5, False),
        "identical_matches": (7, True),
    }


def test_predicates_of_spark_alone_are_those_of_the_text() -> None:
    text = "s3 = 'v7' and r1 between 5 and 90 and l2 in (2, 5)"
    assert spark_alone._predicates(text) == [
        ("s3", "v7", None, None, None),
        ("r1", None, 5, 90, None),
        ("l2", None, None, None, [2, 5]),
    ]
    with pytest.raises(ValueError, match="no conjunction"):
        spark_alone._predicates("a = 'x' and not b = 'y'")


def test_the_processor_time_of_what_outlives_a_command_counts() -> None:
    work = "import time\nwhile time.process_time() < 0.5: pass"
    left = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {work!r}])"
    found = json.loads(processes._said([sys.executable, "-c", processes.LAUNCH, sys.executable, "-c", left]))
    assert found["processor_s"] >= 0.5
    with pytest.raises(RuntimeError, match="no such thing"):
        processes._said(
            [sys.executable, "-c", processes.LAUNCH, sys.executable, "-c", "import sys; sys.exit('no such thing')"]
        )


def test_a_slice_of_few_events_is_no_other_slice(tiny: None, tmp_path: Path) -> None:
    tables = pipeline_tables.tables_of("small", 1)
    ids = [pq.read_table(tables.fresh_few(number))["event_id"].to_pylist() for number in (0, 1, 0)]
    assert ids[0] == ids[2] == list(range(100))
    assert ids[1] == list(range(100, 200))
    with pytest.raises(ValueError, match="no events left"):
        tables.fresh_few(6)


@pytest.mark.long
def test_a_command_in_a_new_process_gives_all_matches(tmp_path: Path) -> None:
    made = conjunctions.generate(200, 50, 1)
    numbered = made.events.add_column(0, "event_id", [list(range(50))])
    pq.write_table(numbered, tmp_path / "events.parquet")
    eligo.build(made.expressions).save(tmp_path / "index")
    asked = (
        "match",
        str(tmp_path / "index"),
        str(tmp_path / "events.parquet"),
        "--out",
        str(tmp_path / "found.parquet"),
    )
    found = processes.cold_command(*asked, "--master", "local[1]", with_archive=False)
    assert found["s"] > 0 and found["processor_s"] > 0
    expected = len(eligo.open(tmp_path / "index").match_batch(made.events).positions)
    assert pq.read_table(tmp_path / "found.parquet").num_rows == expected


@pytest.mark.long
def test_processes_build_and_open_an_index(tmp_path: Path) -> None:
    made = conjunctions.generate(200, 50, 1)
    expressions, events, index = (str(tmp_path / name) for name in ("expressions", "events", "index"))
    pq.write_table(made.expressions, expressions)
    pq.write_table(made.events, events)
    assert processes.cold_seconds(processes.BUILD, expressions, index) > 0
    first, second = processes.open_in_processes(index, events)
    expected = len(eligo.open(index).match_batch(made.events).positions)
    assert first["num_matches"] == second["num_matches"] == expected
    assert second["bytes"]["now"]["rss"] >= second["bytes"]["now"]["pss"] > 0
