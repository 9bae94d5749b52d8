"""Which rows of a shard count, whatever order they come in?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.schema.schema import Schema
from eligo.errors import EligoError
from eligo.index.guard import guarded
from eligo.index.shard_rows import ShardRows, read_shard
from eligo.language.forms.json_form import to_json
from eligo.language.limits import DEFAULT_LIMITS, Limits


def shard(limits: Limits = DEFAULT_LIMITS, schema: Schema | None = None, **columns: Any) -> ShardRows:
    return read_shard(pa.table(columns), schema=schema, limits=limits)


def accepted(found: ShardRows) -> dict[Any, str]:
    return dict(zip(found.ids.to_pylist(), found.texts.to_pylist(), strict=True))


def test_the_last_by_order_counts_and_bad_rows_are_told() -> None:
    found = shard(
        id=["b", "a", "b", "c", "a", None],
        expression=["age = 1", "age =", "age = 2", "age = 3", "age = 4", "age = 5"],
        order=[1, 9, 3, 1, 2, 1],
    )
    assert accepted(found) == {"b": "age = 2", "c": "age = 3"}
    assert (found.num_rows, found.num_duplicates) == (6, 2)
    first, second = found.rejects.to_pylist()
    assert (first["id"], first["expression"], first["line"], first["column"]) == ("a", "age =", 1, 6)
    assert (second["id"], second["error"], second["line"]) == (None, "the id is missing", None)


@given(st.permutations(range(12)))
def test_the_order_in_which_rows_come_does_not_matter(order: list[int]) -> None:
    rows = [("a", "x = 1", 1), ("a", "x = 2", 2), ("b", "x =", 1), ("b", "x = 3", None), ("c", None, 1)]
    rows += [(None, "x = 4", 1), (None, "x = 3", 1), ("d", "x = 5", 7), ("d", "x = 6", 7), ("e", "x = 7", 1)]
    rows += [("f", '{"and": []}', 1), ("g", "x = 8 or y < 2", 0)]
    ids, texts, orders = zip(*(rows[place] for place in order), strict=True)
    found = shard(id=ids, expression=texts, order=pa.array(orders, pa.int64()))
    expected = shard(
        id=[row[0] for row in rows],
        expression=[row[1] for row in rows],
        order=pa.array([row[2] for row in rows], pa.int64()),
    )
    assert found.ids.equals(expected.ids)
    assert found.texts.equals(expected.texts)
    assert found.rejects.equals(expected.rejects)
    assert found.num_duplicates == expected.num_duplicates
    # Of two rows that the order does not tell apart, the content decides.
    assert accepted(found)["d"] == "x = 6"
    assert "b" not in accepted(found), "a row without an order comes before those with one, and b's last row is bad"


def test_the_same_row_again_is_no_conflict() -> None:
    found = shard(id=[1, 1, 2], expression=["a = 1", "a = 1", "a = 2"])
    assert (accepted(found), found.num_duplicates) == ({1: "a = 1", 2: "a = 2"}, 1)
    assert (found.repeated_ids, found.conflicting_ids) == ([1], [])


def test_different_rows_of_an_id_conflict_unless_an_order_decides() -> None:
    found = shard(id=[1, 1, 2], expression=["a = 1", "a = 3", "a = 2"])
    assert found.conflicting_ids == [1]
    ordered = shard(id=[1, 1, 2], expression=["a = 1", "a = 3", "a = 2"], order=[2, 1, 1])
    assert (ordered.conflicting_ids, accepted(ordered)[1]) == ([], "a = 1")
    tenants = shard(id=[1, 1], expression=["a = 1", "a = 1"], tenant=["x", "y"])
    assert tenants.conflicting_ids == [1]


def test_the_json_form_becomes_text() -> None:
    tree = eligo.parse("age > 3 and state = 'CA'")
    found = shard(id=[1, 2], expression=["a = 1", json.dumps(to_json(tree))])
    assert accepted(found) == {1: "a = 1", 2: "age > 3 and state = 'CA'"}
    assert found.rejects.num_rows == 0
    assert not found.parsed.outcome.error[found.rows].any()


def test_texts_and_ids_that_are_no_text_are_rejected() -> None:
    def column(values: list[bytes | None]) -> pa.Array:
        binary = pa.array(values, pa.binary())
        return pa.Array.from_buffers(pa.string(), len(values), binary.buffers(), binary.null_count)

    found = shard(
        id=column([b"a", b"\xff", b"c", b"d"]), expression=column([b"x = '\xff'", b"x = 1", b"x = 2 -- \xfe", b"x = 3"])
    )
    assert accepted(found) == {"d": "x = 3"}
    errors = {row["id"]: row["error"] for row in found.rejects.to_pylist()}
    assert errors == {
        "a": "the expression is not UTF-8",
        "c": "the expression is not UTF-8",
        "�": "the id is not UTF-8",
    }


def test_limits_and_schema() -> None:
    schema = Schema.from_dict({"age": "int"})
    found = shard(Limits(depth=2), schema, id=[1, 2, 3], expression=["age = 1", "age = 'x'", "(((age = 1)))"])
    assert accepted(found) == {1: "age = 1"}
    assert found.rejects["id"].to_pylist() == [2, 3]


MOMENTS = pa.array([datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), None, None], pa.timestamp("us", "UTC"))


def test_guards_stand_in_front() -> None:
    found = shard(
        id=[1, 2, 3, 4],
        expression=["age = 1 -- old", "age = 2 or age = 3", "age = 4", "age = 5) or (age = 6"],
        tenant=["x", "o'brien", None, "y"],
        valid_from=pa.concat_arrays([MOMENTS, MOMENTS[1:2]]),
    )
    assert accepted(found) == {
        1: "\"@tenant\" = 'x'^0 and \"@time\" >= timestamp '2026-01-02 03:04:05.000000Z'^0 and (\nage = 1 -- old\n)",
        2: "\"@tenant\" = 'o''brien'^0 and (\nage = 2 or age = 3\n)",
    }
    errors = {row["id"]: row for row in found.rejects.to_pylist()}
    assert errors[3]["error"] == "the tenant is missing"
    # A text whose parentheses are uneven cannot step out of its guard, and its error has the place in its own text.
    assert (errors[4]["line"], errors[4]["column"]) == (1, 8)


def test_a_moment_that_cannot_be_written_is_rejected() -> None:
    late = pa.array(np.array([2**60, 0]), pa.timestamp("us"))
    found = shard(id=[1, 2], expression=["age = 1", "age = 2"], valid_to=late)
    assert list(accepted(found)) == [2]
    assert "9999" in found.rejects["error"][0].as_py()


@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_guards_decide_and_leave_scores_alone(missing: Any) -> None:
    texts = pa.array(["age in (3^2, 4)", "not age = 9"], pa.large_string())
    columns = {
        "tenant": pa.array(["x", "y"]),
        "valid_from": pa.array([datetime(2026, 1, 1), None], pa.timestamp("us")),
        "valid_to": pa.array([datetime(2026, 2, 1), None], pa.timestamp("us")),
    }
    plain = eligo.build({0: "age in (3^2, 4)", 1: "not age = 9"}, missing=missing)
    index = eligo.build(dict(enumerate(guarded(texts, columns).to_pylist())), missing=missing)

    def top(tenant: str, day: int) -> list[Any]:
        return index.top({"age": 3, "@tenant": tenant, "@time": datetime(2026, 1, day, tzinfo=UTC)})

    assert top("x", 1) == [pair for pair in plain.top({"age": 3}) if pair[0] == 0]
    assert top("y", 1) == [pair for pair in plain.top({"age": 3}) if pair[0] == 1]
    assert top("z", 1) == []
    event = {"age": 3, "@tenant": "x"}
    assert index.match({**event, "@time": datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)}) == [0]
    assert index.match({**event, "@time": datetime(2026, 2, 1, tzinfo=UTC)}) == []
    assert index.match({**event, "@time": datetime(2025, 12, 31, tzinfo=UTC)}) == []
    assert index.match(event) == []


AGE = '{"attribute": "age", "operator": ">", "value": 18, "weight": 2}'


@pytest.mark.parametrize(
    "text",
    [
        "age > 18^2 -- as a text",
        AGE,
        f' \n{{"not": {AGE}}} ',
        '{"attribute": "age", "operator": "in", "values": [1, {"value": 2, "weight": 3}]}',
        "age >",
        '{"and": []}',
        '{"and": [',
        f'{{"and": [{AGE}, {AGE}], "and": []}}',
        "{age > 18}",
        "{",
        "",
        '{"attribute": "name", "operator": "=", "value": 1}',
        '{"attribute": "agee", "operator": "exists"}',
        f'{{"not": {{"not": {{"not": {AGE}}}}}}}',
    ],
)
def test_a_build_in_memory_takes_and_refuses_the_same_texts(text: str) -> None:
    schema = Schema.from_dict({"age": "int", "name": "string"})
    limits = Limits(depth=3)
    found = shard(limits, schema, id=["a", "z"], expression=[text, "age = 1"])
    expected = accepted(found)
    refused = [(row["expression"], row["error"], row["help"] or "") for row in found.rejects.to_pylist()]
    table = {"a": text, "z": "age = 1"}
    beside = {**table, "tree": {"constant": True}}
    for source in (table, pa.table({"id": list(table), "expression": list(table.values())}), beside):
        index = eligo.build(source, schema=schema, limits=limits, on_error="reject")
        assert {id: index.text(id) for id in index.ids if id != "tree"} == expected
        assert [(reject.text, reject.error.message, reject.error.help) for reject in index.rejects] == refused
    index = eligo.build({"z": "age = 1"}, schema=schema, limits=limits)
    if refused:
        with pytest.raises(EligoError) as error:
            index.insert("a", text)
        assert error.value.message == refused[0][1]
    else:
        index.insert("a", text)
        assert index.text("a") == expected["a"]
