"""Batches of events: the same arrays from dicts, JSON lines, Arrow tables, map columns and pandas frames."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from arrow_types import NARROW_DECIMALS
from eligo.data.events.event_batch import EventBatch
from eligo.data.schema.schema import Attribute, Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EventError, InputError
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import Between, Equals, Exists, In, Less, Literal, Predicate, Under, distinct_nodes
from eligo.language.value import INT64_MAX, INT64_MIN
from encoded_reading import content, event_cells, event_keys, same_batch
from strategies import DATES, STRINGS, TIMESTAMPS, event_weights, predicates
from tree_vocabulary import build_vocabulary

INTS = st.one_of(st.integers(0, 3), st.integers(-128, 127))
LONGS = st.one_of(INTS, st.sampled_from((2**53, 2**53 + 1, INT64_MAX, INT64_MIN)))
FLOATS = st.one_of(
    INTS.map(float), st.sampled_from((0.5, -0.5, 2.0**53, 1e300, math.inf, -math.inf, math.nan, 2.0**63, -0.0))
)
COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any], str]] = {
    "bool": (pa.bool_(), st.booleans(), "bool"),
    "int8": (pa.int8(), INTS, "int"),
    "int16": (pa.int16(), INTS, "int"),
    "int32": (pa.int32(), INTS, "int"),
    "int64": (pa.int64(), LONGS, "int"),
    "uint8": (pa.uint8(), st.integers(0, 5), "int"),
    "uint16": (pa.uint16(), st.integers(0, 5), "int"),
    "uint32": (pa.uint32(), st.integers(0, 5), "int"),
    "uint64": (pa.uint64(), st.one_of(st.integers(0, 5), st.just(INT64_MAX)), "int"),
    "float16": (pa.float16(), st.sampled_from([*map(np.float16, (0.5, 1.0, 2.0, math.nan, math.inf))]), "float"),
    "float32": (pa.float32(), st.sampled_from((0.5, 1.0, 2.5, -1.0, math.nan)), "float"),
    "float64": (pa.float64(), FLOATS, "float"),
    "string": (pa.string(), st.sampled_from(STRINGS), "string"),
    "large_string": (pa.large_string(), st.sampled_from(STRINGS), "string"),
    "string_view": (pa.string_view(), st.sampled_from(STRINGS), "string"),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), st.sampled_from(STRINGS), "string"),
    "date32": (pa.date32(), st.sampled_from(DATES), "date"),
    "date64": (pa.date64(), st.sampled_from(DATES), "date"),
    "timestamp[us]": (pa.timestamp("us", tz="UTC"), st.sampled_from(TIMESTAMPS), "timestamp"),
    "timestamp[ns]": (pa.timestamp("ns", tz="Europe/Paris"), st.sampled_from(TIMESTAMPS), "timestamp"),
    "timestamp[ms]": (pa.timestamp("ms"), st.just(datetime(2024, 1, 31, 10, 30)), "timestamp"),
    "timestamp[s]": (pa.timestamp("s"), st.just(datetime(2024, 2, 1)), "timestamp"),
}
NAMES = ("a", "b", "c", "d", "e", "z.unknown")

# Made once, because making a strategy costs more than drawing from it.
COLUMN_NAMES = st.sampled_from(sorted(COLUMNS))
CELLS = {name: st.one_of(st.none(), values, values) for name, (_, values, _) in COLUMNS.items()}
LIST_CELLS = {name: st.one_of(st.none(), st.lists(cell, max_size=3)) for name, cell in CELLS.items()}
ROWS = {
    several: {
        name: st.lists(st.one_of(st.none(), st.dictionaries(st.sampled_from(NAMES), cell, max_size=4)), max_size=6)
        for name, cell in cells.items()
    }
    for several, cells in ((False, CELLS), (True, LIST_CELLS))
}
PREDICATES = st.lists(predicates(), max_size=12)
LISTS = st.sampled_from([pa.list_, pa.large_list, pa.list_view])
CHOSEN_NAMES = st.lists(st.sampled_from(NAMES), unique=True)


@st.composite
def vocabularies(draw: st.DrawFn) -> Vocabulary:
    leaves: list[Predicate] = []
    for predicate in draw(PREDICATES):
        nodes = distinct_nodes(push_negations(predicate, "unknown"))
        leaves += [node.predicate for node in nodes if isinstance(node, Literal)]
    return build_vocabulary(leaves)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[dict[str, Any]], pa.Table, Schema]:
    """Rows, the table of them (in chunks, cut out of a longer one), and the schema that it follows."""
    count = draw(st.integers(0, 6))
    columns: dict[str, pa.ChunkedArray] = {}
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    attributes: list[Attribute] = []
    before = draw(st.integers(0, 2))
    for name in draw(CHOSEN_NAMES):
        column = draw(COLUMN_NAMES)
        kind, _, schema_kind = COLUMNS[column]
        several = draw(st.booleans())
        if several:
            kind = draw(LISTS)(kind)
        cells = [draw((LIST_CELLS if several else CELLS)[column]) for _ in range(before + count)]
        for row, value in zip(rows, cells[before:], strict=True):
            row[name] = value
        cut = draw(st.integers(0, before + count))
        columns[name] = pa.chunked_array([pa.array(cells[:cut], kind), pa.array(cells[cut:], kind)])
        attributes.append(Attribute(name, schema_kind, several=several))  # type: ignore[arg-type]
    table = pa.table(columns).slice(before) if columns else pa.table({"none": pa.nulls(count)})
    return rows, table, Schema(attributes)


def as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else float(value)


def as_json_lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(row, default=as_json) for row in rows)


@given(vocabularies(), tables(), event_weights())
def test_all_sources_of_the_same_events_give_the_same_batch(
    vocabulary: Vocabulary, made: tuple[list[dict[str, Any]], pa.Table, Schema], weights: dict[str, Any]
) -> None:
    rows, table, schema = made
    expected = EventBatch.from_dicts(rows, vocabulary, weights=weights)
    batches = {
        "dicts with weights for each": EventBatch.from_dicts(rows, vocabulary, weights=[weights] * len(rows)),
        "dicts with a schema": EventBatch.from_dicts(rows, vocabulary, weights=weights, schema=schema),
        "arrow": EventBatch.from_arrow(table, vocabulary, weights=weights),
        "arrow with a schema": EventBatch.from_arrow(table, vocabulary, weights=weights, schema=schema),
        "json lines": EventBatch.from_json_lines(as_json_lines(rows), vocabulary, weights=weights, schema=schema),
    }
    for name, batch in batches.items():
        assert same_batch(batch, expected), (name, content(batch), content(expected))


@given(vocabularies(), st.data())
def test_a_map_column_gives_the_same_batch(vocabulary: Vocabulary, data: st.DataObject) -> None:
    column, several = data.draw(COLUMN_NAMES), data.draw(st.booleans())
    kind = pa.list_(COLUMNS[column][0]) if several else COLUMNS[column][0]
    rows = data.draw(ROWS[several][column])
    pairs = [None if row is None else list(row.items()) for row in rows]
    maps = pa.array([[], *pairs], pa.map_(pa.string(), kind)).slice(1)
    entry = pa.struct([("name", pa.large_string()), ("values", kind)])
    entries = [None if row is None else [{"name": name, "values": cell} for name, cell in row] for row in pairs]
    expected = EventBatch.from_dicts([row or {} for row in rows], vocabulary)
    assert same_batch(EventBatch.from_map_column(maps, vocabulary), expected)
    assert same_batch(EventBatch.from_map_column(pa.chunked_array([maps]), vocabulary), expected)
    assert same_batch(EventBatch.from_map_column(pa.array(entries, pa.large_list(entry)), vocabulary), expected)


@given(vocabularies(), tables())
def test_a_pandas_frame_gives_the_same_batch(
    vocabulary: Vocabulary, made: tuple[list[dict[str, Any]], pa.Table, Schema]
) -> None:
    rows, _, _ = made
    names = sorted({name for row in rows for name in row})
    frame = pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in names}, index=range(len(rows))
    )
    assert same_batch(EventBatch.from_pandas(frame, vocabulary), EventBatch.from_dicts(rows, vocabulary))
    if len(rows):
        inferred = frame.infer_objects()
        for name in names:  # pandas makes floats of integers beside nulls, and rounds them
            if not all(new == old or new != new for new, old in zip(inferred[name], frame[name], strict=True)):
                inferred[name] = frame[name]
        assert same_batch(EventBatch.from_pandas(inferred, vocabulary), EventBatch.from_dicts(rows, vocabulary))


VOCABULARY = build_vocabulary(
    [
        Between("age", 18, 24),
        In("age", (3, 2.5)),
        In("state", ("CA", "NY")),
        Exists("user.vip"),
        Equals("user.vip", True),
        Less("day", date(2024, 1, 1)),
        Equals("seen", datetime(2024, 1, 1, tzinfo=UTC)),
        Under("page", "Sports/NFL"),
    ]
)


def keys(batch: EventBatch, event: int = 0) -> set[str]:
    return {VOCABULARY.describe_key(key) for key in event_keys(batch, event)}


def test_structs_and_maps_give_dotted_names() -> None:
    rows = [{"user": {"vip": True, "x": False}}, {"user": None}, {"user": {"vip": None}}, {"user": {"vip": False}}]
    expected = EventBatch.from_dicts([row if row["user"] else {} for row in rows], VOCABULARY)
    struct = pa.array([row["user"] for row in rows], pa.struct([("vip", pa.bool_()), ("x", pa.bool_())]))
    maps = pa.array([list((row["user"] or {}).items()) for row in rows], pa.map_(pa.string(), pa.bool_()))
    table = pa.table({"user": struct})
    assert same_batch(EventBatch.from_arrow(table, VOCABULARY), expected)
    assert same_batch(EventBatch.from_arrow(table.slice(1), VOCABULARY), EventBatch.from_dicts(
        [row if row["user"] else {} for row in rows[1:]], VOCABULARY
    ))  # fmt: skip
    assert same_batch(EventBatch.from_arrow(pa.table({"user": maps}), VOCABULARY), expected)
    assert keys(expected) == {"user.vip exists", "user.vip = true"}


def test_unknown_attributes_are_not_even_looked_at() -> None:
    strange = {"unread": pa.array([b"\xff"]), "deep": pa.array([[[1]]]), "other": pa.array([{"x": b""}])}
    table = pa.table({**strange, "age": [20]})
    assert keys(EventBatch.from_arrow(table, VOCABULARY)) == {"age exists"}
    event = {"age": 20, "unread": b"\xff", "deep": [[1]], "other": {"x": object()}}
    assert same_batch(EventBatch.from_dicts([event], VOCABULARY), EventBatch.from_arrow(table, VOCABULARY))


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (pa.array([1, 2**63], pa.uint64()), "does not fit in 64 bits"),
        (pa.array([0, 1], pa.timestamp("ns")), "finer than a microsecond"),
        (pa.array([0, 2**60], pa.timestamp("s")), "outside the years 1 to 9999"),
        (pa.array([Decimal("0.5"), Decimal(2**63)], pa.decimal128(38, 1)), "does not fit in 64 bits"),
        (pa.array([Decimal("0.5"), Decimal(10**60)], pa.decimal256(70, 1)), "does not fit in 64 bits"),
        (pa.array([0, 2**50], pa.date64()), "outside the years 1 to 9999"),
        (pa.array([0, -(2**50)], pa.timestamp("ms")), "outside the years 1 to 9999"),
        (pa.array([[1], [2**63]], pa.list_(pa.uint64())), "does not fit in 64 bits"),
    ],
)
def test_values_that_cannot_be_read_are_told_with_row_and_attribute(array: pa.Array, problem: str) -> None:
    with pytest.raises(EventError, match=problem) as caught:
        EventBatch.from_arrow(pa.table({"age": array}), VOCABULARY)
    assert (caught.value.row, caught.value.attribute) == (1, "age")
    assert str(caught.value).startswith("event 1, attribute 'age': ")
    batch = EventBatch.from_arrow(pa.table({"age": array}), VOCABULARY, on_error="reject")
    assert batch.num_events == 1 and [reject.id for reject in batch.rejects] == [1]
    assert batch.rejects[0].text.startswith("{'age': ")
    names = pa.array(["age", "age"])
    maps = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), names, array)
    batch = EventBatch.from_map_column(maps, VOCABULARY, on_error="reject")
    assert batch.num_events == 1 and [reject.id for reject in batch.rejects] == [1]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([b"x"]),
        pa.array([[[1]]]),
        pa.array([[{"x": 1}]]),
        pa.array([1], pa.time32("s")),
        pa.array([1], pa.duration("s")),
    ],
)
def test_types_that_hold_no_values_are_refused(array: pa.Array) -> None:
    with pytest.raises(EventError, match="no kind of value") as caught:
        EventBatch.from_arrow(pa.table({"age": array}), VOCABULARY)
    assert caught.value.attribute == "age"


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.decimals(allow_nan=False, allow_infinity=False, places=5, min_value=-(10**25), max_value=10**25),
            st.integers(-(10**6), 10**6).map(lambda number: Decimal(number * 25) / 100),
            st.sampled_from([Decimal(2**63), Decimal(-(2**63)), Decimal(2**63 - 1), Decimal(2**100), Decimal("-0.3")]),
        ),
        max_size=8,
    )
)
def test_decimals_are_read_as_in_python(decimals: list[Decimal | None]) -> None:
    from eligo.data.encoded_value import encode
    from eligo.data.events.column_values import read_scalars
    from eligo.language.value import event_values

    refused: list[int] = []
    array = pa.array(decimals, pa.decimal128(38, 5))
    values = read_scalars(array, lambda places, problem, help: refused.extend(places.tolist()))
    found = dict(
        zip(values.places.tolist(), zip(values.highs.tolist(), values.lows.tolist(), strict=True), strict=True)
    )
    for place, decimal in enumerate(decimals):
        if decimal is None:
            assert place not in found and place not in refused
            continue
        is_whole = decimal == int(decimal)
        assert (place in refused) == (is_whole and not INT64_MIN <= decimal <= INT64_MAX)
        if place not in refused:
            (value,) = event_values(decimal)
            assert value == (int(decimal) if is_whole else float(decimal))
            assert found[place] == encode(value)[1:3]


def test_other_widths_of_decimals() -> None:
    for kind in (*(narrow(5, 2) for narrow in NARROW_DECIMALS.values()), pa.decimal256(60, 2)):
        batch = EventBatch.from_arrow(pa.table({"age": pa.array([Decimal("2.50"), Decimal(20)], kind)}), VOCABULARY)
        assert keys(batch, 0) == {"age exists", "age = 2.5"}
        assert event_cells(batch, 1) == {VOCABULARY.cell_of("age", 20): 1.0}


def test_wrappings_of_columns_say_nothing() -> None:
    import pyarrow.compute as pc

    expected = EventBatch.from_dicts([{"state": "CA"}, {"state": "CA"}, {}], VOCABULARY)
    for array in (
        pc.run_end_encode(pa.array(["CA", "CA", None])),
        pa.DictionaryArray.from_arrays(pa.array([1, 1, 0], pa.int8()), pa.array([None, "CA"])),
        pa.array(["CA", "CA", None]).dictionary_encode(),
    ):
        assert same_batch(EventBatch.from_arrow(pa.table({"state": array}), VOCABULARY), expected)
    numbers = pa.array([3, 3, None]).dictionary_encode()
    expected = EventBatch.from_dicts([{"age": 3}, {"age": 3}, {}], VOCABULARY)
    assert same_batch(EventBatch.from_arrow(pa.record_batch({"age": numbers}), VOCABULARY), expected)


def test_excluded_columns_and_columns_that_come_twice() -> None:
    table = pa.table([pa.array([3]), pa.array([20])], names=["age", "age"])
    with pytest.raises(InputError, match="two columns give the attribute 'age'"):
        EventBatch.from_arrow(table, VOCABULARY)
    assert keys(EventBatch.from_arrow(table, VOCABULARY, exclude=["age"])) == set()
    assert keys(EventBatch.from_arrow(table, VOCABULARY, exclude="age")) == set()


def test_no_columns_and_no_rows() -> None:
    assert EventBatch.from_arrow(pa.table({"x": [1, 2]}), VOCABULARY).num_events == 2
    assert EventBatch.from_arrow(pa.table({"age": pa.array([], pa.int64())}), VOCABULARY).num_events == 0
    assert EventBatch.from_dicts([], VOCABULARY).num_events == 0
    assert EventBatch.from_json_lines("", VOCABULARY).num_events == 0
    assert EventBatch.from_dicts([{}], build_vocabulary([])).num_events == 1
    assert EventBatch.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), VOCABULARY).num_events == 3


def test_a_mixed_column_of_a_frame_is_read_value_by_value() -> None:
    cells = [3, "CA", 2.5, True, None, [3, "x"], date(2023, 1, 1), datetime(2024, 1, 1), 2**53 + 1, float("nan")]
    frame = pd.DataFrame({"age": pd.Series(cells, dtype=object), "day": pd.Series(cells[::-1], dtype=object)})
    rows = [{"age": age, "day": day} for age, day in zip(cells, cells[::-1], strict=True)]
    assert same_batch(EventBatch.from_pandas(frame, VOCABULARY), EventBatch.from_dicts(rows, VOCABULARY))
    bad = pd.DataFrame({"age": pd.Series([3, b"x", 2**65], dtype=object)})
    with pytest.raises(EventError, match="bytes") as caught:
        EventBatch.from_pandas(bad, VOCABULARY)
    assert (caught.value.row, caught.value.attribute) == (1, "age")
    batch = EventBatch.from_pandas(bad, VOCABULARY, on_error="reject")
    assert batch.num_events == 1 and [reject.id for reject in batch.rejects] == [1, 2]


def test_dates_among_timestamps_of_a_frame_stay_what_they_are() -> None:
    cells = [date(2023, 1, 1), datetime(2024, 1, 1)]
    frame = pd.DataFrame({"day": pd.Series(cells, dtype=object)})
    rows = [{"day": cell} for cell in cells]
    assert same_batch(EventBatch.from_pandas(frame, VOCABULARY), EventBatch.from_dicts(rows, VOCABULARY))


def test_a_long_list_is_sorted_and_distinct() -> None:
    vocabulary = build_vocabulary([In("n", tuple(range(1000))), Between("n", 10, 20)])
    numbers = [*range(999, -1, -1), *range(0, 1000, 3)]
    batch = EventBatch.from_dicts([{"n": numbers}], vocabulary)
    assert batch.keys.tolist() == list(range(1001))
    assert batch.cells.tolist() == [0, 1, 2, 3, 4]
    assert same_batch(EventBatch.from_arrow(pa.table({"n": [numbers]}), vocabulary), batch)


def test_a_path_with_very_many_steps_is_cheap() -> None:
    batch = EventBatch.from_dicts([{"page": "Sports/NFL" + "/x" * 500_000}], VOCABULARY)
    assert keys(batch) == {"page exists", "page under 'Sports/NFL'"}


def test_weights_of_attributes_and_of_values() -> None:
    events = [{"age": 20, "state": ["CA", "NY"], "page": ["Sports/NFL/a", "Sports/NFL/b"], "user": {"vip": True}}]
    weights = {"age": 0.5, "state": {"NY": 3}, "page": {"Sports/NFL/a": 2, "Sports/NFL/b": 4}, "user.vip": 0}
    batch = EventBatch.from_dicts(events, VOCABULARY, weights=weights)
    described = {VOCABULARY.describe_key(key): weight for key, weight in event_keys(batch, 0).items()}
    assert described == {
        "age exists": 0.5,
        "state exists": 1.0,
        "state = 'CA'": 1.0,
        "state = 'NY'": 3.0,
        "page exists": 1.0,
        "page under 'Sports/NFL'": 4.0,
        "user.vip exists": 0.0,
        "user.vip = true": 0.0,
    }
    assert list(event_cells(batch, 0).values()) == [0.5]


def test_a_column_of_weights() -> None:
    rows = [{"age": 3, "state": ["CA", "NY"]}, {"age": 20, "state": ["CA"]}, {"age": 3}]
    weights: list[Any] = [{"age": 0.5, "other": 7.0}, None, {"state": 2.0, "age": 0.25}]
    expected = EventBatch.from_dicts(rows, VOCABULARY, weights=weights)
    table = pa.Table.from_pylist(rows)
    maps = pa.array([list((given or {}).items()) for given in weights], pa.map_(pa.string(), pa.float64()))
    for column in (maps, pa.array(weights)):
        weighted = table.append_column("w", column)
        assert same_batch(EventBatch.from_arrow(weighted, VOCABULARY, weights_column="w"), expected)
    frame = pd.DataFrame(rows).assign(w=weights)
    assert same_batch(EventBatch.from_pandas(frame, VOCABULARY, weights_column="w"), expected)
    lines = "\n".join(json.dumps({**row, "w": given}) for row, given in zip(rows, weights, strict=True))
    assert same_batch(EventBatch.from_json_lines(lines, VOCABULARY, weights_field="w"), expected)


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, 1e9 + 1, "much", "2", True, np.True_, None])
def test_weights_are_numbers_from_0_to_a_billion(weight: Any) -> None:
    for weights in ({"age": weight}, {"age": {3: weight}}):
        with pytest.raises(EventError, match="a weight is a number from 0 to"):
            EventBatch.from_dicts([{"age": 3}], VOCABULARY, weights=weights)
    if isinstance(weight, float):
        maps = pa.array([[], [("age", weight)]], pa.map_(pa.string(), pa.float64()))
        with pytest.raises(EventError, match="a weight is a number from 0 to") as caught:
            EventBatch.from_arrow(pa.table({"age": [1, 2], "w": maps}), VOCABULARY, weights_column="w")
        assert caught.value.row == 1
        table = pa.table({"age": [1, 2], "w": maps})
        batch = EventBatch.from_arrow(table, VOCABULARY, weights_column="w", on_error="reject")
        assert (batch.num_events, [reject.id for reject in batch.rejects]) == (1, [1])

        frame = pd.DataFrame({"age": [1, 2], "w": [None, {"age": weight}]})
        if not math.isnan(weight):  # nothing, in a frame
            with pytest.raises(EventError, match="a weight is a number from 0 to"):
                EventBatch.from_pandas(frame, VOCABULARY, weights_column="w")


@pytest.mark.parametrize("weight", [True, np.True_, "2", [2], -1, 10**400])
def test_columns_of_weights_hold_numbers(weight: Any) -> None:
    """What Arrow would make a number of, and what it would not take at all, in a frame beside good weights."""
    frame = pd.DataFrame({"age": [1, 2, 3], "w": [{"age": 1.5}, {"age": weight}, None]})
    with pytest.raises(EventError, match="event 1, attribute 'w': a weight is a number from 0 to 1,000,000,000, not"):
        EventBatch.from_pandas(frame, VOCABULARY, weights_column="w")
    batch = EventBatch.from_pandas(frame, VOCABULARY, weights_column="w", on_error="reject")
    assert (batch.num_events, [reject.id for reject in batch.rejects]) == (2, [1])


@pytest.mark.parametrize("cells", [[7, {}], ["age", {}], [[("age",)], {}]])
def test_columns_of_weights_hold_mappings(cells: list[Any]) -> None:
    with pytest.raises(EventError, match="event 0, attribute 'w': weights are a mapping"):
        EventBatch.from_pandas(pd.DataFrame({"age": [1, 2], "w": cells}), VOCABULARY, weights_column="w")


@pytest.mark.parametrize(
    ("kind", "weight", "expected"),
    [
        (pa.decimal128(10, 2), Decimal("2.5"), 2.5),
        (pa.float16(), np.float16(2.5), 2.5),
        (pa.uint64(), 2, 2.0),
        (pa.null(), None, 1.0),
        (pa.bool_(), True, "weights are numbers, not bool"),
        (pa.string(), "2", "weights are numbers, not string"),
        (pa.int64(), 2**60, "a weight is a number from 0 to"),
        (pa.uint64(), 2**63, "a weight is a number from 0 to"),
    ],
)
def test_types_of_columns_of_weights(kind: Any, weight: Any, expected: float | str) -> None:
    maps = pa.array([[("age", weight)]], pa.map_(pa.string(), kind))
    for column in (maps, pa.array([{"age": weight}], pa.struct([("age", kind)]))):
        table = pa.table({"age": [3], "w": column})
        if isinstance(expected, str):
            with pytest.raises(EventError, match=expected):
                EventBatch.from_arrow(table, VOCABULARY, weights_column="w")
        else:
            read = EventBatch.from_arrow(table, VOCABULARY, weights_column="w")
            assert same_batch(read, EventBatch.from_dicts([{"age": 3}], VOCABULARY, weights={"age": expected}))


def test_as_many_weights_as_events() -> None:
    for wrong in (5, "age"):
        with pytest.raises(InputError, match="weights"):
            EventBatch.from_dicts([{}], VOCABULARY, weights=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="1 weights for 2 events"):
        EventBatch.from_dicts([{}, {}], VOCABULARY, weights=[{}])
    with pytest.raises(InputError, match="no column 'w'"):
        EventBatch.from_arrow(pa.table({"age": [1]}), VOCABULARY, weights_column="w")


def test_bad_events_are_told_apart_from_the_good_beside_them() -> None:
    events: list[Any] = [{"age": 3}, {"age": b"x"}, 7, {"age": 2**70}, {"age": [[1]]}, {1: 2}, {"age": 20}]
    with pytest.raises(EventError) as caught:
        EventBatch.from_dicts(events, VOCABULARY)
    assert (caught.value.row, caught.value.attribute) == (1, "age")
    batch = EventBatch.from_dicts(events, VOCABULARY, on_error="reject")
    assert [reject.id for reject in batch.rejects] == [1, 2, 3, 4, 5]
    assert batch.rejects[0].text == "{'age': b'x'}"
    assert same_batch(batch, EventBatch.from_dicts([events[0], events[-1]], VOCABULARY))
    with pytest.raises(InputError, match="'ignore' is not a way"):
        EventBatch.from_dicts(events, VOCABULARY, on_error="ignore")  # type: ignore[arg-type]


def test_what_was_rejected_stays_beside_the_batch_that_kernels_match() -> None:
    index = eligo.build({"young": "age < 30"})
    for times in (1, 50):  # one by one, and in blocks
        events = [{"age": 20}, {"age": b"x"}, {"age": 40}] * times
        batch = EventBatch.from_dicts(events, index.vocabulary, on_error="reject")
        assert [reject.id for reject in batch.rejects] == list(range(1, 3 * times, 3))
        matches = index.match_batch(batch)
        assert [matches.ids(event) for event in range(2 * times)] == [["young"], []] * times
    assert EventBatch.from_dicts([{"age": 20}], index.vocabulary).rejects == ()


def test_arrays_come_back_the_same_and_read_only() -> None:
    batch = EventBatch.from_dicts([{"age": 20, "state": "CA"}], VOCABULARY, weights={"age": 2})
    again = EventBatch.from_arrays({name: array.copy() for name, array in batch.arrays().items()})
    assert same_batch(batch, again)
    assert all(not array.flags.writeable for array in (*batch.arrays().values(), *again.arrays().values()))
    kinds = ("u8", "u4", "f8", "u8", "u4", "u4", "f8")
    assert [array.dtype for array in batch.arrays().values()] == [np.dtype(kind) for kind in kinds]
