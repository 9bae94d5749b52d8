"""What does Eligo take beside what its users would take instead? The same expressions and fresh events, in one run.

See `benchmarks.neighbours`. There is a row of times for each way to ask Eligo and for each neighbour, at each size;
then come memory and the factors that are wanted. Eligo and the neighbours that come near to it are asked one after the
other, at all sizes; the slow ones, which are most of the run, when that is done. Rows are printed and stored as they
come (`benchmarks.results`), so that a run that is ended in the middle has left the near ones. A neighbour that is not
here, or does not get that far, is left out with a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome, RefusedError
from benchmarks.neighbours import eligo_memory, exchange
from benchmarks.neighbours.contenders import CONTENDERS, Contender
from benchmarks.neighbours.eligo_ways import WAYS, Way
from benchmarks.neighbours.race import ENGINE, FULL, Race, race, workload
from eligo import build

SIZES = tuple(FULL.sizes)
LARGEST = SIZES[-1]
NUM_SMALL = 2_000
"""Expressions of the index on which everything is loaded before memory is told."""
DICT_BARS = dict(zip(SIZES, (1.0, 2.5, 4.0), strict=True))
"""By expressions: how many times faster than the fastest neighbour `match(dict)` has to be."""
BATCH_BARS = {1_000: 5.0, 20_000: 20.0}
"""By rows: the same for a batch, but for the smallest size."""


def outcome(times_us: npt.NDArray[np.float64], details: dict[str, Any]) -> Outcome:
    """The median of calls, with quartiles."""
    low, middle, high, late = np.percentile(times_us, [25, 50, 75, 99]).tolist()
    return Outcome(
        middle, {**details, "calls": len(times_us), "mean_us": float(times_us.mean()), "p99_us": late}, (low, high)
    )


def way_times(found: Race, way: Way) -> npt.NDArray[np.float64]:
    """What a way to ask takes, found once."""
    if way.name not in found.of_way:
        found.of_way[way.name] = way.run(found)
    return found.of_way[way.name]


def eligo_time(bench: Bench, size: int, way: Way) -> Outcome:
    """Microseconds an event, asked in one way."""
    found = race(bench, size)
    details = {"who": "eligo", "way": way.name, "title": way.title, "inside": way.inside, "size": size}
    return outcome(way_times(found, way), details)


def contender_times(found: Race, contender: Contender) -> npt.NDArray[np.float64]:
    """Microseconds an event, for each call of a neighbour."""
    return np.array(found.ask(contender).times_ns) / 1e3 / contender.events_a_call


def contender_time(bench: Bench, size: int, contender: Contender) -> Outcome:
    """Microseconds an event, asked of a neighbour."""
    details = {
        "who": contender.name,
        "title": contender.title,
        "inside": contender.inside,
        "is_repeatable": contender.is_repeatable,
        "events_a_call": contender.events_a_call,
        "size": size,
    }
    try:
        found = race(bench, size)
        times = contender_times(found, contender)
    except RefusedError as refusal:
        raise RefusedError(str(refusal), details) from refusal
    timed = found.ask(contender)
    num_events = len(timed.times_ns) * contender.events_a_call
    return outcome(
        times,
        details
        | {
            "build_s": timed.build_s,
            "bytes": timed.bytes,
            "kind_of_bytes": timed.kind,
            "process_bytes": timed.process_bytes,
            "runtime": timed.runtime,
            "matches_an_event": timed.matches / num_events,
        },
    )


def fastest(found: Race) -> tuple[str, float]:
    """The neighbour that takes least for one event."""
    medians = {
        contender.name: float(np.median(contender_times(found, contender)))
        for contender in CONTENDERS
        if contender.events_a_call == 1 and contender.name in found.timed
    }
    if not medians:
        raise RefusedError("no neighbour was asked")
    name = min(medians, key=lambda name: medians[name])
    return name, medians[name]


def way(name: str) -> Way:
    """The way of a name."""
    return next(way for way in WAYS if way.name == name)


def factor(bench: Bench, size: int, name: str) -> Outcome:
    """How many times faster a way is than the fastest neighbour."""
    found = race(bench, size)
    neighbour, theirs = fastest(found)
    ours = float(np.median(way_times(found, way(name))))
    return Outcome(theirs / ours, {"fastest": neighbour, "us": {neighbour: theirs, name: ours}})


def small_batch_factor(bench: Bench, size: int) -> Outcome:
    """How many times faster 100 rows are in a batch than one by one."""
    found = race(bench, size)
    times = {name: float(np.median(way_times(found, way(name)))) for name in ("dict", "arrow_100")}
    return Outcome(times["dict"] / times["arrow_100"], {"us": times})


def held(bench: Bench, size: int, how: str) -> dict[str, Any]:
    """What an index holds in a process that has built or opened it, found once."""
    found = race(bench, size)
    if how not in found.of_process:
        few = found.expressions.slice(0, NUM_SMALL)
        large, small = found.directory / "large.parquet", found.directory / f"small-{how}"
        if how == "build":
            pq.write_table(found.expressions, large)
            pq.write_table(few, small)
        else:
            large = found.saved()
            build(few, engine=ENGINE).save(small)
        found.of_process[how] = eligo_memory.measured(how, large, found.directory / exchange.WARM, small)
    return found.of_process[how]


def memory(bench: Bench, size: int, how: str) -> Outcome:
    """Megabytes that became resident."""
    about = held(bench, size, how)
    details = {"who": f"eligo_{how}", "size": size, "bytes": about["bytes"], "build_s": about["s"]}
    return Outcome(about["bytes"] / 1e6, {**details, "bytes_before_asking": about["before_asking"]})


def memory_factor(bench: Bench, size: int, how: str) -> Outcome:
    """Memory of Eligo over that of the neighbour with the least."""
    found = race(bench, size)
    sizes = {name: timed.bytes for name, timed in found.timed.items() if timed.bytes > 0}
    if not sizes:
        raise RefusedError("no neighbour has told its memory")
    least = min(sizes, key=lambda name: sizes[name])
    ours = held(bench, size, how)["bytes"]
    return Outcome(ours / sizes[least], {"least": least, "bytes": {least: sizes[least], "eligo": ours}})


HELD = {"build": "has built it", "open": "has opened it"}
"""The two kinds of process whose memory is told."""


def short(size: int) -> str:
    """10k, 1m."""
    return f"{size // 1_000_000}m" if size >= 1_000_000 else f"{size // 1_000}k"


Made = tuple[str, str, str, Callable[..., Outcome], Bar | None]
"""Of a row at one size: name, title, unit, how it is measured, and what is wanted."""


def times(contenders: Iterable[Contender]) -> list[Made]:
    """What neighbours take."""
    return [
        (each.name, each.title, "µs an event", partial(contender_time, contender=each), None) for each in contenders
    ]


def near_rows(_: int) -> list[Made]:
    """Eligo, and what comes near to it."""
    return [
        *(
            (f"eligo_{each.name}", f"Eligo: {each.title}", "µs an event", partial(eligo_time, way=each), None)
            for each in WAYS
        ),
        *times(each for each in CONTENDERS if each.is_near),
        *(
            (f"eligo_memory_{how}", f"Eligo: memory of a process that {what}", "MB", partial(memory, how=how), None)
            for how, what in HELD.items()
        ),
    ]


def far_rows(_: int) -> list[Made]:
    """The others."""
    return times(each for each in CONTENDERS if not each.is_near)


def factor_rows(size: int) -> list[Made]:
    """What is wanted, of all that was asked."""
    return [
        (
            "dict_factor",
            "`match(dict)` against the fastest neighbour",
            "times",
            partial(factor, name="dict"),
            Bar(DICT_BARS[size]),
        ),
        *(
            (
                f"arrow_{count}_factor",
                f"Arrow table of {count:,} rows against the fastest neighbour",
                "times",
                partial(factor, name=f"arrow_{count}"),
                Bar(bar) if size > SIZES[0] else None,
            )
            for count, bar in BATCH_BARS.items()
        ),
        (
            "arrow_100_factor",
            "Arrow table of 100 rows against `match(dict)` of each",
            "times",
            small_batch_factor,
            Bar(1.0),
        ),
        *(
            (
                f"memory_{how}_factor",
                f"memory of a process that {what} against the neighbour with the least",
                "times",
                partial(memory_factor, how=how),
                Bar(1.0, at_least=False) if size == LARGEST else None,
            )
            for how, what in HELD.items()
        ),
    ]


def measurement(size: int, made: Made) -> Measurement:
    """A row at one size."""
    name, title, unit, run, bar = made
    return Measurement(
        f"{name}_{short(size)}",
        f"{size:,} expressions: {title}",
        unit,
        partial(run, size=size),
        bar,
        workloads=(workload("full"), workload("small")),
    )


EXPERIMENT = Experiment(
    "neighbours",
    "What does Eligo take beside what its users would take instead?",
    tuple(
        measurement(size, made) for rows in (near_rows, far_rows, factor_rows) for size in SIZES for made in rows(size)
    ),
)
