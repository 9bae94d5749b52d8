"""Is an event that is too large refused, in every way in which it comes, and does one that is not take linear work?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.errors import EventError, EventLimitError, LimitError, NormalFormTooLargeError
from eligo.language.limits import Limits

SMALL = Limits(event_values=5, event_bytes=40, event_depth=2)
TEXTS = {1: "a exists", 2: "b in ('x', 'y')", 3: "c.d.e > 3"}

WAYS: dict[str, Callable[[eligo.Index, dict[str, Any]], Any]] = {
    "match": lambda index, event: index.match(event),
    "match_batch": lambda index, event: index.match_batch([event]).ids(0),
    "top": lambda index, event: [id for id, _ in index.top(event)],
    "explain": lambda index, event: [id for id in index.ids if index.explanation(id, event).matches],
    "evaluate": lambda index, event: [
        id for id in index.ids if eligo.evaluate(index.tree(id), event, limits=index.limits)
    ],
    "arrow": lambda index, event: index.match_batch(pa.Table.from_pylist([event])).ids(0),
    "pandas": lambda index, event: index.match_batch(
        pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in event.items()})
    ).ids(0),
    "json": lambda index, event: index.match_batch(
        lambda vocabulary: EventBatch.from_json_lines(json.dumps(event), vocabulary, limits=index.limits)
    ).ids(0),
}
EVENTS = [
    ({"a": [1, 2, 3], "b": ["x", "z"]}, [1, 2]),
    ({"a": [1, 1, 1], "b": ["x", "x", "x"]}, None),
    ({"a": [1, 2, 3, 4, 5, 6]}, None),
    ({"a": [1, 2, 3, None, None, None]}, [1]),
    ({"unread": [1, 2, 3, 4, 5, 6], "b": "y"}, [2]),
    ({"a": "é" * 10, "b": "x"}, [1, 2]),
    ({"a": "é" * 20, "b": "x"}, None),
    ({"a": ["é" * 9, "é" * 9], "b": "zzzzz"}, None),
    ({"c": {"d": {"e": 4}}}, [3]),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_tail", [False, True])
def test_limits_of_an_event(way: str, is_tail: bool) -> None:
    index = eligo.build({} if is_tail else TEXTS, limits=SMALL, merge_at=None)
    for id, text in TEXTS.items() if is_tail else ():
        index.insert(id, text)
    for event, expected in EVENTS:
        if way == "json" and (expected is None or len(json.dumps(event)) > 40):
            continue  # where the text itself counts
        if expected is not None:
            assert WAYS[way](index, event) == expected, event
            continue
        if way in ("explain", "evaluate") and len(event) > 1:
            continue  # only what an expression names counts
        with pytest.raises(EventLimitError):
            WAYS[way](index, event)


def test_objects_may_not_nest_too_deep() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = {"x": deep}
    index = eligo.build(TEXTS)
    for event in ({"c": deep}, {"c": {"d": {"e": {"f": deep}}}}):
        with pytest.raises(EventLimitError, match="nested more than 100 deep"):
            index.match(event)
    frame = pd.DataFrame({"c": pd.Series([deep], dtype=object)})
    with pytest.raises(EventError, match="deep"):
        index.match_batch(frame)
    kind = pa.int64()
    for name in ("e", "d"):
        kind = pa.struct([(name, kind)])
    nested = eligo.build({1: "c.d.e exists"}, limits=Limits(event_depth=1))
    with pytest.raises(EventLimitError, match="nested more than 1 deep"):
        nested.match_batch(pa.table({"c": pa.array([{"d": {"e": 1}}], kind)}))
    with pytest.raises(EventLimitError, match="nested more than 1 deep"):
        nested.match({"c": {"d": {"e": 1}}})


def test_the_text_of_an_event_as_json_is_bounded() -> None:
    index = eligo.build(TEXTS)
    batch = EventBatch.from_json_lines(
        ['{"unread": "' + "x" * 50 + '"}', '{"a": 1}'], index.vocabulary, limits=SMALL, on_error="reject"
    )
    assert batch.num_events == 1 and isinstance(batch.rejects[0].error, EventLimitError)
    assert "bytes of JSON" in batch.rejects[0].error.message


def test_events_beyond_a_limit_lose_only_themselves_in_a_table() -> None:
    index = eligo.build(TEXTS)
    table = pa.table({"a": [[1], [1] * 6, [2] * 3], "b": ["x", "y", "y" * 50]})
    batch = EventBatch.from_arrow(table, index.vocabulary, limits=SMALL, on_error="reject")
    assert batch.num_events == 1 and [reject.id for reject in batch.rejects] == [1, 2]
    with pytest.raises(EventLimitError, match="event 1: the event has 7 values, more than the 5"):
        EventBatch.from_arrow(table, index.vocabulary, limits=SMALL)
    maps = pa.array([[("a", "x")], [("a", "x" * 50)]], pa.map_(pa.string(), pa.string()))
    batch = EventBatch.from_map_column(maps, index.vocabulary, limits=SMALL, on_error="reject")
    assert batch.num_events == 1 and [reject.id for reject in batch.rejects] == [1]


GROWTH = """
import sys
import eligo

calls = 0


def count(frame, event, argument):
    global calls
    calls += event == "call"


def work(steps, asked):
    global calls
    node = "/".join(["ab"] * steps)
    index = eligo.build({1: f"page under '{node}'"} if asked == "base" else {}, engine="scan", merge_at=None)
    if asked == "tail":
        index.insert(1, f"page under '{node}'")
    event = {"page": node + "/more"}
    assert index.match(event) == [1] and index.match({"page": node + "x"}) == []
    calls = 0
    sys.setprofile(count)
    index.match({"page": node + "/other"})
    sys.setprofile(None)
    return calls


for asked in ("base", "tail"):
    print(work(400, asked), work(1600, asked))
"""


def test_under_takes_work_in_proportion_to_the_path() -> None:
    """Counted in function calls of kernels that run interpreted: four times the steps are four times the work."""
    found = subprocess.run(
        [sys.executable, "-c", GROWTH],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    for line in found.stdout.splitlines():
        few, many = map(int, line.split())
        assert many < 6 * few, found.stdout


def test_under_finds_every_node_above_a_long_path() -> None:
    steps = ["step"] * 300
    nodes = {end: "/".join(steps[:end]) for end in (1, 2, 50, 51, 52, 60, 61, 200, 299, 300)}
    texts = {end: f"page under '{node}'" for end, node in nodes.items()}
    beside = {1000 + end: f"page under '{node}x'" for end, node in nodes.items()}
    base = eligo.build({**texts, **beside})
    tail = eligo.build({}, merge_at=None)
    for id, text in {**texts, **beside}.items():
        tail.insert(id, text)
    for depth in (1, 49, 50, 60, 61, 250, 300):
        event = {"page": "/".join(steps[:depth])}
        expected = [end for end in nodes if end <= depth]
        assert base.match(event) == tail.match(event) == base.match_batch([event]).ids(0) == expected
        event = {"page": event["page"] + "x/more"}
        expected = [end for end in nodes if end < depth] + [1000 + end for end in nodes if end == depth]
        assert sorted(base.match(event)) == sorted(tail.match(event)) == expected
    tail.delete(300)
    assert 300 not in tail.match({"page": nodes[300]}) and 299 in tail.match({"page": nodes[300]})


WIDE = " and ".join(f"(a = {number} or b = {number})" for number in range(6))


@pytest.mark.parametrize("engine", ["k_index", "sift", "propagation"])
def test_the_limit_of_a_normal_form_is_that_of_the_build(engine: str) -> None:
    with pytest.raises(NormalFormTooLargeError, match="more than 100 literals"):
        eligo.build({1: WIDE}, engine=engine, limits=Limits(normal_form=100))
    index = eligo.build({1: WIDE, 2: "a"}, engine=engine, limits=Limits(normal_form=100), on_error="reject")
    assert index.ids == [2] and [reject.id for reject in index.rejects] == [1]
    with pytest.raises(NormalFormTooLargeError):
        index.insert(1, WIDE)
    roomy = eligo.build({1: WIDE, 2: "a"}, engine=engine, limits=Limits(normal_form=10**12))
    assert roomy.match({"a": True, "b": list(range(6))}) == [1, 2]


def test_what_an_index_took_stays_in_it_whatever_the_limit_of_who_opens_it(tmp_path: Any) -> None:
    path = tmp_path / "index"
    eligo.build({1: WIDE}, engine="k_index").save(path)
    index = eligo.open(path, limits=Limits(normal_form=100))
    index.insert(2, "a = 1")
    index.merge()
    assert index.match({"a": 1, "b": list(range(6))}) == [1, 2]


def test_trees_keep_to_the_limits_of_texts() -> None:
    tree = eligo.parse("a in (1, 2, 3) and b starts with 'xyz'")
    column = eligo.col("a").in_(1, 2, 3)
    for limits, word in ((Limits(set_size=2), "operands"), (Limits(length=10), "bytes"), (Limits(depth=1), "deep")):
        for form in (tree, column) if word == "operands" else (tree,):
            with pytest.raises(eligo.EligoError, match=word) as caught:
                eligo.build({1: form}, limits=limits)
            assert isinstance(caught.value.rejects[0].error, LimitError)  # type: ignore[attr-defined]
            with pytest.raises(LimitError, match=word):
                eligo.build({}, limits=limits).insert(1, form)
