from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import eligo
from eligo.engines import registry
from eligo.errors import EligoError
from engine_cases import expression_texts, some_events

EVENTS = some_events(40, seed=4)


def ids_of(index: eligo.Index, bitmap: Any) -> list[Any]:
    """As the documentation says that bits are read."""
    flags = np.unpackbits(bitmap.view(np.uint8), count=len(index), bitorder="little").view(np.bool_)
    found: list[Any] = index.ids_array().filter(pa.array(flags)).to_pylist()
    return found


def check(index: eligo.Index, **given: Any) -> None:
    """One event, few and many have the bits of what matches."""
    for events in ([], EVENTS[:3], EVENTS):
        rows = index.match_bitmap_batch(events, **given)
        assert rows.shape == (len(events), -(-len(index) // 64)) and rows.dtype == np.uint64
        for event, row in zip(events, rows, strict=True):
            expected = index.match(event, **given)
            assert ids_of(index, row) == expected
            alone = index.match_bitmap(event, **given)
            assert alone.shape == row.shape and ids_of(index, alone) == expected


@pytest.mark.parametrize("engine", ["a_tree", "scan", "k_index"])
@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_bits_are_those_of_the_matches(engine: str, missing: Any) -> None:
    assert engine in registry.names()
    check(eligo.build(list(enumerate(expression_texts(130, seed=8))), engine=engine, missing=missing))


@pytest.mark.parametrize("num_expressions", [0, 1, 64])
def test_words_are_as_many_as_the_expressions_need(num_expressions: int) -> None:
    check(eligo.build(list(enumerate(expression_texts(num_expressions, seed=8)))))


def test_deleted_expressions_have_no_bit_and_new_ones_have(tmp_path: Path) -> None:
    index = eligo.build([(f"e{number}", text) for number, text in enumerate(expression_texts(150, seed=8))])
    for number in range(0, 150, 7):
        index.delete(f"e{number}")
    check(index)
    for number, text in enumerate(expression_texts(20, seed=9)):
        index.insert(f"new{number}", text)
    index.delete("new3")
    index.replace("e1", "true")
    check(index)
    index.publish(tmp_path / "index")
    opened = eligo.open(tmp_path / "index")
    opened.delete("e2")
    check(opened)
    index.merge()
    check(index)


def test_bits_of_expressions_about_documents() -> None:
    texts = [*expression_texts(70, seed=8), "exists d (d.age = age)", "forall d (d.vip)"]
    documents = [{"age": 3, "vip": True}, {"age": 4, "vip": True}]
    check(eligo.build(list(enumerate(texts))), documents=documents)


def test_a_view_has_the_bits_of_its_moment() -> None:
    index = eligo.build({"a": "x = 1", "b": "x = 2"})
    view = index.view()
    index.delete("a")
    assert view.match_bitmap({"x": 1}).tolist() == [1]
    assert index.match_bitmap({"x": 2}).tolist() == [1]
    assert view.match_bitmap_batch(pa.table({"x": [1, 2], "y": [3, 4]}), exclude=["y"]).tolist() == [[1], [2]]


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(EligoError):
        eligo.build({"a": "x = 1"}).match_bitmap("x")  # type: ignore[arg-type]
