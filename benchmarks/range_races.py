"""What do structures of ranges cost, side by side? Evaluations, time, bytes and build, compared with a loop before.

A point of a race has ranges or profiles of one shape, on which every structure is built, compared, and timed in turns.
What a structure refuses, because its lists would be too large, is left out there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome, RefusedError
from benchmarks.timing import interleave
from eligo.errors import InputError
from eligo.ranges.choose import Wish
from eligo.ranges.profiles import Predicates, Profiles
from eligo.ranges.range_index import RangeIndex, read_ranges
from eligo.ranges.structures import STRUCTURES
from eligo.workloads import tatbul_profiles
from eligo.workloads.tatbul_profiles import Drawn, overlap

EVALUATIONS, LOOKUP, ANSWER = "evaluations", "µs a lookup", "µs an answer"
BYTES, BUILD = "bytes a range", "build, s"

NAIVE, LAZY = "naive", "lazy"
NUM_DOCUMENTS = tatbul_profiles.PAPER["num_documents"]
NUM_TIMED = 1_000
"""Values of one round."""
NUM_ROUNDS = 9
MOST_ANSWERED = 4_000_000
"""Ranges that one round writes out at most; where answers are large, it has fewer values."""
NUM_COMPARED = 16

Metrics = dict[str, dict[str, float]]
"""For each metric and contender: the figure."""


@dataclass(frozen=True)
class Race:
    """Points along something that varies."""

    unit: str
    """What `at` counts."""
    points: Mapping[float, Callable[[Bench], dict[str, Any]]]
    """For each place what measures it, and gives its metrics, spreads and anything else that is worth keeping."""
    contenders: tuple[str, ...] = tuple(STRUCTURES)
    headline: str = EVALUATIONS
    """The metric of the rows."""

    def measurements(self, bars: Mapping[tuple[float, str], tuple[str, Bar]] | None = None) -> list[Measurement]:
        """A row for each place and contender, and one for each bar, given by place and contender."""
        rows = [self.row(at, contender, self.headline, None) for at in self.points for contender in self.contenders]
        return rows + [self.row(at, contender, metric, bar) for (at, contender), (metric, bar) in (bars or {}).items()]

    def row(self, at: float, contender: str, metric: str, bar: Bar | None) -> Measurement:
        """One figure."""
        plain = f"{self.unit} {at} {contender} {metric}".replace("µ", "u").replace("%", "per cent").replace(",", "")
        return Measurement(
            "_".join(plain.split()),
            f"{self.unit} {at:,}: {contender}, {metric}",
            "" if metric == EVALUATIONS else metric.rpartition(", ")[2],
            partial(self._figure, at=at, contender=contender, metric=metric),
            bar=bar,
        )

    def _figure(self, bench: Bench, at: float, contender: str, metric: str) -> Outcome:
        key = (self.unit, at, id(self.points[at]))
        is_first = key not in bench.contests
        if is_first:
            bench.contests[key] = self.points[at](bench)
        found = bench.contests[key]
        details = {"at": at, "unit": self.unit, **found} if is_first else {}
        if contender not in found["metrics"][metric]:
            raise RefusedError(found["refused"].get(contender, "not measured"), details)
        spread = found.get("spreads", {}).get(metric, {}).get(contender)
        return Outcome(found["metrics"][metric][contender], details, tuple(spread) if spread else None)


def race_experiment(name: str, question: str, races: Sequence[Race]) -> Experiment:
    """An experiment of some races, without bars."""
    return Experiment(name, question, tuple(row for race in races for row in race.measurements()))


def profiles_of(drawn: Drawn, wish: Wish) -> Profiles:
    """Profiles with an index on each attribute."""
    everyone = np.arange(len(drawn.starts))
    predicates = {
        f"a{column}": Predicates(everyone, read_ranges(drawn.starts[:, column], drawn.ends[:, column]))
        for column in range(drawn.starts.shape[1])
    }
    return Profiles.build(len(everyone), predicates, wish)


def race_profiles(bench: Bench, *, num_profiles: int, timed: bool = True, **parameters: Any) -> dict[str, Any]:
    """Average evaluations of a document by every structure and without one, and the time to find its ranges."""
    num_profiles = num_profiles if bench.is_full else max(20, num_profiles // 10)
    drawn = tatbul_profiles.draw(num_profiles, NUM_DOCUMENTS, bench.seed, **parameters)
    documents = [{f"a{column}": int(value) for column, value in enumerate(row)} for row in drawn.documents]
    metrics: Metrics = {EVALUATIONS: {}}
    for name in STRUCTURES:
        profiles = profiles_of(drawn, Wish(name))  # type: ignore[arg-type]
        for document, values in zip(documents, drawn.documents, strict=True):
            held = np.flatnonzero(((drawn.starts <= values) & (values <= drawn.ends)).all(axis=1))
            if not np.array_equal(profiles.match(document), held):
                raise WrongAnswerError(f"{name} and the loop differ on {document}")
        metrics[EVALUATIONS][name] = float(np.mean([profiles.evaluations(document) for document in documents]))
        for label, baseline in ((NAIVE, profiles.naive_evaluations), (LAZY, profiles.lazy_evaluations)):
            metrics[EVALUATIONS][label] = float(np.mean([baseline(document) for document in documents]))
    shares = [overlap(drawn.starts[:, column], drawn.ends[:, column]) for column in range(drawn.starts.shape[1])]
    about = {"overlap": float(np.mean(shares)), "num_profiles": num_profiles, "metrics": metrics, "refused": {}}
    return about | (timed_profiles(bench, drawn, metrics, parameters) if timed else {})


def timed_profiles(bench: Bench, drawn: Drawn, metrics: Metrics, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The time to find the ranges of a document on all attributes; fresh documents in each round."""
    columns = range(drawn.starts.shape[1])
    indexes = {
        name: [RangeIndex(drawn.starts[:, column], drawn.ends[:, column], structure=name) for column in columns]
        for name in STRUCTURES
    }
    scans = [
        RangeIndex(drawn.starts[:, column], drawn.ends[:, column], structure="cluster", min_cluster=2**31)
        for column in columns
    ]
    num_rounds = NUM_ROUNDS if bench.is_full else 2
    asked = tatbul_profiles.draw(1, NUM_TIMED * (num_rounds + 1), bench.seed + 1, **parameters).documents
    metrics["µs a document"], spreads = timed(
        {name: [index.containing_batch for index in of_name] for name, of_name in (indexes | {NAIVE: scans}).items()},
        np.split(asked, num_rounds + 1),
    )
    return {"spreads": {"µs a document": spreads}}


def timed(
    calls: Mapping[str, Sequence[Callable[[Any], object]]], batches: Sequence[npt.NDArray[Any]]
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """For each contender microseconds a row, and the quartiles of rounds; call c is given column c of a batch."""
    turns = {name: iter(batches) for name in calls}

    def ask(name: str) -> None:
        batch = next(turns[name])
        for column, call in enumerate(calls[name]):
            call(np.ascontiguousarray(batch[:, column]))

    samples = interleave({name: partial(ask, name) for name in calls}, len(batches) - 1)
    rounds = {name: 1e6 * np.array(each.rounds) / len(batches[0]) for name, each in samples.items()}
    medians = {name: float(np.median(times)) for name, times in rounds.items()}
    return medians, {name: np.quantile(times, (0.25, 0.75)).tolist() for name, times in rounds.items()}


def floats_with_overlap(
    num_ranges: int, share: float, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Ranges that begin anywhere from 0 to 1, of random lengths such that this share of their pairs overlap."""
    rng = np.random.default_rng([seed, num_ranges])
    starts, lengths = rng.random(num_ranges), rng.random(num_ranges)
    low, high = 0.0, 1_000.0
    for _ in range(60):
        longest = (low + high) / 2
        is_less = overlap(starts[:4_000], starts[:4_000] + longest * lengths[:4_000]) < share  # type: ignore[arg-type]
        low, high = (longest, high) if is_less else (low, longest)
    return starts, starts + high * lengths


def race_ranges(
    bench: Bench,
    make: Callable[[int], tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    contenders: Sequence[str] = tuple(STRUCTURES),
) -> dict[str, Any]:
    """Build, bytes and times of every structure that takes the ranges."""
    starts, ends = make(bench.seed)
    if not bench.is_full:
        starts, ends = starts[:2_000], ends[:2_000]
    metrics: Metrics = {LOOKUP: {}, ANSWER: {}, BYTES: {}, BUILD: {}}
    indexes, refused = {}, {}
    for name in STRUCTURES:
        RangeIndex(starts[:64], ends[:64], structure=name)  # compiles, also what "auto" may choose
    for name in contenders:
        started = perf_counter()
        try:
            index = RangeIndex(starts, ends, structure=name)
        except InputError as error:
            refused[name] = error.message
            continue
        metrics[BUILD][name] = perf_counter() - started
        metrics[BYTES][name] = index.stats().num_bytes / len(starts)
        compare(name, index, starts, ends, bench.seed)
        indexes[name] = index
    stats = next(iter(indexes.values())).stats()
    mean = float(np.mean(next(iter(indexes.values())).count_batch(values_among(ends, 200, bench.seed))))
    num_rounds = NUM_ROUNDS if bench.is_full else 2
    spreads = {}
    num_answers = max(4, min(NUM_TIMED, int(MOST_ANSWERED / max(1.0, mean))))
    for metric, num_values, method in ((LOOKUP, NUM_TIMED, "count_batch"), (ANSWER, num_answers, "containing_batch")):
        asked = values_among(ends, num_values * (num_rounds + 1), bench.seed + 1).reshape(num_rounds + 1, -1, 1)
        calls = {
            name: [getattr(index, method)]
            for name, index in indexes.items()
            if metric == ANSWER or not STRUCTURES[index.stats().structure].is_checked
        }
        metrics[metric], spreads[metric] = timed(calls, list(asked))
    for found in (metrics, spreads):  # what must be checked is not found before it is written out
        found[LOOKUP] = {name: found[LOOKUP].get(name, figures) for name, figures in found[ANSWER].items()}
    about = {"num_ranges": len(starts), "overlap": stats.overlap, "ranges_an_answer": mean}
    return {**about, "metrics": metrics, "spreads": spreads, "refused": refused}


def values_among(ends: npt.NDArray[np.float64], num_values: int, seed: int) -> npt.NDArray[np.float64]:
    """Values anywhere from 0 to the last end."""
    return np.random.default_rng([seed, 7]).random(num_values) * float(ends.max())


def compare(
    name: str, index: RangeIndex, starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64], seed: int
) -> None:
    """Refuse an index that does not answer as a loop over all ranges does."""
    values = np.append(values_among(ends, NUM_COMPARED, seed), [starts[0], ends[0]])
    rows = index.containing_batch(values)
    counts = index.count_batch(values)
    for place, value in enumerate(values):
        held = np.flatnonzero((starts <= value) & (value <= ends))
        found = rows.ranges[rows.offsets[place] : rows.offsets[place + 1]]
        if not np.array_equal(found, held) or counts[place] != len(held):
            raise WrongAnswerError(f"{name} and the loop differ on {value}")
