"""What does an answer cost where one in ten expressions matches? Pairs in blocks, and single events beside them.

Every event is asked once each way, in one thread. Times are those of the processor, so that a busy machine counts for
less. A pair costs what `match_batch` takes beyond `count_batch`, which walks the same blocks and writes no pair; the
answer before it is let go, as a loop over batches would, and its memory written again. Single events are asked of the
engine, encoded, and then others of the index, as dicts, for which it lists the ids of what matches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import thread_time
from typing import Any

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, IndexNeed, Measurement, Outcome
from benchmarks.single_event import event_alone
from benchmarks.timing import collector_paused
from benchmarks.workloads.catalogue import variant
from eligo import set_threads
from eligo.engines.a_tree.engine import ATree

DENSE = IndexNeed(variant("ads_like", match_share=0.1), "a_tree")
BLOCK = 512
NUM_ROUNDS = 2
"""Each with a block of its own, after one that warms up."""
NUM_SINGLES = 96
"""Single events, after some that warm up."""
NUM_WARM_UP = 32


def processor_seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    """What a call takes of this thread, and what it gives."""
    started = thread_time()
    result = action()
    return thread_time() - started, result


def times(bench: Bench) -> dict[str, Any]:
    """Milliseconds an event of each way, by rounds; measured once for all rows."""
    if DENSE not in bench.contests:
        set_threads(1)
        try:
            with collector_paused():
                bench.contests[DENSE] = measured(bench)
        finally:
            set_threads(None)
    found: dict[str, Any] = bench.contests[DENSE]
    return found


def measured(bench: Bench) -> dict[str, Any]:
    """The times of one run."""
    index, events = bench.index(DENSE), bench.workload(DENSE.workload).events
    engine = index.engine
    assert isinstance(engine, ATree)
    before, *blocks = (index.encode(events.slice(BLOCK * number, BLOCK)) for number in range(1 + NUM_ROUNDS))
    num_singles, first_single = NUM_WARM_UP + NUM_SINGLES, BLOCK * (1 + NUM_ROUNDS)
    encoded = index.encode(events.slice(first_single, num_singles))
    mappings = events.slice(first_single + num_singles, num_singles).to_pylist()
    for warm_up in (engine.match_blocks, engine.count_blocks, engine.bits_of_blocks):
        warm_up(before)  # so that kernels are compiled, and there is memory that an answer has given up
    match, count, bits, pairs = [], [], [], []
    for block in blocks:
        spent, found = processor_seconds(partial(engine.match_blocks, block))
        match.append(1e3 * spent / block.num_events)
        pairs.append(len(found.positions) / block.num_events)
        del found
        count.append(1e3 * processor_seconds(partial(engine.count_blocks, block))[0] / block.num_events)
        bits.append(1e3 * processor_seconds(partial(engine.bits_of_blocks, block))[0] / block.num_events)
    singles = [event_alone(encoded, row) for row in range(num_singles)]
    single = [1e3 * processor_seconds(partial(engine.match, event))[0] for event in singles]
    of_mapping, num_ids = [], []
    for mapping in mappings:
        spent, ids = processor_seconds(partial(index.match, mapping))
        of_mapping.append(1e3 * spent)
        num_ids.append(len(ids))
    return {
        "num_expressions": len(index),
        "num_events": {"block": BLOCK * NUM_ROUNDS, "single": NUM_SINGLES},
        "pairs_an_event": pairs,
        "match_ms": match,
        "count_ms": count,
        "bits_ms": bits,
        "single_ms": single[NUM_WARM_UP:],
        "mapping_ms": of_mapping[NUM_WARM_UP:],
        "ids_of_mappings": num_ids[NUM_WARM_UP:],
    }


def ns_a_pair(bench: Bench) -> Outcome:
    """What a pair costs in a block."""
    found = times(bench)
    rounds = [
        1e6 * (match - count) / pairs
        for match, count, pairs in zip(found["match_ms"], found["count_ms"], found["pairs_an_event"], strict=True)
    ]
    return Outcome(median(rounds), {**found, "ns_of_rounds": rounds}, (min(rounds), max(rounds)))


def over_block(bench: Bench, way: str) -> Outcome:
    """How many times as long an event takes alone, one way."""
    found = times(bench)
    return Outcome(median(found[way]) / median(found["match_ms"]))


def milliseconds(bench: Bench, way: str) -> Outcome:
    """An event's time one way, the median."""
    found = times(bench)[way]
    return Outcome(median(found), {}, (min(found), max(found)))


EXPERIMENT = Experiment(
    "dense",
    "What does an answer cost where one in ten expressions matches?",
    (
        Measurement(
            "ns_a_pair", "`match_batch` beyond `count_batch`, blocks", "ns a pair", ns_a_pair, Bar(4, at_least=False),
            indexes=(DENSE,),
        ),
        Measurement(
            "single_over_block", "a single event against its share of a block", "times",
            partial(over_block, way="single_ms"), Bar(5, at_least=False), indexes=(DENSE,),
        ),
        Measurement(
            "mapping_over_block", "the same by `index.match`, from a dict to ids", "times",
            partial(over_block, way="mapping_ms"), indexes=(DENSE,),
        ),
        *(
            Measurement(way, title, "ms an event", partial(milliseconds, way=way), indexes=(DENSE,))
            for way, title in (
                ("match_ms", "`match_batch`, blocks"),
                ("count_ms", "`count_batch`, blocks"),
                ("bits_ms", "as bits, blocks"),
                ("single_ms", "`match`, single events"),
                ("mapping_ms", "`index.match`, single events"),
            )
        ),
    ),
)  # fmt: skip
