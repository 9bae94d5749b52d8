from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import eligo
from eligo import col
from eligo.data.expressions import encode_texts
from eligo.errors import (
    BuildError,
    DuplicateIdError,
    EligoError,
    ExpressionSyntaxError,
    InputError,
    LimitError,
    NormalFormTooLargeError,
    StorageError,
    UnknownIdError,
)
from eligo.language.limits import Limits
from eligo.language.text.parse import parse

ADS = {
    "ad-1": "age in (3, 4) and state != 'CA'",
    "ad-2": "age >= 4^2 or vip",
    "ad-3": "interests contains all ('a', 'b')",
}


@pytest.fixture
def index() -> eligo.Index:
    return eligo.build(ADS, missing="unknown", engine="scan")


def test_match_gives_ids_in_the_order_given_each_once(index: eligo.Index) -> None:
    assert index.match({"age": 3, "state": "NY"}) == ["ad-1"]
    assert index.match({"age": [4, 3], "state": "NY", "vip": True, "interests": ["b", "a"]}) == ["ad-1", "ad-2", "ad-3"]
    assert index.match({}) == []


def test_match_batch_gives_arrays(index: eligo.Index) -> None:
    matches = index.match_batch([{"age": 4, "state": "NY"}, {}, {"vip": True}])
    assert isinstance(matches.offsets, np.ndarray) and isinstance(matches.positions, np.ndarray)
    assert matches.offsets.tolist() == [0, 2, 2, 3]
    assert matches.positions.tolist() == [0, 1, 1]
    assert [matches.ids(row) for row in range(len(matches))] == [["ad-1", "ad-2"], [], ["ad-2"]]
    assert matches.ids(-1) == ["ad-2"]
    assert matches.to_arrow().to_pydict() == {"event": [0, 0, 2], "expression_id": ["ad-1", "ad-2", "ad-2"]}
    with pytest.raises(IndexError):
        matches.ids(3)


def test_match_batch_takes_tables(index: eligo.Index) -> None:
    rows = [{"event_id": 1, "age": 4, "state": "NY"}, {"event_id": 2, "age": 3, "state": None}]
    expected = [["ad-1", "ad-2"], []]
    table = pa.Table.from_pylist(rows)
    for events in (table, table.to_batches()[0], pd.DataFrame(rows), index.encode(rows)):
        matches = index.match_batch(events, exclude=["event_id"])
        assert [matches.ids(row) for row in range(2)] == expected


def test_top_weighs_values_of_expressions_and_events(index: eligo.Index) -> None:
    assert index.top({"age": 4, "state": "NY"}, n=5, weights={"age": 0.5}) == [("ad-2", 1.0), ("ad-1", 0.5)]
    assert index.top({"age": 4, "state": "NY"}, n=1) == [("ad-2", 2.0)]
    assert index.top({"age": 4}, n=0) == []


def test_explain_prints_the_reason(index: eligo.Index, capsys: pytest.CaptureFixture[str]) -> None:
    index.explain("ad-1", {"age": 3})
    printed = capsys.readouterr().out
    assert "state is missing" in printed and "unknown" in printed
    out = io.StringIO()
    index.explain("ad-1", {"age": 3, "state": "NY"}, file=out)
    assert "matches" in out.getvalue()
    assert index.explanation("ad-1", {"age": 3, "state": "NY"}).matches is True
    with pytest.raises(UnknownIdError, match="ad-9"):
        index.explain("ad-9", {})


def test_an_index_is_a_collection_of_ids(index: eligo.Index) -> None:
    assert len(index) == 3 and index.ids == ["ad-1", "ad-2", "ad-3"]
    assert "ad-1" in index and "ad-9" not in index
    assert index.text("ad-1") == ADS["ad-1"] and index.tree("ad-1") == parse(ADS["ad-1"])
    assert "3 expressions" in repr(index)


def as_pairs(rows: dict[Any, str]) -> Any:
    return iter(rows.items())


def as_arrow(rows: dict[Any, str]) -> Any:
    return pa.table({"id": list(rows), "expression": list(rows.values())})


def as_pandas(rows: dict[Any, str]) -> Any:
    return pd.DataFrame({"id": list(rows), "expression": list(rows.values())})


def as_trees(rows: dict[Any, str]) -> Any:
    return {id: parse(text) for id, text in rows.items()}


@pytest.mark.parametrize("form", [as_pairs, as_arrow, as_pandas, as_trees])
def test_build_takes_pairs_tables_and_trees(form: Callable[[dict[Any, str]], Any]) -> None:
    assert eligo.build(form(ADS)).ids == list(ADS)
    by_number = eligo.build(form({7: "a = 1", 3: "a = 2"}))
    assert by_number.ids == [7, 3] and by_number.match({"a": [1, 2]}) == [7, 3]


def test_build_takes_the_json_form_and_the_builder() -> None:
    index = eligo.build({"a": col("x") == 1, "b": col("flag"), "c": {"attribute": "x", "operator": "=", "value": 1}})
    assert index.match({"x": 1, "flag": True}) == ["a", "b", "c"]


def test_many_texts_are_parsed_together_with_the_same_result() -> None:
    rows = {number: f"a = {number % 10} and b > {number % 7}" for number in range(2_500)}
    rows[77] = "a = "
    index = eligo.build(rows, on_error="reject")
    assert [reject.id for reject in index.rejects] == [77]
    few = eligo.build({number: rows[number] for number in range(50)})
    assert [id for id in index.match({"a": 3, "b": 5}) if int(id) < 50] == few.match({"a": 3, "b": 5})


def test_texts_are_kept_as_they_were_given() -> None:
    given = {1: "A  IN (1,2) -- of interest", 2: "not(a=1)"}
    for form in (as_pairs, as_arrow, as_pandas):
        index = eligo.build(form(given))
        assert [index.text(id) for id in index.ids] == list(given.values())
        assert index.tree(2) == parse(given[2])
    mixed = eligo.build({**given, 3: parse(given[2]), 4: {"attribute": "a", "operator": "=", "value": 1}})
    assert [mixed.text(id) for id in mixed.ids] == [*given.values(), "not a = 1", "a = 1"]


def test_a_text_that_is_no_unicode_within_a_comment_is_kept_as_good_as_can_be() -> None:
    index = eligo.build({1: "a = 1 -- \ud800", 2: "b"})
    assert index.text(1).startswith("a = 1 -- ") and index.match({"a": 1, "b": True}) == [1, 2]


def as_repeated_pairs() -> Any:
    return [("x", "a = 1"), ("y", "a = 1"), ("x", "a = 2")]


def as_repeated_rows() -> Any:
    return pa.table({"id": ["x", "y", "x"], "expression": ["a =", "a = 1", "a = 2"]})


@pytest.mark.parametrize("source", [as_repeated_pairs, as_repeated_rows])
def test_the_same_id_again_replaces_and_keeps_its_place_where_it_is_asked_for(source: Callable[[], Any]) -> None:
    index = eligo.build(source(), on_duplicate="last")
    assert index.ids == ["x", "y"]
    assert index.match({"a": 1}) == ["y"] and index.match({"a": 2}) == ["x"]


@pytest.mark.parametrize("source", [as_repeated_pairs, as_repeated_rows])
@pytest.mark.parametrize("on_error", ["raise", "reject"])
def test_the_same_id_with_another_expression_is_refused(source: Callable[[], Any], on_error: Any) -> None:
    with pytest.raises(DuplicateIdError, match="different expressions: 'x'\n") as caught:
        eligo.build(source(), on_error=on_error)
    assert "on_duplicate" in caught.value.help


def test_the_same_row_again_is_no_harm() -> None:
    trees = [("x", parse("a = 1")), ("y", {"attribute": "a", "operator": "=", "value": 1})]
    for rows in ([("x", "a = 1"), ("y", "a = 1"), ("x", "a = 1")], [*trees, *trees]):
        assert eligo.build(rows).match({"a": 1}) == ["x", "y"]
    table = pa.table({"id": ["x", "y", "x"], "expression": ["a = 1", "b", "a = 1"]})
    assert eligo.build(table).ids == ["x", "y"]
    nulls = pa.table({"id": ["x", "y", "x"], "expression": [None, "b", None]})
    index = eligo.build(nulls, on_error="reject")
    assert index.ids == ["y"] and [reject.id for reject in index.rejects] == ["x"]
    with pytest.raises(DuplicateIdError, match=r"0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …"):
        eligo.build([(number % 20, f"a = {number}") for number in range(40)])
    with pytest.raises(InputError, match="on_duplicate"):
        eligo.build({}, on_duplicate="first")  # type: ignore[arg-type]


def test_tables_may_have_any_type_of_string_or_integer_and_many_chunks() -> None:
    ids, texts = pa.array([7, 3, 5, 7]), pa.array(["a = 9", "a = 2", "a = 1", "a = 1"])
    for id_column in (ids.cast(pa.int8()), ids.cast(pa.uint64()), ids.dictionary_encode()):
        for text_type in (pa.string(), pa.large_string(), pa.string_view(), None):
            column = texts.cast(text_type) if text_type is not None else texts.dictionary_encode()
            chunks = {"id": [id_column[:1], id_column[1:]], "expression": [column[:2], column[2:]]}
            table = pa.table({name: pa.chunked_array(parts) for name, parts in chunks.items()})
            index = eligo.build(table, on_duplicate="last")
            with pytest.raises(DuplicateIdError, match="expressions: 7\n"):
                eligo.build(table)
            assert index.ids == [7, 3, 5] and index.match({"a": 1}) == [7, 5]
    assert eligo.build(pa.table({"id": ids[:0], "expression": texts[:0]})).ids == []


def test_a_null_in_a_table_is_no_expression_and_no_id() -> None:
    rejects = eligo.build(pa.table({"id": [1, 2], "expression": ["a", None]}), on_error="reject").rejects
    assert [reject.id for reject in rejects] == [2]
    with pytest.raises(InputError, match="not None"):
        eligo.build(pa.table({"id": [1, None], "expression": ["a", "b"]}))


@pytest.mark.parametrize("schema", [None, {"a": "int", "page": "string"}])
def test_many_texts_give_the_same_index_as_few(schema: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a = 1 xor a > 5", "page under 'Sports' or a in (3, 4^2)", "a =", "a = 'x' and b", "not a between 2 and 9"]
    table = pa.table({"id": range(len(texts)), "expression": texts})
    options: Any = {"schema": schema, "hierarchies": {"page": eligo.Hierarchy.from_edges([("NFL", "Sports")])}}
    few = eligo.build(table, **options, on_error="reject")
    monkeypatch.setattr(encode_texts, "COMPILED_FROM", 0)
    many = eligo.build(table, **options, on_error="reject")
    assert many.ids == few.ids == ([0, 1, 3, 4] if schema is None else [0, 1, 4])
    assert [(reject.id, str(reject.error)) for reject in many.rejects] == [
        (reject.id, str(reject.error)) for reject in few.rejects
    ]
    for one, other in ((few.engine, many.engine), (few.vocabulary, many.vocabulary)):
        arrays = other.arrays()
        assert all(np.array_equal(array, arrays[name]) for name, array in one.arrays().items())


def test_all_bad_expressions_are_reported_together() -> None:
    rows = {"good": "a = 1", "bad-1": "age in (1,", "bad-2": "state = "}
    with pytest.raises(BuildError) as caught:
        eligo.build(rows)
    assert isinstance(caught.value, EligoError)
    message = str(caught.value)
    assert "'bad-1'" in message and "'bad-2'" in message and "'good'" not in message and "column 11" in message
    index = eligo.build(rows, on_error="reject")
    assert index.ids == ["good"]
    assert [(reject.id, reject.text) for reject in index.rejects] == [("bad-1", "age in (1,"), ("bad-2", "state = ")]


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("a = 1", "cannot be read from str"),
        (17, "cannot be read from int"),
        ([("x",)], "not a pair"),
        ({"x": "a = 1", 1: "a = 2"}, "all strings or all ints"),
        ({True: "a = 1"}, "a string or an int"),
        ({2**63: "a = 1"}, "64 bits"),
        (pa.table({"key": [1], "expression": ["a"]}), "no column 'id'"),
        (pd.DataFrame({"id": [1]}), "no column 'expression'"),
        (pa.table({"id": pa.array([2**63], pa.uint64()), "expression": ["a"]}), "64 bits"),
        (pa.table({"id": [1.5], "expression": ["a"]}), "a string or an int"),
    ],
)
def test_what_is_no_expression_set_is_refused(source: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        eligo.build(source)


def test_what_an_engine_cannot_take_is_rejected_beside_the_good() -> None:
    wide = " and ".join(f"(a{number} = 1 or b{number} = 2)" for number in range(25))
    given = {"good": "a1 = 1", "wide": wide, "bad": "a1 = ", "other": "b1 = 2"}
    index = eligo.build(given, engine="k_index", on_error="reject")
    assert index.match({"a1": 1, "b1": 2}) == ["good", "other"]
    assert {reject.id: type(reject.error) for reject in index.rejects} == {
        "bad": ExpressionSyntaxError,
        "wide": NormalFormTooLargeError,
    }
    trees = {id: eligo.parse(given[id]) for id in ("good", "wide", "other")}
    index = eligo.build(trees, engine="k_index", on_error="reject")
    assert (index.match({"a1": 1, "b1": 2}), [reject.id for reject in index.rejects]) == (["good", "other"], ["wide"])
    with pytest.raises(NormalFormTooLargeError, match="expression 'wide': the disjunctive"):
        eligo.build({"wide": wide}, engine="k_index")


def test_values_that_are_no_expressions_are_rejected_with_their_id() -> None:
    rejects = eligo.build({"a": 17, "b": None, "c": "x = 1"}, on_error="reject").rejects
    assert [reject.id for reject in rejects] == ["a", "b"]


def test_limits_hold_for_texts_and_trees() -> None:
    deep = parse("a = 1")
    for _ in range(20):
        deep = ~deep
    rejects = eligo.build({"text": "not " * 20 + "a", "tree": deep}, limits=Limits(depth=10), on_error="reject").rejects
    assert [reject.id for reject in rejects] == ["text", "tree"]
    assert all(isinstance(reject.error, LimitError) for reject in rejects)


def test_a_schema_is_enforced_on_expressions_and_events() -> None:
    schema = {"age": "int", "day": "date"}
    rejects = eligo.build({"a": "agee = 1 and day = 3", "b": "age = 'x'"}, schema=schema, on_error="reject").rejects
    assert [reject.id for reject in rejects] == ["a", "b"]
    assert "age" in str(rejects[0].error) and "day" in str(rejects[0].error)
    index = eligo.build({"x": "day >= date '2024-01-01'"}, schema=schema)
    assert index.match({"day": "2024-02-01"}) == ["x"]
    with pytest.raises(EligoError, match="age"):
        index.match({"age": "old"})


def test_a_taxonomy_decides_under(tmp_path: Path) -> None:
    tree = eligo.Hierarchy.from_edges([("NFL", "Sports"), ("Patriots", "NFL")])
    index = eligo.build({"x": "page under 'Sports'"}, hierarchies={"page": tree})
    index.save(tmp_path / "i")
    for one in (index, eligo.open(tmp_path / "i")):
        assert one.match({"page": "Patriots"}) == ["x"]
        assert one.match({"page": "Sports/NFL"}) == []
        assert one.explanation("x", {"page": "NFL"}).matches is True


@pytest.mark.parametrize("policy", ["unknown", "false"])
def test_the_policy_is_stored_with_the_index(policy: Any, tmp_path: Path) -> None:
    index = eligo.build({"x": "a != 1"}, missing=policy)
    index.save(tmp_path / "i")
    opened = eligo.open(tmp_path / "i")
    assert opened.missing == policy
    assert opened.match({}) == index.match({}) == (["x"] if policy == "false" else [])


def test_saving_again_makes_the_next_version(index: eligo.Index, tmp_path: Path) -> None:
    index.save(tmp_path / "i")
    held = eligo.open(tmp_path / "i")
    eligo.build({1: "a = 1"}, schema={"a": "int"}).save(tmp_path / "i", expected_version=1, max_shrink="100%")
    assert held.match({"vip": True}) == ["ad-2"]
    opened = eligo.open(tmp_path / "i")
    assert opened.ids == [1] and opened.schema is not None


def test_a_path_without_an_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nothing-here"):
        eligo.open(tmp_path / "nothing-here")


def test_an_empty_index_matches_nothing(tmp_path: Path) -> None:
    index = eligo.build({})
    index.save(tmp_path / "i")
    assert eligo.open(tmp_path / "i").match({"a": 1}) == [] and index.top({"a": 1}) == []


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ValueError, match="missing"):
        eligo.build({}, missing="maybe")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_error"):
        eligo.build({}, on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(EligoError, match="no engine"):
        eligo.build({}, engine="warp")
