"""What comes of a contest at one point? Contenders built from one encoded table, compared, and timed by turns.

An event's time is processor time of the thread: the mean of a round's events, and of all rounds the median, with their
quartiles for a spread. No round has events that an engine was asked before, in whichever way. Building is processor
time from the encoded table to the engine, the texts being read and the kernels loaded before. All has one thread.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median_low
from time import process_time, thread_time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError, event_dict
from benchmarks.fresh_events import FreshEvents
from benchmarks.single_event import events_alone
from benchmarks.timing import Action, Samples, interleave_fresh
from eligo import EventBatch, parse, set_threads
from eligo.data.expressions.expression_source import read_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.protocol import Engine
from eligo.errors import LimitError
from eligo.language.evaluate import Missing
from eligo.language.evaluate import matches as is_match
from eligo.language.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from benchmarks.contest import Contender, Point

NUM_ROUNDS, FEW_ROUNDS = 9, 2
"""At scale `full`, and `small`; one more warms up."""
FEW_EVENTS = 8
"""That are asked in a round at scale `small`."""
NUM_TRIED = 8
"""Events at most by which it is told how many a contender can be asked."""
NUM_SAMPLE = 512
"""Events that engines may learn from; others are timed."""
BEST = 5
"""How many the ways `top` and `top_by_lists` ask for."""
NUM_BUILDS = 3
BUILD_SECONDS = 1.0
"""An engine is built up to three times while all of it takes no longer than this."""
BATCH_SECONDS = 4
"""Times as many seconds as single events have for all of their rounds, batches have: a block is worth its size."""
WARM_UP_ROWS = 200
"""Expressions over which an engine is built first, so that its kernels are loaded."""

Way = Callable[[EventBatch], Any]


@dataclass
class Ground:
    """What contenders meet on: expressions, and the events that are asked."""

    expressions: pa.Table
    vocabulary: Vocabulary
    table: ExpressionTable
    sample: EventBatch | None
    compared: pa.Table
    """The events whose answers are compared, before anything is timed."""
    tried: pa.Table
    rounds: list[pa.Table]
    """For each round, the first of which warms up, the events that are timed; none comes twice."""
    warm_up: tuple[ExpressionTable, Vocabulary]
    seed: int

    def events_for(self, contender: Contender, events: pa.Table) -> list[EventBatch]:
        """One batch of all for `match_batch`, else a batch for each event.

        Only `top` sees weights, as in Whang 2009: 0 to 1 for a key.
        """
        batch = EventBatch.from_arrow(events, self.vocabulary)
        if contender.is_batch:
            return [batch]
        if contender.is_ranking:
            weights = np.random.default_rng([self.seed, 0x5EED]).random(len(batch.keys))
            weights.flags.writeable = False
            batch = batch._replace(key_weights=weights)
        return events_alone(batch)


@dataclass
class Found:
    """What came of the contenders so far, by label."""

    about: dict[str, Any] = field(default_factory=dict)
    """For each engine with its options: seconds of its builds, and its own figures."""
    refused: dict[str, str] = field(default_factory=dict)
    answers: dict[str, list[Any]] = field(default_factory=dict)
    num_events: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, list[npt.NDArray[np.float64]]] = field(default_factory=dict)
    """For each round: seconds of each call."""
    walls: dict[str, Samples] = field(default_factory=dict)


def hold(
    bench: Bench,
    point: Point,
    contenders: Sequence[Contender],
    *,
    one_at_a_time: bool = False,
    most_seconds: float | None = None,
) -> dict[str, Any]:
    """Build, compare, and time all contenders at one point.

    One engine at a time where they have no room together; a contender whose rounds would take more than `most_seconds`
    is asked fewer events.
    """
    most = max(events_a_round(contender, bench.is_full) for contender in contenders)
    found = Found()
    with one_thread():
        num_rounds = NUM_ROUNDS if bench.is_full else FEW_ROUNDS
        ground = prepare(bench, point, most, [width_of_round(contenders, bench.is_full)] * (1 + num_rounds))
        groups = by_engine(contenders) if one_at_a_time else [contenders]
        for group in groups:
            meet(bench, ground, group, found, contenders, most_seconds)
            gc.collect()
    took_part = [contender for contender in contenders if contender.label in found.answers]
    if not took_part:
        raise ValueError(f"no contender takes {point.workload}: {found.refused}")
    compared, num_matches = compare_with_oracle(ground, found.answers, took_part, point.missing, bench.seed)
    return {
        "num_expressions": ground.expressions.num_rows,
        "matching_share": num_matches / ground.expressions.num_rows,
        **figures(found, took_part),
        "num_events": found.num_events,
        "refused": found.refused,
        "engines": found.about,
        "compared_with_oracle": compared,
    }


def figures(found: Found, contenders: Sequence[Contender]) -> dict[str, dict[str, Any]]:
    """What was measured, by label: an event's milliseconds with their quartiles, and those of rounds; builds; bytes."""
    asked = {label: num_events / len(found.seconds[label][0]) for label, num_events in found.num_events.items()}
    rounds = {
        label: 1e3 * np.array(found.seconds[label][1:]).mean(axis=1) / num_in_call
        for label, num_in_call in asked.items()
    }  # the first round warms up
    about = {contender.label: found.about[contender.key] for contender in contenders}
    return {
        "ms_per_event": {label: float(np.median(times)) for label, times in rounds.items()},
        "ms_quartiles": {label: np.quantile(times, (0.25, 0.75)).tolist() for label, times in rounds.items()},
        "ms_of_rounds": {label: times.tolist() for label, times in rounds.items()},
        "wall_ms_per_event": {
            label: 1e3 * times.median / found.num_events[label] for label, times in found.walls.items()
        },
        "build_s": {label: of_engine["build_s"] for label, of_engine in about.items()},
        "build_s_range": {label: [min(of["builds_s"]), max(of["builds_s"])] for label, of in about.items()},
        "megabytes": {label: of_engine["bytes"] / 1e6 for label, of_engine in about.items()},
    }


@contextmanager
def one_thread() -> Iterator[None]:
    """Let batches use one thread meanwhile."""
    set_threads(1)
    try:
        yield
    finally:
        set_threads(None)


def events_a_round(contender: Contender, is_full: bool) -> int:
    """How many events a contender is asked in a round, unless that would take too long."""
    return contender.num_events if is_full else FEW_EVENTS


def places_in_round(contenders: Sequence[Contender], is_full: bool) -> dict[str, int]:
    """For each contender, the first of its events in a round.

    Ways through one engine have events of their own; engines have the same ones.
    """
    taken: dict[str, int] = {}
    places = {}
    for contender in contenders:
        places[contender.label] = taken.get(contender.key, 0)
        taken[contender.key] = places[contender.label] + events_a_round(contender, is_full)
    return places


def width_of_round(contenders: Sequence[Contender], is_full: bool) -> int:
    """How many events a round needs for all of them."""
    places = places_in_round(contenders, is_full)
    return max(places[contender.label] + events_a_round(contender, is_full) for contender in contenders)


def events_needed(contenders: Sequence[Contender]) -> int:
    """How many events a contest takes at scale `full`, beside those that engines learn from."""
    most = max(contender.num_events for contender in contenders)
    return most + NUM_TRIED + (1 + NUM_ROUNDS) * width_of_round(contenders, is_full=True)


def prepare(bench: Bench, point: Point, num_compared: int, rounds: Sequence[int]) -> Ground:
    """Encode the expressions of a point once for all; `rounds` says how many events each is for."""
    workload = bench.workload(point.workload)
    expressions = workload.expressions.slice(0, max(1, round(point.share * workload.expressions.num_rows)))
    vocabulary, table = _encoded(expressions, point.missing)
    events = FreshEvents(workload.events)
    num_sample = min(NUM_SAMPLE, workload.events.num_rows - num_compared - NUM_TRIED - sum(rounds))
    sample = EventBatch.from_arrow(events.take(num_sample), vocabulary) if num_sample > 0 else None
    vocabulary_of_few, few = _encoded(expressions.slice(0, WARM_UP_ROWS), point.missing)
    return Ground(
        expressions,
        vocabulary,
        table,
        sample,
        compared=events.take(num_compared),
        tried=events.take(NUM_TRIED),
        rounds=[events.take(num_events) for num_events in rounds],
        warm_up=(few, vocabulary_of_few),
        seed=bench.seed,
    )


def _encoded(expressions: pa.Table, missing: Missing) -> tuple[Vocabulary, ExpressionTable]:
    given = read_expressions(expressions, schema=None, limits=DEFAULT_LIMITS, id="id", expression="expression")
    return given.encode(missing)


def by_engine(contenders: Sequence[Contender]) -> list[list[Contender]]:
    """Contenders that are ways through the same engine, together."""
    groups: dict[str, list[Contender]] = {}
    for contender in contenders:
        groups.setdefault(contender.key, []).append(contender)
    return list(groups.values())


def meet(
    bench: Bench,
    ground: Ground,
    contenders: Sequence[Contender],
    found: Found,
    everybody: Sequence[Contender],
    most_seconds: float | None,
) -> None:
    """Build these contenders, ask them, and let them take turns."""
    engines: dict[str, Engine] = {}
    for contender in contenders:
        reason = too_large(contender, ground)
        if reason is None and contender.key not in engines:
            try:
                engines[contender.key], found.about[contender.key] = build(contender, ground)
            except LimitError as error:
                reason = error.message + _refused_rows(error, ground)
        if reason is not None:
            found.refused[contender.label] = reason
    took_part = [contender for contender in contenders if contender.label not in found.refused]
    ways = {contender.label: _way(engines[contender.key], contender.way) for contender in took_part}
    for contender in took_part:
        num_events = events_a_round(contender, bench.is_full)
        way = ways[contender.label]
        if most_seconds is not None:
            num_events = affordable(way, contender, ground, num_events, most_seconds)
        events = ground.events_for(contender, ground.compared.slice(0, num_events))
        answers = [way(event) for event in events]
        found.answers[contender.label] = _split(answers[0]) if contender.is_batch else answers
        found.num_events[contender.label] = len(found.answers[contender.label])
        found.seconds[contender.label] = []
    demand_agreement(found.answers, everybody)
    places = places_in_round(contenders, bench.is_full)
    rounds = iter(ground.rounds)

    def turns() -> dict[str, Action]:
        """Each contender with its events of the next round."""
        events = next(rounds)
        made: dict[str, Action] = {}
        for contender in took_part:
            asked = events.slice(places[contender.label], found.num_events[contender.label])
            batches = ground.events_for(contender, asked)
            made[contender.label] = partial(_match_each, ways[contender.label], batches, found.seconds[contender.label])
        return made

    found.walls |= interleave_fresh(turns, len(ground.rounds) - 1)
    for key, engine in engines.items():
        found.about[key] |= own_figures(engine)


def _refused_rows(error: LimitError, ground: Ground) -> str:
    rows = getattr(error, "rows", ())
    return f" (of {len(rows):,} of {ground.expressions.num_rows:,} expressions)" if rows else ""


def too_large(contender: Contender, ground: Ground) -> str | None:
    """Why a contender is not even tried."""
    if contender.only_up_to is None or ground.expressions.num_rows <= contender.only_up_to:
        return None
    return f"not tried with more than {contender.only_up_to:,} expressions"


def build(contender: Contender, ground: Ground) -> tuple[Engine, dict[str, Any]]:
    """An engine, and what is to be said of it."""
    kind: Any = registry.get(contender.engine)
    few, vocabulary_of_few = ground.warm_up
    form = contender.form or (lambda table: table)
    kind.build(form(few), vocabulary_of_few, None, **contender.options)
    table = form(ground.table)
    seconds: list[float] = []
    engine: Engine | None = None
    while engine is None or (len(seconds) < NUM_BUILDS and sum(seconds) + min(seconds) < BUILD_SECONDS):
        engine = None
        started = process_time()
        engine = kind.build(table, ground.vocabulary, ground.sample, **contender.options)
        seconds.append(process_time() - started)
    assert engine is not None
    return engine, {"build_s": median_low(seconds), "builds_s": seconds}


def own_figures(engine: Engine) -> dict[str, Any]:
    """What an engine says of itself after all rounds: bytes, and its figures but for lists and tables."""
    stats = engine.stats()
    figures = {name: value for name, value in stats.details.items() if isinstance(value, (int, float, str))}
    return {"bytes": stats.num_bytes, **figures}


def affordable(way: Way, contender: Contender, ground: Ground, num_events: int, most_seconds: float) -> int:
    """How many events all rounds can ask in so many seconds, by the time that the first ones take."""
    fewest = min(num_events, NUM_TRIED if contender.is_batch else 2)
    events = ground.events_for(contender, ground.tried.slice(0, fewest))
    way(events[0])
    started = thread_time()
    for event in events:
        way(event)
    of_event = (thread_time() - started) / fewest
    most = (BATCH_SECONDS if contender.is_batch else 1) * most_seconds
    return max(fewest, min(num_events, int(most / (NUM_ROUNDS * max(of_event, 1e-9)))))


def _way(engine: Engine, way: str) -> Way:
    method: Any = getattr(engine, way)
    if way.startswith("top"):
        return lambda event: method(event, BEST)
    return (lambda event: method(event).positions) if way == "match_by_lists" else method


def _split(matches: Any) -> list[npt.NDArray[np.uint32]]:
    offsets = matches.offsets.astype(np.int64)
    return [matches.positions[offsets[row] : offsets[row + 1]] for row in range(len(offsets) - 1)]


def _match_each(way: Way, events: Sequence[EventBatch], seconds: list[npt.NDArray[np.float64]]) -> None:
    """Ask for each event; adds how long this thread was at work on each, which leaves out what others do meanwhile."""
    times = np.zeros(len(events))
    for place, event in enumerate(events):
        started = thread_time()
        way(event)
        times[place] = thread_time() - started
    seconds.append(times)


def demand_agreement(answers: Mapping[str, list[Any]], contenders: Sequence[Contender]) -> None:
    """Demand the same matches of all that match, and the same best of all that rank."""
    for is_ranking in (False, True):
        labels = [item.label for item in contenders if item.label in answers and item.is_ranking == is_ranking]
        for label in labels[1:]:
            for row, (one, other) in enumerate(zip(answers[label], answers[labels[0]], strict=False)):
                if is_ranking:
                    is_same = np.array_equal(one.positions, other.positions) and np.array_equal(one.units, other.units)
                else:
                    is_same = np.array_equal(one, other)
                if not is_same:
                    raise WrongAnswerError(f"{label} and {labels[0]} differ on event {row}")


def compare_with_oracle(
    ground: Ground, answers: Mapping[str, list[Any]], contenders: Sequence[Contender], missing: Missing, seed: int
) -> tuple[int, float]:
    """Demand the oracle's answers for a sample; says how many pairs, and matches an event."""
    rng = np.random.default_rng([seed, 0xC0FFEE])
    matched = [contender.label for contender in contenders if not contender.is_ranking]
    found: list[npt.NDArray[np.uint32]] = max((answers[label] for label in matched), key=len)
    num_checked = min(16, len(found))
    drawn = [rng.integers(0, ground.expressions.num_rows, 200)]
    drawn += [rng.permutation(found[row])[:10].astype(np.int64) for row in range(num_checked)]
    chosen = np.unique(np.concatenate(drawn))
    trees = [parse(text) for text in ground.expressions.column("expression").take(pa.array(chosen)).to_pylist()]
    events = [event_dict(row) for row in ground.compared.slice(0, num_checked).to_pylist()]
    for row, event in enumerate(events):
        for tree, is_returned in zip(trees, np.isin(chosen, found[row]).tolist(), strict=True):
            if is_match(tree, event, missing) != is_returned:
                raise WrongAnswerError(f"{matched[0]} and the oracle differ on {event}: {tree}")
    return num_checked * len(trees), float(np.mean([len(positions) for positions in found]))
