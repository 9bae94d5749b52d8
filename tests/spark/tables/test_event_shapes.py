"""Are odd tables of events matched rightly, or refused before any task runs?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, TimestampType

import eligo
from eligo.errors import InputError
from eligo.index.guard import GuardColumns
from eligo.spark import count, explain, match, parquet_events, rejects, top
from eligo.spark.building.guard_types import cast_types
from spark_rows import rows


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("shapes") / "x.index")
    eligo.build({"one": "x = 1", "none": "x is missing", "old": "user.age > 60"}).save(path)
    return path


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("shapes") / "windows.index")
    march = "\"@time\" >= timestamp '2026-03-01T00:00:00Z'^0 and \"@time\" < timestamp '2026-03-02T00:00:00Z'^0"
    eligo.build({"first": march}).save(path)
    return path


def test_names_with_dots(spark: SparkSession, index: str) -> None:
    events = spark.sql("select 1 `e.id`, 70 `user.age`, 2 x, 'a' `k``y`")
    assert rows(match(events, index, event_id="e.id", keep="k`y")) == {(1, "a", "old")}


def test_events_of_which_no_column_is_needed_are_counted(spark: SparkSession, index: str, tmp_path: Path) -> None:
    events = spark.range(5).select(F.lit(1).alias("other"))
    events.write.parquet(str(tmp_path / "events.parquet"))
    assert rows(count(events, index)) == {("none", 5)}
    assert rows(count(parquet_events(spark, str(tmp_path / "events.parquet")), index)) == {("none", 5)}


def test_days_and_texts_are_in_utc_whatever_the_session(spark: SparkSession, windows: str) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    texts = {
        1: "2026-03-01T00:00:00",
        2: "2026-03-01 23:59:59.999999",
        3: "2026-03-02",
        4: "2026-03-01",
        5: "2026-03-01T00:00:00+01:00",
        6: "2026-03-01T19:00:00-04:00",
        7: "no time",
    }
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        events = spark.createDataFrame(list(texts.items()), "event_id int, at string")
        assert {id for id, _ in rows(match(events, windows, time="at"))} == {1, 2, 4, 6}
        days = spark.createDataFrame([(1, date(2026, 3, 1)), (2, date(2026, 3, 2))], "event_id int, at date")
        assert rows(match(days, windows, time="at")) == {(1, "first")}
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    types = cast_types(GuardColumns(valid_from="a", valid_to="b"), {"a": DateType(), "b": TimestampType()})
    assert types == {"valid_from": "timestamp_ntz", "valid_to": "timestamp"}


def test_a_text_is_a_date_by_the_expressions_of_all_parts(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"late": "at > timestamp '2026-01-01T00:00:00Z'"}).save(path)
    changed = eligo.open(path)
    changed.insert("january", "at under '2026/01'")
    changed.publish(path)
    assert len(eligo.open(path).parts) == 2
    events = spark.createDataFrame([(1, '{"at": "2026-01-31T10:00:00"}')], "event_id int, j string")
    assert rows(match(events, path, json="j")) == {(1, "late"), (1, "january")}


def test_texts_that_are_not_utf_8_lose_only_themselves(spark: SparkSession, index: str) -> None:
    bad = "cast(unhex('7B2278223A22FF227D') as string)"
    events = spark.sql(f"""select 1 event_id, {bad} j union all select 2, concat('\ufeff', '{{"x": 1}}')""")
    assert rows(match(events, index, json="j")) == {(2, "one")}
    assert {(row["event_id"], row["error"]) for row in rejects(events, index, json="j").collect()} == {
        (1, "line 1: not UTF-8 at byte 7")
    }


def test_a_bad_weight_loses_only_its_event(spark: SparkSession, index: str) -> None:
    events = spark.sql(
        "select 1 event_id, 1 x, map('x', -1.0D) w union all select 2, 1, map('x', 2.0D) union all select 3, 1, null"
    )
    best = top(events, index, 1, weights="w", on_error="keep").collect()
    assert {(row["event_id"], row["score"]) for row in best} == {(1, None), (2, 2.0), (3, 1.0)}
    bad = next(row for row in best if row["error"])
    assert bad["event"] == "{'x': 1}"
    assert bad["error"] == "weights: a weight is a number from 0 to 1,000,000,000, not -1.0"


CLASHES: dict[str, Callable[[DataFrame, str], DataFrame]] = {
    "expression_id": lambda events, index: match(events, index, keep=["expression_id"]),
    "matches": lambda events, index: count(events, index, by=["matches"]),
    "rank": lambda events, index: top(events, index, 1, keep=["rank"]),
    "error": lambda events, index: match(events, index, keep=["error"], on_error="keep"),
    "why": lambda events, index: explain(events, index, "one", keep=["why"]),
}


@pytest.mark.parametrize("name", CLASHES)
def test_a_copied_column_may_not_have_the_name_of_another(spark: SparkSession, index: str, name: str) -> None:
    events = spark.sql(f"select 1 event_id, 1 x, 'a' {name}")
    with pytest.raises(InputError, match=f"two columns '{name}'"):
        CLASHES[name](events, index)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ("1 x, 2 j", {"json": "j"}, "'j' is int, and events as JSON are strings"),
        ("map(1, 2) m", {"attributes": "m"}, "not maps from attributes to values"),
        ("1 x, 2 X", {}, "'x' and 'X', alike but for case"),
        ("array(array(1)) x", {}, "array<array<int>>, which has no values"),
        ("1 x", {"on_error": "drop"}, 'on_error is "reject", "raise" or "keep", not \'drop\''),
        ("1 x", {"event_id": "id"}, "no column 'id'"),
    ],
)
def test_what_is_refused_before_any_task(
    spark: SparkSession, index: str, columns: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        match(spark.sql(f"select 1 event_id, {columns}"), index, **options)


def test_other_arguments_that_do_not_fit(spark: SparkSession, index: str) -> None:
    events = spark.sql("select 1 event_id, 1 x, array(1) tags")
    with pytest.raises(InputError, match="by= takes columns of plain values"):
        count(events, index, by="tags")
    with pytest.raises(InputError, match="not maps from attributes to weights"):
        top(events, index, 1, weights="x")
    with pytest.raises(InputError, match=r"events is a DataFrame of Spark, not "):
        match([{"x": 1}], index)  # type: ignore[arg-type]
