"""Does an index of ranges find those that contain a value, whatever they are made of, while they come and go?"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo.ranges
from eligo.errors import EligoError, InputError, UnknownIdError
from eligo.ranges import RangeIndex, range_index
from eligo.ranges.structures import STRUCTURES
from odd_values import odd_values
from range_cases import VALUES, Range, naive, ranges_of

NAMES = [*STRUCTURES, "auto"]


def made(ranges: list[Range], **options: Any) -> RangeIndex:
    starts, ends, closed = ([each[field] for each in ranges] for field in range(3))
    return RangeIndex(starts, ends, closed=closed, **options)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_structure_agrees_with_a_loop(name: str, kind: str, data: st.DataObject) -> None:
    ranges = data.draw(st.lists(ranges_of(kind), max_size=12))
    forms = ["auto", "lists"] if name == "interval_tree" else ["auto", "lists", "bits"]
    index = made(
        ranges, structure=name, sets=data.draw(st.sampled_from(forms)), min_cluster=data.draw(st.integers(1, 4))
    )
    values = [*data.draw(st.lists(VALUES[kind], max_size=6)), *(end for each in ranges for end in each[:2])]
    expected = [naive(enumerate(ranges), value) for value in values]
    assert [index.containing(value).tolist() for value in values] == expected
    rows = index.containing_batch(values)
    assert [rows.ranges[a:b].tolist() for a, b in zip(rows.offsets, rows.offsets[1:], strict=False)] == expected
    assert index.count_batch(values).tolist() == [len(row) for row in expected] == [index.count(v) for v in values]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_ranges_come_and_go(name: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(VALUES)))
    ranges = dict(enumerate(data.draw(st.lists(ranges_of(kind), max_size=8))))
    form = "auto" if name == "interval_tree" else data.draw(st.sampled_from(["lists", "bits"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(range_index, "TAIL", 4)
        patch.setattr(range_index, "MOST_FRESH", 2)
        index = made(list(ranges.values()), structure=name, sets=form)
        number = len(ranges)
        for step in data.draw(st.lists(st.sampled_from(["insert", "batch", "delete", "merge", "ask"]), max_size=14)):
            if step == "insert":
                new = data.draw(ranges_of(kind))
                assert index.insert(new.start, new.end, closed=new.closed) == number
                ranges[number], number = new, number + 1
            elif step == "batch":
                more = data.draw(st.lists(ranges_of(kind), max_size=5))
                found = index.insert_batch(
                    *([each[field] for each in more] for field in (0, 1)), closed=[e[2] for e in more]
                )
                assert found.tolist() == list(range(number, number + len(more)))
                ranges |= dict(zip(found.tolist(), more, strict=True))
                number += len(more)
            elif step == "delete" and ranges:
                gone = data.draw(st.lists(st.sampled_from(sorted(ranges)), unique=True, max_size=3))
                index.delete(gone)
                ranges = {key: each for key, each in ranges.items() if key not in gone}
            elif step == "merge":
                index.merge()
            value = data.draw(VALUES[kind])
            assert index.containing(value).tolist() == naive(ranges.items(), value)
            assert len(index) == len(ranges)
    values = [data.draw(VALUES[kind]), None, data.draw(VALUES[kind])]
    rows = index.containing_batch(values)
    for place, value in enumerate(values):
        expected = naive(ranges.items(), value)
        assert rows.ranges[rows.offsets[place] : rows.offsets[place + 1]].tolist() == expected
        assert index.count_batch(values)[place] == len(expected)
        bits = index.containing_bits(value)
        assert [n for n in range(number) if int(bits[n // 64]) >> n % 64 & 1] == expected


def test_the_four_ends() -> None:
    for closed, expected in (("both", [0]), ("left", []), ("right", [0]), ("neither", [])):
        index = RangeIndex([1], [3], closed=closed)
        assert index.containing(3).tolist() == expected
        assert index.containing(2).tolist() == [0]
        assert index.containing(1).tolist() == ([0] if closed in ("both", "left") else [])


def test_numbers_compare_exactly() -> None:
    whole = RangeIndex([2**53, None], [2**53 + 1, 3])
    assert whole.containing(float(2**53)).tolist() == [0]
    assert whole.containing(float(2**53 + 2)).tolist() == []
    assert whole.containing(3.5).tolist() == []
    assert whole.containing(2.5).tolist() == [1]
    assert whole.containing(float("inf")).tolist() == [] and whole.containing(float("-inf")).tolist() == [1]
    assert whole.containing_batch([2.5, 1e300, -1e300]).ranges.tolist() == [1, 1]
    floats = RangeIndex([float(2**53)], [float(2**53)])
    assert floats.containing(2**53 + 1).tolist() == [] and floats.containing(2**53).tolist() == [0]
    assert floats.containing_batch([2**53 + 1, 2**53, 2**53 - 1, 2**63 - 1]).ranges.tolist() == [0]
    ends = RangeIndex([float(2**63)], [None], closed="left")
    assert ends.containing(2**63 - 1).tolist() == [] and ends.containing(float(2**63)).tolist() == [0]


@pytest.mark.parametrize(
    "starts, ends",
    [
        (np.array([1, 5]), np.array([4, 9])),
        (np.array([1, 5], np.uint8), np.array([4, 9], np.int16)),
        (np.array([1.0, 5.0], np.float32), [4, 9]),
        (pa.array([1, 5], pa.int8()), pa.chunked_array([[4], [9]])),
        (pa.array([1, 5]).dictionary_encode(), (4, 9)),
        (pd.Series([1, 5]), range(4, 10, 5)),
        (np.array([1, 5], object), pa.array([4.0, 9.0])),
    ],
)
def test_ends_come_in_many_forms(starts: Any, ends: Any) -> None:
    index = RangeIndex(starts, ends)
    assert [index.containing(value).tolist() for value in (4, 4.5, 5, 10)] == [[0], [], [1], []]


def test_dates_and_timestamps() -> None:
    days = RangeIndex(np.array(["2024-01-01", "NaT"], "datetime64[D]"), pa.array([date(2024, 2, 1), date(2024, 1, 5)]))
    assert days.stats().kind == "date"
    assert days.containing(date(2024, 1, 5)).tolist() == [0, 1]
    assert days.containing(np.datetime64("2024-01-06")).tolist() == [0]
    moments = RangeIndex(pa.array([0], pa.timestamp("s", "UTC")), np.array([10**9], "datetime64[ns]"))
    assert moments.containing(datetime(1970, 1, 1, 0, 0, 1)).tolist() == [0]
    assert moments.containing(datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC)).tolist() == []
    assert moments.containing(pa.scalar(5, pa.timestamp("ms"))).tolist() == [0]
    with pytest.raises(InputError, match="date lies in no range of kind timestamp"):
        moments.containing(date(1970, 1, 1))
    with pytest.raises(InputError, match="finer than a microsecond"):
        RangeIndex(np.array([1], "datetime64[ns]"), [None])


def test_missing_and_empty_ranges_contain_nothing() -> None:
    index = RangeIndex([5, 3, 3, None], [1, 3, 3, None], closed=["both", "left", "both", "neither"])
    assert [index.containing(value).tolist() for value in (1, 3, 5)] == [[3], [2, 3], [3]]
    assert index.containing(None).tolist() == index.containing(float("nan")).tolist() == []
    assert RangeIndex([], []).containing(3).tolist() == []
    assert RangeIndex([None], [None]).containing("anything").tolist() == [0]


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: RangeIndex([1], [2, 3]), "1 starts and 2 ends"),
        (lambda: RangeIndex([1, float("nan")], [2, 3]), "starts has NaN at row 1"),
        (lambda: RangeIndex([1], ["a"]), "starts of kind int and ends of kind string"),
        (lambda: RangeIndex([2**53 + 1], [0.5]), "9007199254740993, which is not exactly a float"),
        (lambda: RangeIndex([True], [False]), "cannot be taken as bool"),
        (lambda: RangeIndex(np.array([2**63], np.uint64), [None]), "does not fit in 64 bits"),
        (lambda: RangeIndex(5, 6), "starts is a row of values, not 5"),
        (lambda: RangeIndex([1], [2], closed="open"), "closed is"),
        (lambda: RangeIndex([1], [2], closed=["both", "both"]), "one for each of 1 ranges"),
        (lambda: RangeIndex([1], [2], structure="b_tree"), "structure is"),
        (lambda: RangeIndex([1], [2], structure="interval_tree", sets="bits"), "keeps no bits"),
        (lambda: RangeIndex([1], [2]).containing("a"), "a string lies in no range of kind int"),
        (lambda: RangeIndex([1], [2]).containing([1]), "one value is asked for"),
        (lambda: RangeIndex([1], [2]).containing(True), "true and false lie in no range"),
        (lambda: RangeIndex([1], [2]).insert("a", "b"), "of kind string cannot be among those of kind int"),
        (lambda: RangeIndex([2**53 + 1], [None]).insert(0.5, 1), "not exactly a float"),
        (lambda: RangeIndex([0.5], [None]).insert(2**53 + 1, None), "not exactly a float"),
    ],
)
def test_what_is_refused_is_named(call: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        call()


def test_a_range_can_be_deleted_once() -> None:
    index = RangeIndex([1, 2], [5, 5])
    index.delete(1)
    with pytest.raises(UnknownIdError, match="no range 1"):
        index.delete([0, 1])
    assert index.containing(3).tolist() == [0]
    with pytest.raises(UnknownIdError):
        index.delete(7)


def test_an_index_becomes_one_of_floats() -> None:
    index = RangeIndex([1], [2])
    assert index.insert(1.5, 1.75) == 1
    assert index.containing(1.6).tolist() == [0, 1]
    index.merge()
    assert index.stats().kind == "float" and index.containing(1.6).tolist() == [0, 1]


def test_many_inserts_leave_few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_index, "TAIL", 4)
    monkeypatch.setattr(range_index, "MOST_FRESH", 2)
    index = RangeIndex([], [])
    for number in range(400):
        index.insert(number, number + 10)
    assert index.stats().num_parts <= 10
    assert index.containing(200).tolist() == list(range(190, 201))
    index.delete(range(300))
    assert index.stats().num_dead <= len(index)
    assert index.containing(305).tolist() == list(range(300, 306))


def test_large_lists_are_refused_before_they_are_made() -> None:
    starts = np.arange(40_000)
    with pytest.raises(InputError, match=r"would list its ranges .* times"):
        RangeIndex(starts, starts + 40_000, structure="elementary")
    assert RangeIndex(starts, starts + 40_000).stats().structure == "interval_tree"


def test_stats_add_up() -> None:
    stats = RangeIndex([10, 20, None], [25, 45, 40], structure="interval_tree").stats()
    assert stats.structure == "interval_tree" and stats.why == "you asked for it" and stats.kind == "int"
    assert stats.num_bytes == sum(stats.bytes_by_array.values()) > 0
    assert stats.overlap == 1.0 and stats.num_points == 5
    assert RangeIndex([1, 3], [2, 4]).stats().overlap == 0.0


def test_odd_arguments_get_an_answer_or_an_error_of_ours() -> None:
    calls = {
        "starts": lambda value: RangeIndex(value, [1, 2]),
        "ends": lambda value: RangeIndex([1, 2], value),
        "both": lambda value: RangeIndex(value, value).containing(1),
        **{
            name: lambda value, name=name: RangeIndex([1], [2], **{name: value})
            for name in ("closed", "structure", "sets", "churn", "min_cluster")
        },
        "containing": lambda value: RangeIndex([1], [2]).containing(value),
        "containing a text": lambda value: RangeIndex(["a"], ["b"]).containing(value),
        "containing anything": lambda value: RangeIndex([None], [None]).containing(value),
        "containing_batch": lambda value: RangeIndex([1], [2]).containing_batch(value),
        "count": lambda value: RangeIndex([1.5], [2]).count(value),
        "evaluations": lambda value: RangeIndex([1.5], [2]).evaluations(value),
        "insert": lambda value: RangeIndex([1], [2]).insert(value, value),
        "insert_batch": lambda value: RangeIndex([1], [2]).insert_batch(value, value),
        "delete": lambda value: RangeIndex([1], [2]).delete(value),
    }
    foreign = []
    for name, call in calls.items():
        for what, value in odd_values():
            try:
                call(value)
            except EligoError as error:
                assert str(error).strip()
            except Exception as error:
                foreign.append(f"{name}({what}): {type(error).__name__}: {error}"[:200])
    assert not foreign, "\n" + "\n".join(foreign)


def test_the_public_names_are_loaded_late() -> None:
    script = (
        "import sys, eligo.ranges; dir(eligo.ranges); print('numpy' in sys.modules, eligo.ranges.RangeIndex.__name__)"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed == "False RangeIndex\n"
    for name in eligo.ranges.__all__:
        assert getattr(eligo.ranges, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        eligo.ranges.no_such_name  # noqa: B018
