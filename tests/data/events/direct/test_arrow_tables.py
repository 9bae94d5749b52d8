"""Tables that are encoded in one pass: the same as column by column, byte for byte, whatever else the table holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events.direct import arrow_tables
from eligo.data.events.direct.arrow_tables import MOST_INTERPRETED
from eligo.data.events.direct.column_plan import MOST_KEPT, column_plan
from eligo.data.events.direct.encoded_tables import encoded_table
from eligo.data.events.direct.kernels.arrow_rows import encode_rows
from eligo.data.events.event_batch import EventBatch, with_rejects
from eligo.data.events.event_columns import ColumnReader
from eligo.data.events.event_tables import add_table, encoded_rows
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError
from eligo.language.limits import DEFAULT_LIMITS, Limits
from encoded_reading import content, same_batch

EXPRESSIONS = {
    1: "n in (1, 2, 3.5) or n between 0.25 and 0.75 or n >= 100",
    2: "s in ('a', 'bb', 'longer than eight') or s starts with 'x' or s = 'é'",
    3: "t contains all ('a', 'b') or t > 'm'",
    4: "page under 'sports/golf' or page under 'sports'",
    5: "day >= date '2024-02-01' or moment < timestamp '2024-02-01T00:00:00Z'",
    6: "flag = true or who.age > 3 or who.name = 'ann' or facts.x = 1",
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return eligo.build(EXPRESSIONS).vocabulary


def one_by_one(table: pa.Table, vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS) -> EventBatch:
    """Column by column, with bad rows rejected."""
    reader = ColumnReader(vocabulary, table.num_rows, None, None, False, "reject", limits)
    encoded = encoded_rows(reader, add_table(reader, table, (), None))
    return with_rejects(EventBatch(*encoded.arrays), encoded.rejects)


def check(table: pa.Table, vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS) -> EventBatch:
    """Compare both ways."""
    expected = one_by_one(table, vocabulary, limits)
    found = EventBatch.from_arrow(table, vocabulary, on_error="reject", limits=limits)
    assert same_batch(found, expected), (content(found), content(expected))
    told, should = ([(each.id, each.text, str(each.error)) for each in batch.rejects] for batch in (found, expected))
    assert told == should
    return found


TEXTS = st.sampled_from(("a", "b", "bb", "é", "longer than eight", "xy", "sports/golf/9", "sports", "", "zzz"))
NUMBERS = st.sampled_from((0.5, 1.0, 3.5, 0.25, 100.0, -1.0, float("nan"), 1e300, None))
MOMENTS = st.sampled_from((datetime(2024, 1, 31, 10, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC), None))
COLUMNS: dict[str, list[tuple[pa.DataType, st.SearchStrategy[Any]]]] = {
    "n": [
        (pa.float64(), NUMBERS),
        (pa.int16(), st.sampled_from((1, 2, 100, None))),
        (pa.list_(pa.uint64()), st.lists(st.sampled_from((1, 3, 2**63 - 1, None)), max_size=3) | st.none()),
        (pa.uint64(), st.sampled_from((1, 2**63, None))),
        (pa.decimal128(10, 2), st.sampled_from((Decimal("3.50"), Decimal("1"), None))),
    ],
    "s": [
        (pa.string(), TEXTS | st.none()),
        (pa.large_string(), TEXTS | st.none()),
        (pa.dictionary(pa.int8(), pa.string()), TEXTS | st.none()),
        (pa.string_view(), TEXTS | st.none()),
        (pa.binary(), st.none() | st.just(b"x")),
    ],
    "t": [
        (pa.list_(pa.string()), st.lists(TEXTS | st.none(), max_size=4) | st.none()),
        (pa.large_list(pa.dictionary(pa.int32(), pa.large_string())), st.lists(TEXTS, max_size=4) | st.none()),
        (pa.list_(pa.string(), 2), st.lists(TEXTS, min_size=2, max_size=2) | st.none()),
    ],
    "page": [(pa.string(), TEXTS | st.none()), (pa.dictionary(pa.int16(), pa.string()), TEXTS | st.none())],
    "day": [(pa.date32(), st.dates() | st.none()), (pa.date64(), st.just(date(2024, 2, 1)) | st.none())],
    "moment": [(pa.timestamp(unit, "UTC"), MOMENTS) for unit in ("s", "ms", "us", "ns")],
    "flag": [(pa.bool_(), st.booleans() | st.none()), (pa.list_(pa.bool_()), st.lists(st.booleans(), max_size=2))],
    "who": [
        (
            pa.struct([("age", pa.int64()), ("name", pa.string())]),
            st.fixed_dictionaries({"age": st.sampled_from((1, 4, None)), "name": TEXTS}) | st.none(),
        )
    ],
    "who.age": [(pa.int32(), st.sampled_from((1, 4, None)))],
    "facts": [(pa.map_(pa.string(), pa.int64()), st.lists(st.tuples(st.just("x"), st.integers(0, 1)), max_size=1))],
    "other": [(pa.int64(), st.integers(0, 3))],
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Tables of some columns, perhaps in several chunks that differ from column to column, perhaps sliced."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=6, unique=True))
    num_rows = draw(st.integers(0, 7))
    columns = {}
    for name in names:
        kind, values = draw(st.sampled_from(COLUMNS[name]))
        cells = draw(st.lists(values, min_size=num_rows, max_size=num_rows))
        cut = draw(st.integers(0, num_rows))
        pieces = [cells] if draw(st.booleans()) else [cells[:cut], cells[cut:]]
        columns[name] = pa.chunked_array([pa.array(piece, kind) for piece in pieces], kind)
    table = pa.table(columns)
    return table.slice(draw(st.integers(0, 2))) if draw(st.booleans()) else table


@given(tables())
def test_same_as_one_by_one(vocabulary: Vocabulary, table: pa.Table) -> None:
    check(table, vocabulary)
    if table.num_rows:
        batch = table.combine_chunks().to_batches()[0]
        assert same_batch(EventBatch.from_arrow(batch, vocabulary, on_error="reject"), one_by_one(table, vocabulary))


def is_direct(table: pa.Table, vocabulary: Vocabulary) -> bool:
    return encoded_table(table, vocabulary, (), "reject", DEFAULT_LIMITS) is not None


def not_utf8() -> pa.Array:
    offsets, data = pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"a\xff")
    return pa.StringArray.from_buffers(2, offsets, data)


def bad_columns() -> Iterator[tuple[str, pa.Array]]:
    yield "s", not_utf8()
    yield "s", pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), not_utf8())
    for number in (1, 10**6, -1):
        yield "s", pa.DictionaryArray.from_arrays(pa.array([0, number], pa.int32()), pa.array(["a"]), safe=False)
    yield "n", pa.array([1, 2**63], pa.uint64())
    yield "day", pa.array([0, 10**7], pa.int32()).cast(pa.date32())
    yield "moment", pa.array([0, 1], pa.timestamp("ns"))
    yield "moment", pa.array([0, 10**12], pa.timestamp("s"))
    yield "s", pa.array([None, b"x"], pa.binary())


@pytest.mark.parametrize(("name", "column"), list(bad_columns()), ids=lambda given: str(getattr(given, "type", given)))
def test_bad_rows_lose_only_themselves(vocabulary: Vocabulary, name: str, column: pa.Array) -> None:
    table = pa.table({"flag": [True, False], name: column, "page": ["sports", "sports/golf"]})
    batch = check(table, vocabulary)
    assert (batch.num_events, [reject.id for reject in batch.rejects]) == (1, [1])
    assert is_direct(table, vocabulary)
    with pytest.raises(EligoError) as caught:
        EventBatch.from_arrow(table, vocabulary)
    assert str(caught.value) == str(batch.rejects[0].error)


def test_what_two_columns_give_goes_the_long_way(vocabulary: Vocabulary) -> None:
    table = pa.table({"who": [{"age": 4, "name": "ann"}, {"age": None, "name": "b"}], "who.age": [1, 4]})
    assert [reject.id for reject in check(table, vocabulary).rejects] == [0]
    assert not is_direct(table, vocabulary)
    assert is_direct(table.drop_columns(["who"]), vocabulary)


def test_limits_count_all_columns(vocabulary: Vocabulary) -> None:
    table = pa.table({"t": [["a", "a", "b"], ["a"]], "who": [{"age": 4, "name": "ann"}, {"age": 1, "name": "b"}]})
    for limits in (Limits(event_values=4), Limits(event_bytes=5)):
        assert [reject.id for reject in check(table, vocabulary, limits).rejects] == [0]
    assert not check(table, vocabulary, Limits(event_values=5, event_bytes=6)).rejects


def test_long_lists_and_many_rows(vocabulary: Vocabulary) -> None:
    lists = [[f"x{number}" for number in range(length)] for length in (0, 5_000, 1, 3)] * 30
    words = pa.array(["a", "bb", None, "x"] * 30).dictionary_encode()
    check(pa.table({"t": lists, "s": words, "n": np.arange(120) / 4}), vocabulary)


def test_dictionary_that_is_much_longer_than_its_rows(vocabulary: Vocabulary) -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 99, None, 5]), [*(f"x{word}" for word in range(99)), "a"])
    check(pa.table({"s": words}), vocabulary)


def test_plans_are_kept_by_types_and_excluded_names(vocabulary: Vocabulary) -> None:
    schema = pa.schema([("n", pa.int64()), ("s", pa.string())])
    plan = column_plan(vocabulary, schema, ())
    assert plan is not None and plan.names == ("n", "s")
    assert column_plan(vocabulary, pa.schema(list(schema)), ()) is plan
    without = column_plan(vocabulary, schema, ("s",))
    assert without is not None and without.names == ("n",)
    for number in range(2 * MOST_KEPT):
        column_plan(vocabulary, schema, (str(number),))
    assert len(vocabulary.kept_plans) <= MOST_KEPT


def test_a_large_table_waits_for_the_compiler(vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []

    def note(loop: Callable[..., int], *arguments: int) -> int:
        waited.append(len(arguments))
        return loop(*arguments)

    class NotCompiled:
        """The loop, before there is code for it."""

        overloads: ClassVar[dict[Any, Any]] = {}

        def __call__(self, *arguments: int) -> int:
            row: int = encode_rows(*arguments)
            return row

    monkeypatch.setattr(arrow_tables, "call_compiled", note)
    monkeypatch.setattr(arrow_tables, "encode_rows", NotCompiled())
    few = pa.table({"n": np.arange(MOST_INTERPRETED // 2), "s": ["a"] * (MOST_INTERPRETED // 2)})
    check(few, vocabulary)
    check(pa.table({"t": [["a"] * 9]}), vocabulary)
    assert not waited
    check(pa.table({"n": np.arange(MOST_INTERPRETED + 1)}), vocabulary)
    assert len(waited) == 1
    check(pa.table({"t": [["a"] * MOST_INTERPRETED]}), vocabulary)
    assert len(waited) > 1
