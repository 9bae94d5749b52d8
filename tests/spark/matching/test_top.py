"""Are the best matches of each event those that the index itself gives?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.errors import InputError
from eligo.kernels.score_units import UNITS
from eligo.language.score import score_units
from eligo.language.text.parse import parse
from eligo.spark import build, top, update
from eligo.workloads import sample
from weighted_cases import some_events, some_texts

WEIGHTED = {
    "golf": "interests = 'golf'^3",
    "any": "interests in ('golf'^2, 'chess'^2)",
    "young": "age < 25^0.5",
}


def test_the_best_with_their_scores(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build(WEIGHTED).save(tmp_path / "x.index")
    rows = [(1, 20, ["golf", "chess"]), (2, 20, ["chess"]), (3, 60, None)]
    events = spark.createDataFrame(rows, "event_id int, age int, interests array<string>")
    best = top(events, tmp_path / "x.index", 2)
    assert best.columns == ["event_id", "rank", "expression_id", "score"]
    found = sorted(tuple(row) for row in best.collect())
    assert found == [(1, 1, "any", 4.0), (1, 2, "golf", 3.0), (2, 1, "any", 2.0), (2, 2, "young", 0.5)]
    with pytest.raises(InputError, match="best"):
        top(events, tmp_path / "x.index", 0)


def test_weights_of_events(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build(WEIGHTED).save(tmp_path / "x.index")
    rows = [(1, 20, ["golf"], {"age": 100.0}), (2, 20, ["golf"], None)]
    events = spark.createDataFrame(rows, "event_id int, age int, interests array<string>, w map<string, double>")
    best = top(events, tmp_path / "x.index", 1, weights="w")
    assert {tuple(row) for row in best.collect()} == {(1, 1, "young", 50.0), (2, 1, "golf", 3.0)}


def test_shards_are_merged_exactly(spark: SparkSession, tmp_path: Path) -> None:
    expressions = sample.expressions(500, seed=11)
    build(spark.createDataFrame(expressions), tmp_path / "many.index", target_shard_rows=90)
    whole = eligo.open(tmp_path / "many.index")
    table = pa.Table.from_batches(list(sample.events(80, seed=11)))
    events = spark.createDataFrame(table)
    found: dict[int, list[tuple[object, float]]] = {}
    for row in top(events, tmp_path / "many.index", 3).orderBy("event_id", "rank").collect():
        found.setdefault(row["event_id"], []).append((row["expression_id"], row["score"]))
    expected = {row["event_id"]: whole.top(row, 3) for row in table.to_pylist()}
    assert found == {event: best for event, best in expected.items() if best}
    assert len(whole.parts[0].shards) > 2


def test_scores_of_shards_deltas_and_one_whole_are_the_same(spark: SparkSession, tmp_path: Path) -> None:
    """Weights that floats cannot add in any order: on Spark, in shards and deltas, and by the oracle."""
    texts = some_texts(90, seed=5)
    rows = spark.createDataFrame(list(texts.items())[:80], "id long, expression string")
    build(rows, tmp_path / "many.index", target_shard_rows=30)
    late = spark.createDataFrame(list(texts.items())[80:], "id long, expression string")
    update(tmp_path / "many.index", late)
    many, one = eligo.open(tmp_path / "many.index"), eligo.build(texts, engine="scan")
    assert len(many.parts) == 2 and len(many.parts[0].shards) > 1
    order = {id: place for place, id in enumerate(many.ids)}
    weighing = [None, {"a": 0.1, "b": 0.7, "d": 1 / 3}, {"a": 1e9, "c": 0.3, "e": 1e-9}]
    asked = [(event, weighing[number % 3]) for number, event in enumerate(some_events(9, seed=6))]
    rows_of_events = [
        (number, *([own] if isinstance(own, int) else own for own in map(event.get, "abcde")), weights)
        for number, (event, weights) in enumerate(asked)
    ]
    columns = ", ".join(f"{name} array<int>" for name in "abcde")
    events = spark.createDataFrame(rows_of_events, f"event_id int, {columns}, w map<string, double>")
    found: dict[int, list[tuple[int, float]]] = {}
    for row in top(events, tmp_path / "many.index", 90, weights="w").orderBy("event_id", "rank").collect():
        found.setdefault(row["event_id"], []).append((row["expression_id"], row["score"]))
    for number, (event, weights) in enumerate(asked):
        units = {id: score_units(parse(text), event, weights=weights) for id, text in texts.items()}
        ranked = sorted((-own, order[id], id) for id, own in units.items() if own is not None)
        expected = [(id, -own / UNITS) for own, _, id in ranked]
        assert found[number] == many.top(event, 90, weights=weights) == expected
        assert sorted(one.top(event, 90, weights=weights)) == sorted(expected)
