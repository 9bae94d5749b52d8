"""Does an index answer for documents as the oracle does, whatever is looked at first and whatever comes and goes?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.errors import EligoError, InputError
from eligo.index.index import Index
from eligo.joins.asking.question import Order
from eligo.language.document_truth import Received
from eligo.language.evaluate import Missing, matches
from eligo.language.tree import Expression
from strategies import documents, events, expressions_with_parts, policies

AT = datetime(2025, 1, 1, tzinfo=UTC)
PROFILES = {
    "P1": "exists d (price < d.price)",
    "P2": "forall d (year > d.year)",
    "P3": "exists d (author = d.author)",
}
NEW = {"price": 30, "year": 2001, "author": "Smith"}
ORDERS: list[Order | None] = [None, "joins", "constants"]


def catalogue() -> eligo.DocumentBase:
    base = eligo.DocumentBase()
    base.add({"price": 10, "year": 2000, "author": "Smith"})
    base.add({"price": 25, "year": 1999})
    return base


def with_pre_filter(index: Index) -> Index:
    """The same, with its documents passing through the pre-filter from the first question on."""
    for part in index.parts:
        joins = part.joins(index.settings)
        if joins is not None and joins.pre_filter is None:
            joins.add_pre_filter()
    return index


def test_each_way_to_ask() -> None:
    base, index = catalogue(), eligo.build(PROFILES)
    cheap = {**NEW, "price": 5}
    assert index.match(NEW, documents=base) == ["P2", "P3"]
    assert index.view().match(NEW, documents=base) == ["P2", "P3"]
    assert index.match(NEW, documents=base.snapshot()) == ["P2", "P3"]
    assert index.match(NEW, documents=[{"price": 10, "year": 2000}]) == ["P2"]
    assert index.match(NEW, documents=[]) == ["P2"]
    found = index.match_batch([NEW, cheap], documents=base)
    assert [found.ids(0), found.ids(1)] == [["P2", "P3"], ["P1", "P2", "P3"]]
    assert index.match_batch(pa.Table.from_pylist([NEW, cheap]), documents=base).to_arrow() == found.to_arrow()
    assert index.count_batch([NEW, cheap], documents=base).tolist() == [1, 2, 2]
    assert index.top(NEW, 1, documents=base) == [("P2", 1.0)]
    assert index.view().top(NEW, 1, documents=base) == [("P2", 1.0)]
    assert index.top_batch([NEW], 1, documents=base).scored_ids(0) == [("P2", 1.0)]


def test_without_documents_the_index_says_so() -> None:
    index = eligo.build(PROFILES)
    for ask in (index.match, index.view().match, index.top):
        with pytest.raises(InputError, match="depends on documents"):
            ask(NEW)
    for ask_batch in (index.match_batch, index.count_batch, index.top_batch):
        with pytest.raises(InputError, match="depends on documents"):
            ask_batch([NEW])


def test_an_index_without_joins_needs_no_documents() -> None:
    index = eligo.build({"a": "price > 3"})
    assert index.match(NEW) == index.match(NEW, documents=catalogue()) == ["a"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"documents": 3}, "documents are"),
        ({"documents": "docs.base"}, "documents are"),
        ({"documents": [], "at": "today"}, "a moment is a datetime"),
        ({"documents": [], "order": "first"}, "order is"),
        ({"documents": [3]}, "an event is a mapping"),
    ],
)
def test_odd_arguments(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(EligoError, match=problem):
        eligo.build(PROFILES).match(NEW, **options)


def test_documents_without_times_are_not_asked_for_them() -> None:
    index = eligo.build({"a": "exists d in last '7 days' (price < d.price)"})
    with pytest.raises(InputError, match="documents without times"):
        index.match(NEW, documents=[{"price": 40}])
    assert index.match(NEW, documents=[Received({"price": 40}, AT)], at=AT) == ["a"]


def test_encoded_events_cannot_be_compared() -> None:
    index = eligo.build(PROFILES)
    with pytest.raises(InputError, match="their values are gone"):
        index.match_batch(index.encode([NEW]), documents=catalogue())


@pytest.mark.parametrize(
    "event",
    [
        {"@exists d (price < d.price)": True, "@forall d (year > d.year)": True},
        {"@exists d (price < d": {"price)": True}, "@forall d (year > d": {"year)": True}},
    ],
)
def test_an_event_cannot_say_what_holds_of_documents(event: dict[str, Any]) -> None:
    index = eligo.build({**PROFILES, "P4": "not exists d (price < d.price)"}, missing="false")
    expected = index.match({}, documents=catalogue())
    assert index.match(event, documents=catalogue()) == expected
    for events_ in ([event], pa.Table.from_pylist([event])):
        assert index.match_batch(events_, documents=catalogue()).ids(0) == expected
    index.insert("P5", "exists d (price < d.price)")
    assert index.match(event, documents=catalogue()) == expected
    assert [id for id, _ in index.top(event, documents=catalogue())] == expected


def test_the_attributes_of_an_index_are_those_of_events() -> None:
    index = eligo.build({"a": "state = 'CA' and exists d (price < d.cost and day > date '2024-01-01')"})
    assert index.attribute_names == ("day", "price", "state")
    assert [kind.name for kind in index.view().attribute_kinds()["day"]] == ["DATE"]


def test_each_distinct_part_is_decided_once_an_event() -> None:
    part = "exists d (price < d.price)"
    index = eligo.build({number: f"a = {number} or {part}" for number in range(20)}, merge_at=None)
    index.insert(20, part)
    index.match({"price": 3}, documents=catalogue(), order="joins")
    index.match_batch([{"price": 3}] * 5, documents=catalogue(), order="joins")
    joins = index.stats().joins
    assert (joins.num_joins, joins.num_decided) == (1, 6)


@pytest.mark.parametrize("order", ORDERS)
def test_parts_that_came_again_in_another_order(order: Order | None) -> None:
    parts = {"one": "exists d (d.a = 1)", "two": "exists d (d.a = 2)"}
    index = eligo.build(parts, merge_at=None)
    for id in ("two", "one"):
        index.insert(f"{id} again", f"{parts[id]} and x = 1")
    for number, id in ((1, "one"), (2, "two")):
        assert index.match({"x": 1}, documents=[{"a": number}], order=order) == [id, f"{id} again"]


def test_constants_first_leave_parts_undecided() -> None:
    index = eligo.build({number: f"a = {number} and exists d (b{number} < d.price)" for number in range(20)})
    assert index.match({"a": 3, "b3": 5}, documents=catalogue(), order="constants") == [3]
    assert index.stats().joins.num_decided == 1


def test_all_events_of_a_batch_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eligo.index.document_questions.MOST_EVENTS", 3)
    index = eligo.build(PROFILES)
    batch = [{**NEW, "price": price} for price in range(8, 30, 2)]
    found = index.match_batch(batch, documents=catalogue())
    assert [found.ids(row) for row in range(len(batch))] == [index.match(each, documents=catalogue()) for each in batch]
    assert index.top_batch(batch, 2, documents=catalogue()).scored_ids(4) == index.top(
        batch[4], 2, documents=catalogue()
    )
    assert index.count_batch(batch, documents=catalogue()).sum() == len(found.positions)
    assert len(index.match_batch([], documents=catalogue())) == 0


def test_an_opened_index_and_its_deltas(tmp_path: Any) -> None:
    index = eligo.build(PROFILES)
    index.save(tmp_path / "index")
    opened = eligo.open(tmp_path / "index")
    opened.insert("P4", "exists d (price > d.price)")
    opened.insert("P5", "exists d (author = d.author)")
    opened.save(tmp_path / "index")
    again = eligo.open(tmp_path / "index")
    for order in ORDERS:
        assert again.match(NEW, documents=catalogue(), order=order) == ["P2", "P3", "P4", "P5"]
        assert again.match_batch([NEW], documents=catalogue(), order=order).ids(0) == ["P2", "P3", "P4", "P5"]
    assert again.stats().joins.num_joins == 4


@given(
    st.lists(expressions_with_parts(), min_size=1, max_size=6),
    st.lists(events(), min_size=1, max_size=3),
    st.lists(st.tuples(documents(), st.integers(0, 7)), min_size=1, max_size=3),
    policies(),
    st.integers(0, 6),
)
def test_every_order_agrees_with_the_oracle(
    trees: list[Expression],
    asked: list[dict[str, Any]],
    changes: list[tuple[list[Received], int]],
    missing: Missing,
    num_frozen: int,
) -> None:
    """Documents come and go between questions; expressions are frozen, or in the tail."""
    frozen = dict(enumerate(trees[:num_frozen]))
    indexes = [eligo.build(frozen, missing=missing), with_pre_filter(eligo.build(frozen, missing=missing))]
    for index in indexes:
        for number, tree in enumerate(trees[num_frozen:], num_frozen):
            index.insert(number, tree)
    base, known = eligo.DocumentBase(), dict[int, Received]()
    for more, gone in changes:
        for document in more:
            known[base.add(*document)] = document
        if known:
            base.remove(list(known)[gone % len(known)])
            del known[list(known)[gone % len(known)]]
        expected = [
            [n for n, tree in enumerate(trees) if matches(tree, event, missing, documents=[*known.values()], at=AT)]
            for event in asked
        ]
        for index in indexes:
            for order in ORDERS:
                options: dict[str, Any] = {"documents": base, "at": AT, "order": order}
                assert [index.match(event, **options) for event in asked] == expected
                found = index.match_batch(asked, **options)
                assert [found.ids(row) for row in range(len(asked))] == expected
                assert np.array_equal(
                    index.count_batch(asked, **options), [sum(n in row for row in expected) for n in range(len(trees))]
                )
                assert [sorted(id for id, _ in index.top(event, 99, **options)) for event in asked] == expected


@given(expressions_with_parts(), events(), documents(), policies())
def test_an_explanation_is_that_of_the_language(
    tree: Expression, event: dict[str, Any], known: list[Received], missing: Missing
) -> None:
    base = eligo.DocumentBase()
    for document in known:
        base.add(*document)
    index = eligo.build({"x": tree}, missing=missing)
    found = index.explanation("x", event, documents=base, at=AT)
    expected = eligo.explain(index.text("x"), event, missing, documents=known, at=AT)
    assert found.truth is expected.truth
    for name, decision in expected.parts.items():
        own = found.parts[name]
        assert (own.truth, own.number, own.num_documents) == (decision.truth, decision.number, decision.num_documents)
        assert set(own.document or ()) == set(decision.document or ())


def test_explain_tells_what_is_looked_at_first(capsys: pytest.CaptureFixture[str]) -> None:
    index = eligo.build({**PROFILES, "P4": "price > 3 and exists d (price < d.price)"})
    index.explain("P4", NEW, documents=catalogue())
    told = capsys.readouterr().out
    assert "none of 2 documents" in told
    assert "evaluations with joins first, " in told
    stats = index.stats().joins.parts[0]
    assert stats.order is None
    index.match(NEW, documents=catalogue())
    stats = index.stats().joins.parts[0]
    assert stats.estimate is not None
    assert stats.order in ("joins", "constants")
    index.insert("P5", "exists d (price < d.price)")
    index.explain("P5", NEW, documents=catalogue())


def in_order_by_loop(
    trees: list[Expression], asked: list[dict[str, Any]], missing: Missing, window: int | None
) -> list[list[int]]:
    found = []
    for row, event in enumerate(asked):
        before = asked[:row] if window is None else asked[max(0, row - window) : row]
        found.append([n for n, tree in enumerate(trees) if matches(tree, event, missing, documents=before)])
    return found


UNTIMED = expressions_with_parts().filter(lambda tree: "in last '" not in repr(tree))


@given(st.lists(UNTIMED, min_size=1, max_size=4), st.lists(events(), max_size=5), policies(), st.integers(0, 3))
def test_events_in_order_agree_with_a_loop(
    trees: list[Expression], asked: list[dict[str, Any]], missing: Missing, window: int
) -> None:
    index = eligo.build(dict(enumerate(trees)), missing=missing)
    found = index.match_in_order(asked, window=window or None)
    assert [found.ids(row) for row in range(len(asked))] == in_order_by_loop(trees, asked, missing, window or None)


def test_events_in_order_with_times() -> None:
    index = eligo.build(
        {"cheapest": "forall d in last '7 days' (price < d.price)", "again": "exists d (price = d.price)"}
    )
    days = (1, 2, 3, 12, 13)
    asked = [{"price": price, "day": datetime(2025, 1, day)} for price, day in zip((9, 8, 9, 9, 8), days, strict=True)]
    found = index.match_in_order(asked, time="day")
    assert [found.ids(row) for row in range(5)] == [
        ["cheapest"],
        ["cheapest"],
        ["again"],
        ["cheapest", "again"],
        ["cheapest", "again"],
    ]
    near = index.match_in_order(asked, time="day", window=timedelta(days=1))
    assert [near.ids(row) for row in range(5)] == [["cheapest"], ["cheapest"], [], ["cheapest"], ["cheapest"]]
    table = pa.Table.from_pylist(asked)
    assert index.match_in_order(table, time="day").to_arrow() == found.to_arrow()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "it is not said when events came"),
        ({"time": "day", "window": 0}, "window is a whole number"),
        ({"time": "day", "window": timedelta(0)}, "longer than nothing"),
        ({"time": "price"}, "one timestamp or date"),
        ({"time": "nothing"}, "one timestamp or date, not none"),
        ({"time": 3}, "time is a string"),
    ],
)
def test_odd_arguments_in_order(options: dict[str, Any], problem: str) -> None:
    index = eligo.build({"a": "exists d in last '7 days' (price < d.price)"})
    with pytest.raises(EligoError, match=problem):
        index.match_in_order([{"price": 3, "day": AT}], **options)


def test_times_do_not_go_back() -> None:
    index = eligo.build({"a": "exists d (price < d.price)"})
    with pytest.raises(EligoError, match="before the one in front of it"):
        index.match_in_order([{"price": 3, "day": AT}, {"price": 3, "day": AT - timedelta(days=1)}], time="day")


def test_events_in_order_have_the_limits_of_the_index() -> None:
    index = eligo.build({"again": "exists d (tags = d.tags)"}, limits=eligo.Limits(event_values=150_000))
    many = {"tags": list(range(120_000))}
    assert index.match_in_order([many, {"tags": 7}]).offsets.tolist() == [0, 0, 1]


def test_what_was_deleted_needs_documents_until_it_is_merged() -> None:
    index = eligo.build({"join": "exists d (a = d.a)", "plain": "a = 1"}, merge_at=None)
    index.delete("join")
    with pytest.raises(InputError, match="depends on documents"):
        index.match({"a": 1})
    index.merge()
    assert index.match({"a": 1}) == ["plain"]
