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
from benchmarks.single_event import events_alone
from benchmarks.timing import Action, collector_paused, interleave_fresh
from benchmarks.workloads.catalogue import WORKLOADS, variant
from eligo import EventBatch, Index, set_threads
from eligo.engines.threads import num_threads

ENGINE = "a_tree"
WORKLOAD = variant("conjunctions", num_events=90_000)
"""With as many events as all measurements and all their rounds need, because none is asked twice."""
CONJUNCTIONS = IndexNeed(WORKLOAD, ENGINE)
SCANNED = IndexNeed(WORKLOAD, "scan")
ADS = IndexNeed(variant("ads_like", num_events=26_000), ENGINE)
TARGETING = IndexNeed(variant("targeting", num_events=60_000), ENGINE)

SIZES = (10_000, 100_000, None)
"""Numbers of expressions at which latency is measured; None for all."""
NUM_ROUNDS = 5
FEW_SINGLES, FEW_IN_BLOCK = 16, 32
"""Events of a round at scale `small`."""

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
    """The same events, one by one, through the engine and through a scan; others in every round."""
    num_events = 24 if bench.is_full else FEW_SINGLES

    def turns() -> dict[str, Action]:
        events = bench.fresh(WORKLOAD, num_events)
        return {
            need.engine: partial(match_each, bench.index(need), events_alone(bench.index(need).encode(events)))
            for need in (CONJUNCTIONS, SCANNED)
        }

    samples = interleave_fresh(turns, NUM_ROUNDS)
    return Outcome(
        samples["scan"].median / samples[ENGINE].median,
        {
            "num_events": num_events,
            "us_per_event": {name: 1e6 * times.median / num_events for name, times in samples.items()},
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


def block_against_single(bench: Bench, need: IndexNeed, num_block: int, num_single: int) -> Outcome:
    """Events as one batch, others on one core, and others one by one, fresh in every round; all already encoded."""
    index = bench.index(need)
    if not bench.is_full:
        num_block, num_single = FEW_IN_BLOCK, FEW_SINGLES
    counts: list[int] = []

    def block(batch: EventBatch) -> None:
        counts.append(len(index.engine.match_batch(batch).positions))

    def turns() -> dict[str, Action]:
        return {
            "single": partial(match_each, index, bench.single_events(need, num_single)),
            "block": partial(block, bench.events(need, num_block)),
            "block_on_one_core": partial(match_in_one_thread, index, bench.events(need, num_block)),
        }

    samples = interleave_fresh(turns, NUM_ROUNDS)
    num_matches = sum(counts) / len(counts)
    us_single = 1e6 * samples["single"].median / num_single
    us_block = 1e6 * samples["block"].median / num_block
    us_one_core = 1e6 * samples["block_on_one_core"].median / num_block
    return Outcome(
        us_single / us_block,
        {
            "num_events": {"single": num_single, "block": num_block},
            "us_per_event": {"single": us_single, "block": us_block, "block_on_one_core": us_one_core},
            "times_on_one_core": us_single / us_one_core,
            "num_threads": num_threads(),
            "matches_per_event": num_matches / num_block,
            "matching_share": num_matches / num_block / len(index),
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


def count_against_match(bench: Bench) -> Outcome:
    """Matches for each expression, counted, and as pairs of other events, fresh in every round."""
    index: Any = bench.index(ADS)
    num_events = 1_024 if bench.is_full else FEW_IN_BLOCK

    def turns() -> dict[str, Action]:
        return {
            "match_batch": partial(index.match_batch, bench.events(ADS, num_events)),
            "count_batch": partial(index.count_batch, bench.events(ADS, num_events)),
        }

    samples = interleave_fresh(turns, NUM_ROUNDS)
    return Outcome(
        samples["match_batch"].median / samples["count_batch"].median,
        {
            "num_events": num_events,
            "us_per_event": {name: 1e6 * times.median / num_events for name, times in samples.items()},
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
    expressions = bench.workload(WORKLOAD).expressions
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


def latency(bench: Bench, workload: str) -> Outcome:
    """Microseconds an event at several sizes: one by one, from a dict to ids, in blocks, and scanned."""
    points = []
    for num_expressions in SIZES:
        need = IndexNeed(workload, ENGINE, num_expressions)
        if num_expressions is not None and num_expressions >= bench.workload(workload).expressions.num_rows:
            continue
        points.append(latency_at(bench, need, IndexNeed(workload, "scan", num_expressions)))
    return Outcome(points[-1]["single_mean_us"], {"points": points})


def latency_at(bench: Bench, need: IndexNeed, scanned: IndexNeed) -> dict[str, Any]:
    """One point of the curves: means of rounds, the median of them; every way has events of its own in every round."""
    index, scan = bench.index(need), bench.index(scanned)
    num_events, num_block, num_scanned = (512, 2_048, 8) if bench.is_full else (FEW_SINGLES, FEW_IN_BLOCK, 2)
    single_rounds: list[npt.NDArray[np.float64]] = []

    def single(events: Sequence[EventBatch]) -> None:
        single_rounds.append(match_each(index, events))

    def each_dict(events: Sequence[dict[str, Any]]) -> None:
        for event in events:
            index.match(event)

    def turns() -> dict[str, Action]:
        dicts = [event_dict(row) for row in bench.fresh(need.workload, num_events).to_pylist()]
        return {
            "single": partial(single, bench.single_events(need, num_events)),
            "dict": partial(each_dict, dicts),
            "block": partial(index.engine.match_batch, bench.events(need, num_block)),
            "scan": partial(match_each, scan, bench.single_events(scanned, num_scanned)),
        }

    samples = interleave_fresh(turns, NUM_ROUNDS)
    of_events = 1e6 * np.array(single_rounds[1:])
    return {
        "num_expressions": len(index),
        "single_mean_us": float(np.median(of_events.mean(axis=1))),
        "single_median_us": float(np.median(of_events)),
        "single_99th_us": float(np.quantile(of_events, 0.99)),
        "dict_mean_us": 1e6 * samples["dict"].median / num_events,
        "block_mean_us": 1e6 * samples["block"].median / num_block,
        "scan_mean_us": 1e6 * samples["scan"].median / num_scanned,
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
            workloads=(WORKLOAD,),
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
        *(
            Measurement(
                name,
                f"single event at the largest size, mean, `{workload.partition(' ')[0]}`",
                "µs",
                partial(latency, workload=workload),
                indexes=tuple(IndexNeed(workload, engine, size) for engine in (ENGINE, "scan") for size in SIZES),
            )
            for name, workload in (("latency", WORKLOAD), ("latency_targeting", TARGETING.workload))
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
