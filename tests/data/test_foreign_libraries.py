"""Are tables of the real Polars and DuckDB taken, wherever a table is? What is not installed is skipped."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import eligo
from eligo.errors import InputError

RULES = {"golf": "age >= 18 and interests = 'golf'", "west": "state in ('CA', 'OR')", "vip": "user.vip"}
EVENTS = pa.table(
    {
        "age": [30, 12, None],
        "state": ["CA", "NY", "OR"],
        "interests": [["golf", "chess"], [], None],
        "user": [{"vip": True}, {"vip": False}, None],
    }
)
MATCHES = [["golf", "west", "vip"], [], ["west"]]
RULE_ROWS = pa.table({"id": list(RULES), "expression": list(RULES.values())})


def polars_frame(table: pa.Table) -> Any:
    return pytest.importorskip("polars").from_arrow(table)


def duckdb_relation(table: pa.Table) -> Any:
    return pytest.importorskip("duckdb").connect().from_arrow(table)


@pytest.fixture(params=[polars_frame, duckdb_relation])
def form(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_events_and_expressions(form: Any) -> None:
    index = eligo.build(form(RULE_ROWS))
    index.insert("young", "age < 18")
    matches = index.match_batch(form(EVENTS))
    assert [matches.ids(row) for row in range(3)] == [MATCHES[0], ["young"], MATCHES[2]]
    assert index.count_batch(form(EVENTS)).tolist() == [1, 2, 1, 1]


def test_a_sample_documents_edges_and_lint(form: Any) -> None:
    assert eligo.build(RULES, sample=form(EVENTS)).match({"state": "OR"}) == ["west"]
    base = eligo.DocumentBase()
    base.add_batch(form(EVENTS.select(["age", "state"])))
    assert len(base) == 3
    edges = pa.table({"child": ["NFL", "Golf"], "parent": ["Sports", "Sports"]})
    assert "NFL" in eligo.Hierarchy.from_edges(form(edges))
    assert [each.rule for each in eligo.lint(form(RULE_ROWS), events=form(EVENTS))] == []
    assert eligo.Schema.from_events(form(EVENTS))["user.vip"].kind == "bool"


def test_a_frame_whose_texts_are_categories() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"state": ["CA", "NY", "CA"]}, schema={"state": polars.Categorical})
    matches = eligo.build(RULES).match_batch(frame)
    assert [matches.ids(row) for row in range(3)] == [["west"], [], ["west"]]


def test_what_a_query_makes() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("SELECT * FROM (VALUES (30, 'CA'), (12, 'NY')) AS events(age, state)")
    matches = eligo.build(RULES).match_batch(relation)
    assert [matches.ids(row) for row in range(2)] == [["west"], []]


def test_a_series_is_no_table() -> None:
    series = pytest.importorskip("polars").Series("age", [1, 2])
    with pytest.raises(InputError, match="no table"):
        eligo.build(RULES).match_batch(series)
