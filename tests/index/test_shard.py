from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.index.index import Index
from eligo.index.live.live_part import LivePart
from eligo.index.part import Part
from eligo.index.settings import Settings
from eligo.index.shard import Shard, shard_from_arrays

ROWS = {number: f"a = {number % 3} and b > {number % 5}" for number in range(30)}
EVENTS = [{"a": 1, "b": 3}, {"a": [0, 2], "b": 9}, {}, {"a": 2, "b": 0}]


@pytest.mark.parametrize("engine", ["a_tree", "scan"])
@pytest.mark.parametrize("kind", [int, str])
def test_a_shard_comes_back_from_its_arrays(engine: str, kind: Any) -> None:
    part = eligo.build({kind(id): text for id, text in ROWS.items()}, engine=engine).parts[0]
    arrays = part.shards[0].arrays()
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
    shard = shard_from_arrays(arrays, part.vocabulary, engine)
    assert shard.ids.equals(part.ids) and shard.texts.equals(part.texts)
    events = EventBatch.from_dicts(EVENTS, part.vocabulary)
    assert shard.engine.match_batch(events).positions.tolist() == part.match_batch(events).positions.tolist()


def sharded(engine: str, num_shards: int) -> Index:
    """The rows in several shards over one vocabulary: each has all of them, and those of others as dead copies."""
    shards = []
    vocabulary = eligo.build(ROWS, engine=engine).vocabulary
    for number in range(num_shards):
        own = {id: text for id, text in ROWS.items() if id * num_shards // len(ROWS) == number}
        part = eligo.build({**own, **{-id - 1: text for id, text in ROWS.items()}}, engine=engine).parts[0]
        whole = part.shards[0]
        assert part.vocabulary.attribute_names == vocabulary.attribute_names
        shards.append(Shard(whole.ids, whole.texts, whole.engine))
    assert all(np.array_equal(a, b) for a, b in zip(part.vocabulary.data, vocabulary.data, strict=True))
    live = LivePart(Part(vocabulary, shards))
    position = 0
    for shard in shards:  # the copies that only fill the vocabulary
        for id in shard.ids.to_pylist():
            if id < 0:
                live.kill(position, 0)
            position += 1
    return Index([live], Settings(engine=engine), merge_at=None)


@pytest.mark.parametrize("engine", ["a_tree", "scan"])
def test_shards_of_one_part_answer_as_one(engine: str) -> None:
    whole, parted = eligo.build(ROWS, engine=engine), sharded(engine, 3)
    assert parted.ids == whole.ids and len(parted) == len(whole)
    one, other = whole.match_batch(EVENTS), parted.match_batch(EVENTS)
    assert one.offsets.tolist() == other.offsets.tolist() and one.positions.tolist() == other.positions.tolist()
    assert whole.count_batch(EVENTS).tolist() == parted.count_batch(EVENTS).tolist()
    assert whole.top_batch(EVENTS, 4).to_arrow().equals(parted.top_batch(EVENTS, 4).to_arrow())
    for event in EVENTS:
        assert whole.match(event) == parted.match(event) and whole.top(event, 3) == parted.top(event, 3)
    for id in (0, 7, 29):
        assert parted.text(id) == ROWS[id]
