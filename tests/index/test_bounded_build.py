"""Does an index that was built shard by shard, and waits in mapped files, answer as one that was built at once?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import eligo
from eligo.data.expressions import expression_chunks
from eligo.errors import BuildError, DamagedFileError, NormalFormTooLargeError
from eligo.index import build_open
from eligo.index.shard import shard_from_arrays
from eligo.language.limits import Limits
from eligo.storage.spilled import spilled_arrays
from engine_cases import expression_texts, some_events

TEXTS = expression_texts(120, seed=4)
EVENTS = some_events(40, seed=5)
TABLE = pa.table({"id": [f"x{number}" for number in range(120)], "expression": TEXTS})
WIDE = " and ".join(f"(a{number} = 1 or b{number} = 1)" for number in range(12))
"""A text whose disjunctive normal form has 4,096 conjunctions."""


@pytest.fixture
def in_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds take 50 rows at once, and spill whatever they make."""
    monkeypatch.setattr(
        expression_chunks.ExpressionChunks.__init__, "__kwdefaults__", {"rows": 50, "between": lambda: None}
    )
    monkeypatch.setattr(spilled_arrays.spilled, "__kwdefaults__", {"least": 0})


def answers(index: eligo.Index) -> list[Any]:
    batch = index.match_batch(EVENTS)
    return [
        [batch.ids(row) for row in range(len(EVENTS))],
        [index.match(event) for event in EVENTS[:8]],
        index.count_batch(EVENTS).tolist(),
        [index.top(event, 5) for event in EVENTS[:8]],
        index.ids,
        [index.text(id) for id in index.ids],
        index.attribute_names,
    ]


@pytest.mark.parametrize("engine", ["a_tree", "scan", "auto"])
@pytest.mark.parametrize("as_reader", [False, True])
def test_shards_answer_as_one(engine: str, as_reader: bool, request: pytest.FixtureRequest) -> None:
    whole = eligo.build(TABLE, engine=engine)
    request.getfixturevalue("in_shards")
    source = TABLE.to_reader(max_chunksize=7) if as_reader else TABLE
    cut = eligo.build(source, engine=engine, sample=EVENTS[:10])
    assert [len(shard.ids) for shard in cut.parts[0].shards] == [40, 40, 40]
    assert answers(cut) == answers(whole)


@pytest.mark.usefixtures("in_shards")
def test_texts_stay_right_through_changes_merges_and_files(tmp_path: Path) -> None:
    index = eligo.build(TABLE, merge_at=None)
    index.delete("x3")
    index.replace("x70", "z = 1")
    index.insert("new", "y = 2")
    expected = {**dict(zip(TABLE["id"].to_pylist(), TEXTS, strict=True)), "x70": "z = 1", "new": "y = 2"}
    del expected["x3"]
    for _ in range(2):
        assert {id: index.text(id) for id in index.ids} == expected
        assert len(index.inspect().costliest) == 10
        index.merge()
    assert len(index.parts[0].shards) == 3
    index.save(tmp_path / "index")
    opened = eligo.open(tmp_path / "index")
    assert {id: opened.text(id) for id in opened.ids} == expected
    assert answers(opened) == answers(index)


@pytest.mark.usefixtures("in_shards")
def test_all_bad_expressions_are_told_together() -> None:
    texts = [*TEXTS]
    texts[2] = texts[60] = texts[119] = "a ="
    bad = TABLE.set_column(1, "expression", pa.array(texts))
    with pytest.raises(BuildError) as raised:
        eligo.build(bad)
    assert [each.id for each in raised.value.rejects] == ["x2", "x60", "x119"]
    index = eligo.build(bad, on_error="reject")
    assert [each.id for each in index.rejects] == ["x2", "x60", "x119"] and len(index) == 117
    nothing = eligo.build(pa.table({"id": TABLE["id"], "expression": pa.array(["a ="] * 120)}), on_error="reject")
    assert len(nothing) == 0 and nothing.match({"a": 1}) == []


@pytest.mark.usefixtures("in_shards")
def test_expressions_that_an_engine_cannot_take_are_told_together() -> None:
    texts = [f"a = {number}" for number in range(120)]
    texts[1] = texts[100] = WIDE
    wide = TABLE.set_column(1, "expression", pa.array(texts))
    limits = Limits(normal_form=1_000)
    with pytest.raises(NormalFormTooLargeError, match=r"x1.*x100") as raised:
        eligo.build(wide, engine="k_index", limits=limits)
    assert raised.value.rows == (1, 100)
    index = eligo.build(wide, engine="k_index", limits=limits, on_error="reject")
    assert [each.id for each in index.rejects] == ["x1", "x100"] and len(index) == 118
    assert index.match({"a": 7}) == ["x7"]


def test_texts_of_a_file_are_looked_at_when_they_are_asked_for() -> None:
    part = eligo.build({1: "a = 1", 2: "a = 2"}).parts[0]
    arrays = part.shards[0].arrays()
    data = arrays["texts.data"].copy()
    data[random.Random(0).randrange(len(data))] = 0xFF
    shard = shard_from_arrays({**arrays, "texts.data": data}, part.vocabulary, "a_tree")
    with pytest.raises(DamagedFileError, match="texts"):
        _ = shard.texts
    with pytest.raises(DamagedFileError, match="texts"):
        [shard.text_at(position) for position in range(2)]
    beyond = np.array([0, 90, len(data)], np.uint64)
    shard = shard_from_arrays({**arrays, "texts.offsets": beyond}, part.vocabulary, "a_tree")
    for position in range(2):
        with pytest.raises(DamagedFileError, match="texts"):
            shard.text_at(position)
    falling = np.array([0, 9, 10], np.uint64)
    shard = shard_from_arrays({**arrays, "texts.offsets": falling[[0, 2, 2]]}, part.vocabulary, "a_tree")
    assert shard.texts.to_pylist() == ["a = 1a = 2", ""]
    with pytest.raises(DamagedFileError, match="do not span"):
        shard_from_arrays({**arrays, "texts.offsets": falling[:2]}, part.vocabulary, "a_tree")


def test_a_large_build_gives_back_what_it_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[int] = []
    monkeypatch.setattr(build_open, "give_back", lambda: given_back.append(1))
    monkeypatch.setattr(build_open, "MANY", 3)
    eligo.build({1: "a = 1", 2: "b = 2"})
    assert not given_back
    eligo.build({1: "a = 1", 2: "b = 2", 3: "c = 3"})
    assert len(given_back) == 1
