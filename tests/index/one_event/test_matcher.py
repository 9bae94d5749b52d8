"""Does a matcher answer as its index does at every moment, whoever asks it?"""

from __future__ import annotations

import datetime
import gc
import json
import os
import threading
import weakref
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.engines import registry
from eligo.errors import EventError, EventLimitError, InputError
from eligo.language.limits import Limits
from eligo.sharing import ScratchPool
from strategies import events, expressions

TEXTS = {"a": "age > 3", "b": "age = 4 or state = 'NY'", "c": "state in ('NY', 'CA') and age < 9", "d": "not age = 1"}
EVENTS: list[dict[str, Any]] = [{"age": 4, "state": "NY"}, {"age": 1}, {}, {"state": ["CA", "TX"], "age": [2, 5]}]


@pytest.mark.parametrize("engine", registry.names())
def test_a_matcher_follows_its_index(engine: str) -> None:
    index = eligo.build(TEXTS, engine=engine, merge_at=None)
    matcher = index.matcher()

    def check() -> None:
        for event in EVENTS:
            expected = [id for id in index.ids if eligo.evaluate(index.text(id), event) is True]
            assert matcher.match(event) == index.match(event) == expected
            assert matcher.match_json(json.dumps(event)) == expected
            assert matcher.count(event) == len(expected)

    check()
    index.delete("b")
    check()
    index.insert("e", "age = 1 or age = 4")
    check()
    index.replace("a", "state = 'TX'")
    check()
    index.merge()
    check()
    index.delete("e")
    index.insert("b", "age exists")
    index.merge()
    check()


@given(st.lists(st.tuples(expressions(), st.booleans()), min_size=1, max_size=8), st.lists(events(), max_size=4))
def test_a_matcher_agrees_with_the_oracle_between_changes(given: list[tuple[Any, bool]], asked: list[Any]) -> None:
    index = eligo.build({-1: "a exists"}, merge_at=None)
    matcher = index.matcher()
    for id, (tree, is_merged) in enumerate(given):
        index.insert(id, tree)
        if is_merged:
            index.merge()
        if id > 1:
            index.delete(id - 2)
        for event in asked:
            expected = [each for each in index.ids if eligo.evaluate(index.tree(each), event) is True]
            assert matcher.match(event) == expected and matcher.count(event) == len(expected)


def test_what_a_matcher_has_seen_is_not_kept_in_memory() -> None:
    index = eligo.build(TEXTS, merge_at=None)
    matcher = index.matcher()
    assert matcher.match(EVENTS[0]) == index.match(EVENTS[0]) == ["a", "b", "c", "d"]
    old = weakref.ref(index.parts[0])
    index.insert("e", "age = 4")
    index.merge()
    gc.collect()
    assert old() is None
    assert matcher.match(EVENTS[0]) == ["a", "b", "c", "d", "e"]


def test_a_matcher_keeps_its_index() -> None:
    matcher = eligo.build(TEXTS).matcher()
    gc.collect()
    assert matcher.match({"age": 2}) == ["d"]


def test_schemas_and_limits_of_the_index_hold() -> None:
    index = eligo.build({1: "day >= date '2024-01-01'"}, schema={"day": "date"}, limits=Limits(event_values=3))
    matcher = index.matcher()
    assert matcher.match({"day": "2024-02-01"}) == [1] and matcher.count({"day": "2024-02-01"}) == 1
    for ask in (matcher.match, matcher.count):
        with pytest.raises(EventError, match="day"):
            ask({"day": "soon"})
        with pytest.raises(EventError, match="mapping"):
            ask(17)  # type: ignore[arg-type]
    free = eligo.build({1: "a exists"}, limits=Limits(event_values=3)).matcher()
    with pytest.raises(EventLimitError):
        free.match({"a": [1, 2, 3, 4]})
    with pytest.raises(EventError, match="mapping"):
        free.match([("a", 1)])  # type: ignore[arg-type]


def test_expressions_about_documents_are_for_the_index() -> None:
    index = eligo.build({1: "a = 1", 2: "exists d (d.b = b)"})
    with pytest.raises(InputError, match="documents"):
        index.matcher().match({"a": 1})
    plain = eligo.build({1: "a = 1"}, merge_at=None)
    matcher = plain.matcher()
    assert matcher.match({"a": 1}) == [1]
    plain.insert(2, "exists d (d.b = b)")
    with pytest.raises(InputError, match="documents"):
        matcher.count({"a": 1})
    assert plain.match({"a": 1, "b": 2}, documents=[{"b": 2}]) == [1, 2]


def test_threads_may_share_a_matcher_while_the_index_changes() -> None:
    index = eligo.build({number: f"a >= {number}" for number in range(200)}, merge_at=None)
    matcher = index.matcher()
    wrong: list[Any] = []

    def ask(start: int) -> None:
        for number in range(start, start + 300):
            value = number % 200
            found = matcher.match({"a": value})
            if [id for id in found if id < 200] != list(range(value + 1)):
                wrong.append((value, found))

    threads = [threading.Thread(target=ask, args=(50 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for number in range(200, 230):
        index.insert(number, "a < 0")
        if number % 10 == 0:
            index.merge()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_goes_on_with_its_matcher() -> None:
    index = eligo.build(TEXTS)
    matcher = index.matcher()
    expected = matcher.match(EVENTS[0])
    child = os.fork()
    if child == 0:
        os._exit(0 if matcher.match(EVENTS[0]) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert matcher.match(EVENTS[0]) == expected


def test_long_and_short_lists_of_ids() -> None:
    """Few ids are read from their bytes, many by Arrow."""
    for prefix in ("", "né-"):
        ids = [f"{prefix}{number}" for number in range(100)]
        matcher = eligo.build({id: f"a < {place}" for place, id in enumerate(ids)}).matcher()
        for value in (-1, 50, 74, 75, 76, 98, 99):
            assert matcher.match({"a": value}) == ids[value + 1 :]


def test_events_that_are_not_plain_or_large_find_what_others_do() -> None:
    texts = {number: f"a = {number} or day = date '2024-01-{1 + number % 28:02}'" for number in range(3_000)}
    index = eligo.build(texts, engine="a_tree")
    matcher = index.matcher()
    day = datetime.date(2024, 1, 5)
    asked = [{"a": 7}, {"a": list(range(2_000))}, {"a": {7, 9}}, {"day": day, "a": 2}, {"a": 9.0}, {}, {"a": "7"}]
    for event in [*asked, *reversed(asked), *(MappingProxyType(each) for each in asked)]:
        own, days = event.get("a", ()), event.get("day")
        values = set(own) if isinstance(own, list | set) else {own}
        expected = [id for id in texts if id in values or (days and id % 28 == 4)]
        assert matcher.match(event) == index.match(event) == expected
        assert matcher.count(event) == len(expected)
    for event in ({"a": 7}, {"a": list(range(2_000))}, {"a": None, "day": "2024-01-05"}, {}):
        text = json.dumps(event)
        assert matcher.match_json(text) == index.match_json(text) == index.view().match_json(text)


def test_a_matcher_has_scratch_of_its_own() -> None:
    """It answers with none that its engine keeps for others."""
    index = eligo.build(TEXTS, engine="a_tree")
    made = index.engine.stats().details["events"]
    matchers = [index.matcher(), index.matcher()]
    for event in EVENTS:
        for matcher in matchers:
            assert matcher.match(event) == index.match(event)
    for matcher in matchers:
        del index.engine.__dict__["_event_scratch"]  # what the engine would take and give
        assert matcher.match(EVENTS[0]) == ["a", "b", "c", "d"]
        assert matcher.match_json(json.dumps(EVENTS[0])) == ["a", "b", "c", "d"]
        index.engine._event_scratch = ScratchPool()  # type: ignore[attr-defined]
    assert index.engine.stats().details["events"] == made + 4 * len(EVENTS) + 4
