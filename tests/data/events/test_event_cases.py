"""Does an odd thing have the same outcome in every way in which events come? The table is in `event_cases`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import eligo
from eligo.errors import EligoError, EventError, EventLimitError
from eligo.index.live import live_set
from event_cases import CASE_OF, CASES, ERROR, Case, expected_ids, expressions, forms, json_event

Ask = Callable[[eligo.Index, dict[str, Any]], list[Any]]


@pytest.fixture(scope="module")
def index() -> eligo.Index:
    return eligo.build(expressions())


@pytest.fixture(scope="module")
def tail() -> Iterator[eligo.Index]:
    """The same expressions, but that all of them were inserted, and are in the tail."""
    tail = eligo.build({}, merge_at=None)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(live_set, "MOST_IN_TAIL", 1_000_000)
        patched.setattr(live_set, "FEWEST_READS", 1_000_000_000)
        for id, text in expressions().items():
            tail.insert(id, text)
        assert tail.stats().num_in_tail == len(tail)
        yield tail


@pytest.fixture
def mixed() -> eligo.Index:
    """The same in a base, in parts that came later, and in the tail, with others that are gone again."""
    texts = list(expressions().items())
    first, second, newest = texts[0::3], texts[1::3], texts[2::3]
    gone = [(f"gone {number}", text) for number, (_, text) in enumerate(texts[:200])]
    mixed = eligo.build(dict([*first, *gone]), merge_at=None)
    mixed.change(second, [id for id, _ in gone])
    mixed.change(newest[3:])
    for id, text in newest[:3]:
        mixed.insert(id, text)
    assert len(mixed.parts) == 3 and mixed.stats().num_in_tail == 3 and mixed.stats().num_dead == 200
    return mixed


def check(case: Case, form: Any, ask: Callable[[], list[Any]]) -> None:
    """Compare what comes of asking with the table."""
    shown = f"{case.name}: {form!r:.100}"
    try:
        found = ask()
    except EventError as error:
        assert case.outcome == ERROR, f"{shown}: {error}"
        return
    assert case.outcome != ERROR, f"{shown} is not refused, but {found}"
    assert len(found) == len(set(found)) and set(found) == expected_ids(case), shown


IN_PYTHON: dict[str, Ask] = {
    "match": lambda index, event: index.match(event),
    "matcher": lambda index, event: index.matcher().match(event),
    "view": lambda index, event: index.view().match(event),
    "match_batch": lambda index, event: index.match_batch([event]).ids(0),
    "match_batch of a view": lambda index, event: index.match_batch([{}] * 20 + [event]).ids(20),
    "top": lambda index, event: [id for id, _ in index.top(event, 100)],
    "explain": lambda index, event: [id for id in own_ids(event) if index.explanation(id, event).matches],
    "evaluate": lambda index, event: [id for id in own_ids(event) if eligo.evaluate(index.tree(id), event) is True],
    "pandas": lambda index, event: index.match_batch(object_frame(event)).ids(0),
}


def own_ids(event: dict[str, Any]) -> list[str]:
    return [id for id in expressions() if id.split(":")[0] in event]


def object_frame(event: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in event.items()})


@pytest.mark.parametrize("way", IN_PYTHON)
@pytest.mark.parametrize("where", ["base", "tail", "mixed"])
def test_python_objects(index: eligo.Index, tail: eligo.Index, mixed: eligo.Index, way: str, where: str) -> None:
    asked = {"base": index, "tail": tail, "mixed": mixed}[where]
    for case, form in forms("python"):
        check(case, form, lambda case=case, form=form: IN_PYTHON[way](asked, {case.attribute: form}))


def test_arrow_columns(index: eligo.Index) -> None:
    for case, array in forms("arrow"):
        table = pa.table({case.attribute: array})
        check(case, array, lambda table=table: index.match_batch(table).ids(0))
        # A bad event loses only itself.
        batch = eligo.EventBatch.from_arrow(table, index.vocabulary, on_error="reject")
        assert (batch.num_events, len(batch.rejects)) == ((0, 1) if case.outcome == ERROR else (1, 0)), case.name


def test_arrow_columns_become_frames(index: eligo.Index) -> None:
    for case, array in forms("arrow"):
        if pa.types.is_nested(array.type) or case.name in ("not unicode", "no value", "duration"):
            continue
        frame = pa.table({case.attribute: array}).to_pandas(types_mapper=pd.ArrowDtype)
        check(case, array, lambda frame=frame: index.match_batch(frame).ids(0))


def test_arrow_maps(index: eligo.Index) -> None:
    for case, array in forms("arrow"):
        if pa.types.is_struct(array.type):  # a map has values, not objects
            continue
        offsets = pa.array([0, 1], pa.int32())
        try:
            maps = pa.MapArray.from_arrays(offsets, pa.array([case.attribute]), array)
            entries = pa.ListArray.from_arrays(
                offsets, pa.StructArray.from_arrays([pa.array([case.attribute]), array], names=["key", "value"])
            )
        except (pa.ArrowException, NotImplementedError):
            continue
        for column in (maps, entries):
            check(case, array, lambda column=column: ids_of(index, eligo.EventBatch.from_map_column, column))


def test_json_texts(index: eligo.Index) -> None:
    for case, form in forms("json"):
        line = json_event(case, form)
        check(case, form, lambda line=line: ids_of(index, eligo.EventBatch.from_json_lines, line))
        batch = eligo.EventBatch.from_json_lines(line, index.vocabulary, on_error="reject")
        assert (batch.num_events, len(batch.rejects)) == ((0, 1) if case.outcome == ERROR else (1, 0)), case.name


IN_JSON: dict[str, Callable[[eligo.Index, bytes], list[Any]]] = {
    "match_json": lambda index, text: index.match_json(text),
    "matcher": lambda index, text: index.matcher().match_json(text),
    "view": lambda index, text: index.view().match_json(text),
    "match_json_batch": lambda index, text: index.match_json_batch([b"{}", text]).ids(1),
    "match_json_batch of a view": lambda index, text: index.match_json_batch([b"{}"] * 70 + [text]).id_lists()[70],
}


@pytest.mark.parametrize("way", IN_JSON)
@pytest.mark.parametrize("where", ["base", "tail", "mixed"])
def test_json_texts_asked_of_an_index(
    index: eligo.Index, tail: eligo.Index, mixed: eligo.Index, way: str, where: str
) -> None:
    asked = {"base": index, "tail": tail, "mixed": mixed}[where]
    for case, form in forms("json"):
        text = json_event(case, form)
        check(case, form, lambda text=text: IN_JSON[way](asked, text))


def test_a_bad_json_text_loses_only_itself(mixed: eligo.Index) -> None:
    """All cases in one block, small or large: each row as if it were alone."""
    cases = list(forms("json"))
    for first, size in ((0, 30), (0, len(cases)), (7, 50)):
        some = cases[first : first + size]
        found = mixed.match_json_batch([json_event(case, form) for case, form in some], on_error="reject")
        lists = found.id_lists()
        assert len(found) == len(some) == len(lists)
        for row, (case, form) in enumerate(some):
            assert (row in found.errors) == (case.outcome == ERROR), f"{case.name}: {form!r:.100}"
            expected = set() if case.outcome == ERROR else expected_ids(case)
            assert set(lists[row]) == set(found.ids(row)) == expected


def ids_of(index: eligo.Index, read: Callable[..., Any], source: Any) -> list[Any]:
    return index.match_batch(lambda vocabulary: read(source, vocabulary)).ids(0)


def test_every_case_is_one_in_most_forms() -> None:
    assert len({case.attribute for case in CASES}) == len(CASES)
    assert sum(bool(case.python) for case in CASES) > 30 and sum(bool(case.arrow) for case in CASES) > 30


TWICE = [
    ({"twice": {"y": 1}, "twice.y": 2}, ERROR),
    ({"twice.y": 2, "twice": {"y": 1}}, ERROR),
    ({"twice": {"y": 1}, "twice.y": 1}, ERROR),
    ({"twice": {"y": None}, "twice.y": 2}, {"twice: 2", "twice: exists"}),
    ({"twice": {"y": 1}, "twice.y": None}, {"twice: 1", "twice: exists"}),
    ({"twice": None, "twice.y": 1}, {"twice: 1", "twice: exists"}),
    ({"twice": {"y": [1, 2]}}, {"twice: 1", "twice: 2", "twice: exists"}),
]


@pytest.mark.parametrize(("event", "expected"), TWICE)
def test_an_attribute_that_is_given_twice(index: eligo.Index, tail: eligo.Index, event: Any, expected: Any) -> None:
    import json

    arrays = {
        name: pa.array([value], pa.struct([("y", pa.int64())]))
        if value is None and name == "twice"
        else pa.array([value])
        for name, value in event.items()
    }
    ways: dict[str, Callable[[], list[Any]]] = {
        **{
            way: lambda ask=ask: ask(index, event)
            for way, ask in IN_PYTHON.items()
            if way not in ("explain", "evaluate")
        },
        "tail": lambda: tail.match(event),
        "arrow": lambda: index.match_batch(pa.table(arrays)).ids(0),
        "json": lambda: ids_of(index, eligo.EventBatch.from_json_lines, json.dumps(event)),
        "schema": lambda: ids_of(index, with_schema, [event]),
    }
    for way, ask in ways.items():
        if expected == ERROR:
            with pytest.raises(EventError, match=r"twice\.y.*twice"):
                ask()
        else:
            assert set(ask()) == expected, way


def with_schema(events: Any, vocabulary: Any) -> eligo.EventBatch:
    schema = eligo.Schema.from_dict({"twice.y": "list[int]"})
    return eligo.EventBatch.from_dicts(events, vocabulary, schema=schema)


def test_a_name_that_stands_twice_in_a_json_object(index: eligo.Index) -> None:
    for line in ('{"one": 1, "one": 1}', '{"a": {"b": 1, "b": 2}}'):
        with pytest.raises(EventError, match="stands more than once"):
            eligo.EventBatch.from_json_lines(line, index.vocabulary)


def test_limits_are_a_kind_of_error_of_their_own(index: eligo.Index) -> None:
    for event in ({"one": list(range(100_001))}, {"one": "x" * 10_000_001}, {"one": ["é" * 2_600_000] * 2}):
        with pytest.raises(EventLimitError) as caught:
            index.match(event)
        assert "Limits.event_" in caught.value.help
    assert CASE_OF["too many"].outcome == ERROR and issubclass(EventLimitError, EligoError)


@pytest.mark.parametrize("value", [b"\x01", bytearray(b"\x01"), memoryview(b"\x01"), memoryview(b"")])
def test_bytes_are_no_values_in_whatever_they_come(value: object) -> None:
    index = eligo.build({"one": "a = 1"})
    with pytest.raises(EventError, match="is not a kind of value"):
        index.match({"a": value})
    with pytest.raises(EventError, match="is not a kind of value"):
        eligo.evaluate("a = 1", {"a": value})
