"""What does no index cost? A loop over all conjunctions, each a tuple of functions, up to the first that fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.neighbours import exchange
from benchmarks.neighbours.python_harness import Event, Neighbour, run

Predicate = Callable[[Event], bool]


def predicate(name: str, values: Sequence[str]) -> Predicate:
    """The function of a predicate."""
    if name[0] == "r":
        low, high = map(int, values)
        return lambda event: low <= event.get(name, -1) <= high
    if name[0] == "s":
        value = values[0]
        return lambda event: event.get(name) == value
    listed = frozenset(values)
    return lambda event: name in event and not listed.isdisjoint(event[name])


class PythonLoop(Neighbour):
    """Every conjunction is asked for every event."""

    def __init__(self) -> None:
        self.conjunctions: list[tuple[Predicate, ...]] = []

    def build(self, directory: Path) -> None:
        with (directory / exchange.EXPRESSIONS).open() as lines:
            for line in lines:
                self.conjunctions.append(tuple(predicate(name, values) for name, *values in exchange.fields(line)))

    def ask(self, events: Sequence[Event]) -> list[list[int]]:
        return [self._ask(event) for event in events]

    def _ask(self, event: Event) -> list[int]:
        found = []
        for id, predicates in enumerate(self.conjunctions):
            for is_true in predicates:
                if not is_true(event):
                    break
            else:
                found.append(id)
        return found


if __name__ == "__main__":
    run(PythonLoop(), sys.argv[1:])
