"""A batch goes the way that took least, and every way gets its turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.events.event_batch import EventBatch
from eligo.engines.a_tree.ways import FEW_EVENTS, FORGOTTEN, TRIED_AGAIN, Way, Ways, size_class
from eligo.engines.protocol import MatchArrays


def batch(num_events: int) -> EventBatch:
    """Events without a value."""
    offsets, nothing = np.zeros(num_events + 1, np.uint64), np.zeros(0, np.uint32)
    return EventBatch.of_unweighted(offsets, nothing, offsets, nothing, nothing)


class Machine:
    """Ways that take as long as they are told, on a clock of their own."""

    def __init__(self, seconds: dict[Way, float], matches_per_event: int = 1) -> None:
        self.now = 0.0
        self.seconds = seconds
        self.refused: set[Way] = set()
        self.gone: list[Way] = []
        self.num_events = 0
        self.matches_per_event = matches_per_event
        names: tuple[Way, ...] = ("one_by_one", "sparse", "masks")
        self.ways = Ways({name: self.way(name) for name in names}, clock=lambda: self.now)

    def way(self, name: Way) -> Any:
        def match(events: EventBatch) -> MatchArrays | None:
            self.gone.append(name)
            if name in self.refused:
                return None
            self.now += self.seconds[name] * events.num_events
            offsets = np.arange(events.num_events + 1, dtype=np.uint64) * np.uint64(self.matches_per_event)
            self.num_events += events.num_events
            return MatchArrays(offsets, np.zeros(int(offsets[-1]), np.uint32))

        return match

    def run(self, num_events: int, times: int) -> list[Way]:
        self.gone.clear()
        for _ in range(times):
            self.ways.match(batch(num_events))
        return list(self.gone)


def test_few_events_go_one_by_one() -> None:
    machine = Machine({"one_by_one": 9.0, "sparse": 1.0, "masks": 1.0})
    assert machine.run(FEW_EVENTS, 5) == ["one_by_one"] * 5


def test_small_batches_go_the_quicker_way_of_two() -> None:
    for seconds, quicker in (((1.0, 2.0), "one_by_one"), ((2.0, 1.0), "sparse")):
        machine = Machine({"one_by_one": seconds[0], "sparse": seconds[1], "masks": 0.1})
        assert "masks" not in machine.run(100, 10)
        assert machine.run(100, 20) == [quicker] * 20


def test_the_first_time_tells_nothing() -> None:
    machine = Machine({"one_by_one": 5.0, "sparse": 100.0, "masks": 100.0})
    assert machine.run(100, 1) == ["sparse"]  # compiles, say
    machine.seconds["sparse"] = 1.0
    machine.run(100, 4)
    assert machine.run(100, 10) == ["sparse"] * 10


def test_masks_are_tried_where_much_matches() -> None:
    machine = Machine({"one_by_one": 9.0, "sparse": 2.0, "masks": 1.0}, matches_per_event=5_000)
    machine.run(2_000, 8)
    assert machine.run(2_000, 10) == ["masks"] * 10


def test_where_a_way_refuses_masks_answer() -> None:
    machine = Machine({"one_by_one": 9.0, "sparse": 2.0, "masks": 1.0}, matches_per_event=5_000)
    machine.refused = {"sparse"}
    assert machine.run(100, 1) == ["sparse", "masks"]
    assert machine.run(3_000, 1)[-1] == "masks"
    machine.run(2_000, 4)
    assert machine.run(2_000, 3) == ["masks"] * 3


def test_a_long_batch_tries_unknown_ways_with_some_of_its_events() -> None:
    machine = Machine({"one_by_one": 20.0, "sparse": 30.0, "masks": 1.0}, matches_per_event=5_000)
    found = machine.ways.match(batch(5_000))
    assert machine.gone == ["sparse", "sparse", "one_by_one", "one_by_one", "masks", "masks", "masks"]
    assert machine.num_events == 5_000 and len(found.offsets) == 5_001 and found.offsets[-1] == 5_000 * 5_000
    assert machine.now < 20.0 * 5_000 / 5
    assert machine.run(5_000, 5) == ["masks"] * 5


def test_a_slower_way_is_tried_again_unless_by_far() -> None:
    machine = Machine({"one_by_one": 2.0, "sparse": 1.0, "masks": 1.0})
    machine.run(100, 5)
    assert machine.run(100, 2 * TRIED_AGAIN).count("one_by_one") == 2
    machine = Machine({"one_by_one": 20.0, "sparse": 1.0, "masks": 1.0})
    machine.run(100, 5)
    assert machine.run(100, 2 * TRIED_AGAIN).count("one_by_one") == 0


def test_sizes_are_of_classes() -> None:
    assert [size_class(number) for number in (5, 17, 100, 1_000, 20_000)] == [1, 2, 3, 5, 7]


def test_costs_are_forgotten_while_other_threads_note_some() -> None:
    machine = Machine({"one_by_one": 2.0, "sparse": 1.0, "masks": 1.0})
    machine.run(100, 1)
    costs = machine.ways._costs

    class Other(int):
        """The size of batches of another thread, which goes on while sizes are compared."""

        __hash__ = int.__hash__

        def __ne__(self, size: object) -> bool:
            costs[len(costs) + 100, "sparse"] = [1.0]
            return True

    costs[Other(99), "sparse"] = [1.0]
    assert len(machine.run(100, FORGOTTEN - 1)) == FORGOTTEN - 1
    assert len(costs) > 3
