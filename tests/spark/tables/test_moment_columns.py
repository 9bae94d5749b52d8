"""Is a text the same moment, a missing one or none, wherever a table has it?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.cli.shared.event_input import with_guards
from eligo.data.events.event_times import with_times
from eligo.data.moment_texts import read_moments
from eligo.errors import EventError, ExpressionValueError
from eligo.language.moment import read_moment
from eligo.spark import build, match, rejects
from eligo.spark.tables.moment_columns import moment_of_text

TEN = datetime(2026, 1, 31, 10, tzinfo=UTC)
MIDNIGHT = datetime(2026, 1, 31, tzinfo=UTC)
GOOD: dict[str, datetime] = {
    "2026-01-31T10:00:00Z": TEN,
    "2026-01-31T10:00Z": TEN,
    "2026-01-31 10:00": TEN,
    "2026-01-31T10:00:00.000000": TEN,
    " 2026-01-31 12:00+02:00 ": TEN,
    "2026-01-31": MIDNIGHT,
    "0001-01-01": datetime(1, 1, 1, tzinfo=UTC),
    "1400-03-01T00:00:00Z": datetime(1400, 3, 1, tzinfo=UTC),
    "9999-12-31T23:59:59.999999Z": datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
}
BLANK = ["", " ", "\t"]
BAD = [
    "T10:00",
    "10:00",
    "10:00:00Z",
    "now",
    "today",
    "epoch",
    "0000-01-01",
    "+10000-01-01T00:00:00Z",
    "10000-01-01",
    "-0001-01-01",
    "2026",
    "2026-01",
    "2026-1-3",
    "2026-02-30",
    "2026-01-31T24:00",
    "2026-01-31T10",
    "2026-01-31T10:00:00.1234567Z",
    "2026-01-31T10:00:00 Europe/Paris",
    "1700000000",
    "soon",
    "２０２６-01-31",
]


@pytest.mark.parametrize("text", [*GOOD, *BLANK, *BAD])
def test_the_rule(text: str) -> None:
    moments, bad = read_moments(pa.array([None, text, text]))
    assert moments.to_pylist() == [None, GOOD.get(text), GOOD.get(text)]
    assert bad == ({1: text, 2: text} if text in BAD else {})
    if text in BAD:
        with pytest.raises(ExpressionValueError):
            read_moment(text)
        with pytest.raises(EventError):
            with_guards({"at": text}, None, "at")
    else:
        assert read_moment(text) == with_guards({"at": text}, None, "at")["@time"] == GOOD.get(text)


def test_spark_reads_columns_of_csv_by_it(spark: SparkSession) -> None:
    texts = spark.createDataFrame([(text,) for text in (*GOOD, *BLANK, *BAD)], "text string")
    found = texts.select("text", moment_of_text(F.col("text")).alias("at")).toArrow().to_pylist()
    assert {row["text"]: row["at"] for row in found if row["at"] is not None} == GOOD


def test_windows_and_times(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    given = [(text, "true", text) for text in (*GOOD, *BLANK, *BAD)]
    summary = build(
        spark.createDataFrame(given, "id string, expression string, start string"), path, valid_from="start"
    )
    assert set(summary.rejects["id"].to_pylist()) == set(BAD)
    assert "valid_from 'soon' is not a date or timestamp" in summary.rejects["error"].to_pylist()
    index = eligo.open(path)
    assert set(index.match({})) == set(BLANK)
    assert set(index.match({"@time": MIDNIGHT})) == {*BLANK, *(text for text, at in GOOD.items() if at <= MIDNIGHT)}
    events = [(number, text, "{}") for number, text in enumerate((*GOOD, *BLANK, *BAD))]
    table = spark.createDataFrame(events, "event_id int, at string, j string")
    matched = {row["event_id"] for row in match(table, path, time="at").where("expression_id = '0001-01-01'").collect()}
    assert matched == set(range(len(GOOD)))
    for json in (None, "j"):
        refused = {row["event_id"]: row for row in rejects(table, path, time="at", json=json).collect()}
        assert set(refused) == set(range(len(GOOD) + len(BLANK), len(events)))
        assert "'T10:00' is not a date or timestamp" in refused[len(GOOD) + len(BLANK)]["error"]


def test_timestamps_beyond_the_calendar_are_no_times() -> None:
    for unit, per_second in (("s", 1), ("ms", 10**3), ("us", 10**6)):
        last, first = 253_402_300_799 * per_second, -62_135_596_800 * per_second
        ticks = pa.array([first - 1, first, None, last, last + per_second], pa.int64())
        for zone in (None, "UTC"):
            rows, errors = with_times(pa.table({"@time": ticks.cast(pa.timestamp(unit, zone))}))
            assert sorted(errors) == [0, 4]
            assert [value is None for value in rows["@time"].to_pylist()] == [True, False, True, False, True]
