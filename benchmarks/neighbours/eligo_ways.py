"""How can Eligo be asked, and what does an event take? One by one and in batches, on one thread, with fresh events."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import eligo
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import RefusedError
from benchmarks.neighbours.race import Race, dicts
from eligo import Index, set_threads
from eligo.data.events.encoder.hits import Items
from eligo.language.limits import DEFAULT_LIMITS

Call = Callable[[Any], object]
NUM_FIRST = 300
"""Events that are asked right after the first one, without a warm-up."""
ENGINE_BLOCK = 20_000
"""Events that the engine is given at once, already encoded."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Eligo's threads and Arrow's."""
    arrow_threads = pa.cpu_count()
    pa.set_cpu_count(1)
    set_threads(1)
    try:
        yield
    finally:
        set_threads(None)
        pa.set_cpu_count(arrow_threads)


@dataclass(frozen=True)
class Way:
    """A way to ask."""

    name: str
    title: str
    inside: str
    """What one call is, for the reader."""
    run: Callable[[Race], npt.NDArray[np.float64]]
    """Microseconds an event, for each call."""
    is_single: bool = False
    """Whether a call is one event."""


def in_turn(race: Race, call: Call, warm: Sequence[Any], asked: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Warm up, then the nanoseconds of each call, until all are done or the time is up."""
    times = []
    with one_thread():
        end = perf_counter() + race.plan.warm_s
        for events in cycle(warm):
            call(events)
            if perf_counter() > end:
                break
        gc.collect()
        gc.freeze()
        first = perf_counter()
        for events in asked:
            asking = perf_counter_ns()
            call(events)
            times.append(perf_counter_ns() - asking)
            if perf_counter() - first > race.plan.most_s:
                break
        gc.unfreeze()
    return np.array(times)


def match_dict(race: Race) -> npt.NDArray[np.float64]:
    """The same events that the neighbours get."""
    return in_turn(race, race.index.match, race.warm, race.asked) / 1e3


def first_dicts(race: Race) -> npt.NDArray[np.float64]:
    """An index that was opened just now and has learnt nothing from events, after one."""
    with one_thread():
        index = eligo.open(race.saved())
        index.match(race.warm[0])
        times = []
        for event in race.dicts(min(NUM_FIRST, race.plan.asked)):
            asking = perf_counter_ns()
            index.match(event)
            times.append(perf_counter_ns() - asking)
    return np.array(times) / 1e3


def handle(race: Race) -> npt.NDArray[np.float64]:
    """A handle for this thread."""
    matcher = _handle_of(race.index)
    _demand_same(race, matcher.match, race.checked)
    return in_turn(race, matcher.match, race.warm, race.dicts(race.plan.asked)) / 1e3


def json_bytes(race: Race) -> npt.NDArray[np.float64]:
    """From JSON, without dicts."""
    holders = [holder for holder in (_handle_or_none(race.index), race.index) if hasattr(holder, "match_json")]
    if not holders:
        raise RefusedError("an index has no 'match_json'")
    call: Call = holders[0].match_json
    _demand_same(race, call, _as_json(race.checked))
    return in_turn(race, call, _as_json(race.warm), _as_json(race.dicts(race.plan.asked))) / 1e3


def _handle_or_none(index: Index) -> Any:
    return index.matcher() if hasattr(index, "matcher") else None


def _handle_of(index: Index) -> Any:
    matcher = _handle_or_none(index)
    if matcher is None:
        raise RefusedError("an index has no 'matcher'")
    return matcher


def _as_json(events: Sequence[Any]) -> list[bytes]:
    return [json.dumps(event).encode() for event in events]


def _demand_same(race: Race, call: Any, checked: Sequence[Any]) -> None:
    for event, expected in zip(checked, race.expected, strict=True):
        if not np.array_equal(np.sort(np.array(call(event), np.int64)), expected):
            raise WrongAnswerError(f"two ways to ask Eligo disagree\nevent: {event!r}")


def engine_alone(race: Race) -> npt.NDArray[np.float64]:
    """One by one, encoded before: what `match(dict)` calls when an event is encoded, with scratch that is kept."""
    index = race.index
    matched = index.engine.match_items
    _demand_same(race, lambda items: index.ids_array().take(pa.array(matched(items))), _items(index, race.checked))
    warm, asked = (_items(index, events) for events in (race.warm, race.dicts(race.plan.asked)))
    return in_turn(race, matched, warm, asked) / 1e3


def _items(index: Index, events: Sequence[Any]) -> list[Items]:
    """Of each event what it hits."""
    (part,) = index.parts
    return [part.encoder.looked_up(event, DEFAULT_LIMITS) for event in events]


def engine_blocks(race: Race) -> npt.NDArray[np.float64]:
    """In blocks, encoded before."""
    rows = min(ENGINE_BLOCK, max(race.plan.batches))
    warm, asked = (race.index.encode(events) for events in (race.warm_table, race.table(rows)))
    return in_turn(race, race.index.engine.match_batch, [warm], [asked]) / 1e3 / rows


def _planned(race: Race, rows: int) -> int:
    if rows not in race.plan.batches:
        raise RefusedError("not at this scale")
    return race.plan.batches[rows]


def tables(rows: int) -> Callable[[Race], npt.NDArray[np.float64]]:
    """Batches as Arrow tables, to matches with ids."""

    def run(race: Race) -> npt.NDArray[np.float64]:
        asked = [race.table(rows).combine_chunks() for _ in range(_planned(race, rows))]
        warm = _cut(race.warm_table, rows)
        _demand_batch(race)
        return in_turn(race, _pairs(race.index), warm, asked) / 1e3 / rows

    return run


def lists(rows: int) -> Callable[[Race], npt.NDArray[np.float64]]:
    """Batches as lists of dicts."""

    def run(race: Race) -> npt.NDArray[np.float64]:
        asked = [race.dicts(rows) for _ in range(min(5, _planned(race, rows)))]
        warm = [dicts(events) for events in _cut(race.warm_table, rows)]
        return in_turn(race, _pairs(race.index), warm, asked) / 1e3 / rows

    return run


def json_texts(rows: int) -> Callable[[Race], npt.NDArray[np.float64]]:
    """Batches as lists of JSON texts."""

    def run(race: Race) -> npt.NDArray[np.float64]:
        def matched(texts: Sequence[bytes]) -> pa.Table:
            return race.index.match_json_batch(texts).to_arrow()

        found = race.index.match_json_batch(_as_json(race.checked))
        _demand_rows(race, [found.ids(row) for row in range(len(race.checked))])
        asked = [_as_json(race.dicts(rows)) for _ in range(_planned(race, rows))]
        warm = [_as_json(dicts(events)) for events in _cut(race.warm_table, rows)]
        return in_turn(race, matched, warm, asked) / 1e3 / rows

    return run


def _pairs(index: Index) -> Call:
    """From a batch to a table of its rows and the ids that matched."""
    return lambda events: index.match_batch(events).to_arrow()


def _cut(events: pa.Table, rows: int) -> list[pa.Table]:
    """Tables of so many rows, or one of all if there are fewer."""
    firsts = range(0, max(events.num_rows - rows, 0) + 1, rows)
    return [events.slice(first, rows).combine_chunks() for first in firsts]


def _demand_batch(race: Race) -> None:
    """The checked events in a batch give what they give alone."""
    matches = race.index.match_batch(race.checked_table)
    _demand_rows(race, [matches.ids(row) for row in range(len(race.checked))])


def _demand_rows(race: Race, rows: Sequence[Any]) -> None:
    for event, ids, expected in zip(race.checked, rows, race.expected, strict=True):
        if not np.array_equal(np.sort(ids), expected):
            raise WrongAnswerError(f"an event alone and in a batch differ: {event}")


WAYS = (
    Way("dict", "`match(dict)`", "`dict` to ids", match_dict, is_single=True),
    Way("first_dicts", f"`match(dict)`, the first {NUM_FIRST} events", "no warm-up but one event", first_dicts),
    Way("matcher", "`matcher().match(dict)`", "`dict` to ids", handle, is_single=True),
    Way("json", "`match_json(bytes)`", "JSON text to ids", json_bytes, is_single=True),
    Way("engine", "engine alone, one by one", "bytes of an encoded event to positions, scratch is kept", engine_alone),
    Way("json_1000", "`match_json_batch`, 1,000 texts", "JSON texts to a table of rows and ids", json_texts(1_000)),
    Way("list_1000", "`match_batch`, list of 1,000 dicts", "dicts to a table of rows and ids", lists(1_000)),
    *(
        Way(
            f"arrow_{rows}",
            f"`match_batch`, Arrow table of {rows:,} rows",
            "100 columns to a table of rows and ids",
            tables(rows),
        )
        for rows in (100, 1_000, 20_000, 50_000)
    ),
    Way("blocks", f"engine alone, {ENGINE_BLOCK:,} at once", "encoded events to positions", engine_blocks),
)
