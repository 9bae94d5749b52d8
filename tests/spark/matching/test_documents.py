"""Does Spark compare tables of events with documents, and with the events before them, as the index does?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import eligo
from eligo.errors import EligoError, InputError
from eligo.language.document_truth import Received
from eligo.spark import count, diff, explain, match, match_in_order, top

PROFILES = {
    "dear": "exists d (price > d.price)",
    "newest": "forall d (year > d.year)",
    "again": "shop = 'A' and exists d (shop = d.shop)",
    "recent": "not exists d in last 3 (price <= d.price)",
    "plain": "year > 1995",
}
TIMED = {**PROFILES, "week": "exists d in last '7 days' (shop = d.shop)"}
AT = datetime(2025, 3, 1, tzinfo=UTC)
OFFER_TYPES = "event_id long, price double, year long, shop string, came timestamp"


def offers(count: int, seed: int) -> list[dict[str, Any]]:
    random = Random(seed)
    return [
        {
            "event_id": number,
            "price": random.choice([None, 1.5, 2.0, 9.0, 12.25]),
            "year": random.choice([1990, 1999, 2005]),
            "shop": random.choice(["A", "B", None]),
            "came": AT - timedelta(days=30 - number, minutes=random.randrange(60)),
        }
        for number in range(count)
    ]


def frame_of(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    names = [part.split()[0] for part in OFFER_TYPES.split(", ")]
    return spark.createDataFrame([tuple(row[name] for name in names) for row in rows], OFFER_TYPES)


def pairs(found: DataFrame) -> list[tuple[int, str]]:
    return sorted((row["event_id"], row["expression_id"]) for row in found.collect())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("documents") / "offers.index")
    index = eligo.build({name: text for name, text in TIMED.items() if name != "again"})
    index.save(path)
    index.insert("again", TIMED["again"])  # in a delta
    index.save(path)
    return path


def test_a_base_and_a_table_give_the_answer_of_one_process(spark: SparkSession, path: str, tmp_path: Path) -> None:
    known, new = offers(20, 1), offers(15, 2)
    index = eligo.open(path)
    expected = [
        (event["event_id"], id)
        for event in new
        for id in index.match(event, documents=[Received(each, each["came"]) for each in known], at=AT)
    ]
    with eligo.DocumentBase(tmp_path / "docs.base", time="came") as base:
        base.add_batch(known)
    events = frame_of(spark, new)
    stored: dict[str, Any] = {"documents": tmp_path / "docs.base", "at": AT}
    table: dict[str, Any] = {
        "documents": frame_of(spark, Random(3).sample(known, 20)),
        "document_order": "event_id",
        "document_time": "came",
        "at": AT,
    }
    for options in (stored, table):
        assert pairs(match(events, path, **options)) == sorted(expected)
        counted = {row["expression_id"]: row["matches"] for row in count(events, path, **options).collect()}
        assert counted == {id: sum(own == id for _, own in expected) for id in {id for _, id in expected}}
    by_shop = count(events, path, by=["shop"], **stored).collect()
    assert sum(row["matches"] for row in by_shop) == len(expected)
    assert pairs(match(events, path, memory=1, **stored)) == sorted(expected)
    best = top(events, path, 99, **stored).collect()
    assert sorted((row["event_id"], row["expression_id"]) for row in best) == sorted(expected)
    told = explain(events, path, ["dear", "week"], **stored).collect()
    assert {(row["event_id"], row["expression_id"]) for row in told if row["matches"]} == {
        (event, id) for event, id in expected if id in ("dear", "week")
    }


def test_what_is_missing_is_told_before_anything_runs(spark: SparkSession, path: str, tmp_path: Path) -> None:
    events, documents = frame_of(spark, offers(3, 2)), frame_of(spark, offers(3, 1))
    with pytest.raises(InputError, match="depends on documents"):
        match(events, path)
    with pytest.raises(InputError, match="have no order"):
        match(events, path, documents=documents)
    with pytest.raises(InputError, match="have no times"):
        match(events, path, documents=documents, document_order="event_id")
    with pytest.raises(InputError, match="the same year"):
        match(events, path, documents=documents.union(documents), document_order="year", document_time="came")
    with pytest.raises(InputError, match="has to say when each document came"):
        match(events, path, documents=documents, document_order="event_id", document_time="price")
    with pytest.raises(EligoError, match="column"):
        match(events, path, documents=documents, document_order="nothing", document_time="came")
    with pytest.raises(InputError, match="columns of a table"):
        match(events, path, documents=eligo.DocumentBase(), document_order="year")
    with pytest.raises(EligoError):
        match(events, path, documents=tmp_path / "nothing")
    with pytest.raises(InputError, match="diff does not compare"):
        diff(events, path, path)


@pytest.mark.parametrize("window", [None, 2, timedelta(days=3)])
@pytest.mark.parametrize("keys", [(), ("shop",)])
def test_events_in_order_are_those_of_a_loop(
    spark: SparkSession, path: str, window: int | timedelta | None, keys: tuple[str, ...]
) -> None:
    new = offers(25, 4)
    index = eligo.open(path)
    expected: list[tuple[int, str]] = []
    for group in {tuple(event[key] for key in keys) for event in new}:
        own = [event for event in new if tuple(event[key] for key in keys) == group]
        matches = index.match_in_order(own, time="came", window=window)
        expected += [(event["event_id"], str(id)) for row, event in enumerate(own) for id in matches.ids(row)]
    events = frame_of(spark, Random(5).sample(new, 25)).repartition(3)
    found = match_in_order(events, path, order_by="came", partition_by=keys, window=window)
    assert found.columns == ["event_id", "expression_id"]
    assert pairs(found) == sorted(expected)


def test_events_that_have_no_order_are_refused(spark: SparkSession, path: str) -> None:
    new = offers(5, 4)
    with pytest.raises(InputError, match="not said when events came"):
        match_in_order(frame_of(spark, new), path, order_by="event_id")
    with pytest.raises(Exception, match="two events have the same came"):
        match_in_order(frame_of(spark, [*new, new[3]]), path, order_by="came").collect()
    with pytest.raises(Exception, match="an event has no came"):
        match_in_order(frame_of(spark, [*new, {**new[0], "came": None}]), path, order_by="came").collect()
