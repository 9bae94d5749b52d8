"""Do threads find what one thread finds, whatever parts a batch has?"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines import parted_engine, registry
from eligo.engines.parted_engine import FEWEST_EVENTS, MOST_EVENTS, PartedEngine, events_between, part_bounds
from engine_cases import engine_of

PARTED = [name for name in registry.names() if issubclass(registry.get(name), PartedEngine)]
TEXTS = ["a = 1 and (b = 2 or c < 3)", "a = 2 or not b = 1", "c between 2 and 4 and a in (1, 3)", "true", "b = 7"]


@pytest.fixture(autouse=True)
def as_many_threads_as_before() -> Iterator[None]:
    yield
    eligo.set_threads(None)


def some_events(count: int) -> list[dict[str, int]]:
    chance = random.Random(count)
    return [{name: chance.randrange(6) for name in "abc" if chance.random() < 0.8} for _ in range(count)]


def test_which_engines_share_their_batches_out() -> None:
    assert set(registry.names()) - set(PARTED) == {"a_tree"}, "which has blocks of its own"


@pytest.mark.parametrize("name", PARTED)
@pytest.mark.parametrize("count", [0, 1, FEWEST_EVENTS, 5 * FEWEST_EVENTS + 1, 3 * MOST_EVENTS + 5])
def test_threads_find_what_one_thread_finds(name: str, count: int) -> None:
    engine = engine_of(registry.get(name), *TEXTS)
    batch = EventBatch.from_dicts(some_events(count), engine.vocabulary)
    eligo.set_threads(1)
    alone = engine.match_batch(batch)
    eligo.set_threads(3)
    together = engine.match_batch(batch)
    assert together.offsets.tolist() == alone.offsets.tolist()
    assert together.positions.tolist() == alone.positions.tolist()
    expected = np.bincount(alone.positions, minlength=len(TEXTS)).tolist()
    assert engine.count_batch(batch).tolist() == expected
    eligo.set_threads(1)
    assert engine.count_batch(batch).tolist() == expected


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("most", [None, 40])
@pytest.mark.parametrize("count", [0, 1, 16, 17, 100, 3_000])
def test_parts_are_one_after_another(threads: int, most: int | None, count: int) -> None:
    eligo.set_threads(threads)
    bounds = part_bounds(count, most)
    assert (bounds[0], bounds[-1]) == (0, count)
    sizes = np.diff(bounds)
    assert count == 0 or sizes.min() > 0
    assert most is None or sizes.max() <= max(most, FEWEST_EVENTS)
    assert threads == 1 or sizes.max() <= MOST_EVENTS
    assert len(sizes) == 1 or threads > 1 or most is not None


def test_one_event_starts_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_of(registry.get("bop"), *TEXTS)
    monkeypatch.setattr(parted_engine, "share_out", lambda *about: pytest.fail("shared out"))
    batch = EventBatch.from_dicts([{"a": 2}], engine.vocabulary)
    assert engine.match(batch).tolist() == [1, 3]


def test_events_between_others_have_their_weights() -> None:
    engine = engine_of(registry.get("bop"), *TEXTS)
    batch = EventBatch.from_dicts(some_events(9), engine.vocabulary)
    assert events_between(batch, 0, 9) is batch
    part = events_between(batch, 3, 5)
    again = EventBatch.from_dicts(some_events(9)[3:5], engine.vocabulary)
    assert all(np.array_equal(one, other) for one, other in zip(part, again, strict=True))
