"""Whatever has the Arrow PyCapsule interface is a table: of expressions, of events, of documents and of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import eligo
from eligo.data.foreign_tables import arrow_table, is_capsule, read_once
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


class Stream:
    """What a library offers that is not Arrow: batches, again and again."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


class LikeAFrame(Stream):
    """As Polars' frames, which also have columns and turn into dicts, but are no pandas frames."""

    @property
    def columns(self) -> list[str]:
        return list(self._table.column_names)

    def to_dict(self) -> dict[str, Any]:
        raise AssertionError("rows are not read one by one")


class OneBatch:
    """What offers one batch."""

    def __init__(self, table: pa.Table) -> None:
        self._batch = table.combine_chunks().to_batches()[0]

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._batch.__arrow_c_array__(requested_schema)


def as_views(table: pa.Table) -> pa.Table:
    """The table with views for its texts, which is how Polars holds them."""

    def viewed(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_string(kind):
            return pa.string_view()
        return pa.large_list(viewed(kind.value_type)) if pa.types.is_list(kind) else kind

    return table.cast(pa.schema([(field.name, viewed(field.type)) for field in table.schema]))


FORMS = {
    "table": lambda table: table,
    "reader": lambda table: table.to_reader(max_chunksize=2),
    "stream": Stream,
    "frame": LikeAFrame,
    "batch": OneBatch,
    "views": lambda table: Stream(as_views(table)),
    "chunks": lambda table: Stream(pa.concat_tables([table.slice(0, 1), table.slice(1)])),
}


@pytest.fixture(params=FORMS, ids=list(FORMS))
def form(request: pytest.FixtureRequest) -> Any:
    return FORMS[request.param]


def rules_table() -> pa.Table:
    return pa.table({"id": list(RULES), "expression": list(RULES.values())})


def test_events_and_expressions(form: Any) -> None:
    index = eligo.build(form(rules_table()))
    matches = index.match_batch(form(EVENTS))
    assert [matches.ids(row) for row in range(3)] == MATCHES
    assert index.count_batch(form(EVENTS)).tolist() == [1, 2, 1]
    assert index.top_batch(form(EVENTS), 1).ids(0)
    assert eligo.EventBatch.from_arrow(form(EVENTS), index.vocabulary).num_events == 3


def test_a_stream_that_ends_is_enough_for_an_index_of_several_parts(form: Any) -> None:
    index = eligo.build(RULES, merge_at=None)
    index.insert("young", "age < 18")
    matches = index.match_batch(form(EVENTS))
    assert [matches.ids(row) for row in range(3)] == [MATCHES[0], ["young"], MATCHES[2]]


def test_a_sample_documents_edges_and_lint(form: Any) -> None:
    assert eligo.build(RULES, sample=form(EVENTS)).match({"state": "OR"}) == ["west"]
    base = eligo.DocumentBase()
    base.add_batch(form(EVENTS.select(["age", "state"])))
    assert len(base) == 3
    edges = pa.table({"child": ["NFL", "Golf"], "parent": ["Sports", "Sports"]})
    assert "NFL" in eligo.Hierarchy.from_edges(form(edges))
    assert [each.rule for each in eligo.lint(form(rules_table()), events=form(EVENTS))] == []
    assert eligo.Schema.from_events(form(EVENTS))["user.vip"].kind == "bool"


def test_views_give_the_same_arrays() -> None:
    index = eligo.build(RULES)
    plain = eligo.EventBatch.from_arrow(EVENTS, index.vocabulary).arrays()
    viewed = eligo.EventBatch.from_arrow(Stream(as_views(EVENTS)), index.vocabulary).arrays()
    assert all(np.array_equal(plain[name], viewed[name]) for name in plain)


@pytest.mark.parametrize("odd", [pa.array([1, 2]), pa.chunked_array([[1]])], ids=["array", "chunked array"])
def test_a_column_is_no_table(odd: Any) -> None:
    assert is_capsule(odd)
    for read in (arrow_table, lambda each: eligo.build(RULES).match_batch(each), eligo.build):
        with pytest.raises(InputError, match="no table"):
            read(odd)


def test_what_fails_while_it_is_read_is_told() -> None:
    def batches() -> Any:
        yield EVENTS.to_batches()[0]
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(EVENTS.schema, batches())
    with pytest.raises(InputError, match="the disk is gone"):
        eligo.build(RULES).match_batch(reader)


def test_what_is_no_table_stays_as_it_is() -> None:
    events = [{"age": 1}]
    assert read_once(events) is events
    assert arrow_table(events) is None
    assert arrow_table(pa.Table) is None
