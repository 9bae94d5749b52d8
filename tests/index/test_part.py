"""Do the shards of a part answer as one? Positions count through them, and the best are the best of all."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from eligo.data.events.decided_keys import rows_between
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.merge_vocabulary import merge_vocabularies, renumbered
from eligo.engines.scan.engine import Scan
from eligo.errors import InputError
from eligo.index.part import Part, concatenated, encoded_events
from eligo.index.shard import Shard
from engine_cases import encoded, expression_texts, some_events

TEXTS = expression_texts(90, seed=1)
EVENTS = some_events(30, seed=2)
BORDERS = (0, 20, 20, 55, 90)
"""Where the shards begin and end; one has nothing."""


def part_of(borders: tuple[int, ...]) -> Part:
    own = [encoded(*TEXTS[first:end]) for first, end in pairwise(borders)]
    vocabulary = merge_vocabularies([each for each, _ in own])
    shards = []
    for (first, end), (part, table) in zip(pairwise(borders), own, strict=True):
        engine = Scan.build(renumbered(table, part, vocabulary), vocabulary)
        shards.append(Shard(pa.array(range(first, end), pa.int64()), pa.array(TEXTS[first:end]), engine))
    return Part(vocabulary, shards)


@pytest.fixture(scope="module")
def whole() -> Part:
    return part_of((0, 90))


@pytest.fixture(scope="module")
def cut() -> Part:
    return part_of(BORDERS)


def test_positions_count_through_the_shards(whole: Part, cut: Part) -> None:
    assert cut.num_expressions == 90 and cut.ids.to_pylist() == list(range(90)) and cut.texts.to_pylist() == TEXTS
    one, several = (part.match_batch(EventBatch.from_dicts(EVENTS, part.vocabulary)) for part in (whole, cut))
    assert len(one.positions) > 300
    assert several.offsets.tolist() == one.offsets.tolist()
    assert several.positions.tolist() == one.positions.tolist()
    for row, event in enumerate(EVENTS[:5]):
        alone = EventBatch.from_dicts([event], cut.vocabulary)
        expected = one.positions[int(one.offsets[row]) : int(one.offsets[row + 1])].tolist()
        assert cut.match(alone).tolist() == expected
        assert cut.ids_at(cut.match(alone)) == expected
    counts = cut.count_batch(EventBatch.from_dicts(EVENTS, cut.vocabulary))
    assert counts.tolist() == np.bincount(one.positions, minlength=90).tolist()


@pytest.mark.parametrize("n", [0, 1, 3, 200])
def test_the_best_of_all_shards_are_the_best_of_the_part(whole: Part, cut: Part, n: int) -> None:
    for event in EVENTS[:8]:
        one, several = (part.top(EventBatch.from_dicts([event], part.vocabulary), n) for part in (whole, cut))
        assert several.positions.tolist() == one.positions.tolist()
        assert several.units.tolist() == one.units.tolist()


def test_the_best_are_chosen_among_those_that_are_there(cut: Part) -> None:
    """Also when so many have died that the first answer of a shard has too few."""
    event = EventBatch.from_dicts([EVENTS[0]], cut.vocabulary)
    everything = cut.top(event, 90)
    assert len(everything.positions) > 12
    is_dead = np.zeros(90, np.bool_)
    is_dead[everything.positions[:10]] = True
    found = cut.top(event, 2, lambda positions: ~is_dead[positions])
    assert found.positions.tolist() == everything.positions[10:12].tolist()


def test_an_event_of_a_batch_alone(cut: Part) -> None:
    batch = EventBatch.from_dicts(EVENTS, cut.vocabulary)
    for row, event in enumerate(EVENTS[:5]):
        assert (
            cut.match(rows_between(batch, row, row + 1)).tolist()
            == cut.match(EventBatch.from_dicts([event], cut.vocabulary)).tolist()
        )


def test_events_are_encoded_in_any_form(cut: Part) -> None:
    events = [{"age": 3, "vip": True}, {"age": 5, "vip": False}]
    table = pa.Table.from_pylist(events)
    expected = EventBatch.from_dicts(events, cut.vocabulary)
    for form in (events, table, table.to_batches()[0], table.to_pandas(), expected, lambda vocabulary: expected):
        found = encoded_events(form, cut.vocabulary, schema=None)
        assert found.keys.tolist() == expected.keys.tolist() and found.cells.tolist() == expected.cells.tolist()
    with pytest.raises(InputError, match="gives an EventBatch"):
        encoded_events(lambda vocabulary: 5, cut.vocabulary, schema=None)


def test_an_empty_array_may_have_any_type() -> None:
    assert concatenated([pa.array([], pa.string()), pa.array([1]), pa.array([2, 3])]).to_pylist() == [1, 2, 3]
    assert concatenated([pa.array([], pa.int64())]).type == pa.int64()
    assert len(concatenated([])) == 0
