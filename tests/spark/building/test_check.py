"""Does the check keep every row, and say of bad ones what is wrong and where?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eligo.data.schema.schema import Schema
from eligo.errors import InputError
from eligo.language.limits import Limits
from eligo.spark import check
from eligo.spark.tables import expression_tables

ROWS = [
    ("ok", "age in (3, 4)"),
    ("cut", "age in (1,"),
    ("none", None),
    (None, "age > 3"),
    ("form", json.dumps({"attribute": "age", "operator": "=", "value": 3})),
    ("bad form", json.dumps({"attribute": "age", "operator": "~", "value": 3})),
    ("no json", "{age"),
]


def test_good_rows_and_rejects(spark: SparkSession) -> None:
    checked = check(spark.createDataFrame(ROWS, "id string, expression string"))
    good = {row["id"]: row["expression"] for row in checked.good.collect()}
    assert good == {"ok": "age in (3, 4)", "form": "age = 3"}
    rejects = {row["id"]: row for row in checked.rejects.collect()}
    assert set(rejects) == {"cut", "none", None, "bad form", "no json"}
    cut = rejects["cut"]
    assert (cut["expression"], cut["line"], cut["column"]) == ("age in (1,", 1, 11)
    assert cut["error"].startswith("expected a value")
    assert cut["help"]
    assert rejects["none"]["error"] == "the expression is missing"
    assert rejects[None]["error"] == "the id is missing"
    assert rejects["bad form"]["line"] is None


def test_rows_keep_their_order(spark: SparkSession) -> None:
    rows = [(number, f"a = {number}" if number % 3 else "a =") for number in range(1_000)]
    checked = check(spark.createDataFrame(rows, "id int, expression string").coalesce(1))
    collected = checked.rows.collect()
    assert [row["id"] for row in collected] == list(range(1_000))
    assert [row["id"] for row in collected if row["error"]] == list(range(0, 1_000, 3))
    assert checked.rows.schema["id"].dataType.simpleString() == "bigint"


def test_other_columns_and_limits(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("x", "a in (1, 2, 3)", 5)], "`my id` string, rule string, other int")
    assert check(frame, id="my id", expression="rule").rejects.count() == 0
    limited = check(frame, id="my id", expression="rule", limits=Limits(set_size=2))
    assert "2" in limited.rejects.collect()[0]["error"]


def test_schema(spark: SparkSession) -> None:
    form = json.dumps({"attribute": "agee", "operator": "=", "value": 3})
    rows = [("good", "age = 3"), ("bad", "agee = 3"), ("bad form", form)]
    frame = spark.createDataFrame(rows, "id string, expression string")
    rejects = check(frame, schema=Schema.from_dict({"age": "int"})).rejects.collect()
    assert [(row["id"], row["line"], row["column"]) for row in rejects] == [("bad", 1, 1), ("bad form", None, None)]
    assert "agee" in rejects[1]["error"]


def test_columns_that_are_not_there_or_no_ids(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1.5, "a = 1")], "id double, expression string")
    with pytest.raises(InputError, match="double"):
        check(frame)
    with pytest.raises(InputError, match="'rule'"):
        check(frame, expression="rule")


def test_files_of_expressions(spark: SparkSession, tmp_path: Path) -> None:
    csv = tmp_path / "rules.csv"
    csv.write_text('id,expression,owner\n007,"a = \'x, ""y""\'",me\n8,"a = 1\n  and b = 2",me\n')
    rows = expression_tables.read_expressions(spark, str(csv)).collect()
    assert [tuple(row) for row in rows] == [("007", "a = 'x, \"y\"'"), ("8", "a = 1\n  and b = 2")]

    lines = tmp_path / "rules.jsonl"
    lines.write_text('{"id": 1, "expression": "a = 1"}\n{"id": 2, "expression": {"not": "x"}}\n{broken\n')
    table = expression_tables.read_expressions(spark, str(lines))
    assert table.schema["id"].dataType.simpleString() == "bigint"
    checked = check(table)
    assert [row["id"] for row in checked.good.collect()] == [1]
    errors = {row["expression"]: row["error"] for row in checked.rejects.collect()}
    assert errors["{broken"] == "the row cannot be read: it is not JSON"
    assert len(errors) == 2


def test_files_that_cannot_be_read(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.parquet"):
        expression_tables.read_expressions(spark, str(tmp_path / "no.parquet"))
    text = tmp_path / "rules.eligo"
    text.write_text("a = 1\n")
    with pytest.raises(InputError, match=r"says text, which cannot be used here"):
        expression_tables.read_expressions(spark, str(text))
    lines = tmp_path / "rules.jsonl"
    lines.write_text('{"id": 1, "rule": "a = 1"}\n')
    with pytest.raises(InputError, match="'expression'"):
        expression_tables.read_expressions(spark, str(lines))
    lines.write_text("")
    assert check(expression_tables.read_expressions(spark, str(lines))).rows.count() == 0
    csv = tmp_path / "rules.csv"
    csv.write_text("id,rule\n1,a = 1\n")
    with pytest.raises(InputError, match="'expression'"):
        expression_tables.read_expressions(spark, str(csv))
