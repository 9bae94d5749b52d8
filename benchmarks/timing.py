"""How is time measured so that a busy machine does not decide? Medians of interleaved rounds, after a warm-up.

Things that are compared take turns in one run, so that whatever slows the machine slows them all. The first call of
each compiles its kernels and fills caches; it is kept apart and never counted.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

Action = Callable[[], object]


@dataclass
class Samples:
    """How long one thing took, in seconds."""

    warm_up: float = 0.0
    """The first call, which is not among the rounds."""
    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.rounds)

    def to_json(self) -> dict[str, Any]:
        return {"median_s": self.median, "rounds_s": self.rounds, "warm_up_s": self.warm_up}


def interleave(things: Mapping[str, Action], num_rounds: int) -> dict[str, Samples]:
    """Each thing once to warm up, then rounds in which each has its turn; for things that are not asked anything."""
    return interleave_fresh(lambda: things, num_rounds)


def interleave_fresh(make: Callable[[], Mapping[str, Action]], num_rounds: int) -> dict[str, Samples]:
    """The same with things that are made anew for every round, such as calls with events that were never asked.

    All things of a round are made before one of them is timed.
    """
    things = make()
    samples = {name: Samples(seconds(action)) for name, action in things.items()}
    with collector_paused():
        for _ in range(num_rounds):
            things = make()
            for name, action in things.items():
                samples[name].rounds.append(seconds(action))
            gc.collect()
    return samples


def seconds(action: Action) -> float:
    """How long one call takes."""
    started = perf_counter()
    result = action()
    elapsed = perf_counter() - started
    del result
    return elapsed


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector out of the measured time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
