"""Arrays that lead out of their memory are refused by name, at any depth; what is sound is read as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.data.sound_arrays import require_sound, require_whole
from eligo.errors import InputError
from eligo.index.events.json_events import read_json_texts

FAR = 1 << 30
FOUND = {1: "s in ('abcde', 'x') or t = 'abcde' or who.name = 'abcde' or facts.x > 3 or n >= 1"}
TEXTS = ["abcde", "fghijkl", None, "mn"]
LISTS = [["abcde", "f"], [], None, ["x", "yy", "zzz"]]
OTHERS = [[1, 2, 3], [4, 5], [6], [7, 8, 9]]
ENTRIES = [[("x", 4), ("yy", 5)], [("x", 7)], [], [("z", 1)]]


def handed_batch(array: pa.Array, old: bytes, new: bytes) -> pa.RecordBatch:
    """The array, as the column `s`, with other bytes in its memory, as a file of Arrow's own gives it: unseen."""
    batch = pa.record_batch({"s": array})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data = sink.getvalue().to_pybytes()
    before, found, after = data.rpartition(old)  # the schema comes before the buffers
    assert found and len(old) == len(new)
    return pa.ipc.open_stream(before + new + after).read_next_batch()


def handed_over(array: pa.Array, old: bytes, new: bytes) -> pa.Array:
    """The array with other bytes in its memory."""
    return handed_batch(array, old, new).column("s")


def numbers(*values: int, wide: bool = False) -> bytes:
    return np.array(values, np.int64 if wide else np.int32).tobytes()


def moved(array: pa.Array, offsets: tuple[int, ...], place: int, value: int, *, wide: bool = False) -> pa.Array:
    """The array with one of its offsets moved."""
    other = [*offsets[:place], value, *offsets[place + 1 :]]
    return handed_over(array, numbers(*offsets, wide=wide), numbers(*other, wide=wide))


def a_view(array: pa.Array) -> pa.Array:
    """Views of strings of which one lies far away."""
    views = array.buffers()[1].to_pybytes()
    return handed_over(array, views, views[:12] + numbers(FAR) + views[16:])


OF_TEXTS, OF_LISTS = (0, 5, 12, 12, 14), (0, 2, 2, 2, 5)


def forged() -> dict[str, tuple[str, pa.Array]]:
    """By what is wrong: the column's name, and four rows of it."""
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["abcde", "fghijkl", "mn"]))
    of_words = pa.array([["abcde", "fghijkl"], ["mn"], [], []], pa.list_(pa.string()))
    people = pa.array([{"name": text} for text in TEXTS])
    maps = pa.array(ENTRIES, pa.map_(pa.string(), pa.int64()))
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 4], pa.int32()), pa.array(["abcde", "x"]))
    views = pa.ListViewArray.from_arrays(
        pa.array([0, 3, 5, 6], pa.int32()), pa.array([3, 2, 1, 2], pa.int32()), pa.array(list("abcdefgh"))
    )
    longs = ["abcdefghijklmnopqrstuvw", "a", None, "b"]
    return {
        "text beyond": ("s", moved(pa.array(TEXTS), OF_TEXTS, 1, FAR)),
        "text before": ("s", moved(pa.array(TEXTS), OF_TEXTS, 1, -FAR)),
        "text backwards": ("s", moved(pa.array(TEXTS), OF_TEXTS, 1, 13)),
        "large text": ("s", moved(pa.array(TEXTS, pa.large_string()), OF_TEXTS, 1, FAR, wide=True)),
        "word": ("s", moved(words, (0, 5, 12, 14), 1, FAR)),
        "view": ("s", a_view(pa.array(longs, pa.string_view()))),
        "run": ("s", handed_over(runs, numbers(1, 4), numbers(FAR, 4))),
        "list": ("t", moved(pa.array(LISTS), OF_LISTS, 1, FAR)),
        "list backwards": ("t", moved(pa.array(LISTS), OF_LISTS, 1, -1)),
        "large list": ("t", moved(pa.array(LISTS, pa.large_list(pa.string())), OF_LISTS, 1, FAR, wide=True)),
        "text in a list": ("t", moved(of_words, (0, 5, 12, 14), 1, FAR)),
        "list view": ("t", handed_over(views, numbers(0, 3, 5, 6), numbers(0, FAR, 5, 6))),
        "list of numbers": ("n", moved(pa.array(OTHERS), (0, 3, 5, 6, 9), 2, FAR)),
        "text in a struct": ("who", moved(people, OF_TEXTS, 1, FAR)),
        "map": ("facts", moved(maps, (0, 2, 3, 3, 4), 1, FAR)),
        "key of a map": ("facts", moved(maps, (0, 1, 3, 4, 5), 1, FAR)),
        "number in a dictionary": (
            "n",
            pa.DictionaryArray.from_arrays(pa.array([0, FAR, 0, 0], pa.int32()), pa.array([1]), safe=False),
        ),
    }


@pytest.fixture(scope="module")
def index() -> eligo.Index:
    return eligo.build(FOUND)


@pytest.mark.parametrize("on_error", ["raise", "reject"])
@pytest.mark.parametrize(("name", "column"), forged().values(), ids=list(forged()))
def test_a_forged_column_is_refused(index: eligo.Index, name: str, column: pa.Array, on_error: Any) -> None:
    with pytest.raises(InputError, match="damaged") as caught:
        EventBatch.from_arrow(pa.table({name: column}), index.vocabulary, on_error=on_error)
    assert "validate" in caught.value.help
    beside = pa.table({"n": [1, 2, 3, 4], "who.name": list("abcd"), **{f"my {name}": column}})
    assert EventBatch.from_arrow(beside, index.vocabulary).num_events == 4, "a column that nobody reads"


@pytest.mark.parametrize("rows", [slice(2, 4), slice(3, 4), slice(0, 0)])
def test_what_a_slice_does_not_show_does_not_matter(index: eligo.Index, rows: slice) -> None:
    column = moved(pa.array(TEXTS), OF_TEXTS, 1, FAR)[rows]
    assert EventBatch.from_arrow(pa.table({"s": column}), index.vocabulary).num_events == len(column)
    require_sound([column], "s")


def test_sound_columns_of_every_layout_are_read(index: eligo.Index) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 4], pa.int32()), pa.array(["abcde", "x"]))
    table = pa.table(
        {
            "s": runs,
            "t": pa.array(LISTS, pa.list_view(pa.string_view())),
            "who": [{"name": text} for text in TEXTS],
            "facts": pa.array(ENTRIES, pa.map_(pa.string(), pa.int64())),
            "n": pa.array(OTHERS, pa.large_list(pa.int8())),
        }
    )
    batches = [EventBatch.from_arrow(table.slice(row), index.vocabulary) for row in range(4)]
    assert [batch.num_events for batch in batches] == [4, 3, 2, 1]
    for name in table.column_names:
        require_sound(table[name].chunks, name)


def test_a_rejected_row_is_shown_without_a_damaged_column(index: eligo.Index) -> None:
    other = moved(pa.array(TEXTS), OF_TEXTS, 1, FAR)
    table = pa.table({"n": pa.array([1, 2**63, 1, 1], pa.uint64()), "note": other})
    batch = EventBatch.from_arrow(table, index.vocabulary, on_error="reject")
    assert [reject.id for reject in batch.rejects] == [1]
    assert "a damaged string" in batch.rejects[0].text


def test_forged_weights_are_refused(index: eligo.Index) -> None:
    weights = pa.array([[("s", 2.0), ("n", 1.0)], [("n", 2.0)], [], []], pa.map_(pa.string(), pa.float64()))
    table = pa.table({"s": TEXTS, "w": moved(weights, (0, 2, 3, 3, 3), 1, FAR)})
    with pytest.raises(InputError, match="column 'w' is damaged"):
        EventBatch.from_arrow(table, index.vocabulary, weights_column="w")


def test_forged_maps_and_json_texts_are_refused(index: eligo.Index) -> None:
    maps = pa.array(ENTRIES, pa.map_(pa.string(), pa.int64()))
    with pytest.raises(InputError, match="damaged"):
        EventBatch.from_map_column(moved(maps, (0, 2, 3, 3, 4), 1, FAR), index.vocabulary)
    texts = moved(pa.array(['{"n": 1}', '{"n": 20}', "{}", "{}"]), (0, 8, 17, 19, 21), 1, FAR)
    with pytest.raises(InputError, match="damaged"):
        read_json_texts(pa.table({"_eligo_json": texts}), index.vocabulary, None, None, {})


@pytest.mark.parametrize("name", ["id", "expression"])
def test_forged_expressions_are_refused(name: str) -> None:
    columns = {"id": pa.array(["abcde", "fghijkl", "", "mn"]), "expression": pa.array(["a = 1"] * 4)}
    offsets = OF_TEXTS if name == "id" else (0, 5, 10, 15, 20)
    columns[name] = moved(columns[name], offsets, 1, FAR)
    with pytest.raises(InputError, match=f"column '{name}' is damaged"):
        eligo.build(pa.table(columns))


@pytest.mark.parametrize("offsets", [(-FAR, *OF_TEXTS[1:]), (*OF_TEXTS[:-1], FAR)], ids=["start", "end"])
def test_a_batch_that_is_shorter_than_it_says_is_refused(index: eligo.Index, offsets: tuple[int, ...]) -> None:
    batch = handed_batch(pa.array(TEXTS), numbers(*OF_TEXTS), numbers(*offsets))
    with pytest.raises(InputError, match="the table is damaged"):
        require_whole(batch)
    for table in (batch, pa.Table.from_batches([batch])):
        with pytest.raises(InputError, match="damaged"):
            EventBatch.from_arrow(table, index.vocabulary)
