"""A batch goes the way that took least, and every way gets its turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.engines.a_tree.ways import FEW_EVENTS, TRIED_AGAIN, Way, Ways, size_class
from eligo.engines.protocol import MatchArrays


class Batch:
    """All that a way needs to know of one here."""

    def __init__(self, num_events: int) -> None:
        self.num_events = num_events


class Machine:
    """Ways that take as long as they are told, on a clock of their own."""

    def __init__(self, seconds: dict[Way, float], matches_per_event: int = 1) -> None:
        self.now = 0.0
        self.seconds = seconds
        self.refused: set[Way] = set()
        self.gone: list[Way] = []
        self.matches_per_event = matches_per_event
        names: tuple[Way, ...] = ("one_by_one", "sparse", "masks")
        self.ways = Ways({name: self.way(name) for name in names}, clock=lambda: self.now)

    def way(self, name: Way) -> Any:
        def match(events: Batch) -> MatchArrays | None:
            self.gone.append(name)
            if name in self.refused:
                return None
            self.now += self.seconds[name] * events.num_events
            positions = np.zeros(self.matches_per_event * events.num_events, np.uint32)
            return MatchArrays(np.zeros(events.num_events + 1, np.uint64), positions)

        return match

    def run(self, num_events: int, times: int) -> list[Way]:
        self.gone.clear()
        for _ in range(times):
            self.ways.match(Batch(num_events))  # type: ignore[arg-type]
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
    assert machine.run(2_000, 1) == ["sparse", "masks"]
    machine.run(2_000, 4)
    assert machine.run(2_000, 3) == ["masks"] * 3


def test_a_slower_way_is_tried_again_unless_by_far() -> None:
    machine = Machine({"one_by_one": 2.0, "sparse": 1.0, "masks": 1.0})
    machine.run(100, 5)
    assert machine.run(100, 2 * TRIED_AGAIN).count("one_by_one") == 2
    machine = Machine({"one_by_one": 20.0, "sparse": 1.0, "masks": 1.0})
    machine.run(100, 5)
    assert machine.run(100, 2 * TRIED_AGAIN).count("one_by_one") == 0


def test_sizes_are_of_classes() -> None:
    assert [size_class(number) for number in (5, 17, 100, 1_000, 20_000)] == [1, 2, 3, 5, 7]
