"""Is the default engine quick enough? Single events against a scan, blocks, building, changing, and memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import eligo
from benchmarks.bench import Bench
from benchmarks.correctness import event_dict
from benchmarks.experiment import Bar, Experiment, IndexNeed, Measurement, Outcome
from benchmarks.memory import index_bytes
from benchmarks.timing import collector_paused, interleave
from benchmarks.workloads.catalogue import WORKLOADS
from eligo import EventBatch, Index, set_threads
from eligo.engines.threads import num_threads

ENGINE = "a_tree"
CONJUNCTIONS = IndexNeed("conjunctions", ENGINE)
SCANNED = IndexNeed("conjunctions", "scan")
ADS = IndexNeed("ads_like", ENGINE)

SIZES = (10_000, 100_000, None)
"""Numbers of conjunctions at which latency is measured; None for all."""

WARM_UP_ROWS = 5_000
"""Expressions that are built once so that all kernels are compiled."""


def match_each(index: Index, singles: Sequence[EventBatch]) -> npt.NDArray[np.float64]:
    """How long each event takes by itself, in seconds."""
    times = np.zeros(len(singles))
    for place, event in enumerate(singles):
        started = perf_counter()
        index.engine.match(event)
        times[place] = perf_counter() - started
    return times


def match_in_one_thread(index: Index, batch: EventBatch) -> None:
    """A batch in blocks, without other threads."""
    set_threads(1)
    try:
        index.engine.match_batch(batch)
    finally:
        set_threads(None)


def single_against_scan(bench: Bench) -> Outcome:
    """The same events, one by one, through the engine and through a scan."""
    num_events = 24 if bench.is_full else 64
    singles = {need: bench.single_events(need, num_events) for need in (CONJUNCTIONS, SCANNED)}
    samples = interleave(
        {need.engine: partial(match_each, bench.index(need), events) for need, events in singles.items()}, 5
    )
    return Outcome(
        samples["scan"].median / samples[ENGINE].median,
        {
            "num_events": num_events,
            "us_per_event": {name: 1e6 * times.median / num_events for name, times in samples.items()},
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


def block_against_single(bench: Bench, need: IndexNeed, num_block: int, num_single: int) -> Outcome:
    """Events as one batch, on all cores and on one, and the first of them one by one; all already encoded."""
    index = bench.index(need)
    batch = bench.events(need, num_block)
    singles = bench.single_events(need, num_single)
    num_matches = len(index.engine.match_batch(batch).positions)
    samples = interleave(
        {
            "single": lambda: match_each(index, singles),
            "block": lambda: index.engine.match_batch(batch),
            "block_on_one_core": lambda: match_in_one_thread(index, batch),
        },
        5,
    )
    us_single = 1e6 * samples["single"].median / len(singles)
    us_block = 1e6 * samples["block"].median / batch.num_events
    us_one_core = 1e6 * samples["block_on_one_core"].median / batch.num_events
    return Outcome(
        us_single / us_block,
        {
            "num_events": {"single": len(singles), "block": batch.num_events},
            "us_per_event": {"single": us_single, "block": us_block, "block_on_one_core": us_one_core},
            "times_on_one_core": us_single / us_one_core,
            "num_threads": num_threads(),
            "matches_per_event": num_matches / batch.num_events,
            "matching_share": num_matches / batch.num_events / len(index),
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


def count_against_match(bench: Bench) -> Outcome:
    """Matches for each expression, counted, and as pairs."""
    index: Any = bench.index(ADS)
    batch = bench.events(ADS, 1_024)
    samples = interleave(
        {"match_batch": lambda: index.match_batch(batch), "count_batch": lambda: index.count_batch(batch)}, 5
    )
    return Outcome(
        samples["match_batch"].median / samples["count_batch"].median,
        {
            "num_events": batch.num_events,
            "us_per_event": {name: 1e6 * times.median / batch.num_events for name, times in samples.items()},
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


@contextmanager
def one_core() -> Iterator[bool]:
    """Keep this thread, those that it starts, and Arrow's to one core; says whether the system lets us."""
    arrow_cores = pa.cpu_count()
    pa.set_cpu_count(1)
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set()
    if cores:
        os.sched_setaffinity(0, {max(cores)})
    try:
        yield bool(cores)
    finally:
        pa.set_cpu_count(arrow_cores)
        if cores:
            os.sched_setaffinity(0, cores)


def build_from_text(bench: Bench) -> Outcome:
    """`eligo.build` from a table of texts, after all kernels have been compiled."""
    expressions = bench.workload("conjunctions").expressions
    started = perf_counter()
    eligo.build(expressions.slice(0, WARM_UP_ROWS), engine=ENGINE)
    warm_up = perf_counter() - started
    wall, processor = [], []
    with one_core() as is_pinned:
        for _ in range(3):
            started, started_processor = perf_counter(), process_time()
            eligo.build(expressions, engine=ENGINE)
            wall.append(perf_counter() - started)
            processor.append(process_time() - started_processor)
    return Outcome(
        expressions.num_rows / median(wall),
        {
            "num_expressions": expressions.num_rows,
            "rounds_s": wall,
            "processor_s": processor,
            "warm_up_s": warm_up,
            "is_pinned_to_one_core": is_pinned,
        },
    )


def bytes_an_expression(bench: Bench, need: IndexNeed) -> Outcome:
    """All arrays of an index, without ids and source text."""
    index = bench.index(need)
    sizes = index_bytes(index)
    texts = bench.expressions(need).column("expression").nbytes
    return Outcome(
        sum(sizes.values()) / len(index),
        {"num_expressions": len(index), "bytes": sizes, "bytes_of_source_text": texts},
    )


def insert_and_delete(bench: Bench) -> Outcome:
    """One expression in and out again, many times; the first ones warm up."""
    index: Any = bench.index(CONJUNCTIONS)
    num_warm_up, num_pairs = 20, 300
    more = WORKLOADS["conjunctions"].generate(num_warm_up + num_pairs, 1, bench.seed + 1).expressions
    inserts, deletes = [], []
    with collector_paused():
        for number, text in enumerate(more.column("expression").to_pylist()):
            id = len(index) + 1_000_000_000 + number
            started = perf_counter()
            index.insert(id, text)
            inserted = perf_counter()
            index.delete(id)
            deleted = perf_counter()
            inserts.append(inserted - started)
            deletes.append(deleted - inserted)
    pairs = np.array(inserts)[num_warm_up:] + np.array(deletes)[num_warm_up:]
    return Outcome(
        1e3 * float(np.median(pairs)),
        {
            "num_pairs": num_pairs,
            "insert_us_median": 1e6 * float(np.median(inserts[num_warm_up:])),
            "delete_us_median": 1e6 * float(np.median(deletes[num_warm_up:])),
            "pair_us_99th": 1e6 * float(np.quantile(pairs, 0.99)),
            "pair_us_largest": 1e6 * float(pairs.max()),
            "warm_up_s": sum(inserts[:num_warm_up]) + sum(deletes[:num_warm_up]),
        },
    )


def latency(bench: Bench) -> Outcome:
    """Microseconds an event at several sizes: one by one, from a dict to ids, in blocks, and scanned."""
    points = []
    for num_expressions in SIZES:
        need = IndexNeed("conjunctions", ENGINE, num_expressions)
        if num_expressions is not None and num_expressions >= len(bench.index(CONJUNCTIONS)):
            continue
        points.append(latency_at(bench, need, IndexNeed("conjunctions", "scan", num_expressions)))
    return Outcome(points[-1]["single_mean_us"], {"points": points})


def latency_at(bench: Bench, need: IndexNeed, scanned: IndexNeed) -> dict[str, Any]:
    """One point of the curves. An event's time is its median over the rounds."""
    index, scan = bench.index(need), bench.index(scanned)
    num_events = 512
    batch, singles = bench.events(need, 2_048), bench.single_events(need, num_events)
    scanned_events = bench.single_events(scanned, 8)
    rows = bench.workload(need.workload).events.slice(0, num_events).to_pylist()
    dicts = [event_dict(row) for row in rows]
    single_rounds: list[npt.NDArray[np.float64]] = []
    samples = interleave(
        {
            "single": lambda: single_rounds.append(match_each(index, singles)),
            "dict": lambda: [index.match(event) for event in dicts],
            "block": lambda: index.engine.match_batch(batch),
            "scan": lambda: match_each(scan, scanned_events),
        },
        5,
    )
    of_event = 1e6 * np.median(np.array(single_rounds[1:]), axis=0)
    return {
        "num_expressions": len(index),
        "single_mean_us": float(of_event.mean()),
        "single_median_us": float(np.median(of_event)),
        "single_99th_us": float(np.quantile(of_event, 0.99)),
        "dict_mean_us": 1e6 * samples["dict"].median / num_events,
        "block_mean_us": 1e6 * samples["block"].median / batch.num_events,
        "scan_mean_us": 1e6 * samples["scan"].median / len(scanned_events),
    }


EXPERIMENT = Experiment(
    "default_engine",
    "Is the default engine quick enough?",
    (
        Measurement(
            "build_from_text",
            "build from text, `conjunctions`, one core",
            "expressions/s",
            build_from_text,
            Bar(25_000),
            workloads=("conjunctions",),
            engines=(ENGINE,),
        ),
        Measurement(
            "bytes_conjunctions",
            "memory without ids and source text, `conjunctions`",
            "bytes an expression",
            lambda bench: bytes_an_expression(bench, CONJUNCTIONS),
            Bar(190, at_least=False),
            indexes=(CONJUNCTIONS,),
        ),
        Measurement(
            "single_against_scan",
            "single event against `scan`, `conjunctions`",
            "times",
            single_against_scan,
            Bar(40),
            indexes=(CONJUNCTIONS, SCANNED),
        ),
        Measurement(
            "latency",
            "single event at the largest size, mean, `conjunctions`",
            "µs",
            latency,
            indexes=(
                *(IndexNeed("conjunctions", ENGINE, size) for size in SIZES),
                *(IndexNeed("conjunctions", "scan", size) for size in SIZES),
            ),
        ),
        Measurement(
            "block_conjunctions",
            "block against single event, `conjunctions`",
            "times",
            lambda bench: block_against_single(bench, CONJUNCTIONS, 2_048, 1_024),
            Bar(3),
            indexes=(CONJUNCTIONS,),
        ),
        Measurement(
            "insert_and_delete",
            "insert and delete of one expression, median, `conjunctions`",
            "ms",
            insert_and_delete,
            Bar(1, at_least=False),
            indexes=(CONJUNCTIONS,),
            methods=("insert", "delete"),
        ),
        Measurement(
            "bytes_ads_like",
            "memory without ids and source text, `ads_like`",
            "bytes an expression",
            lambda bench: bytes_an_expression(bench, ADS),
            Bar(150, at_least=False),
            indexes=(ADS,),
        ),
        Measurement(
            "block_ads_like",
            "block against single event, `ads_like`",
            "times",
            lambda bench: block_against_single(bench, ADS, 1_024, 64),
            indexes=(ADS,),
        ),
        Measurement(
            "count_against_match",
            "`count_batch` against `match_batch`, dense, `ads_like`",
            "times",
            count_against_match,
            Bar(2),
            indexes=(ADS,),
            methods=("count_batch",),
        ),
    ),
)
