from __future__ import annotations

import numpy as np
import numpy.typing as npt

import eligo
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.event_counts import EventCounts
from eligo.engines.a_tree.kernels.frozen_scratch import NUM_ENTRIES, NUM_EVENTS, NUM_TOUCHED, NUM_WAITING


def no_counts() -> npt.NDArray[np.int64]:
    return np.zeros(NUM_WAITING + 1, np.int64)


class Scratch:
    """Anything that can be gone."""


def test_what_was_counted_stays_when_scratch_is_gone() -> None:
    event_counts, first, second = EventCounts(), Scratch(), Scratch()
    for number, scratch in enumerate((first, second), 1):
        event_counts.lend(scratch, no_counts())[[NUM_ENTRIES, NUM_EVENTS]] += (10 * number, number)
    del first, scratch
    assert event_counts.total()[[NUM_ENTRIES, NUM_EVENTS]].tolist() == [30, 3]
    del second
    for number in range(1, 51):
        counts = event_counts.lend(Scratch(), no_counts())
        counts[NUM_EVENTS] += 1
        assert event_counts.total()[[NUM_ENTRIES, NUM_EVENTS]].tolist() == [30, 3 + number]
    assert len(event_counts._all) == 2


def test_scratch_begins_with_no_event() -> None:
    event_counts, scratch = EventCounts(), Scratch()
    counts = event_counts.lend(scratch, no_counts())
    counts[[NUM_TOUCHED, NUM_WAITING]] = 5  # as after an interrupt in the middle of an event
    del scratch
    assert event_counts.lend(event_counts, no_counts()) is counts
    assert counts[[NUM_TOUCHED, NUM_WAITING]].tolist() == [0, 0]


def test_matchers_leave_no_counts_behind_when_they_are_gone() -> None:
    index = eligo.build({number: f"a > {number}" for number in range(9)}, engine="a_tree")
    assert isinstance(index.engine, ATree)
    before = index.engine.stats().details["events"]
    for _ in range(50):
        matcher = index.matcher()
        assert matcher.match({"a": 4}) == matcher.match_json('{"a": 4}') == [0, 1, 2, 3]
        del matcher
    assert len(index.engine._event_counts._all) <= 4
    assert index.engine.stats().details["events"] == before + 100
