"""Do weights in a column of their own decide which matches are best, from every kind of table?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import eligo
from eligo.errors import BuildError, InputError
from eligo.spark import build, parquet_expressions, top, update
from eligo.spark.tables import expression_tables

ROWS: list[tuple[str, str, dict[str, float] | None]] = [
    ("plain", "age > 18 and state = 'CA'", None),
    ("weighed", "age > 18 and state = 'CA'", {"age": 3.0, "colour": 9.0}),
    ("own", "age > 18^0.5 and state in ('CA', 'NY'^7)", {"age": 100.0, "state": 2.0}),
    ("negative", "age > 18", {"age": -1.0}),
    ("form", json.dumps({"attribute": "state", "operator": "=", "value": "CA"}), {"state": 20.0}),
    ("empty", "age > 18", {}),
]
SCORES = {"form": 20.0, "weighed": 4.0, "own": 2.5, "plain": 2.0, "empty": 1.0}
EVENT = {"age": 20, "state": "CA"}


def frame(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.createDataFrame(ROWS, "id string, expression string, w map<string, double>")


def parquet(spark: SparkSession, folder: Path) -> Any:
    kind = pa.map_(pa.string(), pa.float64())
    ids, texts, weights = zip(*ROWS, strict=True)
    maps = pa.array([None if given is None else list(given.items()) for given in weights], kind)
    pq.write_table(pa.table({"id": ids, "expression": texts, "w": maps}), folder / "x.parquet")
    return parquet_expressions(spark, folder / "x.parquet")


def json_lines(spark: SparkSession, folder: Path) -> DataFrame:
    rows = [{"id": id, "expression": text, "w": weights} for id, text, weights in ROWS]
    (folder / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return expression_tables.read_expressions(spark, str(folder / "x.jsonl"), texts=["w"])


@pytest.mark.parametrize("table", [frame, parquet, json_lines])
def test_weights_from_every_table(spark: SparkSession, tmp_path: Path, table: Any) -> None:
    summary = build(table(spark, tmp_path), tmp_path / "x.index", weights="w")
    (bad,) = summary.rejects.to_pylist()
    assert (bad["id"], bad["expression"]) == ("negative", "age > 18")
    assert "the weight of 'age' is -1.0" in bad["error"]
    index = eligo.open(tmp_path / "x.index")
    assert dict(index.top(EVENT, 9)) == SCORES
    assert index.text("plain") == ROWS[0][1]
    events = spark.createDataFrame([(1, 20, "CA")], "event_id int, age int, state string")
    best = top(events, tmp_path / "x.index", 2).orderBy("rank").collect()
    assert [(row["expression_id"], row["score"]) for row in best] == [("form", 20.0), ("weighed", 4.0)]


def test_weights_of_an_update(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"plain": "age > 18", "other": "age > 17"}).save(tmp_path / "x.index")
    changed = spark.createDataFrame([("plain", "age > 18", '{"age": 5}')], "id string, expression string, w string")
    update(tmp_path / "x.index", changed, weights="w")
    assert eligo.open(tmp_path / "x.index").top(EVENT, 2) == [("plain", 5.0), ("other", 1.0)]


def test_a_column_that_has_no_weights(spark: SparkSession, tmp_path: Path) -> None:
    table = spark.createDataFrame([("a", "age > 18", 3)], "id string, expression string, w int")
    with pytest.raises(InputError, match="column 'w' is int, and weights are maps"):
        build(table, tmp_path / "x.index", weights="w")


def test_the_same_in_memory() -> None:
    good = [row for row in ROWS if row[0] not in ("negative", "form")]
    ids, texts, weights = zip(*good, strict=True)
    kind = pa.map_(pa.string(), pa.float64())
    maps = pa.array([None if given is None else list(given.items()) for given in weights], kind)
    table = pa.table({"id": ids, "expression": texts, "w": maps})
    expected = {id: score for id, score in SCORES.items() if id in ids}
    assert dict(eligo.build(table, weights="w").top(EVENT, 9)) == expected
    assert dict(eligo.build(table.to_pandas(maps_as_pydicts="strict"), weights="w").top(EVENT, 9)) == expected
    bad = pa.table({"id": [1], "expression": ["age > 18"], "w": ['{"age": -1}']})
    with pytest.raises(BuildError, match="the weight of 'age' is -1"):
        eligo.build(bad, weights="w")
    with pytest.raises(InputError, match="only a table"):
        eligo.build({"a": "age > 1"}, weights="w")
