"""How is a library in Python asked? As in the other languages: built from a file, compared, warmed up, then timed."""

from __future__ import annotations

import gc
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from platform import python_version
from time import perf_counter, perf_counter_ns
from typing import Any

from benchmarks.neighbours import exchange

Event = dict[str, Any]


class Neighbour(ABC):
    """A library with an index of conjunctions."""

    @abstractmethod
    def build(self, directory: Path) -> None:
        """Read the conjunctions and make of them whatever is asked later."""

    @abstractmethod
    def ask(self, events: Sequence[Event]) -> list[list[int]]:
        """For each event the ids of the conjunctions that it satisfies; this is what is timed."""


def run(neighbour: Neighbour, arguments: Sequence[str]) -> None:
    """The harness: see `process` for the talk. A fourth argument is the number of events in a call."""
    directory, warm_s, most_s = Path(arguments[0]), float(arguments[1]), float(arguments[2])
    events_a_call = int(arguments[3]) if len(arguments) > 3 else 1
    gc.collect()
    before, started = resident_bytes(), perf_counter()
    neighbour.build(directory)
    build_s = perf_counter() - started
    gc.collect()
    grown = resident_bytes() - before
    say({"build_s": build_s, "bytes": grown, "kind": "resident", "runtime": f"Python {python_version()}"})
    exchange.write_answers(directory, neighbour.ask(exchange.read_events(directory / exchange.CHECKED)))
    say({"answered": True})
    if not sys.stdin.readline():
        return
    warm = calls(exchange.read_events(directory / exchange.WARM), events_a_call)
    asked = calls(exchange.read_events(directory / exchange.ASKED), events_a_call)
    end = perf_counter() + 1.5 * warm_s
    for events in cycle(warm):
        neighbour.ask(events)
        if perf_counter() > end:
            break
    say(timed(neighbour, asked, most_s))


def timed(neighbour: Neighbour, asked: Sequence[Sequence[Event]], most_s: float) -> dict[str, Any]:
    """The nanoseconds of each call, until all are done or the time is up."""
    times: list[int] = []
    matches, first = 0, perf_counter()
    gc.collect()
    gc.freeze()
    for events in asked:
        asking = perf_counter_ns()
        found = neighbour.ask(events)
        times.append(perf_counter_ns() - asking)
        matches += sum(map(len, found))
        if perf_counter() - first > most_s:
            break
    return {"times_ns": times, "matches": matches}


def calls(events: list[Event], events_a_call: int) -> list[list[Event]]:
    """The events call by call; those that do not fill a call are left out unless there is no other."""
    cut = [events[first : first + events_a_call] for first in range(0, len(events), events_a_call)]
    return [call for call in cut if len(call) == events_a_call] or cut


def resident_bytes(process: int | str = "self") -> int:
    """What a process holds in memory."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def say(line: dict[str, Any]) -> None:
    """A line to whoever runs the harness."""
    print(json.dumps(line), flush=True)
